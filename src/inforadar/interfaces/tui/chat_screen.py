"""The chat of a simulated Telegram: its messages, and keys for their buttons."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol

from textual.binding import Binding, BindingType

from inforadar.bootstrap import App
from inforadar.interfaces.tui.desk import Desk
from inforadar.interfaces.tui.record import Record
from inforadar.interfaces.tui.report import Entry, Report, report_of
from inforadar.interfaces.tui.report_screen import ReportScreen
from inforadar.observe.printable import printable

HEADERS = ("MESSAGE", "SAYS")
NOTHING = "No message yet: what fits your profile is sent here as it is judged."


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatMessage:
    """One message as a person sees it."""

    id: int
    text: str
    buttons: tuple[str, ...]


class Chat(Protocol):
    """A chat that a person can read and press buttons in."""

    def messages(self) -> Sequence[ChatMessage]:
        """What stands in it, oldest first."""
        ...

    def press(self, message_id: int, button: int) -> None:
        """Press a button, counted from 0; raises ValueError where there is none that the bot hears of."""
        ...


class ChatScreen(ReportScreen):
    """Messages, newest first; the digits press the buttons of the one under the cursor."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("1", "press(0)", "Press a button", key_display="1-4"),
        Binding("2", "press(1)", "Second", show=False),
        Binding("3", "press(2)", "Third", show=False),
        Binding("4", "press(3)", "Fourth", show=False),
    ]

    def __init__(self, desk: Desk, chat: Chat) -> None:
        super().__init__(desk, "The simulated Telegram", self._read_chat, NOTHING)
        self._chat = chat

    def action_press(self, button: int) -> None:
        """Press a button of the message under the cursor."""
        message = next((one for one in self._chat.messages() if one.id == self.row_id), None)
        if message is None:
            return
        try:
            self._chat.press(message.id, button)
            self.tell(f"Pressed {message.buttons[button]}; Radar edits the message when it has heard of it.")
        except ValueError as error:
            self.tell(f"{str(error)[:1].upper()}{str(error)[1:]}.")

    def _read_chat(self, _app: App, width: int) -> Report:
        return report_of(HEADERS, [_entry(one) for one in reversed(self._chat.messages())], width, flexible=(1,))


def _entry(message: ChatMessage) -> Entry:
    first, *more = printable(message.text, keep="\n").split("\n") if message.text else [""]
    buttons = "  ".join(f"[{number} {name}]" for number, name in enumerate(message.buttons, 1))
    details = [
        Record(text=first, tone="head"),
        *(Record(text=line) for line in more),
        Record(text=buttons, tone="good"),
    ]
    return Entry(cells=(str(message.id), first), details=details, id=message.id)
