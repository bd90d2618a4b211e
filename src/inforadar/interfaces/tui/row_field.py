"""A field of rows, one line each, with a cursor."""

from collections.abc import Sequence
from typing import ClassVar

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.binding import Binding, BindingType
from textual.events import Click
from textual.message import Message
from textual.strip import Strip

from inforadar.interfaces.cli.table import shorten
from inforadar.interfaces.tui.line_field import STYLES, LineField
from inforadar.interfaces.tui.record import Record, Tone

CURSOR = Style(reverse=True)


class RowField(LineField):
    """Rows to stand on; j and k move the cursor, which the field follows."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j", "scroll_down", "Down"),
        Binding("k", "scroll_up", "Up"),
    ]

    class Moved(Message):
        """The cursor stands on another row."""

        def __init__(self, number: int) -> None:
            super().__init__()
            self.number = number

    def __init__(self, id: str | None = None) -> None:  # noqa: A002 - Textual's own name
        super().__init__(id=id)
        self.cursor = 0

    def show(self, records: Sequence[Record]) -> None:
        """Show these rows; the cursor and the view stay where they are, as far as there are rows."""
        top = self.scroll_offset.y
        super().show(records)
        self.move_to(top)
        self.go(self.cursor)

    def render_line(self, y: int) -> Strip:
        """One row."""
        number = self.scroll_offset.y + y
        strip = super().render_line(y)
        if number != self.cursor or number >= len(self.records):
            return strip
        record = self.records[number]
        text, style = shorten(record.text, self.room), self.rich_style + STYLES[record.tone] + CURSOR
        return Strip([Segment(text, style)], cell_len(text)).adjust_cell_length(self.size.width, style)

    def go(self, number: int) -> None:
        """The cursor to a row, or to the nearest there is."""
        self.cursor = max(0, min(number, len(self.records) - 1))
        top, height = self.scroll_offset.y, max(1, self.size.height)
        if self.cursor < top:
            self.move_to(self.cursor)
        elif self.cursor >= top + height:
            self.move_to(self.cursor - height + 1)
        self.refresh()
        self.post_message(self.Moved(self.cursor))

    def action_scroll_down(self) -> None:
        """The next row."""
        self.go(self.cursor + 1)

    def action_scroll_up(self) -> None:
        """The row before."""
        self.go(self.cursor - 1)

    def action_page_down(self) -> None:
        """One page down."""
        self.go(self.cursor + self.size.height)

    def action_page_up(self) -> None:
        """One page up."""
        self.go(self.cursor - self.size.height)

    def action_half(self, sign: int) -> None:
        """Half a page down or up."""
        self.go(self.cursor + sign * max(1, self.size.height // 2))

    def action_scroll_home(self) -> None:
        """The first row."""
        self.go(0)

    def action_scroll_end(self) -> None:
        """The last row."""
        self.go(len(self.records) - 1)

    def on_click(self, event: Click) -> None:
        """The row that was clicked."""
        self.go(self.scroll_offset.y + event.y)

    def _folded(self, records: Sequence[Record]) -> list[tuple[str, Tone]]:
        return [(shorten(record.text, self.room), record.tone) for record in records]
