"""A list with a cursor: the keys, the wheel and the clicks that move it. How far it goes, whoever lists knows."""

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.events import Click, MouseScrollDown, MouseScrollUp
from textual.scroll_view import ScrollView

WHEEL = 3


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

    def leave_for(self, number: int) -> None:
        """The cursor to a line, wherever it was on its way to."""
        raise NotImplementedError

    def action_move(self, lines: int) -> None:
        """The cursor so many lines down or up."""
        raise NotImplementedError

    def action_first(self) -> None:
        """To the first line."""
        self.leave_for(0)

    def action_last(self) -> None:
        """To the last line."""
        raise NotImplementedError

    def action_half(self, halves: int) -> None:
        """The cursor by halves of a screen."""
        self.action_move(halves * max(1, self.size.height // 2))

    def on_focus(self) -> None:
        """The cursor shows only where keys go."""
        self.refresh()

    on_blur = on_focus

    def on_click(self, event: Click) -> None:
        """The cursor to what was clicked."""
        self.leave_for(self.scroll_offset.y + event.y)

    def on_mouse_scroll_down(self, event: MouseScrollDown) -> None:
        """The wheel moves as the keys do."""
        event.stop()
        self.action_move(WHEEL)

    def on_mouse_scroll_up(self, event: MouseScrollUp) -> None:
        """The wheel moves as the keys do."""
        event.stop()
        self.action_move(-WHEEL)
