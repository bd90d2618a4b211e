"""A screen of text that was asked for once: the story of a listing, what a watch is worth."""

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from inforadar.bootstrap import App
from inforadar.domain.errors import RadarError
from inforadar.interfaces.tui.beside import beside
from inforadar.interfaces.tui.desk import Desk
from inforadar.interfaces.tui.line_field import LineField
from inforadar.interfaces.tui.record import Record
from inforadar.interfaces.tui.report_screen import MARGIN
from inforadar.interfaces.tui.upper_screen import UpperScreen
from inforadar.observe.printable import printable

ReadLines = Callable[[App, int], Sequence[Record]]


class TextField(LineField):
    """Lines whose keys are told where there is more than fits."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j", "scroll_down", "Down"),
        Binding("k", "scroll_up", "Up"),
    ]

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Nothing is scrolled that is all there."""
        if action in ("scroll_down", "scroll_up"):
            return self.lowest > 0
        return super().check_action(action, parameters)

    def lines_changed(self) -> None:
        """There may be more than fits now, or less."""
        super().lines_changed()
        self.refresh_bindings()


class TextScreen(UpperScreen):
    """Lines to read."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("colon", "app.command", "Command", key_display=":"),
        Binding("escape", "close", "Back"),
        Binding("q", "app.quit", "Quit"),
    ]

    def __init__(self, desk: Desk, title: str, read: ReadLines) -> None:
        super().__init__(desk, title)
        self._read = read

    def parts(self) -> ComposeResult:
        """The lines."""
        yield TextField()

    def on_mount(self) -> None:
        """Read at once."""
        self.query_one(LineField).focus()
        beside(self, self._show, self._failed, group="text")

    async def _show(self) -> None:
        width = self.size.width - MARGIN
        self.query_one(LineField).show(await self._desk.call(lambda: self._read(self._desk.app, width)))

    def _failed(self, error: RadarError) -> None:
        self.query_one(LineField).show([Record(text=printable(str(error)), tone="bad")])
