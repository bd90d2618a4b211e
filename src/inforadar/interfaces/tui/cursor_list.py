"""A list with a cursor: the keys that move it, and what is in sight. How far it goes, whoever lists knows."""

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.scroll_view import ScrollView


class CursorList(ScrollView, can_focus=True):
    """Lines to stand on."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j,down", "move(1)", "Down", show=False),
        Binding("k,up", "move(-1)", "Up", show=False),
        Binding("g,home", "first", "First", show=False),
        Binding("G,end", "last", "Last", show=False),
        Binding("ctrl+d", "half(1)", "Half a page down", show=False),
        Binding("ctrl+u", "half(-1)", "Half a page up", show=False),
        Binding("pagedown", "half(2)", "Page down", show=False),
        Binding("pageup", "half(-2)", "Page up", show=False),
    ]
    DEFAULT_CSS = """
    CursorList {
        height: 1fr; background: transparent; overflow-x: hidden; overflow-y: scroll; scrollbar-size-vertical: 1;
    }
    """

    cursor = 0

    def stand_on(self, number: int, lines: int) -> None:
        """The cursor to one of so many lines, and that one in sight."""
        self.cursor = max(0, min(number, lines - 1))
        top, height = self.scroll_offset.y, self.size.height
        if self.cursor < top:
            self.show_from(self.cursor)
        elif self.cursor >= top + height:
            self.show_from(self.cursor - height + 1)

    def show_from(self, top: int) -> None:
        """This line at the top of what is in sight."""
        self.scroll_to(y=max(0, top), animate=False, force=True, immediate=True)

    def on_focus(self) -> None:
        """The cursor shows only where keys go."""
        self.refresh()

    on_blur = on_focus
