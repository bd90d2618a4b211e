"""The connections of the web server: how many may be open, and how long one may take to say what it wants.

Whoever only opens connections, or sends a request byte by byte, would else use up the open files of the process, which
the worker and the scheduler need too. Both limits hold before anybody has shown a token.
"""

from asyncio import TimerHandle, Transport
from dataclasses import dataclass
from functools import cache

from uvicorn.protocols.http.h11_impl import H11Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """At most so many open connections, and so many seconds from silence to a whole request."""

    connections: int = 200
    request_s: float = 10.0


@cache
def bounded(limits: Limits) -> type[H11Protocol]:
    """The protocol of the server, with these limits."""
    return type("BoundedConnection", (_Bounded,), {"limits": limits})


class _Bounded(H11Protocol):
    """One connection; the set it is in keeps no order, so each knows since when it has had nothing to do."""

    limits: Limits
    _idle_at: float
    _deadline: TimerHandle | None = None

    @property
    def is_idle(self) -> bool:
        """Whether nothing is being answered."""
        return self.cycle is None or self.cycle.response_complete

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]  # as uvicorn declares it
        super().connection_made(transport)
        self._idle_at = self.loop.time()
        self._watch()
        if len(self.connections) > self.limits.connections:
            self._make_room()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        self._idle_at = self.loop.time()
        super().on_response_complete()
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        self._forget_deadline()
        super().connection_lost(exc)

    def _watch(self) -> None:
        """A deadline runs until a request is there as a whole; more bytes of the same request do not put it off."""
        is_awaited = self.is_idle or self.cycle.more_body
        if not is_awaited:
            self._forget_deadline()
        elif self._deadline is None and not self.transport.is_closing():
            self._deadline = self.loop.call_later(self.limits.request_s, self.transport.abort)

    def _forget_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _make_room(self) -> None:
        """Close the connection that has had nothing to do for the longest; if all are busy, that is this new one."""
        open_ones = [one for one in self.connections if isinstance(one, _Bounded) and not one.transport.is_closing()]
        if len(open_ones) > self.limits.connections:
            min((one for one in open_ones if one.is_idle), key=lambda one: one._idle_at).transport.abort()
