"""The scheduler: puts periodic work as jobs when it is due. Of all that share a store one is elected, by lease.

Looking costs no write: what is due is read, and only then put. Putting one piece of work is one transaction: the
lease is checked, the jobs are put (unique keys keep a second sweep of a query out), and the time is remembered. A
tick that was missed gives one run to catch up. When the elected one dies, another takes over as soon as the lease
runs out, or at once where it can know of the death.
Invariant: only the holder of the lease puts periodic work.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from inforadar.domain.errors import LeaseLost
from inforadar.domain.ports import Clock
from inforadar.domain.schedule import Rhythm, is_due
from inforadar.observe.log import get_log
from inforadar.store import leases, schedules
from inforadar.store.database import Database, Tx
from inforadar.store.leases import Held, Lease

SCHEDULER_LEASE = "scheduler"
LEASE_TTL_S = 60.0
RENEW_EVERY_S = 20.0

log = get_log("service")


def _always(_tx: Tx) -> bool:
    """Nothing stands in the way."""
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class Periodic:
    """Work that is put again and again: `put` puts its jobs and tells how many.

    `may_begin`: what must hold besides its time having come. `is_put_at_start`: also when a scheduler is elected.
    """

    name: str
    rhythm: Rhythm
    put: Callable[[Tx], int]
    may_begin: Callable[[Tx], bool] = _always
    is_put_at_start: bool = False


@dataclass(slots=True, kw_only=True)
class Scheduler:
    """Puts what is due, if it is the elected one; a holder's name has one scheduler at a time."""

    database: Database
    clock: Clock
    work: tuple[Periodic, ...]
    holder: str
    is_dead: Callable[[str], bool]
    on_elected: Callable[[], object] = lambda: None
    _lease: Lease | None = None
    _renewed_at: float = 0.0
    _at_start: set[str] = field(default_factory=set)

    def once(self) -> int:
        """Put what is due; how many jobs. Nothing if another scheduler is elected."""
        try:
            return sum(self._put(one, lease) for lease in self._elected() for one in self._due())
        except LeaseLost as error:
            log.warning("not the elected scheduler any more", holder=self.holder, error=str(error))
            self._lease = None
            return 0

    def put_first(self) -> int:
        """Put what every start puts, elected or not, for a worker nobody schedules; how many jobs."""
        with self.database.transaction() as tx:
            return sum(one.put(tx) for one in self.work if one.is_put_at_start and one.may_begin(tx))

    def resign(self) -> None:
        """Let another one be elected at once."""
        lease, self._lease = self._lease, None
        if lease:
            with self.database.transaction() as tx:
                leases.release(tx, lease)

    def _elected(self) -> Sequence[Lease]:
        """The lease, if it is ours; raises LeaseLost when it was and is no more."""
        if self._lease is None:
            self._lease = self._take()
        elif self.clock.mono() - self._renewed_at >= RENEW_EVERY_S:
            with self.database.transaction() as tx:
                leases.guard(tx, self._lease)
            self._renewed_at = self.clock.mono()
        return [self._lease] if self._lease else []

    def _take(self) -> Lease | None:
        with self.database.reading() as tx:
            held = leases.held(tx).get(SCHEDULER_LEASE)
        if held and not self._is_free(held.holder):
            return None
        with self.database.transaction() as tx:
            taken = leases.acquire(tx, SCHEDULER_LEASE, self.holder, LEASE_TTL_S, self._is_free)
        if isinstance(taken, Held):
            return None
        log.info("elected as scheduler", holder=self.holder)
        self._renewed_at = self.clock.mono()
        self._at_start = {one.name for one in self.work if one.is_put_at_start}
        self.on_elected()
        return taken

    def _is_free(self, holder: str) -> bool:
        """Whether a holder is dead, or is this one, whose answer that it has the lease was lost."""
        return holder == self.holder or self.is_dead(holder)

    def _due(self) -> list[Periodic]:
        now = self.clock.now()
        with self.database.reading() as tx:
            last_runs = schedules.last_runs(tx)
            return [one for one in self.work if self._is_due(one, last_runs.get(one.name), now) and one.may_begin(tx)]

    def _is_due(self, work: Periodic, last_run_at: datetime | None, now: datetime) -> bool:
        return work.name in self._at_start or is_due(work.rhythm, last_run_at, now)

    def _put(self, work: Periodic, lease: Lease) -> int:
        with self.database.transaction() as tx:
            leases.guard(tx, lease)
            number = work.put(tx)
            schedules.ran(tx, work.name, self.clock.now())
        self._renewed_at = self.clock.mono()
        self._at_start.discard(work.name)
        if number:
            log.info("put", work=work.name, jobs=number)
        return number
