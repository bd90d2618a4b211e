"""The log field: lines that come in live; it follows them until the user scrolls, and says how to follow again."""

from collections.abc import Sequence
from textwrap import wrap
from typing import ClassVar

from rich.cells import cell_len, chop_cells
from rich.segment import Segment
from rich.style import Style
from textual.binding import Binding, BindingType
from textual.events import MouseScrollDown, MouseScrollUp, Resize
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip

from inforadar.interfaces.tui.fetch_feed import Record, Tone

FOLLOW_HINT = "scrolled back: G follows again"
STYLES: dict[Tone, Style] = {
    "plain": Style(),
    "head": Style(bold=True),
    "good": Style(color="green"),
    "bad": Style(color="red"),
    "warning": Style(color="yellow"),
    "faint": Style(dim=True),
}


class LogField(ScrollView, can_focus=True):
    """Log records in a green frame."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j", "scroll_down", "Down"),
        Binding("k", "scroll_up", "Up"),
        Binding("g", "scroll_home", "Top", show=False),
        Binding("G", "scroll_end", "Follow"),
        Binding("end", "scroll_end", "Follow", show=False),
        Binding("ctrl+d", "half(1)", "Half a page down", show=False),
        Binding("ctrl+u", "half(-1)", "Half a page up", show=False),
    ]
    DEFAULT_CSS = """
    LogField {
        border: round green; height: 1fr; padding: 0 0 0 1; background: transparent;
        overflow-x: hidden; overflow-y: scroll; scrollbar-size-vertical: 1;
    }
    """

    def __init__(self) -> None:
        super().__init__()
        self.is_following = True
        self._records: list[Record] = []
        self._lines: list[tuple[str, Tone]] = []

    def show_records(self, records: Sequence[Record]) -> None:
        """Show what has been added to a log since the last call."""
        added = list(records[len(self._records) :])
        if not added:
            return
        self._records += added
        self._lines += self._folded(added)
        self._resized()

    def render_line(self, y: int) -> Strip:
        """One line of the field."""
        number = self.scroll_offset.y + y
        text, tone = self._lines[number] if number < len(self._lines) else ("", "plain")
        strip = Strip([Segment(text, self.rich_style + STYLES[tone])], cell_len(text))
        return strip.adjust_cell_length(self.size.width, self.rich_style)

    def on_resize(self, _event: Resize) -> None:
        """Fold all lines anew."""
        self._lines = self._folded(self._records)
        self._resized()

    def action_scroll_down(self) -> None:
        """One line down."""
        self._move_to(self.scroll_offset.y + 1)

    def action_scroll_up(self) -> None:
        """One line up."""
        self._move_to(self.scroll_offset.y - 1)

    def action_page_down(self) -> None:
        """One page down."""
        self._move_to(self.scroll_offset.y + self.size.height)

    def action_page_up(self) -> None:
        """One page up."""
        self._move_to(self.scroll_offset.y - self.size.height)

    def action_half(self, sign: int) -> None:
        """Half a page down or up."""
        self._move_to(self.scroll_offset.y + sign * max(1, self.size.height // 2))

    def action_scroll_home(self) -> None:
        """To the first line."""
        self._move_to(0)

    def action_scroll_end(self) -> None:
        """To the last line, and follow again."""
        self._move_to(self._lowest())

    def on_mouse_scroll_up(self, event: MouseScrollUp) -> None:
        """The wheel moves as the keys do."""
        event.stop()
        self._move_to(self.scroll_offset.y - 3)

    def on_mouse_scroll_down(self, event: MouseScrollDown) -> None:
        """The wheel moves as the keys do."""
        event.stop()
        self._move_to(self.scroll_offset.y + 3)

    def _move_to(self, line: int) -> None:
        """The user scrolls: at the last line the field follows, anywhere else it stays."""
        lowest = self._lowest()
        self.is_following = line >= lowest
        self.border_subtitle = "" if self.is_following else FOLLOW_HINT
        self.scroll_to(y=max(0, min(line, lowest)), animate=False, force=True, immediate=True)
        self.refresh()

    def _lowest(self) -> int:
        return max(0, len(self._lines) - self.size.height)

    def _resized(self) -> None:
        self.virtual_size = Size(self.size.width, len(self._lines))
        if self.is_following:
            self.scroll_to(y=self._lowest(), animate=False, force=True, immediate=True)
        self.refresh()

    def _folded(self, records: Sequence[Record]) -> list[tuple[str, Tone]]:
        width = max(10, self.size.width)
        return [(line, record.tone) for record in records for line in folded(record.text, width)]


def folded(text: str, width: int) -> list[str]:
    """A text in lines of so many cells, broken between words where that is possible; further lines stand indented."""
    if cell_len(text) <= width:
        return [text]
    indent = " " * min(width // 2, len(text) - len(text.lstrip()) + 4)
    lines = wrap(text, width, subsequent_indent=indent, break_on_hyphens=False, drop_whitespace=True)
    return [part for line in lines for part in chop_cells(line, width)]
