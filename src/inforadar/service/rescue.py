"""Rescue: what died with a process of this machine is taken up at once, the rest when its time is up.

A worker's name says which process it is. Where that process is certainly gone, its jobs need not wait for the lock
timeout: they are settled as lost, under the attempt of the dead worker, so that a job settled meanwhile stays as it is.
"""

from collections.abc import Callable
from dataclasses import dataclass

from inforadar.domain.job import after_loss
from inforadar.observe.log import get_log
from inforadar.store import jobs, queue
from inforadar.store.database import Database
from inforadar.store.queue import Settled
from inforadar.workers.rescuer import Rescuer

MOST_LOOKED_AT = 1000

log = get_log("service")


@dataclass(frozen=True, slots=True, kw_only=True)
class Rescue:
    """Takes jobs from workers that are dead or gave no sign of life for too long."""

    database: Database
    rescuer: Rescuer
    is_dead: Callable[[str], bool]

    def once(self) -> int:
        """Take what is lost now; how many jobs."""
        dead = self._dead_workers()
        taken = sum(self._take_from(worker) for worker in dead)
        return taken + len(self.rescuer.once())

    def _dead_workers(self) -> list[str]:
        with self.database.reading() as tx:
            running = jobs.search(tx, status="running", limit=MOST_LOOKED_AT)
        workers = sorted({job.locked_by for job in running if job.locked_by})
        return [worker for worker in workers if self.is_dead(process_of(worker))]

    def _take_from(self, worker: str) -> int:
        with self.database.transaction() as tx:
            lost = [Settled(job=job, settlement=after_loss(job, worker)) for job in queue.mine(tx, worker)]
            ids = queue.settle(tx, worker, lost)
        for one in lost:
            if one.job.id in ids:
                log.warning("job taken from a dead worker", job=one.job.id, kind=one.job.kind, locked_by=worker)
        return len(ids)


def process_of(worker: str) -> str:
    """The process a worker belongs to, as it would name itself as holder of a lease."""
    return worker.partition("@")[2].rpartition("#")[0]
