"""A field of lines, folded to its width and scrolled by the keys people know from pagers."""

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

from inforadar.interfaces.tui.record import Record, Tone

WHEEL = 3
INDENT = 4
NARROWEST = 10
STYLES: dict[Tone, Style] = {
    "plain": Style(),
    "head": Style(bold=True),
    "good": Style(color="green"),
    "bad": Style(color="red"),
    "warning": Style(color="yellow"),
    "faint": Style(dim=True),
}


class LineField(ScrollView, can_focus=True):
    """Records as lines; only those on the screen are drawn."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j", "scroll_down", "Down", show=False),
        Binding("k", "scroll_up", "Up", show=False),
        Binding("g", "scroll_home", "Top", show=False),
        Binding("G", "scroll_end", "Bottom", show=False),
        Binding("end", "scroll_end", "Bottom", show=False),
        Binding("ctrl+d", "half(1)", "Half a page down", show=False),
        Binding("ctrl+u", "half(-1)", "Half a page up", show=False),
    ]
    DEFAULT_CSS = """
    LineField {
        height: 1fr; padding: 0 0 0 1; background: transparent;
        overflow-x: hidden; overflow-y: auto; scrollbar-size-vertical: 1;
    }
    """

    def __init__(self, id: str | None = None) -> None:  # noqa: A002 - Textual's own name
        super().__init__(id=id)
        self._records: list[Record] = []
        self._lines: list[tuple[str, Tone]] = []

    @property
    def records(self) -> Sequence[Record]:
        """What it shows."""
        return self._records

    def show(self, records: Sequence[Record]) -> None:
        """Show these records from the first one on, instead of what was shown."""
        self._records = list(records)
        self._lines = self._folded(self._records)
        self.lines_changed()
        self.move_to(0)

    def renew(self, records: Sequence[Record]) -> None:
        """Show these records where the others stood, without moving; nothing is drawn anew unless it differs."""
        if list(records) != self._records:
            top = self.scroll_offset.y
            LineField.show(self, records)
            self.move_to(top)

    def add(self, records: Sequence[Record]) -> None:
        """Show more records below."""
        self._records += records
        self._lines += self._folded(records)
        self.lines_changed()

    def render_line(self, y: int) -> Strip:
        """One line of the field."""
        number = self.scroll_offset.y + y
        text, tone = self._lines[number] if number < len(self._lines) else ("", "plain")
        strip = Strip([Segment(text, self.rich_style + STYLES[tone])], cell_len(text))
        return strip.adjust_cell_length(self.size.width, self.rich_style)

    @property
    def room(self) -> int:
        """How many cells a line has: the scroll bar's are left to it, whether it is there or not."""
        return max(NARROWEST, self.content_region.width - 1)

    def on_resize(self, _event: Resize) -> None:
        """Fold all lines anew."""
        self._lines = self._folded(self._records)
        self.lines_changed()

    def lines_changed(self) -> None:
        """There are more lines, or other ones."""
        self.virtual_size = Size(self.size.width, len(self._lines))
        self.refresh()

    def move_to(self, line: int) -> None:
        """Scroll so that this line is the first one, as far as there are lines below."""
        self.scroll_to(y=max(0, min(line, self.lowest)), animate=False, force=True, immediate=True)
        self.refresh()

    @property
    def lowest(self) -> int:
        """The first line on the screen when the last one is on it."""
        return max(0, len(self._lines) - self.size.height)

    def action_scroll_down(self) -> None:
        """One line down."""
        self.move_to(self.scroll_offset.y + 1)

    def action_scroll_up(self) -> None:
        """One line up."""
        self.move_to(self.scroll_offset.y - 1)

    def action_page_down(self) -> None:
        """One page down."""
        self.move_to(self.scroll_offset.y + self.size.height)

    def action_page_up(self) -> None:
        """One page up."""
        self.move_to(self.scroll_offset.y - self.size.height)

    def action_half(self, sign: int) -> None:
        """Half a page down or up."""
        self.move_to(self.scroll_offset.y + sign * max(1, self.size.height // 2))

    def action_scroll_home(self) -> None:
        """To the first line."""
        self.move_to(0)

    def action_scroll_end(self) -> None:
        """To the last line."""
        self.move_to(self.lowest)

    def on_mouse_scroll_up(self, event: MouseScrollUp) -> None:
        """The wheel moves as the keys do."""
        event.stop()
        self.move_to(self.scroll_offset.y - WHEEL)

    def on_mouse_scroll_down(self, event: MouseScrollDown) -> None:
        """The wheel moves as the keys do."""
        event.stop()
        self.move_to(self.scroll_offset.y + WHEEL)

    def _folded(self, records: Sequence[Record]) -> list[tuple[str, Tone]]:
        return [(line, record.tone) for record in records for line in folded(record.text, self.room)]


def folded(text: str, width: int) -> list[str]:
    """A text in lines of so many cells, broken between words where that is possible; further lines stand indented."""
    if cell_len(text) <= width:
        return [text]
    indent = " " * min(width // 2, len(text) - len(text.lstrip()) + INDENT)
    lines = wrap(text, width, subsequent_indent=indent, break_on_hyphens=False)
    return [part for line in lines for part in chop_cells(line, width)]
