"""A screen over the matches: a heading, what it shows, what came of a key, and a line to type a command in."""

from collections.abc import Callable

from textual.app import ComposeResult
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Footer, Label

from inforadar.interfaces.tui.desk import Desk
from inforadar.interfaces.tui.prompt_bar import Complete, PromptBar
from inforadar.observe.printable import printable


class UpperScreen(Screen[None]):
    """What a command shows; another command can be typed over it."""

    DEFAULT_CSS = """
    UpperScreen { background: transparent; }
    UpperScreen #heading { height: 1; width: 1fr; text-style: bold; padding: 0 1; }
    UpperScreen #told { width: 1fr; height: auto; max-height: 3; padding: 0 1; color: ansi_yellow; display: none; }
    """

    def __init__(self, desk: Desk, title: str) -> None:
        super().__init__()
        self._desk = desk
        self._heading = title
        self._carry_out: Callable[[str], None] | None = None
        self._typed_over: Widget | None = None

    def compose(self) -> ComposeResult:
        """Header, what is shown, keys."""
        yield Label(printable(self._heading), id="heading", markup=False)
        yield from self.parts()
        yield Label("", id="told", markup=False)
        yield PromptBar(self._meant, self._end_typing, self._desk.typed)
        yield Footer(show_command_palette=False, compact=True)

    def parts(self) -> ComposeResult:
        """What stands below the heading."""
        yield from ()

    def tell(self, sentence: str) -> None:
        """Say what came of a key."""
        told = self.query_one("#told", Label)
        told.update(printable(sentence))
        told.display = bool(sentence)

    def type_command(self, complete: Complete, carry_out: Callable[[str], None]) -> None:
        """Let the user type a command over what is shown, and have it carried out."""
        self._carry_out = carry_out
        self._typed_over = self.focused
        self.tell("")
        self.query_one(PromptBar).open(":", complete=complete)

    def action_close(self) -> None:
        """Back."""
        self.dismiss()

    def _meant(self, _sign: str, text: str) -> None:
        self._end_typing()
        if self._carry_out:
            self._carry_out(text)

    def _end_typing(self) -> None:
        self.set_focus(self._typed_over)
