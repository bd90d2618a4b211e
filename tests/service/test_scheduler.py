"""The scheduler on both databases: what is due is put once, by one, however many schedulers there are."""

from datetime import UTC, datetime, timedelta

import pytest

from inforadar.domain.schedule import Every
from inforadar.domain.watch import Bounds, Query
from inforadar.observe.clock import FakeClock
from inforadar.service.periodic import put_sweeps, requeue, sweep_job
from inforadar.service.scheduler import Periodic, Scheduler
from inforadar.store import jobs, leases

START = datetime(2026, 1, 5, 12, tzinfo=UTC)


def query(number: int) -> Query:
    return Query(watch="w", source="hh", params={"text": str(number)}, bounds=Bounds(), key=f"hh-{number}")


@pytest.fixture
def clock():
    return FakeClock(START)


@pytest.fixture
def make_scheduler(db, clock):
    def make(holder: str, *work: Periodic) -> Scheduler:
        return Scheduler(database=db, clock=clock, work=work, holder=holder, is_dead=lambda _name: False)

    return make


@pytest.fixture
def counting():
    ticks: list[datetime] = []

    def put(_tx, now):
        ticks.append(now)
        return 1

    return ticks, Periodic(name="work", rhythm=Every(seconds=900), put=put)


def test_what_is_due_is_put_and_not_again_before_its_time(make_scheduler, clock, counting):
    ticks, work = counting
    scheduler = make_scheduler("a", work)
    assert [scheduler.once(), scheduler.once()] == [1, 0]
    clock.advance(900)
    assert scheduler.once() == 1
    assert len(ticks) == 2


def test_a_restart_neither_forgets_nor_repeats(make_scheduler, clock, counting):
    ticks, work = counting
    first = make_scheduler("a", work)
    first.once()
    first.resign()
    clock.advance(60)
    assert make_scheduler("b", work).once() == 0
    clock.advance(3 * 86_400)
    assert make_scheduler("b2", work).once() == 0
    assert len(ticks) == 1


def test_days_of_missed_ticks_give_one_run(make_scheduler, clock, counting):
    ticks, work = counting
    scheduler = make_scheduler("a", work)
    scheduler.once()
    clock.advance(5 * 86_400)
    for _ in range(3):
        scheduler.once()
    assert len(ticks) == 2


def test_of_two_schedulers_one_is_elected_and_the_other_takes_over_when_it_resigns(make_scheduler, clock, counting):
    ticks, work = counting
    one, two = make_scheduler("a", work), make_scheduler("b", work)
    assert (one.once(), two.once()) == (1, 0)
    one.resign()
    clock.advance(900)
    assert two.once() == 1
    assert one.once() == 0
    assert len(ticks) == 2


def test_a_scheduler_that_lost_its_lease_puts_nothing(make_scheduler, clock, counting, db):
    ticks, work = counting
    scheduler = make_scheduler("a", work)
    scheduler.once()
    with db.transaction() as tx:
        leases.acquire(tx, "scheduler", "thief", 60, lambda _name: True)
    clock.advance(900)
    assert scheduler.once() == 0
    assert len(ticks) == 1


def test_a_query_never_has_two_sweeps(db):
    with db.transaction() as tx:
        assert put_sweeps(tx, [query(1), query(2)]) == 2
        assert put_sweeps(tx, [query(1), query(2), query(3)]) == 1
    with db.reading() as tx:
        assert jobs.counts(tx) == {"pending": 3}


def test_sweeps_come_before_everything_else():
    assert sweep_job(query(1)).priority > jobs.process_job(1, published_at=START + timedelta(days=36_500)).priority


def test_continuous_fetching_begins_anew_when_no_sweep_is_left(db, clock, make_scheduler):
    from inforadar.config import ScheduleSettings
    from inforadar.service.periodic import periodic_work

    rare = Every(seconds=10**9)
    settings = ScheduleSettings(
        fetch=rare, continuous=True, requeue=rare, fulltext=rare, prune=rare, keep_finished_jobs_days=1
    )
    scheduler = make_scheduler("a", periodic_work(settings, [query(1)])[0])
    assert [scheduler.once(), scheduler.once()] == [1, 0]
    with db.transaction() as tx:
        (job,) = jobs.search(tx, kind="sweep")
        jobs.cancel(tx, job.id, who="test")
    assert scheduler.once() == 1


def test_a_queued_match_without_a_job_gets_one_and_one_whose_job_failed_does_not(db, stored_matches):
    ids = stored_matches(3)
    with db.transaction() as tx:
        jobs.put(tx, [jobs.process_job(ids[0], published_at=START), jobs.process_job(ids[1], published_at=START)])
        failed = next(job for job in jobs.search(tx) if job.args["match_id"] == ids[1])
        jobs.cancel(tx, failed.id, who="test")
        assert requeue(tx) == 1
        assert requeue(tx) == 0
