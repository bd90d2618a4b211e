"""The terminal program of the demo: as ever, with a chat beside it."""

import asyncio
from collections.abc import Mapping
from typing import ClassVar

from textual.binding import Binding, BindingType

from inforadar.bootstrap import App
from inforadar.interfaces.cli.demo import ENDING, ignore_signals
from inforadar.interfaces.tui.chat_screen import Chat, ChatScreen
from inforadar.interfaces.tui.main_screen import MainScreen
from inforadar.interfaces.tui.narrowing import TO_DECIDE
from inforadar.interfaces.tui.opening import open_listing
from inforadar.interfaces.tui.program import Program


class DemoProgram(Program):
    """`radar demo` in a terminal."""

    MORE_KEYS: ClassVar[Mapping[str, Mapping[str, str]]] = {
        "Demo": {
            "c": "the simulated Telegram; 1 to 4 press the buttons of a message",
            "w": "open the web page of the demo, or show its address",
        },
    }
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("c", "chat", "Chat"),
        Binding("w", "page", "Page"),
    ]

    def __init__(self, app: App, chat: Chat, page: str, told: str) -> None:
        super().__init__(app, told, TO_DECIDE)  # nothing is judged yet as it opens
        self._chat = chat
        self._page = page

    def on_mount(self) -> None:
        """End in good order when a signal says so: raised in the middle of a step, an exception may get lost there."""
        for number in ENDING:
            asyncio.get_running_loop().add_signal_handler(number, self.exit, None, 128 + number)

    async def on_unmount(self) -> None:
        """Hear no second signal, which would cut the end short."""
        for number in ENDING:
            asyncio.get_running_loop().remove_signal_handler(number)
        ignore_signals()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """The chat and the page are opened from the matches."""
        if action in ("chat", "page"):
            return isinstance(self.screen, MainScreen)
        return super().check_action(action, parameters)

    def action_chat(self) -> None:
        """Show what was sent, and press its buttons."""
        self.push_screen(ChatScreen(self.desk, self._chat))

    def action_page(self) -> None:
        """Open the web page of the demo, or show its address."""
        self.main.tell(open_listing(self, self._page))
