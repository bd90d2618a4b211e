"""The help: every key and command, on top of whatever is shown."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen

from inforadar.interfaces.tui.commands import COMMANDS
from inforadar.interfaces.tui.line_field import LineField
from inforadar.interfaces.tui.record import Record

Keys = Mapping[str, Mapping[str, str]]
"""What each key does, by what it is for."""

KEYS: Keys = {
    "Move": {
        "j k": "down, up",
        "g G": "first, last",
        "ctrl-d ctrl-u": "half a screen down, up",
        "Enter": "into the details, Esc back",
    },
    "Decide": {
        "a": "applied",
        "x": "not for me",
        "l s": "later",
        "z": "undo the last decision, from wherever it came",
        "Space": "mark; a, x and l then decide on all marked ones",
    },
    "Look": {
        "/": "only what contains a text",
        "F": "only some watches, sources, topics, statuses",
        "d": "only what is to be decided; Esc shows everything",
        "o": "open the page of the listing",
        "y": "copy its address",
        "r": "read the list again",
    },
    "Fetch": {
        "f": "fetch the watches, sources and topics of the filter, else all",
        "j k G": "scroll the log; G follows it again",
        "Esc": "stop after the page under way; once more gives that up and closes",
    },
    "Program": {
        ":": "a command; Tab completes, up and down recall",
        "Esc": "close what is on top, then text, filter, marks; never the program",
        "q": "quit",
    },
}
WIDTH = 15
TYPED = "Commands, after :"


class HelpDialog(ModalScreen[None]):
    """All keys, with `more` than every program has; closed by Esc, ? and q."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,question_mark,q", "close", "Close")]
    DEFAULT_CSS = """
    HelpDialog { align: center middle; background: transparent; }
    HelpDialog Vertical { width: 72; max-width: 100%; height: 90%; border: round ansi_blue; background: ansi_default; }
    """

    def __init__(self, more: Keys | None = None) -> None:
        super().__init__()
        self._more = more or {}

    def compose(self) -> ComposeResult:
        """The table of keys."""
        with Vertical() as frame:
            frame.border_title = "Keys"
            frame.border_subtitle = "Esc closes"
            yield LineField()

    def on_mount(self) -> None:
        """Show the table."""
        field = self.query_one(LineField)
        field.show(help_lines(self._more))
        field.focus()

    def action_close(self) -> None:
        """Back."""
        self.dismiss()


def help_lines(more: Keys) -> Sequence[Record]:
    """The keys by what they are for, and more of them."""
    lines: list[Record] = []
    for title, keys in {**KEYS, **more}.items():
        lines += [
            Record(text=title, tone="head"),
            *(Record(text=f"  {key:<{WIDTH}}{does}") for key, does in keys.items()),
        ]
    lines.append(Record(text=TYPED, tone="head"))
    lines += [Record(text=f"  {name:<{WIDTH}}{does}") for name, does in COMMANDS.items()]
    return lines
