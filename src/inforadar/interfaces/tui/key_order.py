"""Keys in their order: each is done before the next one is looked at.

A key goes to what has the focus and comes back up to the program, which then does what it is bound to. What follows
close behind would go its own way meanwhile: past what the key before opens, or to it before the letter between them.
So one key is under way at a time, with a mark right behind it that takes the same way; when the mark is back, so is the
key, unless somebody below kept it.
"""

from collections import deque

from textual.app import App
from textual.dom import DOMNode
from textual.events import Event, Key
from textual.message import Message


class InOrder(App[None]):
    """A program whose keys wait for each other."""

    class KeyDone(Message):
        """The key before this message has been everywhere it goes."""

    def __init__(self) -> None:
        super().__init__()
        self._typed: deque[Key] = deque()
        self._way: DOMNode | None = None

    async def on_event(self, event: Event) -> None:
        """Let a key wait until the one before is done; where the program has ended, it is for nobody."""
        if isinstance(event, Key) and not self.screen_stack:
            return
        if not isinstance(event, Key) or event.is_forwarded:
            await super().on_event(event)
            return
        self._typed.append(event)
        if self._way is None or not self._way.is_attached:  # what is taken down gives nothing back
            await self._send_keys()

    async def on_in_order_key_done(self) -> None:
        """The next one."""
        await self._send_keys()

    async def _send_keys(self) -> None:
        self._way = None
        while self._typed and self._way is None and self.screen_stack:
            key, to = self._typed.popleft(), self.focused or self.screen
            await super().on_event(key)
            if key.is_forwarded and to.post_message(self.KeyDone()):
                self._way = to
