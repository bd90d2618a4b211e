"""Asking a judge or a sink through its gate: at its pace, not while it is out of order, and with the outcome told."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import TypeVar

from inforadar.domain.errors import NoVerdict, RateLimited, SourceError, Stopped, Unavailable, Unreadable
from inforadar.domain.health import Admitted, Closed
from inforadar.domain.job import Outcome, Retry, Snooze
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
    """Asks somebody outside, once, through a gate."""

    gate: Gate
    clock: Clock
    wait: Wait

    def closed(self) -> Closed | None:
        """Whether nobody may ask now."""
        return self.gate.closed()

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
                raise RateLimited(str(turn), turn.until) if turn.outage == "rate limited" else Unavailable(str(turn))
            waited_s += turn.seconds
            if waited_s > turn.longest_s:
                at = self.clock.now() + timedelta(seconds=turn.seconds)
                raise NoTurn("its rate_limit_per_minute is used up for now", at)
            if self.wait(turn.seconds):
                raise Stopped("stopped while it waited for its turn")

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
