"""A worker: claims jobs in batches, has them run by its crew, settles them.

One transaction settles what is finished and claims what comes next, so that a fast queue costs few commits; a slow
one is never held up, because no more is claimed in advance than a quarter of a second of work. The database decides
who has a job (see `store.queue`); this file only moves work between the database and the crew.

When the database goes away, finished jobs stay in the book and are settled later: if the lost transaction was
committed after all, the fence makes the repetition change nothing, and what it claimed is found by our name.
Stopping: no new claim, unstarted jobs go back, running steps get the grace time, then they are given back too.
"""

import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import count

from inforadar.domain.errors import StoreError
from inforadar.domain.job import HEARTBEAT_S, LOCK_TIMEOUT_S, Chance, Job
from inforadar.domain.ports import Clock
from inforadar.observe import process
from inforadar.observe.log import get_log
from inforadar.store import queue
from inforadar.store.database import Database, Tx
from inforadar.store.queue import Settled
from inforadar.workers.attendants import Attendant, attended
from inforadar.workers.crew import Assignment, Crew
from inforadar.workers.ear import Ear
from inforadar.workers.heart import Heart
from inforadar.workers.pace import appetite, look_again_s, reconnect_s
from inforadar.workers.rescuer import tell_reclaimed
from inforadar.workers.settling import OnAbandoned, OnSettled, Settler, tell_settled
from inforadar.workers.step import Step
from inforadar.workers.step_runner import StepRunner

SETTLE_WITHIN_S = 0.25
POLL_S = 5.0
SLICE_S = 0.1
MOMENT_S = 0.005
GRACE_S = 25.0
LAST_TRIES = 5
DRAIN_S = 30.0
FEW = 2

log = get_log("workers")
_numbers = count(1)


def unique_name(label: str = "worker") -> str:
    """A name no other worker has or ever had: whoever has a job is told by it."""
    return f"{label}@{process.holder()}#{next(_numbers)}"


def _all_open(_tx: Tx) -> Collection[str]:
    """No source is closed."""
    return ()


@dataclass(slots=True, kw_only=True)
class Worker:
    """Runs jobs of the kinds it has steps for.

    `stop` ends it gracefully, `hurry` at once (a second signal). `closed_sources` is asked in the transaction of
    every claim which sources may not be asked now. `on_settled` hears of every job settled, after the commit. For a
    job that had better be run alone, nothing is claimed for at most `drain_s` until the hands are empty, and at most
    `drain_s` while it runs.
    """

    database: Database
    steps: Mapping[str, Step]
    clock: Clock
    chance: Chance
    stop: threading.Event
    hurry: threading.Event = field(default_factory=threading.Event)
    name: str = field(default_factory=unique_name)
    concurrency: int = 4
    batch: int = 100
    grace_s: float = GRACE_S
    poll_s: float = POLL_S
    heartbeat_s: float = HEARTBEAT_S
    lock_timeout_s: float = LOCK_TIMEOUT_S
    drain_s: float = DRAIN_S
    closed_sources: Callable[[Tx], Collection[str]] = _all_open
    on_abandoned: OnAbandoned = lambda _tx, _job: None
    on_settled: OnSettled = lambda _settled, _seconds: None
    _news: threading.Event = field(default_factory=threading.Event)
    _is_in_doubt: bool = False
    _has_settled: bool = False
    _failures: int = 0
    _is_away: bool = False
    _appetite: int = 0
    _exchanged_at: float = 0.0
    _claimed_at: float = 0.0
    _crew: Crew = field(init=False)
    _settler: Settler = field(init=False)

    def __post_init__(self) -> None:
        self._appetite = self.concurrency
        self._crew = Crew(
            run=StepRunner(
                database=self.database, steps=self.steps, clock=self.clock, is_stopping=self.stop.is_set
            ).run,
            clock=self.clock,
            concurrency=self.concurrency,
            trust_s=self.lock_timeout_s / 2,
            tell=self._news.set,
            name=self.name,
            must_be_alone=lambda job: job.is_suspect and self.steps[job.kind].isolates_suspects,
            alone_s=self.drain_s,
        )
        self._settler = Settler(
            worker=self.name,
            steps=self.steps,
            clock=self.clock,
            chance=self.chance,
            on_abandoned=self.on_abandoned,
        )

    def once(self) -> bool:
        """Claim a batch, run it here without threads, settle it; whether there was anything to do."""
        claimed = self._exchange(self.batch)
        self._crew.give(claimed, is_inline=True)
        self._crew.work_off()
        self._exchange(0)
        return bool(claimed)

    def run(self, *, until_idle: bool = False) -> None:
        """Work until stopped, or until nothing is left that may run now."""
        with attended(self._attendants()):
            try:
                self._work(until_idle=until_idle)
            finally:
                self._crew.close()

    def beat(self) -> None:
        """Give one sign of life for the jobs in hand; `run` does it by itself."""
        self._heart().once()

    def _work(self, *, until_idle: bool) -> None:
        while not self.stop.is_set():
            if self._turn():
                continue
            if until_idle and not self._crew.claims() and not self._is_in_doubt:
                if not self._has_settled:
                    break
                # What was settled just now may have put jobs for a moment by our clock that the store's, which SQLite
                # tells in milliseconds, has not reached yet.
                self.stop.wait(MOMENT_S)
                continue
            self._wait(SETTLE_WITHIN_S if self._crew.finished() else look_again_s(self.poll_s, self.chance))
        self._shut_down()

    def _turn(self) -> bool:
        """Settle and claim where that is worth a transaction; whether there is more to claim at once."""
        self._news.clear()
        finished = self._crew.finished()
        room = self._room()
        if not room and not self._is_settling_due(finished):
            return False
        try:
            claimed = self._exchange(room)
        except Exception as error:
            self._note_trouble(error)
            self._wait(self._trouble_s(), ignores_news=True)
            return True
        self._crew.give(claimed)
        return 0 < room <= len(claimed)

    def _room(self) -> int:
        """How many jobs to claim; what cannot be settled for now counts as well, so that it does not heap up."""
        unfinished = self._crew.unfinished
        if self._crew.is_kept_free or unfinished >= self.concurrency:
            return 0
        most = max(self.batch, self.concurrency) - self._settler.held_up
        return max(0, min(self._appetite, most) - unfinished)

    def _is_settling_due(self, finished: list[Assignment]) -> bool:
        return bool(finished) and self.clock.mono() - (finished[0].finished_at or 0.0) >= SETTLE_WITHIN_S

    def _exchange(self, room: int) -> list[Job]:
        """One transaction: settle what is finished, claim up to `room`; the jobs that are ours to run now."""
        finished = self._settler.next(self._crew.finished())
        if not finished and not room and not self._is_in_doubt:
            return []
        was_in_doubt, self._is_in_doubt = self._is_in_doubt, True
        try:
            with self.database.transaction() as tx:
                now = tx.store_now()
                settled = self._settler.settle(tx, finished, now)
                found = self._found(tx) if was_in_doubt else []
                claimed, lost = self._claim(tx, room, now) if room and not found else ([], [])
        except Exception:
            self._settler.note_failure(finished)
            raise
        self._settler.note_success(finished)
        self._is_in_doubt = False
        self._failures = 0
        if self._is_away:
            self._is_away = False
            log.info("the database answers again", worker=self.name)
        if claimed:
            self._claimed_at = self.clock.mono()
        tell_reclaimed(lost)
        self._close_book(finished, settled)
        return found + claimed

    def _note_trouble(self, error: Exception) -> None:
        """A transaction of ours failed; whether it was committed all the same is found out by the next one."""
        self._failures += 1
        self._is_in_doubt = True
        if isinstance(error, StoreError):
            self._is_away = True
            log.warning("the database does not answer; trying again", worker=self.name, error=str(error))
        else:
            log.error("an error of ours; trying again", worker=self.name, exc_info=error)

    def _trouble_s(self) -> float:
        # Effects that broke the connection say nothing against the database: the others need not wait for long.
        failures = min(self._failures, FEW) if self._settler.has_begun else self._failures
        return reconnect_s(failures, self.chance)

    def _claim(self, tx: Tx, room: int, now: datetime) -> tuple[list[Job], list[queue.Reclaimed]]:
        return queue.claim(
            tx,
            self.name,
            {kind: step.terms for kind, step in self.steps.items()},
            room,
            closed_sources=self.closed_sources(tx),
            is_empty_handed=not self._crew.unfinished,
            is_patient=self.clock.mono() - self._claimed_at < self.drain_s,
            lock_timeout_s=self.lock_timeout_s,
            now=now,
        )

    def _found(self, tx: Tx) -> list[Job]:
        """Jobs claimed by a transaction of ours whose commit was never confirmed."""
        known = self._crew.claims()
        return [job for job in queue.mine(tx, self.name) if (job.id, job.attempt) not in known]

    def _close_book(self, finished: Sequence[Assignment], settled: list[Settled]) -> None:
        self._crew.forget(finished)
        self._has_settled = bool(finished)
        now = self.clock.mono()
        self._appetite = appetite(len(finished), now - self._exchanged_at, self.concurrency, self.batch)
        self._exchanged_at = now
        tell_settled(finished, settled, self.on_settled)

    def _shut_down(self) -> None:
        """Give back what was not begun, let the rest finish within the grace time, give that back too."""
        ends_at = self.clock.mono() + self.grace_s
        self._crew.withdraw()
        while self._crew.unfinished and not self.hurry.is_set() and self.clock.mono() < ends_at:
            self._settle_last()
            self._wait(SLICE_S, ignores_stop=True)
        self._crew.abandon(self._crew.in_hand())
        for _ in range(LAST_TRIES + self._settler.held_up):
            if self._settle_last() or self.hurry.is_set():
                break
            self._wait(self._trouble_s(), ignores_stop=True)

    def _settle_last(self) -> bool:
        """Settle without claiming; False = something is left (if it stays so, the rescuer gives it back)."""
        self._news.clear()
        try:
            found = self._exchange(0)
        except Exception as error:
            self._note_trouble(error)
            return False
        self._crew.give(found, is_inline=True)
        self._crew.withdraw()
        return not self._crew.finished()

    def _wait(self, seconds: float, *, ignores_stop: bool = False, ignores_news: bool = False) -> None:
        """Wait for news from the crew or the database, in slices, so that a signal handler need not wake us."""
        ends_at = self.clock.mono() + seconds
        waiter = threading.Event() if ignores_news else self._news
        while not (self.stop.is_set() and not ignores_stop) and not self.hurry.is_set():
            left_s = ends_at - self.clock.mono()
            if left_s <= 0 or waiter.wait(min(SLICE_S, left_s)):
                return

    def _heart(self) -> Heart:
        return Heart(
            database=self.database,
            crew=self._crew,
            clock=self.clock,
            worker=self.name,
            time_limits={kind: step.time_limit_s for kind, step in self.steps.items()},
            every_s=self.heartbeat_s,
            lock_timeout_s=self.lock_timeout_s,
        )

    def _attendants(self) -> dict[str, Attendant]:
        ear = Ear(database=self.database, news=self._news)
        return {f"{self.name} heart": self._heart().run, f"{self.name} ear": ear.run}
