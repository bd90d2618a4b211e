"""Any sequence of what workers and people do leaves the real store exactly where a model of the queue is."""

import os
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from inforadar.domain.job import Done, Fail, Job, NewJob, Outcome, Retry, Snooze, given_back, settlement
from inforadar.observe.chance import chance
from inforadar.store import jobs, queue
from inforadar.store.database import Database
from inforadar.store.jobs import JobView
from inforadar.store.queue import Settled, Terms
from store.passing_time import let_pass
from store.queue_model import ModelJob, QueueModel

EXAMPLES = int(os.environ.get("RADAR_EXAMPLES", "25"))
STEPS = 40
NOW = datetime(2026, 1, 5, 12, tzinfo=UTC)
# Times of the model are multiples of this, so that the seconds a test really takes do not count.
TICK_S = 100
SLACK_S = 0.05

kinds = st.sampled_from(["a", "b"])
workers = st.sampled_from(["w1", "w2"])
ticks = st.integers(0, 4).map(lambda n: n * TICK_S)
outcomes: st.SearchStrategy[Outcome] = st.one_of(
    st.just(Done()),
    st.just(Fail(error="no")),
    ticks.map(lambda s: Retry(error="away", delay=timedelta(seconds=s))),
    st.integers(1, 4).map(lambda n: Snooze(until=NOW + timedelta(seconds=n * TICK_S), reason="later")),
)


class QueueMachine(RuleBasedStateMachine):
    """Does everything to the store and to the model, and compares what both answer."""

    def __init__(self, db: Database) -> None:
        super().__init__()
        self.db = db
        self.model = QueueModel()
        self.claims: list[tuple[str, Job]] = []
        with db.transaction() as tx:
            for table in ("job_events", "jobs", "paused_kinds"):
                tx.run_text(f"DELETE FROM {table}")

    @rule(
        kind=kinds,
        key=st.none() | st.sampled_from(["x", "y", "z"]),
        priority=st.integers(0, 3),
        delay_s=ticks,
        source=st.none() | st.sampled_from(["hh", "habr"]),
    )
    def put(self, kind: str, key: str | None, priority: int, delay_s: int, source: str | None) -> None:
        new = NewJob(kind=kind, unique_key=key, priority=priority, source=source)
        with self.db.transaction() as tx:
            due = NewJob(
                kind=kind,
                unique_key=key,
                priority=priority,
                source=source,
                run_at=tx.store_now() + timedelta(seconds=delay_s) if delay_s else None,
            )
            was_put = jobs.put(tx, [due])
            newest = jobs.search(tx, limit=1)
        assert was_put == self.model.may_put(new)
        if was_put:
            job = ModelJob(newest[0].id, new, self.model.now + delay_s)
            self.model.jobs[job.id] = job

    @rule(
        worker=workers,
        n=st.integers(1, 4),
        only=st.sets(kinds, min_size=1),
        limit=st.none() | st.integers(1, 2),
        closed=st.sets(st.sampled_from(["hh", "habr"])),
        is_empty_handed=st.booleans(),
        is_patient=st.booleans(),
    )
    def claim(
        self,
        worker: str,
        n: int,
        only: set[str],
        limit: int | None,
        closed: set[str],
        is_empty_handed: bool,
        is_patient: bool,
    ) -> None:
        terms = {kind: Terms(max_attempts=3, concurrency=limit if kind == "a" else None) for kind in only}
        with self.db.transaction() as tx:
            taken, _lost = queue.claim(
                tx, worker, terms, n, closed_sources=closed, is_empty_handed=is_empty_handed, is_patient=is_patient
            )
        assert [job.id for job in taken] == self.model.claim(worker, terms, n, closed, is_empty_handed, is_patient)
        self.claims += [(worker, job) for job in taken]

    @rule(data=st.data(), outcome=outcomes)
    def settle(self, data: Any, outcome: Outcome) -> None:
        self._settle(data, lambda job: settlement(outcome, job, NOW, chance(1)))

    @rule(data=st.data(), was_started=st.booleans())
    def give_back(self, data: Any, was_started: bool) -> None:
        self._settle(data, lambda job: given_back(job, was_started=was_started, why="stopped"))

    def _settle(self, data: Any, decide: Callable[[Job], Any]) -> None:
        """Any claim ever made may be settled, so most of these come too late."""
        if not self.claims:
            return
        worker, job = data.draw(st.sampled_from(self.claims[-6:]))
        decided = decide(job)
        with self.db.transaction() as tx:
            settled = queue.settle(tx, worker, [Settled(job=job, settlement=decided)])
        assert bool(settled) == self.model.settle(worker, job.id, job.attempt, decided)

    @rule(data=st.data())
    def beat(self, data: Any) -> None:
        if self.claims:
            worker, job = data.draw(st.sampled_from(self.claims[-6:]))
            with self.db.transaction() as tx:
                ours = queue.beat(tx, worker, [job])
                assert bool(ours) == bool(queue.hold(tx, worker, [job]))
            assert bool(ours) == self.model.beat(worker, job.id, job.attempt)

    @rule()
    def reclaim(self) -> None:
        with self.db.transaction() as tx:
            lost = queue.reclaim(tx)
        assert [one.job.id for one in lost] == self.model.reclaim()

    @rule(n=st.integers(1, 4))
    def time_passes(self, n: int) -> None:
        let_pass(self.db, n * TICK_S + SLACK_S)
        self.model.now += n * TICK_S

    @rule(data=st.data())
    def cancel(self, data: Any) -> None:
        if self.model.jobs:
            job_id = data.draw(st.sampled_from(sorted(self.model.jobs)))
            with self.db.transaction() as tx:
                assert jobs.cancel(tx, job_id, who="ann") == self.model.cancel(job_id)

    @rule(data=st.data(), more=st.integers(1, 3))
    def retry_by_hand(self, data: Any, more: int) -> None:
        if self.model.jobs:
            job_id = data.draw(st.sampled_from(sorted(self.model.jobs)))
            with self.db.transaction() as tx:
                assert jobs.retry(tx, job_id, who="ann", more_attempts=more) == self.model.retry(job_id, more)

    @rule(kind=kinds)
    def pause(self, kind: str) -> None:
        with self.db.transaction() as tx:
            jobs.pause_kind(tx, kind, who="ann", reason="x")
        self.model.paused.add(kind)

    @rule(kind=kinds)
    def resume(self, kind: str) -> None:
        with self.db.transaction() as tx:
            assert jobs.resume_kind(tx, kind) == (kind in self.model.paused)
        self.model.paused.discard(kind)

    @rule(age=st.integers(1, 4))
    def prune(self, age: int) -> None:
        # Half a tick keeps clear of jobs finished exactly then.
        age_s = (age - 0.5) * TICK_S
        with self.db.transaction() as tx:
            pruned = jobs.prune(tx, finished_before=tx.store_now() - timedelta(seconds=age_s))
        assert pruned == self.model.prune(self.model.now - age_s)

    @invariant()
    def the_store_is_where_the_model_is(self) -> None:
        with self.db.reading() as tx:
            stored = {job.id: job for job in jobs.search(tx, limit=1000)}
            events = {job_id: [event.event for event in jobs.history(tx, job_id)] for job_id in stored}
        assert {job_id: seen(job) for job_id, job in stored.items()} == {
            job.id: expected(job) for job in self.model.jobs.values()
        }
        assert events == {job.id: job.events for job in self.model.jobs.values()}
        assert all(job.attempts <= job.max_attempts for job in stored.values())


def seen(job: JobView) -> tuple[Any, ...]:
    """What the store says of a job."""
    is_finished = job.completed_at is not None
    return job.status, job.attempts, job.max_attempts, job.retry_count, job.locked_by, is_finished


def expected(job: ModelJob) -> tuple[Any, ...]:
    """What the model says of it."""
    is_finished = job.completed_at is not None
    return job.status, job.attempts, job.max_attempts, job.retry_count, job.worker, is_finished


def test_any_sequence_of_moves_leaves_the_store_where_the_model_is(db: Database) -> None:
    run_state_machine_as_test(
        lambda: QueueMachine(db),
        settings=settings(
            max_examples=EXAMPLES,
            stateful_step_count=STEPS,
            deadline=None,
            database=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
