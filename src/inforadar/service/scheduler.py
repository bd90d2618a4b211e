"""The scheduler: puts periodic work as jobs when it is due. Of all that share a store one is elected, by lease.

A tick is one transaction: the lease is checked, the jobs are put (unique keys keep a second sweep of a query out),
and the time is remembered. A tick that was missed gives one run to catch up.
"""

from collections.abc import Callable
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

log = get_log("service")


@dataclass(frozen=True, slots=True, kw_only=True)
class Periodic:
    """Work that is put again and again: `put` puts its jobs and tells how many.

    `may_begin`: for work without a rhythm of its own, whether it may be put now (None = the rhythm decides).
    """

    name: str
    rhythm: Rhythm
    put: Callable[[Tx, datetime], int]
    may_begin: Callable[[Tx], bool] | None = None


@dataclass(slots=True, kw_only=True)
class Scheduler:
    """Puts what is due, if it is the elected one."""

    database: Database
    clock: Clock
    work: tuple[Periodic, ...]
    holder: str
    is_dead: Callable[[str], bool]
    lease: Lease | None = field(default=None)

    def once(self) -> int:
        """Put what is due; how many jobs. Nothing if another scheduler is elected."""
        if not self._is_elected():
            return 0
        return sum(self._tick(one) for one in self.work)

    def resign(self) -> None:
        """Let another one be elected at once."""
        if self.lease:
            with self.database.transaction() as tx:
                leases.release(tx, self.lease)
            self.lease = None

    def _is_elected(self) -> bool:
        with self.database.transaction() as tx:
            try:
                if self.lease:
                    leases.guard(tx, self.lease)
                    return True
            except LeaseLost:
                self.lease = None
            taken = leases.acquire(tx, SCHEDULER_LEASE, self.holder, LEASE_TTL_S, self.is_dead)
        if isinstance(taken, Held):
            return False
        log.info("elected as scheduler", holder=self.holder)
        self.lease = taken
        return True

    def _tick(self, work: Periodic) -> int:
        assert self.lease is not None
        now = self.clock.now()
        with self.database.transaction() as tx:
            leases.guard(tx, self.lease)
            if not self._may_begin(tx, work, now):
                return 0
            number = work.put(tx, now)
            schedules.ran(tx, work.name, now)
        if number:
            log.info("put", work=work.name, jobs=number)
        return number

    def _may_begin(self, tx: Tx, work: Periodic, now: datetime) -> bool:
        if work.may_begin is not None:
            return work.may_begin(tx)
        return is_due(work.rhythm, schedules.last_runs(tx).get(work.name), now)
