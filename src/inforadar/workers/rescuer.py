"""The rescuer: takes jobs from workers that gave no sign of life for the lock timeout, once a minute.

It also mends what a clock that was set back has left behind, lest those jobs stand still.
"""

import threading
from collections.abc import Iterable
from dataclasses import dataclass

from inforadar.domain.errors import StoreError
from inforadar.domain.job import LOCK_TIMEOUT_S, RECLAIM_EVERY_S
from inforadar.observe.log import get_log
from inforadar.store import queue
from inforadar.store.database import Database
from inforadar.store.queue import Reclaimed

log = get_log("workers")


@dataclass(frozen=True, slots=True, kw_only=True)
class Rescuer:
    """Reclaims stuck jobs; any number of them may run on one database."""

    database: Database
    lock_timeout_s: float = LOCK_TIMEOUT_S
    every_s: float = RECLAIM_EVERY_S

    def run(self, stop: threading.Event) -> None:
        """Reclaim until stopped; a database that is away is tried again the next time."""
        while not stop.is_set():
            try:
                self.once()
            except StoreError as error:
                log.warning("stuck jobs not looked for: the database does not answer", error=str(error))
            except Exception:
                log.exception("stuck jobs not looked for")
            stop.wait(self.every_s)

    def once(self) -> list[Reclaimed]:
        """Reclaim what is stuck now; what it was."""
        with self.database.transaction() as tx:
            thawed = queue.thaw(tx, lock_timeout_s=self.lock_timeout_s)
            lost = queue.reclaim(tx, lock_timeout_s=self.lock_timeout_s)
        if thawed:
            log.warning("the database's clock was set back; the times of jobs were mended", jobs=thawed)
        tell_reclaimed(lost)
        return lost


def tell_reclaimed(lost: Iterable[Reclaimed]) -> None:
    """Log jobs that were taken from their workers."""
    for one in lost:
        log.warning(
            "job reclaimed from a lost worker",
            job=one.job.id,
            kind=one.job.kind,
            attempt=one.job.attempt,
            locked_by=one.locked_by,
            heartbeat_at=one.heartbeat_at.isoformat(),
            status=one.settlement.status,
        )
