"""Signs of life, lost jobs, hung steps, and who takes over; on both databases."""

import threading
from datetime import UTC, datetime, timedelta

import pytest

from inforadar.domain.job import Done, Job, NewJob, Outcome
from inforadar.observe.clock import FakeClock
from inforadar.store.database import Database
from inforadar.workers.rescuer import Rescuer
from inforadar.workers.step import Context, Step
from store.passing_time import let_pass
from workers.rig import (
    a_worker,
    all_jobs,
    count_it,
    effects,
    eventually,
    join,
    put,
    running,
    statuses,
    with_effects_table,
)

NOON = datetime(2026, 1, 5, 12, tzinfo=UTC)
A = NewJob(kind="a")


@pytest.fixture
def work_db(db: Database) -> Database:
    """A database with a place for effects."""
    return with_effects_table(db)


def test_a_working_worker_keeps_its_job_longer_than_the_lock_timeout(work_db: Database) -> None:
    put(work_db, A)
    go_on = threading.Event()

    def run(job: Job, context: Context) -> Outcome:
        go_on.wait(60)
        return count_it(job, context)

    def last_beat() -> datetime:
        beat_at = all_jobs(work_db)[0].heartbeat_at
        assert beat_at
        return beat_at

    rescuer = Rescuer(database=work_db)
    with running(a_worker(work_db, run, heartbeat_s=0.05)):
        eventually(lambda: statuses(work_db) == {"running": 1})
        for _ in range(4):
            before = last_beat()
            let_pass(work_db, 200)
            eventually(lambda before=before: last_beat() > before - timedelta(seconds=100))
            assert rescuer.once() == []
        go_on.set()
        eventually(lambda: statuses(work_db) == {"succeeded": 1})
    assert all_jobs(work_db)[0].attempts == 1


def test_heartbeats_stop_for_a_step_over_its_time_limit_and_its_result_comes_too_late(work_db: Database) -> None:
    (job_id,) = put(work_db, A)
    clock = FakeClock(NOON)

    def run(job: Job, context: Context) -> Outcome:
        clock.advance(59)
        let_pass(work_db, 200)
        worker.beat()
        let_pass(work_db, 200)
        assert Rescuer(database=work_db).once() == []
        clock.advance(2)
        worker.beat()
        let_pass(work_db, 101)
        (lost,) = Rescuer(database=work_db).once()
        assert lost.locked_by == worker.name
        return count_it(job, context)

    worker = a_worker(work_db, step=Step(run=run, time_limit_s=60), clock=clock)
    worker.once()
    assert effects(work_db) == []
    assert statuses(work_db) == {"pending": 1}
    assert a_worker(work_db).once()
    assert effects(work_db) == [job_id]


def test_a_hung_step_does_not_stop_its_worker_and_ends_in_failed(work_db: Database) -> None:
    put(work_db, NewJob(kind="hangs", priority=9), *[A] * 3)
    is_over = threading.Event()

    def hang(_job: Job, _context: Context) -> Outcome:
        is_over.wait(60)
        return Done()

    steps = {"a": Step(run=count_it), "hangs": Step(run=hang, time_limit_s=0.1, max_attempts=1)}
    with running(a_worker(work_db, steps=steps, concurrency=1, heartbeat_s=0.05, lock_timeout_s=2)):
        eventually(lambda: statuses(work_db) == {"failed": 1, "succeeded": 3})
        is_over.set()
    assert len(effects(work_db)) == 3


def test_a_job_not_confirmed_for_long_is_not_started(work_db: Database) -> None:
    """The process was frozen: what waits in its hands may be somebody else's by now."""
    put(work_db, A, A)
    clock = FakeClock(NOON)
    started: list[int] = []

    def run(job: Job, _context: Context) -> Outcome:
        started.append(job.id)
        clock.advance(200)
        return Done()

    worker = a_worker(work_db, run, clock=clock)
    worker.once()
    assert len(started) == 1
    assert statuses(work_db) == {"pending": 1, "succeeded": 1}
    (waiting,) = [job for job in all_jobs(work_db) if job.status == "pending"]
    assert waiting.max_attempts - waiting.attempts == 5


def test_the_rescuer_reclaims_at_once_and_then_every_so_often_until_stopped(work_db: Database) -> None:
    put(work_db, A)

    def die(_job: Job, _context: Context) -> Outcome:
        raise SystemExit

    with pytest.raises(SystemExit):
        a_worker(work_db, die).once()
    assert statuses(work_db) == {"running": 1}
    let_pass(work_db, 301)
    stop = threading.Event()
    rescuer = threading.Thread(target=Rescuer(database=work_db, every_s=1000).run, args=(stop,))
    rescuer.start()
    eventually(lambda: statuses(work_db) == {"pending": 1})
    stop.set()
    join([rescuer])


def test_finished_jobs_get_signs_of_life_until_they_are_settled(work_db: Database) -> None:
    put(work_db, A)
    worker = a_worker(work_db)
    worker._crew.give(worker._exchange(1), is_inline=True)
    worker._crew.work_off()
    let_pass(work_db, 200)
    worker.beat()
    let_pass(work_db, 200)
    assert Rescuer(database=work_db).once() == []
    worker._exchange(0)
    assert statuses(work_db) == {"succeeded": 1}


def test_a_step_that_gets_on_keeps_its_job_however_long_it_takes(work_db: Database) -> None:
    put(work_db, A)
    clock = FakeClock(NOON)

    def run(job: Job, context: Context) -> Outcome:
        for _ in range(10):
            clock.advance(50)
            context.progress()
            let_pass(work_db, 200)
            worker.beat()
            assert Rescuer(database=work_db).once() == []
        return count_it(job, context)

    worker = a_worker(work_db, step=Step(run=run, time_limit_s=60), clock=clock)
    worker.once()
    assert statuses(work_db) == {"succeeded": 1}
