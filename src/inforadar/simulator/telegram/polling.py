"""The queue of updates: how they come in, how long polling takes them out, and what two pollers do to each other.

An update stays until a poll asks with an offset above it. Invariant: one poller waits at a time; a second one ends
the first with a conflict, and so does a webhook.
"""

import threading
from collections.abc import Callable

from inforadar.simulator.telegram.arguments import Arguments
from inforadar.simulator.telegram.chats import Json
from inforadar.simulator.telegram.problems import OTHER_POLLER, SET_WEBHOOK, WEBHOOK_ACTIVE, ApiError, bad_request

FIRST_UPDATE = 226_394_498
MOST_UPDATES = 100
LONGEST_WAIT_S = 50
CHECK_S = 1.0


class Updates:
    """Updates not yet confirmed; every method but the waiting poll is called under the condition's lock."""

    def __init__(self, condition: threading.Condition, monotonic: Callable[[], float]) -> None:
        self.queue: list[Json] = []
        self.webhook = ""
        self.is_closed = False
        self.is_polled = False
        self._condition = condition
        self._monotonic = monotonic
        self._next_id = FIRST_UPDATE
        self._allowed: tuple[str, ...] = ()
        self._poller = 0
        self._ended_by = OTHER_POLLER

    def add(self, kind: str, value: Json) -> Json:
        """A new update; one of a kind that is not allowed is given but never queued."""
        update = {"update_id": self._next_id, kind: value}
        self._next_id += 1
        if not self._allowed or kind in self._allowed:
            self.queue.append(update)
            self._condition.notify_all()
        return update

    def poll(self, arguments: Arguments) -> list[Json] | None:
        """The updates from an offset on, waiting for the first; None if the server is going down."""
        if self.webhook:
            raise ApiError(409, WEBHOOK_ACTIVE)
        self._remember_allowed(arguments)
        poller = self._take_over(OTHER_POLLER)
        self._confirm(arguments.whole("offset"))
        limit = arguments.whole("limit", MOST_UPDATES)
        limit = limit if 1 <= limit <= MOST_UPDATES else MOST_UPDATES
        until_s = self._monotonic() + min(max(arguments.whole("timeout"), 0), LONGEST_WAIT_S)
        while not self.queue and not self.is_closed and self._poller == poller:
            left_s = until_s - self._monotonic()
            if left_s <= 0:
                break
            if not self.is_polled:
                self.is_polled = True
                self._condition.notify_all()
            self._condition.wait(min(left_s, CHECK_S))
        if self._poller != poller:
            raise ApiError(409, self._ended_by)
        self.is_polled = False
        return None if self.is_closed else self.queue[:limit]

    def set_webhook(self, url: str, *, drops: bool) -> str:
        """Set or, with an empty address, delete the webhook; what the Bot API says about it."""
        if url and not url.startswith("https://"):
            raise bad_request("bad webhook: An HTTPS URL must be provided for webhook")
        was, self.webhook = self.webhook, url
        if url:
            self._take_over(SET_WEBHOOK)
        if drops:
            self.queue.clear()
        if url:
            return "Webhook is already set" if was == url else "Webhook was set"
        return "Webhook was deleted" if was else "Webhook is already deleted"

    def close(self) -> None:
        """End the wait of whoever polls."""
        with self._condition:
            self.is_closed = True
            self._condition.notify_all()

    def _take_over(self, ended_by: str) -> int:
        self._poller += 1
        self.is_polled = False
        self._ended_by = ended_by
        self._condition.notify_all()
        return self._poller

    def _confirm(self, offset: int) -> None:
        if offset > 0:
            self.queue = [update for update in self.queue if update["update_id"] >= offset]
        elif offset < 0:
            self.queue = self.queue[offset:]

    def _remember_allowed(self, arguments: Arguments) -> None:
        allowed = arguments.structure("allowed_updates", "can't parse allowed updates JSON")
        if allowed is not None:
            self._allowed = tuple(map(str, allowed))
