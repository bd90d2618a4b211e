"""The heart: gives signs of life for the jobs in hand, on its own thread and connection.

A busy or blocked main thread cannot stop it, and a step that gets no further within its time limit does: its job
gets no more signs of life, is reclaimed after the lock timeout, and its thread is given up. Jobs that are finished
get signs of life until they are settled.
"""

import threading
from collections.abc import Iterable
from dataclasses import dataclass, field

from inforadar.domain.errors import StoreError
from inforadar.domain.job import Job, Retry
from inforadar.domain.ports import Clock
from inforadar.observe.log import get_log
from inforadar.store import queue
from inforadar.store.database import Database
from inforadar.workers.crew import Assignment, Crew

log = get_log("workers")


@dataclass(slots=True, kw_only=True)
class Heart:
    """Beats for one worker every `every_s`; `time_limits` are the seconds a step of each kind may take to get on."""

    database: Database
    crew: Crew
    clock: Clock
    worker: str
    time_limits: dict[str, float]
    every_s: float
    lock_timeout_s: float
    _overdue: set[tuple[int, int]] = field(default_factory=set)

    def run(self, is_closed: threading.Event) -> None:
        """Beat until closed; a database that is away is tried again at the next beat."""
        while not is_closed.wait(self.every_s):
            try:
                self.once()
            except StoreError as error:
                log.warning("no heartbeat: the database does not answer", worker=self.worker, error=str(error))
            except Exception:
                # a bug must not stop the heart: without it every job in hand would be taken from us
                log.exception("no heartbeat", worker=self.worker)

    def once(self) -> None:
        """One beat: confirm what is still ours, mark what is not, give up what hangs."""
        now = self.clock.mono()
        book = self.crew.book()
        self._overdue &= {one.claim for one in book}
        hung = [one for one in book if self._late_s(one, now) > self.lock_timeout_s]
        self.crew.abandon(hung, Retry(error="the step did not come to an end within its time limit"))
        alive = [one for one in book if not self._is_overdue(one, now) and not one.is_lost]
        if not alive:
            return
        ours = self._beat([one.job for one in alive])
        for one in alive:
            if one.job.id in ours:
                one.confirmed_at = now
            elif one.finished_at is None:
                one.is_lost = True
                log.warning("job lost: somebody else has it or cancelled it", job=one.job.id, attempt=one.job.attempt)

    def _beat(self, jobs: Iterable[Job]) -> set[int]:
        with self.database.transaction() as tx:
            return set(queue.beat(tx, self.worker, jobs))

    def _is_overdue(self, one: Assignment, now: float) -> bool:
        if self._late_s(one, now) <= 0:
            return False
        if one.claim not in self._overdue:
            self._overdue.add(one.claim)
            log.error("step over its time limit: no more heartbeats", job=one.job.id, kind=one.job.kind)
        return True

    def _late_s(self, one: Assignment, now: float) -> float:
        """By how many seconds a step is over its time limit; negative = it is within, or there is none that runs."""
        if one.progressed_at is None or one.finished_at is not None:
            return -1.0
        return now - one.progressed_at - self.time_limits[one.job.kind]
