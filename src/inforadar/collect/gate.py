"""The gate before a source, kept in the store: the same limits, breaker and pauses for every process that asks."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from random import Random

from inforadar.domain import health as healths
from inforadar.domain.errors import SourceError
from inforadar.domain.health import Admitted, Closed, Health, MustWait
from inforadar.domain.ports import Clock
from inforadar.observe.log import get_log
from inforadar.store import sources
from inforadar.store.database import Database, Tx

log = get_log("collect")


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedGate:
    """The gate of one source, or of anything else that is registered by a name.

    `paced_at` tells the time by which the rate is kept: the database's own, one for all machines, unless a process
    was told another time as a whole. `like`: who has the rate that holds here too, for one of many servers of a source,
    which is registered when it is asked.
    """

    name: str
    database: Database
    clock: Clock
    chance: Random
    paced_at: Callable[[Tx], datetime] = Tx.store_now
    like: str | None = None

    def closed(self) -> Closed | None:
        """Whether nobody may ask now; takes nothing."""
        with self.database.reading() as tx:
            stored = sources.get(tx, self.name)
        answer = healths.may_ask(self.name, stored.health, self.clock.now()) if stored else None
        return answer if isinstance(answer, Closed) else None

    def enter(self) -> Admitted | MustWait | Closed:
        """Ask for one request."""
        now = self.clock.now()
        with self.database.transaction() as tx:
            self._register(tx)
            return sources.enter(tx, self.name, now=now, paced_at=self.paced_at(tx))

    def asked_to_wait(self, seconds: float) -> None:
        """The source asked for a short break: nobody asks until it is over."""
        with self.database.transaction() as tx:
            sources.hold_back(tx, self.name, wait_s=seconds, paced_at=self.paced_at(tx))

    def succeeded(self) -> None:
        """The source answered."""
        now = self.clock.now()
        self._change(now, lambda health: healths.after_success(health, now))

    def failed(self, error: SourceError) -> None:
        """The source did not, with all tries."""
        now, luck = self.clock.now(), self.chance.random()
        self._change(now, lambda health: healths.after_failure(health, error, now, luck))

    def rest_until(self, until: datetime) -> None:
        """Nobody asks before a moment; this is no outage."""
        now = self.clock.now()
        self._change(now, lambda health: healths.resting(health, until, now))

    def _register(self, tx: Tx) -> None:
        pattern = sources.get(tx, self.like) if self.like else None
        own = sources.get(tx, self.name) if pattern else None
        if pattern and (own is None or own.bucket.per_minute != pattern.bucket.per_minute):
            rate = int(pattern.bucket.per_minute)
            sources.register(
                tx, self.name, rate_limit_per_minute=rate, enabled=pattern.enabled, paced_at=self.paced_at(tx)
            )

    def _change(self, now: datetime, next_health: Callable[[Health], Health]) -> None:
        with self.database.transaction() as tx:
            news = sources.change(tx, self.name, now, next_health)
        if news:
            tell = log.warning if news.kind == "outage" else log.info
            tell(news.message, source=self.name, kind=news.kind)
