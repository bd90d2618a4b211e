"""The line at the foot of the screen where a text is typed: `/` for a filter, `:` for a command."""

from collections.abc import Callable
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.message import Message
from textual.suggester import Suggester
from textual.widgets import Input, Label

Complete = Callable[[str], str | None]
"""How a text may go on; None = as it is."""
Meant = Callable[[str, str], None]
"""Takes a sign and the text that the user means."""


class Completion(Suggester):
    """Suggests how what was typed may go on."""

    def __init__(self) -> None:
        super().__init__(use_cache=False, case_sensitive=True)
        self.complete: Complete | None = None

    async def get_suggestion(self, value: str) -> str | None:
        """How the text may go on."""
        return self.complete(value) if self.complete else None


class PromptBar(Horizontal):
    """Hidden until it is opened; tells what is typed, and at once whether it is meant.

    At once: by a call, not by a message, so that the next key finds what comes of it.
    `history`: what was typed after each sign, here and elsewhere.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "cancel", "Cancel"),
        # an Enter pressed before the program had the terminal comes as ctrl+j
        Binding("enter,ctrl+j", "mean", "Done", priority=True, show=False),
        Binding("up", "recall(-1)", "Earlier", show=False),
        Binding("down", "recall(1)", "Later", show=False),
        Binding("tab", "complete", "Complete", priority=True),
        Binding("tab", "stay", "Stay", priority=True, show=False),
    ]
    DEFAULT_CSS = """
    PromptBar { height: 1; display: none; background: transparent; }
    PromptBar.-open { display: block; }
    PromptBar Label { width: 2; padding: 0 0 0 1; text-style: bold; }
    PromptBar Input { width: 1fr; border: none; padding: 0; height: 1; background: transparent; }
    """

    class Typed(Message):
        """The text is another one, and may become yet another."""

        def __init__(self, sign: str, text: str) -> None:
            super().__init__()
            self.sign = sign
            self.text = text

    def __init__(self, meant: Meant, cancelled: Callable[[], None], history: dict[str, list[str]]) -> None:
        super().__init__()
        self._meant = meant
        self._cancelled = cancelled
        self._completion = Completion()
        self._sign = ""
        self._history = history
        self._recalled = 0

    def compose(self) -> ComposeResult:
        """A sign and a line to type in."""
        yield Label("", markup=False)
        yield Input(suggester=self._completion, compact=True, select_on_focus=False)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only what can be completed has a key for it."""
        if action == "complete":
            return self._completion.complete is not None
        return super().check_action(action, parameters)

    def open(self, sign: str, text: str = "", complete: Complete | None = None) -> None:
        """Let the user type after a sign; `complete` tells how that may go on."""
        self._sign = sign
        self._completion.complete = complete
        self._recalled = len(self._earlier)
        self.query_one(Label).update(sign)
        field = self.query_one(Input)
        with self.prevent(Input.Changed):
            field.value = text
        field.cursor_position = len(text)
        self.add_class("-open")
        self.screen.set_focus(field)  # at once: what is typed in one go must not reach the keys of the screen

    def close(self) -> None:
        """Hide again."""
        self.remove_class("-open")

    @property
    def is_open(self) -> bool:
        """Whether the user is typing."""
        return self.has_class("-open")

    def on_input_changed(self, event: Input.Changed) -> None:
        """Tell every change."""
        event.stop()
        self.post_message(self.Typed(self._sign, event.value))

    def action_mean(self) -> None:
        """Tell that it is meant, and remember it."""
        text = self.query_one(Input).value
        if text and self._earlier[-1:] != [text]:
            self._earlier.append(text)
        self.close()
        self._meant(self._sign, text)

    def action_cancel(self) -> None:
        """Nothing is meant."""
        self.close()
        self._cancelled()

    def action_complete(self) -> None:
        """Take what is suggested."""
        field, complete = self.query_one(Input), self._completion.complete
        if complete and (line := complete(field.value)):
            field.value = line
            field.cursor_position = len(line)

    def action_stay(self) -> None:
        """The keys stay with the line where there is nothing to complete."""

    def action_recall(self, step: int) -> None:
        """An earlier or a later text of the same sign."""
        self._recalled = max(0, min(self._recalled + step, len(self._earlier)))
        field = self.query_one(Input)
        field.value = self._earlier[self._recalled] if self._recalled < len(self._earlier) else ""
        field.cursor_position = len(field.value)

    @property
    def _earlier(self) -> list[str]:
        return self._history.setdefault(self._sign, [])
