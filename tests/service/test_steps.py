"""The steps of radar's own jobs, on the real store with collaborators that say what they are told."""

import threading
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from random import Random

import pytest

from inforadar.collect.governor import StoppedByUser
from inforadar.collect.report import FetchReport, QueryReport
from inforadar.domain.errors import LeaseLost, StoreError
from inforadar.domain.health import News
from inforadar.domain.job import Done, Job, JobId, NewJob, Retry, Snooze, outcome_of
from inforadar.domain.run import Counters, StopReason
from inforadar.domain.watch import Bounds, Query, Watch
from inforadar.observe.clock import FakeClock
from inforadar.service.periodic import sweep_job, upkeep_job
from inforadar.service.steps import full_text_step, prune_step, sweep_step
from inforadar.store import events, jobs, queue, runs
from inforadar.store.queue import Terms
from inforadar.workers.step import Context
from inforadar.workers.worker import Worker

NOW = datetime(2026, 1, 5, 12, tzinfo=UTC)
QUERY = Query(watch="w", source="hh", params={}, bounds=Bounds(), key="hh-1")
QUERIES = {("w", "hh-1"): (Watch(name="w", kind="vacancy"), QUERY)}


class FetcherStub:
    """Reports what it is told."""

    def __init__(self, *, is_leased_by_source: bool = False, **report) -> None:
        self.is_leased_by_source = is_leased_by_source
        self.report = FetchReport(run_id=None, started_at=NOW, finished_at=NOW, **report)
        self.asked = []

    def fetch(self, chosen, pulse):
        self.asked += chosen
        pulse()
        return self.report


@pytest.fixture
def context(sqlite_db):
    return Context(database=sqlite_db, clock=FakeClock(NOW), is_stopping=lambda: False, is_lost=lambda: False)


def a_job(**args) -> Job:
    return Job(id=JobId(1), kind="sweep", args=args, attempt=1, max_attempts=5, retry_count=0)


def ended(reason: StopReason, retry_at: datetime | None = None) -> QueryReport:
    return QueryReport(
        watch="w",
        source="hh",
        query_key="hh-1",
        status="ERROR",
        stop_reason=reason,
        counters=Counters(),
        last_seen_max=None,
        last_complete_sweep_before=None,
        last_processed_date=None,
        left=1,
        retry_at=retry_at,
    )


@pytest.mark.parametrize("reason", [StopReason.END_OF_FEED, StopReason.UNAVAILABLE, StopReason.RATE_LIMITED])
def test_a_sweep_that_ended_is_done_however_it_ended(context, reason):
    fetcher = FetcherStub(queries=[ended(reason)])
    assert sweep_step(fetcher, QUERIES).run(a_job(watch="w", query_key="hh-1"), context) == Done()
    assert fetcher.asked == [QUERIES["w", "hh-1"]]


@pytest.mark.parametrize("reason", [StopReason.UNAVAILABLE, StopReason.RATE_LIMITED])
def test_a_sweep_whose_source_is_left_alone_goes_on_when_that_is_over(context, reason):
    later = NOW + timedelta(hours=6)
    fetcher = FetcherStub(queries=[ended(reason, retry_at=later)])
    outcome = sweep_step(fetcher, QUERIES).run(a_job(watch="w", query_key="hh-1"), context)
    assert outcome == Snooze(until=later, reason=reason.value)


def test_a_sweep_tells_that_it_gets_on_and_ends_when_its_job_was_cancelled(sqlite_db):
    pulses, is_lost = [], []
    context = Context(
        database=sqlite_db,
        clock=FakeClock(NOW),
        is_stopping=lambda: False,
        is_lost=lambda: bool(is_lost),
        progress=lambda: pulses.append(1),
    )
    step = sweep_step(FetcherStub(queries=[ended(StopReason.END_OF_FEED)]), QUERIES)
    assert step.run(a_job(watch="w", query_key="hh-1"), context) == Done()
    assert pulses == [1]
    is_lost.append(True)
    with pytest.raises(StoppedByUser):
        step.run(a_job(watch="w", query_key="hh-1"), context)


def test_a_sweep_stopped_by_a_shutdown_comes_back_at_once(context):
    fetcher = FetcherStub(queries=[ended(StopReason.STOPPED_BY_USER)])
    outcome = sweep_step(fetcher, QUERIES).run(a_job(watch="w", query_key="hh-1"), context)
    assert isinstance(outcome, Snooze)
    assert outcome.until == NOW


def test_a_sweep_waits_while_another_holds_the_lease(context):
    outcome = sweep_step(FetcherStub(held_by="vm:1:1"), QUERIES).run(a_job(watch="w", query_key="hh-1"), context)
    assert isinstance(outcome, Snooze)
    assert outcome.until >= NOW + timedelta(seconds=15)
    assert "process 1 on vm" in outcome.reason


def test_sweeps_that_wait_for_the_lease_do_not_all_come_back_at_once(context):
    step = sweep_step(FetcherStub(held_by="vm:1:1"), QUERIES)
    jobs = [replace(a_job(watch="w", query_key="hh-1"), id=JobId(number)) for number in range(40)]
    times = {step.run(job, context).until for job in jobs}
    assert len(times) > 10
    assert max(times) <= NOW + timedelta(seconds=30)


def test_a_query_that_left_the_configuration_is_not_asked(context):
    fetcher = FetcherStub()
    assert sweep_step(fetcher, QUERIES).run(a_job(watch="w", query_key="gone"), context) == Done()
    assert fetcher.asked == []


def test_sweeps_run_one_at_a_time_or_one_for_each_source():
    both = QUERIES | {
        ("w", "habr-1"): (
            QUERIES["w", "hh-1"][0],
            Query(watch="w", source="habr", params={}, bounds=Bounds(), key="habr-1"),
        )
    }
    assert sweep_step(FetcherStub(), both).concurrency == 1
    assert sweep_step(FetcherStub(is_leased_by_source=True), both).concurrency == 2


def test_full_texts_stopped_by_a_shutdown_come_back_and_do_not_fail(context):
    class Stopped:
        def get(self, *, limit, only_due, pulse):
            raise StoppedByUser

    assert isinstance(full_text_step(Stopped()).run(a_job(), context), Snooze)


def test_full_texts_are_those_that_are_due_and_end_with_their_job(sqlite_db):
    asked = []

    class Endless:
        def get(self, *, limit, only_due, pulse):
            assert only_due
            while True:
                pulse()
                asked.append(1)

    def is_lost() -> bool:
        return len(asked) == 3

    context = Context(database=sqlite_db, clock=FakeClock(NOW), is_stopping=lambda: False, is_lost=is_lost)
    assert isinstance(full_text_step(Endless()).run(a_job(), context), Snooze)
    assert len(asked) == 3


@pytest.mark.parametrize("error", [StoreError("away"), LeaseLost("taken")])
def test_a_sweep_that_lost_the_store_or_the_lease_is_tried_again(error):
    assert isinstance(outcome_of(error, NOW), Retry)


@pytest.mark.parametrize("kind", ["fulltext", "prune"])
def test_upkeep_does_not_wait_for_a_backlog_of_matches_to_end(db, kind):
    with db.transaction() as tx:
        jobs.put(tx, [jobs.process_job(number, published_at=NOW) for number in range(20)])
        jobs.put(tx, [upkeep_job(kind)])
        terms = {one: Terms(max_attempts=5, concurrency=1) for one in ("process", kind)}
        taken, _ = queue.claim(tx, "w1", terms, 2)
    assert [job.kind for job in taken] == [kind, "process"]


def test_pruning_forgets_old_finished_jobs_and_no_others(db):
    with db.transaction() as tx:
        jobs.put(tx, [NewJob(kind="old"), NewJob(kind="young"), NewJob(kind="prune"), sweep_job(QUERY)])
        for kind in ("old", "young"):
            (job,) = jobs.search(tx, kind=kind)
            jobs.cancel(tx, job.id, who="test")
        before = "2000-01-01T00:00:00.000000Z"
        tx.run_text(f"UPDATE jobs SET completed_at = '{before}' WHERE kind = 'old'")
    worker = Worker(
        database=db,
        steps={"prune": prune_step(timedelta(days=7))},
        clock=FakeClock(NOW),
        chance=Random(1),
        stop=threading.Event(),
    )
    assert worker.once()
    with db.reading() as tx:
        assert {job.kind: job.status for job in jobs.search(tx)} == {
            "young": "failed",
            "prune": "succeeded",
            "sweep": "pending",
        }


def test_pruning_forgets_old_runs_and_events_too(db):
    long_ago = NOW - timedelta(days=91)
    with db.transaction() as tx:
        for at in [long_ago] * 120 + [NOW] * 60:
            run_id = runs.start(tx, "hh-1", "w", "hh", at)
            runs.finish(tx, run_id, at, status="SUCCESS", stop_reason=StopReason.END_OF_FEED)
            events.add(tx, News(kind="outage", message="away"), "hh", at)
    context = Context(database=db, clock=FakeClock(NOW), is_stopping=lambda: False, is_lost=lambda: False)
    assert prune_step(timedelta(days=7)).run(a_job(), context) == Done()
    with db.reading() as tx:
        assert len(runs.recent(tx, limit=1000)) == 60
        assert len(events.recent(tx, limit=1000)) == 60


def test_pruning_ends_after_a_bite_when_the_worker_stops(sqlite_db):
    with sqlite_db.transaction() as tx:
        for _ in range(300):
            run_id = runs.start(tx, "hh-1", "w", "hh", NOW - timedelta(days=91))
            runs.finish(tx, run_id, NOW, status="SUCCESS", stop_reason=StopReason.END_OF_FEED)
    context = Context(database=sqlite_db, clock=FakeClock(NOW), is_stopping=lambda: True, is_lost=lambda: False)
    assert isinstance(prune_step(timedelta(days=7)).run(a_job(), context), Snooze)
    with sqlite_db.reading() as tx:
        assert len(runs.recent(tx, limit=1000)) == 200
