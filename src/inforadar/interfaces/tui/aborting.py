"""A way to the network that can be given up in the middle of a request: whoever waits is let go at once."""

import threading
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, field
from typing import Any

from inforadar.collect.governor import StoppedByUser
from inforadar.domain.ports import Answer, Request, Transport


@dataclass(frozen=True, slots=True)
class Abort:
    """An order that comes once and wakes everybody who waits for an answer."""

    _given: "Future[None]" = field(default_factory=Future)

    def give(self) -> None:
        """Let go of every request under way, and of those that follow."""
        if not self._given.done():
            self._given.set_result(None)

    @property
    def is_given(self) -> bool:
        """Whether the order was given."""
        return self._given.done()

    def outlives(self, answer: "Future[Answer]") -> bool:
        """Wait for an answer or for the order; whether the answer came first."""
        awaited: set[Future[Any]] = {answer, self._given}
        wait(awaited, return_when=FIRST_COMPLETED)
        return not self._given.done()


@dataclass(frozen=True, slots=True, kw_only=True)
class AbortableTransport:
    """Asks in a thread of its own; an answer that comes after the order is thrown away, as if it had been lost."""

    transport: Transport
    abort: Abort

    def send(self, base_url: str, request: Request) -> Answer:
        """The answer to a request; raises StoppedByUser where the order comes first."""
        answer: Future[Answer] = Future()
        threading.Thread(target=self._ask, args=(base_url, request, answer), name="request", daemon=True).start()
        if not self.abort.outlives(answer):
            raise StoppedByUser
        return answer.result()

    def _ask(self, base_url: str, request: Request, answer: "Future[Answer]") -> None:
        try:
            answer.set_result(self.transport.send(base_url, request))
        except BaseException as error:  # it belongs to whoever waits for the answer
            answer.set_exception(error)
