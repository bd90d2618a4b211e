"""Settling finished jobs: their effects and their next status, in the caller's transaction.

Invariant: effect and completion are one transaction, and only for jobs that are still ours. Effects that raise are
undone by themselves and settle their own job as an error; the others go through. Effects may be run again after
they were undone (a neighbour failed, a connection broke), so they must do nothing but write through the transaction.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import NamedTuple

from inforadar.domain.errors import StoreError
from inforadar.domain.job import (
    Chance,
    Done,
    Job,
    Outcome,
    Retry,
    Settlement,
    given_back,
    nothing,
    outcome_of,
    settlement,
)
from inforadar.domain.ports import Clock
from inforadar.observe.log import get_log
from inforadar.store import queue
from inforadar.store.database import Tx
from inforadar.store.queue import Settled
from inforadar.workers.crew import Assignment, Claim
from inforadar.workers.docket import Docket
from inforadar.workers.step import Step

MOST_BREAKS = 3
GIVEN_BACK = "given back: the worker stopped before it was done"
BROKE = "its effects broke the connection to the database"

OnAbandoned = Callable[[Tx, Job], None]
"""Called in the transaction that gives back a job whose step was still running at the end of the grace time."""

OnSettled = Callable[[Settled, float], None]
"""Hears of a job that was settled and how many seconds its step took."""

log = get_log("workers")


class _Finished(NamedTuple):
    """A job with what came of it and what is to be written for it."""

    job: Job
    outcome: Outcome | None
    was_started: bool
    effects: Callable[[Tx], None]

    @property
    def claim(self) -> Claim:
        return self.job.id, self.job.attempt


@dataclass(slots=True, kw_only=True)
class Settler:
    """Settles the jobs of one worker."""

    worker: str
    steps: Mapping[str, Step]
    clock: Clock
    chance: Chance
    on_abandoned: OnAbandoned
    _docket: Docket = field(default_factory=Docket)
    _breaks: dict[Claim, int] = field(default_factory=dict)
    _has_begun: bool = False

    @property
    def held_up(self) -> int:
        """How many finished jobs were in a transaction that came to nothing, maybe by their fault."""
        return len(self._docket)

    @property
    def has_begun(self) -> bool:
        """Whether the last settlement came as far as running effects."""
        return self._has_begun

    def next(self, finished: Sequence[Assignment]) -> Sequence[Assignment]:
        """What to settle in the next transaction; then say `note_success` or `note_failure` of it."""
        self._has_begun = False
        return self._docket.next(finished)

    def settle(self, tx: Tx, finished: Sequence[Assignment], store_now: datetime) -> list[Settled]:
        """Run the effects of what is still ours and write what becomes of it; what was really settled."""
        all_of_them = [self._finished(one) for one in finished]
        with_effects = sorted((one for one in all_of_them if one.effects is not nothing), key=_order)
        held = queue.hold(tx, self.worker, [one.job for one in with_effects])
        applied = self._applied(tx, [one for one in with_effects if one.job.id in held])
        ended = [*(one for one in all_of_them if one.effects is nothing), *applied]
        now = self.clock.now()
        settled = [Settled(job=one.job, settlement=self._settlement(one, now)) for one in ended]
        ids = queue.settle(tx, self.worker, settled, now=store_now)
        return [one for one in settled if one.job.id in ids]

    def note_success(self, finished: Sequence[Assignment]) -> None:
        """The transaction is committed."""
        self._docket.settled(finished)
        for one in finished if self._breaks else ():
            self._breaks.pop(one.claim, None)

    def note_failure(self, finished: Sequence[Assignment]) -> None:
        """The transaction came to nothing: effects that had begun in it may have broken the connection."""
        if not self._has_begun:
            return
        self._docket.failed(finished)
        if len(finished) == 1:
            claim = finished[0].claim
            self._breaks[claim] = self._breaks.get(claim, 0) + 1

    def _finished(self, one: Assignment) -> _Finished:
        effects: Callable[[Tx], None] = nothing
        outcome = one.outcome
        if self._breaks.get(one.claim, 0) >= MOST_BREAKS:
            outcome = Retry(error=BROKE)
        elif isinstance(outcome, Done):
            effects = outcome.effects
        elif outcome is None and one.was_started:
            effects = partial(self._abandon, one.job)
        return _Finished(one.job, outcome, one.was_started, effects)

    def _abandon(self, job: Job, tx: Tx) -> None:
        self.on_abandoned(tx, job)

    def _applied(self, tx: Tx, finished: Sequence[_Finished]) -> Sequence[_Finished]:
        """Apply effects, all at once where that goes well, else one by one; each with what came of it."""
        if not finished:
            return finished
        self._has_begun = True
        try:
            with tx.savepoint():
                for one in finished:
                    one.effects(tx)
        except Exception as error:
            _require_open(tx, error)
            return [self._tried(tx, one) for one in finished]
        return finished

    def _tried(self, tx: Tx, one: _Finished) -> _Finished:
        try:
            with tx.savepoint():
                one.effects(tx)
        except Exception as error:
            _require_open(tx, error)
            log.warning("effects failed", job=one.job.id, kind=one.job.kind, exc_info=True)
            return one._replace(outcome=outcome_of(error, self.clock.now())) if one.outcome else one
        return one

    def _settlement(self, one: _Finished, now: datetime) -> Settlement:
        if one.outcome is None:
            return given_back(one.job, was_started=one.was_started, why=GIVEN_BACK)
        base_minutes = self.steps[one.job.kind].base_minutes
        return settlement(one.outcome, one.job, now, self.chance, base_minutes)


def tell_settled(finished: Sequence[Assignment], settled: Sequence[Settled], on_settled: OnSettled) -> None:
    """Say what became of finished jobs; a listener that raises is no reason to stop."""
    by_claim = {(one.job.id, one.job.attempt): one for one in settled}
    for assignment in finished:
        one = by_claim.get(assignment.claim)
        if one is None:
            log.warning("nothing written: the job was somebody else's by then", job=assignment.job.id)
            continue
        if one.settlement.status != "succeeded":
            log.info(one.settlement.move, job=one.job.id, kind=one.job.kind, why=one.settlement.error)
        try:
            on_settled(one, _ran_s(assignment))
        except Exception:
            log.exception("nobody heard what became of the job", job=one.job.id)


def _ran_s(one: Assignment) -> float:
    return (one.finished_at or 0.0) - one.started_at if one.started_at is not None else 0.0


def _order(one: _Finished) -> int:
    return one.outcome.order if isinstance(one.outcome, Done) else 0


def _require_open(tx: Tx, error: Exception) -> None:
    if not tx.is_open:
        raise StoreError(f"The transaction ended in the middle of the effects of a job. ({error})") from error
