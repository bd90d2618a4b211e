"""A screen of rows that keeps itself up to date, with the details of the row under the cursor."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Label

from inforadar.domain.errors import RadarError
from inforadar.interfaces.tui.beside import beside
from inforadar.interfaces.tui.desk import Desk
from inforadar.interfaces.tui.line_field import LineField
from inforadar.interfaces.tui.record import Record
from inforadar.interfaces.tui.report import ReadReport, Report
from inforadar.interfaces.tui.row_field import RowField
from inforadar.interfaces.tui.upper_screen import UpperScreen

EVERY_S = 1.0
MARGIN = 3


class ReportScreen(UpperScreen):
    """Sources, jobs or runs."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab", "app.focus_next", "Rows or details"),
        Binding("colon", "app.command", "Command", key_display=":"),
        Binding("escape", "close", "Back"),
        Binding("q", "app.quit", "Quit"),
    ]
    DEFAULT_CSS = """
    ReportScreen #columns { height: 1; width: 1fr; text-style: dim; padding: 0 1; }
    ReportScreen #detail { height: 45%; border-top: solid ansi_blue; }
    """

    def __init__(self, desk: Desk, title: str, read: ReadReport, nothing: str) -> None:
        super().__init__(desk, title)
        self._read = read
        self._nothing = nothing
        self._report: Report | None = None
        self._detailed: int | None = None

    def parts(self) -> ComposeResult:
        """Rows and details."""
        yield Label("", id="columns", markup=False)
        yield RowField(id="rows")
        yield LineField(id="detail")

    def on_mount(self) -> None:
        """Read at once, and again and again."""
        self.query_one("#rows").focus()
        self.reload()
        self.set_interval(EVERY_S, self.reload)

    def reload(self) -> None:
        """Show how it is now."""
        beside(self, self._reload, self._failed, group="report")

    @property
    def row_id(self) -> int | None:
        """The id of what stands under the cursor."""
        ids = self._report.ids if self._report else ()
        cursor = self.query_one("#rows", RowField).cursor
        return ids[cursor] if cursor < len(ids) else None

    def on_row_field_moved(self, event: RowField.Moved) -> None:
        """Show the details of the row."""
        details = self._report.details if self._report else ()
        lines = list(details[event.number]) if event.number < len(details) else []
        detail = self.query_one("#detail", LineField)
        of_row = event.number if self.row_id is None else self.row_id
        if of_row == self._detailed:  # whoever reads them goes on where they are
            detail.renew(lines)
        else:
            self._detailed = of_row
            detail.show(lines)

    async def _reload(self) -> None:
        width = self.size.width - MARGIN
        report = await self._desk.call(lambda: self._read(self._desk.app, width))
        held, self._report = self.row_id, report
        self.query_one("#columns", Label).update(report.headers if report.rows else "")
        rows = report.rows or [Record(text=self._nothing, tone="faint")]
        field = self.query_one("#rows", RowField)
        field.show(rows)
        if held is not None and held in report.ids:  # what came above it does not take it from under the cursor
            field.go(report.ids.index(held))

    def _failed(self, error: RadarError) -> None:
        self.query_one("#rows", RowField).show([Record(text=str(error), tone="bad")])
