"""What the worker tests begin with: workers with steps of their own, and effects that can be counted."""

import threading
from collections.abc import Callable, Iterable
from contextlib import contextmanager
from typing import Any

from inforadar.domain.job import Done, Job, NewJob, Outcome
from inforadar.observe.chance import chance
from inforadar.observe.clock import SystemClock
from inforadar.store import jobs
from inforadar.store.database import Database, Tx
from inforadar.store.jobs import JobView
from inforadar.workers.step import Context, Step
from inforadar.workers.worker import Worker

WAIT_S = 120.0

Run = Callable[[Job, Context], Outcome]


def with_effects_table(db: Database) -> Database:
    """A table without any key, so that an effect applied twice shows."""
    with db.transaction() as tx:
        tx.run_text("CREATE TABLE effects (job_id BIGINT, attempt BIGINT, worker TEXT)")
    return db


def write_effect(tx: Tx, job: Job, worker: str = "w") -> None:
    """The effect of a job."""
    tx.run_text(f"INSERT INTO effects VALUES ({job.id}, {job.attempt}, '{worker}')")


def count_it(job: Job, _context: Context) -> Outcome:
    """A step whose only work is its effect."""
    return Done(effects=lambda tx: write_effect(tx, job))


def rows(db: Database, sql: str) -> list[dict[str, Any]]:
    """Rows past our own store."""
    connection = db.driver.connect()
    try:
        return connection.rows(sql, {})
    finally:
        connection.close()


def effects(db: Database) -> list[int]:
    """The jobs whose effects were applied, each as often as they were."""
    return sorted(row["job_id"] for row in rows(db, "SELECT job_id FROM effects"))


def put(db: Database, *new: NewJob) -> list[int]:
    """Put jobs; the ids of all there are now."""
    with db.transaction() as tx:
        jobs.put(tx, new)
        return sorted(job.id for job in jobs.search(tx, limit=100_000))


def all_jobs(db: Database) -> list[JobView]:
    """Every job, oldest first."""
    with db.reading() as tx:
        return jobs.search(tx, limit=100_000)[::-1]


def statuses(db: Database) -> dict[str, int]:
    """How many jobs have each status."""
    with db.reading() as tx:
        return jobs.counts(tx)


def a_worker(db: Database, run: Run | None = None, **changed: Any) -> Worker:
    """A worker for jobs of the kind `a`, in a hurry: it looks, beats and gives up quickly."""
    step = changed.pop("step", None) or Step(run=run or count_it)
    values: dict[str, Any] = {
        "database": db,
        "steps": {"a": step},
        "clock": SystemClock(),
        "chance": chance(7),
        "stop": threading.Event(),
        "poll_s": 0.5,
    }
    return Worker(**(values | changed))


@contextmanager
def running(*workers: Worker) -> Any:
    """The workers at work, each in a thread, stopped and gone at the end."""
    threads = [threading.Thread(target=worker.run) for worker in workers]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        for worker in workers:
            worker.stop.set()
        join(threads)


def join(threads: Iterable[threading.Thread]) -> None:
    """Wait for the end of threads that are about to end."""
    for thread in threads:
        thread.join(WAIT_S)
        assert not thread.is_alive()


def eventually(is_true: Callable[[], bool], within_s: float = WAIT_S) -> None:
    """Wait until something is true, which must not take long."""
    clock, pause = SystemClock(), threading.Event()
    ends_at = clock.mono() + within_s
    while not is_true():
        assert clock.mono() < ends_at, "it did not come true"
        pause.wait(0.01)
