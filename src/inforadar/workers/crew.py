"""The crew: a bounded number of threads that run steps, and the book of what each of them has in hand.

given -> waiting -> started -> finished -> (settled by the worker) forgotten. The heart confirms now and then that
the jobs in hand are still ours; what was not confirmed for too long is not started any more, because another
worker may be at it (this process may have been frozen).
"""

import threading
from collections import deque
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field

from inforadar.domain.job import Job, JobId, Outcome
from inforadar.domain.ports import Clock

IDLE_JOIN_S = 1.0
ALONE_S = 30.0

Claim = tuple[JobId, int]
"""A job and the attempt it was claimed for."""


@dataclass(slots=True, eq=False)
class Assignment:
    """A job in hand: when it was last confirmed to be ours, when its step began and when it last got on.

    All on the clock that never jumps.
    """

    job: Job
    confirmed_at: float
    started_at: float | None = None
    progressed_at: float | None = None
    finished_at: float | None = None
    is_lost: bool = False
    outcome: Outcome | None = None
    thread: threading.Thread | None = None

    @property
    def claim(self) -> Claim:
        """What tells this assignment from an earlier or later one of the same job."""
        return self.job.id, self.job.attempt

    @property
    def was_started(self) -> bool:
        """Whether the step began; if not, nothing was done for this job."""
        return self.started_at is not None


@dataclass(slots=True, kw_only=True)
class Crew:
    """Runs `run(assignment)` for every job given, on at most `concurrency` threads.

    `tell` is called when a thread has nothing to do next; `trust_s` is how long a confirmation is good for. A job that
    `must_be_alone` and is alone in hand stays so for its first `alone_s` seconds.
    """

    run: Callable[[Assignment], Outcome]
    clock: Clock
    concurrency: int
    trust_s: float
    tell: Callable[[], None]
    name: str
    must_be_alone: Callable[[Job], bool] = lambda _job: False
    alone_s: float = ALONE_S
    _ready: threading.Condition = field(default_factory=threading.Condition)
    _waiting: deque[Assignment] = field(default_factory=deque)
    _unfinished: dict[Claim, Assignment] = field(default_factory=dict)
    _finished: list[Assignment] = field(default_factory=list)
    _threads: set[threading.Thread] = field(default_factory=set)
    _is_closed: bool = False
    _alone: Assignment | None = None

    @property
    def unfinished(self) -> int:
        """How many jobs wait or run."""
        return len(self._unfinished)

    @property
    def is_kept_free(self) -> bool:
        """Whether a job is in hand that is to have no neighbours now."""
        alone = self._alone
        if alone is None:
            return False
        return alone.started_at is None or self.clock.mono() - alone.started_at < self.alone_s

    def book(self) -> list[Assignment]:
        """Every job that waits, runs, or is finished and not settled yet."""
        with self._ready:
            return [*self._unfinished.values(), *self._finished]

    def in_hand(self) -> list[Assignment]:
        """The jobs that wait or run."""
        with self._ready:
            return list(self._unfinished.values())

    def finished(self) -> list[Assignment]:
        """What is to be settled; it stays in the book until `forget`."""
        with self._ready:
            return list(self._finished)

    def claims(self) -> set[Claim]:
        """Every claim in the book."""
        with self._ready:
            return self._unfinished.keys() | {one.claim for one in self._finished}

    def give(self, jobs: Iterable[Job], *, is_inline: bool = False) -> None:
        """Put jobs in line; the threads begin at once, unless the caller runs them itself by `work_off`."""
        now = self.clock.mono()
        with self._ready:
            for job in jobs:
                assignment = Assignment(job, now)
                self._unfinished[assignment.claim] = assignment
                self._waiting.append(assignment)
                if len(self._unfinished) == 1 and self.must_be_alone(job):
                    self._alone = assignment
            if not is_inline:
                self._enlist()
                self._ready.notify(len(self._waiting))

    def work_off(self) -> None:
        """Run everything that waits, here and now."""
        while self._waiting:
            assignment = self._waiting.popleft()
            outcome = self._work(assignment)
            with self._ready:
                self._finish_if_here(assignment, outcome)

    def forget(self, settled: Collection[Assignment]) -> None:
        """Take settled jobs out of the book."""
        gone = set(map(id, settled))
        with self._ready:
            self._finished = [one for one in self._finished if id(one) not in gone]

    def withdraw(self) -> None:
        """Finish, unstarted, what still waits."""
        with self._ready:
            while self._waiting:
                self._finish(self._waiting.popleft(), None)

    def abandon(self, assignments: Iterable[Assignment], outcome: Outcome | None = None) -> None:
        """Finish what still runs without waiting for it; other threads take the places of theirs."""
        with self._ready:
            for assignment in assignments:
                if assignment.claim in self._unfinished:
                    self._threads -= {assignment.thread}
                    self._finish(assignment, outcome)
            self._enlist()

    def close(self) -> None:
        """Let the threads go home; one that hangs in an abandoned step ends with the process."""
        with self._ready:
            self._is_closed = True
            self._ready.notify_all()
        for thread in self._threads:
            thread.join(IDLE_JOIN_S)

    def _enlist(self) -> None:
        """Have as many threads as may be needed; one that hangs in an abandoned step is not counted."""
        missing = min(self.concurrency, len(self._unfinished)) - len(self._threads)
        for _ in range(missing):
            thread = threading.Thread(target=self._serve, name=f"{self.name} step", daemon=True)
            self._threads.add(thread)
            thread.start()

    def _serve(self) -> None:
        assignment = self._take(None, None)
        while assignment:
            assignment = self._take(assignment, self._work(assignment))

    def _take(self, done: Assignment | None, outcome: Outcome | None) -> Assignment | None:
        """Finish one and wait for the next, under one lock, for fast steps' sake; None = go home."""
        me = threading.current_thread()
        with self._ready:
            if done:
                self._finish_if_here(done, outcome)
            while not self._waiting and not self._is_closed and me in self._threads:
                self._ready.wait()
            if self._is_closed or me not in self._threads:
                return None
            assignment = self._waiting.popleft()
            assignment.thread = me
            return assignment

    def _work(self, assignment: Assignment) -> Outcome | None:
        now = self.clock.mono()
        if now - assignment.confirmed_at > self.trust_s:
            assignment.is_lost = True
        if assignment.is_lost:
            return None
        assignment.started_at = assignment.progressed_at = now
        return self.run(assignment)

    def _finish_if_here(self, assignment: Assignment, outcome: Outcome | None) -> None:
        if assignment.claim in self._unfinished:
            self._finish(assignment, outcome)

    def _finish(self, assignment: Assignment, outcome: Outcome | None) -> None:
        assignment.outcome = outcome
        assignment.finished_at = self.clock.mono()
        del self._unfinished[assignment.claim]
        self._finished.append(assignment)
        if assignment is self._alone:
            self._alone = None
        if len(self._unfinished) < self.concurrency:
            self.tell()
