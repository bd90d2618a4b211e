"""Stopping a worker: no new claim, unstarted jobs go back, running steps get their time, nothing is lost (I26)."""

import threading

import pytest

from inforadar.domain.job import Job, NewJob, Outcome
from inforadar.store.database import Database, Tx
from inforadar.workers.step import Context
from inforadar.workers.worker import Worker
from workers.rig import (
    WAIT_S,
    a_worker,
    all_jobs,
    count_it,
    effects,
    eventually,
    join,
    put,
    statuses,
    with_effects_table,
)

A = NewJob(kind="a")


class Slow:
    """A step that begins, and ends when it is let go."""

    def __init__(self) -> None:
        self.go_on = threading.Event()
        self.has_begun = threading.Semaphore(0)

    def __call__(self, job: Job, context: Context) -> Outcome:
        """Run."""
        self.has_begun.release()
        self.go_on.wait(WAIT_S)
        return count_it(job, context)


@pytest.fixture
def work_db(db: Database) -> Database:
    """A database with a place for effects."""
    return with_effects_table(db)


def start(worker: Worker, slow: Slow, steps: int) -> threading.Thread:
    """Let a worker run until so many steps have begun."""
    thread = threading.Thread(target=worker.run)
    thread.start()
    for _ in range(steps):
        assert slow.has_begun.acquire(timeout=WAIT_S)
    return thread


def hold_more_than_it_runs(worker: Worker) -> None:
    """Let the worker believe that steps are fast, so that it claims ahead."""
    worker._appetite = 6


def test_running_steps_finish_in_the_grace_time_and_waiting_jobs_go_back_at_once(work_db: Database) -> None:
    put(work_db, *[A] * 8)
    slow = Slow()
    worker = a_worker(work_db, slow, concurrency=2)
    hold_more_than_it_runs(worker)
    thread = start(worker, slow, 2)
    assert statuses(work_db) == {"pending": 2, "running": 6}
    worker.stop.set()
    eventually(lambda: statuses(work_db) == {"pending": 6, "running": 2})
    slow.go_on.set()
    join([thread])
    assert statuses(work_db) == {"pending": 6, "succeeded": 2}
    assert len(effects(work_db)) == 2
    waiting = [job for job in all_jobs(work_db) if job.status == "pending"]
    assert {job.max_attempts - job.attempts for job in waiting} == {5}
    assert {job.locked_by for job in waiting} == {None}


def test_steps_still_running_at_the_end_of_the_grace_are_given_back_and_told_of(work_db: Database) -> None:
    ids = put(work_db, *[A] * 3)
    slow = Slow()
    abandoned: list[int] = []

    def note(tx: Tx, job: Job) -> None:
        tx.run_text(f"INSERT INTO effects VALUES ({-job.id}, 0, 'abandoned')")
        abandoned.append(job.id)
        if job.id == ids[1]:
            raise ZeroDivisionError

    worker = a_worker(work_db, slow, concurrency=3, grace_s=0.2, on_abandoned=note)
    thread = start(worker, slow, 3)
    worker.stop.set()
    join([thread])
    assert set(abandoned) == set(ids)
    assert effects(work_db) == sorted([-ids[0], -ids[2]])
    assert statuses(work_db) == {"pending": 3}
    slow.go_on.set()
    assert a_worker(work_db).once()
    assert statuses(work_db) == {"succeeded": 3}


def test_a_second_signal_does_not_wait_for_the_grace_time(work_db: Database) -> None:
    put(work_db, *[A] * 4)
    slow = Slow()
    worker = a_worker(work_db, slow, concurrency=2, grace_s=1000)
    thread = start(worker, slow, 2)
    worker.stop.set()
    worker.hurry.set()
    join([thread])
    assert statuses(work_db) == {"pending": 4}
    slow.go_on.set()


def test_a_stopped_worker_claims_nothing(work_db: Database) -> None:
    put(work_db, A)
    worker = a_worker(work_db)
    worker.stop.set()
    worker.run()
    assert statuses(work_db) == {"pending": 1}


def test_a_step_can_know_that_its_worker_stops(work_db: Database) -> None:
    put(work_db, A)
    seen: list[bool] = []
    has_begun = threading.Event()

    def run(job: Job, context: Context) -> Outcome:
        seen.append(context.is_stopping())
        has_begun.set()
        eventually(context.is_stopping)
        seen.append(context.is_stopping())
        return count_it(job, context)

    worker = a_worker(work_db, run)
    thread = threading.Thread(target=worker.run)
    thread.start()
    assert has_begun.wait(WAIT_S)
    worker.stop.set()
    join([thread])
    assert seen == [False, True]
    assert statuses(work_db) == {"succeeded": 1}
