"""The database's clock is set back under jobs that wait and run; on both databases."""

from datetime import timedelta

import pytest

from inforadar.domain.job import LONGEST_WAIT, Job, NewJob, Snooze, settlement
from inforadar.observe.chance import chance
from inforadar.store import jobs, queue
from inforadar.store.database import Database
from inforadar.store.jobs import JobView
from inforadar.store.queue import Settled, Terms
from inforadar.workers.rescuer import Rescuer
from store.passing_time import let_pass
from store.samples_of_rows import NOW

DAY_S = 86_400
TERMS = {"a": Terms(max_attempts=5)}


def put(db: Database, delay: timedelta | None = None) -> None:
    """Put one job."""
    with db.transaction() as tx:
        jobs.put(tx, [NewJob(kind="a", run_at=tx.store_now() + delay if delay else None)])


def claim(db: Database) -> list[Job]:
    """Claim what may run."""
    with db.transaction() as tx:
        return queue.claim(tx, "w1", TERMS, 9)[0]


def snooze(db: Database, job: Job, time: timedelta) -> None:
    """Put a running job off."""
    outcome = Snooze(until=NOW + time, reason="later")
    with db.transaction() as tx:
        queue.settle(tx, "w1", [Settled(job=job, settlement=settlement(outcome, job, NOW, chance(1)))])


def only(db: Database) -> JobView:
    """The one job there is."""
    with db.reading() as tx:
        (job,) = jobs.search(tx)
    return job


@pytest.mark.parametrize("back_s", [3600, DAY_S, 400 * DAY_S])
def test_a_job_put_before_the_clock_was_set_back_may_run(db: Database, back_s: int) -> None:
    put(db)
    let_pass(db, -back_s)
    assert claim(db) == []
    Rescuer(database=db).once()
    assert len(claim(db)) == 1


def test_a_job_put_off_before_the_clock_was_set_back_by_years_may_run(db: Database) -> None:
    put(db)
    let_pass(db, 30)
    (job,) = claim(db)
    snooze(db, job, timedelta(hours=6))
    let_pass(db, -400 * DAY_S)
    Rescuer(database=db).once()
    assert len(claim(db)) == 1


@pytest.mark.parametrize("time", [timedelta(hours=6), timedelta(days=8), LONGEST_WAIT])
def test_a_job_that_waits_for_its_time_is_left_alone(db: Database, time: timedelta) -> None:
    put(db, time)
    (was,) = [only(db).run_at]
    Rescuer(database=db).once()
    assert only(db).run_at == was
    assert claim(db) == []


def test_nothing_is_put_off_for_longer_than_the_longest_wait(db: Database) -> None:
    put(db, timedelta(days=4000))
    let_pass(db, LONGEST_WAIT.total_seconds() + 1)
    (job,) = claim(db)
    snooze(db, job, timedelta(days=4000))
    let_pass(db, LONGEST_WAIT.total_seconds() + 1)
    assert len(claim(db)) == 1


def test_a_job_of_a_dead_worker_is_reclaimed_though_its_heartbeat_lies_ahead(db: Database) -> None:
    put(db)
    claim(db)
    let_pass(db, -DAY_S)
    assert Rescuer(database=db).once() == []
    let_pass(db, 301)
    (lost,) = Rescuer(database=db).once()
    assert lost.settlement.status == "pending"


def test_a_live_worker_keeps_its_job_when_the_clock_was_set_back(db: Database) -> None:
    put(db)
    (job,) = claim(db)
    let_pass(db, -DAY_S)
    Rescuer(database=db).once()
    for _ in range(3):
        let_pass(db, 200)
        with db.transaction() as tx:
            assert queue.beat(tx, "w1", [job]) == {job.id}
        assert Rescuer(database=db).once() == []
