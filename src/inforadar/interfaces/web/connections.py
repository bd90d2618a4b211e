"""The connections of the web server: how many may be open, how long one may take to ask and to read.

Whoever only opens connections, sends a request byte by byte, or asks and never reads, would else use up the open files
of the process, which the worker and the scheduler need too. All limits hold before anybody has shown a token. Where one
must go, it is one that has not said a whole request yet, before any that only rests between two.
"""

from asyncio import TimerHandle, Transport
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from uvicorn.protocols.http.h11_impl import H11Protocol

from inforadar.interfaces.web.attempts import visitor_at


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """At most so many open connections, so many of one visitor, and so many seconds from silence to a whole request.

    `unread_s`: how long an answer may wait for a visitor who does not read it.
    """

    connections: int = 200
    of_one_visitor: int = 150
    request_s: float = 10.0
    unread_s: float = 30.0


@cache
def bounded(limits: Limits) -> type[H11Protocol]:
    """The protocol of the server, with these limits."""
    return type("BoundedConnection", (_Bounded,), {"limits": limits})


class _Bounded(H11Protocol):
    """One connection; the set it is in keeps no order, so each knows since when it has had nothing to do."""

    limits: Limits
    _idle_at: float
    _visitor: str
    _deadline: TimerHandle | None = None
    _unread: TimerHandle | None = None

    @property
    def is_idle(self) -> bool:
        """Whether nothing is being answered."""
        return self.cycle is None or self.cycle.response_complete

    @property
    def is_incomplete(self) -> bool:
        """Whether it has begun and not said all of a request, or never said any."""
        return self.cycle is None or self.cycle.more_body or (self.is_idle and bool(self.conn.trailing_data[0]))

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]  # as uvicorn declares it
        super().connection_made(transport)
        self._idle_at = self.loop.time()
        self._visitor = visitor_at(self.client[0]) if self.client else ""
        self._watch()
        self._make_room()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        self._idle_at = self.loop.time()
        super().on_response_complete()
        self._watch()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._unread = self.loop.call_later(self.limits.unread_s, self.transport.abort)

    def resume_writing(self) -> None:
        super().resume_writing()
        self._forget_unread()

    def connection_lost(self, exc: Exception | None) -> None:
        self._forget_deadline()
        self._forget_unread()
        super().connection_lost(exc)

    def _watch(self) -> None:
        """A deadline runs until a request is there as a whole; more bytes of the same request do not put it off."""
        if not self.is_idle and not self.is_incomplete:
            self._forget_deadline()
        elif self._deadline is None and not self.transport.is_closing():
            self._deadline = self.loop.call_later(self.limits.request_s, self.transport.abort)

    def _forget_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _forget_unread(self) -> None:
        if self._unread is not None:
            self._unread.cancel()
            self._unread = None

    def _make_room(self) -> None:
        """Close one, where this new one is too many: of the same visitor, or of all."""
        open_ones = [one for one in self.connections if isinstance(one, _Bounded) and not one.transport.is_closing()]
        own = [one for one in open_ones if one._visitor == self._visitor]
        if len(own) > self.limits.of_one_visitor:
            self._least_needed(own).transport.abort()
        elif len(open_ones) > self.limits.connections:
            self._least_needed(open_ones).transport.abort()

    def _least_needed(self, among: Sequence["_Bounded"]) -> "_Bounded":
        """The one without a whole request, else the idle one, for the longest; this new one if all others are busy."""
        others = [one for one in among if one is not self and (one.is_idle or one.is_incomplete)]
        return min(others, key=lambda one: (not one.is_incomplete, one._idle_at), default=self)
