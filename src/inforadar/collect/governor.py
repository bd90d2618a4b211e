"""The governor: every request to a source goes through it, at the source's pace and with its patience.

Before every request the gate is asked: it lets through, names a wait, or says that the source is left alone. A
transient error is tried again up to three times, later each time; a source that asks us to slow down for a short
while is waited for by every process, a longer pause ends the sweep. How it ended, all tries included, is told to the
gate. Waiting ends at once when the run is stopped. Whoever asks for a page may hear why it is waited for.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from random import Random
from typing import Any, TypeVar
from urllib.parse import urlsplit

from inforadar.collect.cache import Cache, cache_key
from inforadar.domain.errors import NoVerdict, RateLimited, Refused, SourceError, Stopped, Unavailable, Unreadable
from inforadar.domain.health import Admitted, Closed
from inforadar.domain.paging import Page, Position
from inforadar.domain.ports import Answer, Clock, Detail, Gate, Request, Source, Transport
from inforadar.domain.run import Counters
from inforadar.net.statuses import header, retry_at
from inforadar.observe.log import get_log

RETRIES = 3
FIRST_DELAY_S = 1.0
LONG_PACE_S = 5.0
"""How long a wait for the pace of a source must be to be worth a line."""
LONGEST_SHORT_WAIT_S = 30.0

log = get_log("collect")
T = TypeVar("T")


class StoppedByUser(Stopped):
    """The run was asked to stop while it waited."""


Wait = Callable[[float], bool]
"""Waits so many seconds; True = the run was asked to stop."""

Pulse = Callable[[], None]
"""Called before every page or article: the work gets on; raises StoppedByUser where it must end."""


Tell = Callable[[str], object]
"""Hears in a sentence what is waited for, before the wait."""


def no_pulse() -> None:
    """Nobody asks whether the work gets on."""


def unheard(_sentence: str) -> None:
    """Nobody wants to know what is waited for."""


@dataclass(slots=True, kw_only=True)
class Governor:
    """Asks one source. `counters` grows with every request made, the failed ones included.

    `gate_of_server` makes the gate of one server, for a source that asks many.
    """

    base_url: str
    transport: Transport
    clock: Clock
    chance: Random
    wait: Wait
    gate: Gate
    gate_of_server: Callable[[str], Gate] | None = None
    cache: Cache | None = None
    counters: Counters = field(default_factory=Counters)

    def page(self, source: Source, params: Mapping[str, Any], position: Position, tell: Tell = unheard) -> Page:
        """One page of a list; raises SourceError when patience is at its end."""
        request = source.request(params, position)
        inconclusive = (Unreadable, Refused) if source.fallback else ()
        patience = Patience(inconclusive=inconclusive, tell=tell)
        return self._found(request, position, lambda answer: source.read(answer, position), patience)

    def detail(self, source: Source, key: str, url: str) -> Detail:
        """What the source's own page of one item says."""
        request = source.detail_request(key, url)
        # an address out of content may stand anywhere: how it answers says nothing about the source
        inconclusive = (SourceError,) if request.is_from_content else (Unreadable,)
        return self._found(request, None, source.read_detail, Patience(inconclusive=inconclusive))

    def take_counters(self) -> Counters:
        """What was counted since the last call."""
        counted, self.counters = self.counters, Counters()
        return counted

    def _found(
        self, request: Request, position: Position | None, read: Callable[[Answer], T], patience: "Patience"
    ) -> T:
        """What the cache holds, where it may be used, else what the source says."""
        if self.cache is None or not self.cache.may_keep(position):
            return self._patiently(request, read, patience)
        key = cache_key(self.base_url, request)
        kept = self.cache.find(key, read)
        return self._patiently(request, self.cache.keeping(key, read), patience) if kept is None else kept

    def _patiently(self, request: Request, read: Callable[[Answer], T], patience: "Patience") -> T:
        """Ask until it works or patience ends."""
        for tries in range(RETRIES + 1):
            admitted = self._admitted(patience.tell)
            try:
                found = self._once(request, read)
            except SourceError as error:
                self.counters += Counters(errors=1, http_429=int(isinstance(error, RateLimited)))
                delay_s = None if admitted.is_probe else self._delay_s(error, tries)
                if delay_s is None:
                    self.gate.failed(NoVerdict(str(error)) if isinstance(error, patience.inconclusive) else error)
                    raise
                if isinstance(error, RateLimited):
                    self.gate.asked_to_wait(delay_s)
                log.info("trying again", error=str(error), delay_s=round(delay_s, 1), tries=tries + 1)
                patience.tell(next_try(self.base_url, error, tries + 2, delay_s))
                self._pause(delay_s)
            else:
                self.gate.succeeded()
                return found
        raise AssertionError("unreachable: the last try returns or raises")

    def _admitted(self, tell: Tell) -> Admitted:
        """Wait for the right to make one request; raises when the source is closed or the wait is too long."""
        self._pause(0.0)  # a run that was asked to stop asks nobody any more
        waited_s = 0.0
        while True:
            answer = self.gate.enter()
            if isinstance(answer, Admitted):
                return answer
            if isinstance(answer, Closed):
                raise as_error(answer)
            waited_s += answer.seconds
            if waited_s > answer.longest_s:
                at = self.clock.now() + timedelta(seconds=answer.seconds)
                raise RateLimited("its rate_limit_per_minute is used up for now; the rest is collected next time", at)
            if answer.seconds >= LONG_PACE_S:
                tell(f"its rate_limit_per_minute lets the next request go in {answer.seconds:.0f} s")
            self._pause(answer.seconds)

    def _once(self, request: Request, read: Callable[[Answer], T]) -> T:
        answer = self._asked(request)
        try:
            return read(answer)
        except RateLimited as error:
            error.retry_at = error.retry_at or retry_at(header(answer, "retry-after"), self.clock.now())
            raise

    def _asked(self, request: Request) -> Answer:
        self.counters += Counters(requests=1)
        log.debug("asking", url=f"{self.base_url}{request.path}", params=dict(request.params))
        return self.transport.send(self.base_url, request)

    def _delay_s(self, error: SourceError, tries: int) -> float | None:
        """How long to wait before the next try; None = this error is final."""
        if tries == RETRIES or not isinstance(error, (Unavailable, RateLimited)):
            return None
        if isinstance(error, RateLimited):
            return self._short_wait_s(error.retry_at)
        return float(FIRST_DELAY_S * 2**tries * (1 + self.chance.random() / 2))

    def _short_wait_s(self, retry_at: datetime | None) -> float | None:
        if retry_at is None:
            return None
        wait_s = max(0.0, (retry_at - self.clock.now()).total_seconds())
        return wait_s if wait_s <= LONGEST_SHORT_WAIT_S else None

    def _pause(self, seconds: float) -> None:
        if self.wait(seconds):
            raise StoppedByUser


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """How one question is asked: `inconclusive` errors say nothing against the source as a whole."""

    inconclusive: tuple[type[SourceError], ...]
    tell: Tell = unheard


def next_try(base_url: str, error: SourceError, number: int, delay_s: float) -> str:
    """Why a question is asked once more, and when, in a sentence."""
    host = urlsplit(base_url).hostname or base_url
    told = str(error).rstrip(".")
    trouble = told if told.startswith(f"{host}:") else f"{host}: {told}"
    return f"no page from {trouble}; try {number} of {RETRIES + 1} in {delay_s:.0f} s"


def as_error(closed: Closed) -> SourceError:
    """A closed source as the error its caller ends with."""
    return RateLimited(str(closed), closed.until) if closed.outage == "rate limited" else Unavailable(str(closed))
