"""The scheduler on both databases: what is due is put once, by one, however many schedulers there are."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from inforadar.domain.errors import Refused, StoreError
from inforadar.domain.health import after_failure
from inforadar.domain.schedule import Every
from inforadar.domain.watch import Bounds, Query
from inforadar.observe.clock import FakeClock
from inforadar.service.periodic import periodic_work, put_sweeps, requeue, sweep_job
from inforadar.service.scheduler import Periodic, Scheduler
from inforadar.store import jobs, leases, query_states, schedules, sources
from service.schedule_settings import all_work

START = datetime(2026, 1, 5, 12, tzinfo=UTC)
DAILY = Every(seconds=86_400)
RARELY = all_work(DAILY, keep_finished_jobs_days=1)


def query(number: int, source: str = "hh") -> Query:
    return Query(watch="w", source=source, params={"text": str(number)}, bounds=Bounds(), key=f"hh-{number}")


@pytest.fixture
def clock():
    return FakeClock(START)


@pytest.fixture
def make_scheduler(db, clock):
    def make(holder: str, *work: Periodic, dead: tuple[str, ...] = ()) -> Scheduler:
        return Scheduler(database=db, clock=clock, work=work, holder=holder, is_dead=lambda name: name in dead)

    return make


@pytest.fixture
def counting(clock):
    ticks: list[datetime] = []

    def put(_tx):
        ticks.append(clock.now())
        return 1

    return ticks, Periodic(name="work", rhythm=Every(seconds=900), put=put)


def test_what_is_due_is_put_and_not_again_before_its_time(make_scheduler, clock, counting):
    ticks, work = counting
    scheduler = make_scheduler("a", work)
    assert [scheduler.once(), scheduler.once()] == [1, 0]
    clock.advance(900)
    assert scheduler.once() == 1
    assert len(ticks) == 2


def test_a_query_that_was_never_swept_is_put_within_seconds_and_once(db, clock):
    queries = [query(1), query(2)]
    work = periodic_work(
        RARELY,
        queries,
        closed_sources=lambda _tx: [],
        put_checks=lambda _tx: 0,
        clock=clock,
    )
    scheduler = Scheduler(database=db, clock=clock, work=work, holder="a", is_dead=lambda _name: False)
    with db.transaction() as tx:
        schedules.ran(tx, "fetch", clock.now())
        query_states.ensure(tx, queries[0], clock.now())
        query_states.start(tx, queries[0], clock.now())
    scheduler.once()
    clock.advance(11)
    scheduler.once()
    with db.reading() as tx:
        put = [job for job in jobs.search(tx, limit=50) if job.kind == "sweep"]
    assert [job.args["query_key"] for job in put] == ["hh-2"]


def test_a_new_one_looks_at_once_after_what_the_dead_one_held(make_scheduler, counting):
    rescues: list[str] = []
    make_scheduler("a", counting[1]).once()
    heir = replace(make_scheduler("b", counting[1], dead=("a",)), on_elected=lambda: rescues.append("looked"))
    heir.once()
    heir.once()
    assert rescues == ["looked"]


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


def test_looking_writes_nothing_while_nothing_is_due(make_scheduler, clock, counting, db):
    scheduler = make_scheduler("a", counting[1])
    scheduler.once()
    before = lease_end(db)
    clock.advance(10)
    scheduler.once()
    assert lease_end(db) == before
    for _ in range(100):  # the store's time may not have moved a whole millisecond yet
        clock.advance(15)
        scheduler.once()
        if lease_end(db) > before:
            break
    assert lease_end(db) > before, "the lease is prolonged long before its end"


def test_a_lease_lost_between_two_looks_is_found_out_before_anything_is_put(make_scheduler, clock, counting, db):
    ticks, work = counting
    scheduler = make_scheduler("a", replace(work, rhythm=Every(seconds=5)))
    scheduler.once()
    with db.transaction() as tx:
        leases.acquire(tx, "scheduler", "thief", 60, lambda _name: True)
    clock.advance(6)
    assert [scheduler.once(), scheduler.once()] == [0, 0]
    assert len(ticks) == 1


def test_the_lease_of_a_dead_scheduler_is_taken_over_at_once(make_scheduler, clock, counting):
    ticks, work = counting
    make_scheduler("a", work).once()
    clock.advance(900)
    assert make_scheduler("b", work).once() == 0
    assert make_scheduler("c", work, dead=("a",)).once() == 1
    assert len(ticks) == 2


def test_a_scheduler_whose_election_was_not_confirmed_takes_its_own_lease(make_scheduler, counting, db):
    with db.transaction() as tx:
        leases.acquire(tx, "scheduler", "a", 60, lambda _name: False)
    assert make_scheduler("a", counting[1]).once() == 1


def test_work_for_a_start_is_put_at_every_election_and_then_in_its_rhythm(make_scheduler, clock, counting):
    ticks, work = counting
    at_start = replace(work, is_put_at_start=True)
    first = make_scheduler("a", at_start)
    assert [first.once(), first.once()] == [1, 0]
    first.resign()
    clock.advance(10)
    second = make_scheduler("b", at_start)
    assert [second.once(), second.once()] == [1, 0]
    assert len(ticks) == 2


def test_work_that_failed_to_be_put_is_due_again(make_scheduler, counting):
    ticks, work = counting

    def breaks(tx):
        jobs.put(tx, [sweep_job(query(1))])
        work.put(tx)
        raise StoreError("away")

    with pytest.raises(StoreError):
        make_scheduler("a", replace(work, put=breaks)).once()
    assert make_scheduler("a", work).once() == 1
    assert len(ticks) == 2


def test_a_clock_put_back_by_an_hour_does_not_stop_the_work(make_scheduler, clock, counting):
    ticks, work = counting
    scheduler = make_scheduler("a", work)
    scheduler.once()
    clock.advance(-3600)
    assert [scheduler.once(), scheduler.once()] == [1, 0]
    clock.advance(900)
    assert scheduler.once() == 1
    assert len(ticks) == 3


def test_a_clock_that_leaps_ahead_and_comes_back_costs_one_run_each(make_scheduler, clock, counting):
    ticks, work = counting
    scheduler = make_scheduler("a", work)
    scheduler.once()
    for leap in (12 * 365 * 86_400, -12 * 365 * 86_400):
        clock.advance(leap)
        assert [scheduler.once(), scheduler.once()] == [1, 0]
    assert len(ticks) == 3


@pytest.fixture
def rounds(make_scheduler, clock):
    """A scheduler of continuous fetching that can be asked a second later."""
    settings = replace(RARELY, continuous=True)

    def make(*queries: Query, closed: tuple[str, ...] = ()):
        work = periodic_work(
            settings, queries, closed_sources=lambda _tx: closed, put_checks=lambda _tx: 0, clock=clock
        )
        scheduler = make_scheduler("a", *(one for one in work if one.name in ("fetch", "round")))

        def later() -> int:
            clock.advance(1.0)
            return scheduler.once()

        return scheduler, later

    return make


def test_continuous_fetching_begins_anew_when_no_sweep_is_left(db, rounds):
    scheduler, later = rounds(query(1))
    assert scheduler.once() == 1
    assert later() == 0
    finish_sweeps(db)
    assert later() == 1


def test_rounds_are_at_least_a_second_apart(db, rounds):
    scheduler, later = rounds(query(1))
    scheduler.once()
    finish_sweeps(db)
    assert later() == 1
    finish_sweeps(db)
    assert scheduler.once() == 0


def test_a_source_that_is_left_alone_does_not_hold_up_the_rounds_of_the_others(db, rounds):
    scheduler, later = rounds(query(1), query(2, source="habr"), closed=("hh",))
    assert scheduler.once() == 2
    finish_sweeps(db, source="habr")
    assert later() == 1
    with db.reading() as tx:
        assert sorted(job.source for job in jobs.search(tx, status="pending")) == ["habr", "hh"]


def test_a_sweep_that_waits_for_its_retry_does_not_hold_up_the_others(db, rounds):
    scheduler, later = rounds(query(1), query(2))
    scheduler.once()
    finish_sweeps(db, key="hh-1")
    with db.transaction() as tx:
        tx.run_text("UPDATE jobs SET run_at = '2999-01-01T00:00:00.000000Z' WHERE status = 'pending'")
    assert later() == 1


def test_a_source_that_turns_us_away_is_asked_in_the_rhythm_and_not_in_every_round(db, rounds, clock):
    scheduler, later = rounds(query(1), query(2, source="habr"))
    with db.transaction() as tx:
        sources.register(tx, "hh", rate_limit_per_minute=60, enabled=True, paced_at=START)
        sources.change(tx, "hh", START, lambda health: after_failure(health, Refused("no token"), START, 0.0))
    assert scheduler.once() == 2
    finish_sweeps(db)
    assert later() == 1


def test_without_queries_nothing_is_put_however_often_one_looks(rounds):
    scheduler, later = rounds()
    assert [scheduler.once(), later(), later()] == [0, 0, 0]


def test_a_queued_match_without_a_job_gets_one_and_one_whose_job_failed_does_not(db, stored_matches):
    ids = stored_matches(3)
    with db.transaction() as tx:
        jobs.put(tx, [jobs.process_job(ids[0], published_at=START), jobs.process_job(ids[1], published_at=START)])
        failed = next(job for job in jobs.search(tx) if job.args["match_id"] == ids[1])
        jobs.cancel(tx, failed.id, who="test")
        assert requeue(tx, START) == 1
        assert requeue(tx, START) == 0


def lease_end(db):
    with db.reading() as tx:
        return leases.held(tx)["scheduler"].expires_at


def finish_sweeps(db, *, source=None, key=None):
    with db.transaction() as tx:
        for job in jobs.search(tx, kind="sweep"):
            if (source or job.source) == job.source and (key or job.args["query_key"]) == job.args["query_key"]:
                jobs.cancel(tx, job.id, who="test")
