"""The log field: lines that come in live; it follows them until the user scrolls, and says how to follow again."""

from collections.abc import Sequence
from typing import ClassVar

from textual.binding import Binding, BindingType

from inforadar.interfaces.tui.line_field import LineField
from inforadar.interfaces.tui.record import Record

FOLLOW_HINT = "scrolled back: G follows again"


class LogField(LineField):
    """Log records in a green frame."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j", "scroll_down", "Down"),
        Binding("k", "scroll_up", "Up"),
        Binding("G", "scroll_end", "Follow"),
    ]
    DEFAULT_CSS = "LogField { border: round ansi_green; overflow-y: scroll; }"

    def __init__(self) -> None:
        super().__init__()
        self.is_following = True

    def show_log(self, log: Sequence[Record]) -> None:
        """Show what has been added to a log since the last call."""
        if len(log) > len(self.records):
            self.add(list(log[len(self.records) :]))

    def lines_changed(self) -> None:
        """More lines: the field goes to the last one while it follows."""
        super().lines_changed()
        if self.is_following:
            super().move_to(self.lowest)

    def move_to(self, line: int) -> None:
        """The user scrolls: at the last line the field follows, anywhere else it stays."""
        self.is_following = line >= self.lowest
        self.border_subtitle = "" if self.is_following else FOLLOW_HINT
        super().move_to(line)
