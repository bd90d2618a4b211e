"""Asking a judge or a sink through its gate: at its pace, not while it is out of order, and with the outcome told."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import TypeVar

from inforadar.domain.errors import NoVerdict, RateLimited, SourceError, Stopped, Unavailable, Unreadable
from inforadar.domain.health import Admitted, Closed, MustWait
from inforadar.domain.job import Outcome, Retry, Snooze
from inforadar.domain.limits import SHORTEST_WAIT_S
from inforadar.domain.ports import Clock, Gate

T = TypeVar("T")

DAYS_OF_TRIES = 15
"""How often something is tried that is to outlast an outage of days: backoff doubles up to a day."""

Wait = Callable[[float], bool]
"""Waits so many seconds; True = asked to stop."""


class NoTurn(RateLimited):
    """Our own pace leaves no room for another question before a moment; nobody was asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """Asks somebody outside, once, through a gate; a wait that was asked for is sat out if it is not above `rest_s`."""

    gate: Gate
    clock: Clock
    wait: Wait
    rest_s: float = 0.0

    def closed(self) -> Closed | None:
        """Whether nobody may ask now, for longer than is sat out."""
        closed = self.gate.closed()
        return None if closed is None or self._is_short(closed) else closed

    def ask(self, question: Callable[[], T]) -> T:
        """The answer; raises SourceError, or Stopped while it waits for its turn."""
        self._enter()
        try:
            answer = question()
        except SourceError as error:
            self._tell(error)
            raise
        self.gate.succeeded()
        return answer

    def _enter(self) -> None:
        waited_s = 0.0
        while not isinstance(turn := self.gate.enter(), Admitted):
            if isinstance(turn, Closed):
                turn = self._sat_out(turn)
            waited_s += turn.seconds
            if waited_s > turn.longest_s:
                at = self.clock.now() + timedelta(seconds=turn.seconds)
                raise NoTurn("its rate_limit_per_minute is used up for now", at)
            if self.wait(turn.seconds):
                raise Stopped("stopped while it waited for its turn")

    def _sat_out(self, closed: Closed) -> MustWait:
        """How long to wait where somebody asked for a short break; raises what a closed gate means otherwise."""
        if self._is_short(closed):
            return MustWait(seconds=max(SHORTEST_WAIT_S, self._left_s(closed)), longest_s=self.rest_s)
        if closed.outage == "rate limited":
            raise RateLimited(str(closed), closed.until)
        raise Unavailable(str(closed))

    def _is_short(self, closed: Closed) -> bool:
        return closed.outage == "rate limited" and self._left_s(closed) <= self.rest_s

    def _left_s(self, closed: Closed) -> float:
        return (closed.until - self.clock.now()).total_seconds()

    def _tell(self, error: SourceError) -> None:
        """An answer we cannot use says nothing against who gave it; a wait it asks for binds everybody."""
        if isinstance(error, RateLimited) and error.retry_at is not None:
            self.gate.rest_until(error.retry_at)
        elif isinstance(error, RateLimited):
            self.gate.failed(Unavailable(str(error)))
        else:
            self.gate.failed(NoVerdict(str(error)) if isinstance(error, Unreadable) else error)


def later(error: SourceError) -> Outcome:
    """When to ask again what is to come through however long that takes; what was refused a person may mend."""
    if isinstance(error, RateLimited) and error.retry_at is not None:
        return Snooze(until=error.retry_at, reason=str(error))
    return Retry(error=str(error))
