"""A worker: what it claims it runs, what it runs it settles, each effect once; on both databases."""

import logging
import threading
from collections.abc import Iterator
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
import structlog

from inforadar.domain.errors import RateLimited, Refused, StoreError, Unavailable
from inforadar.domain.job import Done, Fail, Job, NewJob, Outcome, Retry, Snooze
from inforadar.observe.clock import SystemClock
from inforadar.observe.log import set_up_log
from inforadar.observe.secrets import Secrets
from inforadar.store import jobs
from inforadar.store.database import Database, Tx
from inforadar.store.queue import Settled
from inforadar.workers.pace import appetite
from inforadar.workers.step import Context, Step
from inforadar.workers.worker import unique_name
from store.passing_time import let_pass
from workers.rig import (
    WAIT_S,
    a_worker,
    all_jobs,
    count_it,
    effects,
    eventually,
    put,
    running,
    statuses,
    with_effects_table,
    write_effect,
)

A = NewJob(kind="a")


@pytest.fixture
def work_db(db: Database) -> Database:
    """A database with a place for effects."""
    return with_effects_table(db)


@pytest.fixture
def log() -> Iterator[StringIO]:
    """What the log says; nothing of it is left afterwards."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    stream = StringIO()
    set_up_log(clock=SystemClock(), secrets=Secrets(()), stream=stream)
    yield stream
    structlog.reset_defaults()
    root.handlers[:], root.level = handlers, level


class AwayAtFirst:
    """A database whose first transactions for the thread that made this fail."""

    def __init__(self, database: Database, failures: int) -> None:
        self._database = database
        self._failures = failures
        self._thread = threading.get_ident()

    def transaction(self) -> Any:
        """Fail, or begin one."""
        if self._failures and threading.get_ident() == self._thread:
            self._failures -= 1
            raise StoreError("away")
        return self._database.transaction()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._database, name)


@pytest.mark.parametrize(("failures", "ends"), [(3, 1), (0, 0)])
def test_the_end_of_an_outage_is_told_once(work_db: Database, log: StringIO, failures: int, ends: int) -> None:
    put(work_db, *[A] * 2)
    away: Any = AwayAtFirst(work_db, failures)
    a_worker(away).run(until_idle=True)
    said = log.getvalue()
    assert said.count("the database does not answer; trying again") == failures
    assert said.count("the database answers again") == ends
    assert said.rfind("answers again") >= said.rfind("trying again")
    assert statuses(work_db) == {"succeeded": 2}


def test_once_does_a_batch_and_says_whether_there_was_any(work_db: Database) -> None:
    ids = put(work_db, *[A] * 5)
    worker = a_worker(work_db, batch=3)
    assert [worker.once() for _ in range(3)] == [True, True, False]
    assert effects(work_db) == ids
    assert statuses(work_db) == {"succeeded": 5}
    assert {job.locked_by for job in all_jobs(work_db)} == {worker.name}


def test_each_outcome_moves_its_job(work_db: Database) -> None:
    put(work_db, *(NewJob(kind="a", args={"n": n}, priority=-n) for n in range(4)))
    until = SystemClock().now() + timedelta(hours=6)
    outcomes: list[Outcome] = [Done(), Retry(error="away"), Snooze(until=until, reason="later"), Fail(error="no")]
    a_worker(work_db, lambda job, _context: outcomes[job.args["n"]]).once()
    done, retried, snoozed, failed = all_jobs(work_db)
    assert (done.status, done.error_message) == ("succeeded", None)
    assert (retried.status, retried.error_message, retried.retry_count) == ("retryable", "away", 1)
    assert (snoozed.status, snoozed.error_message, snoozed.retry_count) == ("pending", "later", 0)
    assert abs(snoozed.run_at - until) < timedelta(seconds=10)
    assert (failed.status, failed.error_message) == ("failed", "no")


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (Unavailable("away"), "retryable"),
        (RateLimited("slow down"), "pending"),
        (Refused("captcha"), "failed"),
        (ZeroDivisionError("bug"), "failed"),
    ],
)
def test_an_error_of_a_step_is_judged_by_the_tree(work_db: Database, error: Exception, status: str) -> None:
    put(work_db, A)

    def run(_job: Job, _context: Context) -> Outcome:
        raise error

    a_worker(work_db, run).once()
    assert statuses(work_db) == {status: 1}


def test_effects_that_raise_undo_themselves_and_leave_the_rest_of_the_batch_alone(work_db: Database) -> None:
    ids = put(work_db, *(NewJob(kind="a", args={"n": n}, priority=-n) for n in range(5)))
    errors = {1: Unavailable("away"), 3: ZeroDivisionError("bug")}

    def run(job: Job, _context: Context) -> Outcome:
        def write(tx: Tx) -> None:
            write_effect(tx, job)
            if job.args["n"] in errors:
                raise errors[job.args["n"]]

        return Done(effects=write)

    a_worker(work_db, run).once()
    assert effects(work_db) == [ids[0], ids[2], ids[4]]
    assert [job.status for job in all_jobs(work_db)] == ["succeeded", "retryable", "succeeded", "failed", "succeeded"]


def test_effects_that_break_a_rule_of_the_database_fail_alone(work_db: Database) -> None:
    put(work_db, A, A)
    with work_db.transaction() as tx:
        tx.run_text("CREATE TABLE once (n BIGINT PRIMARY KEY)")

    def run(_job: Job, _context: Context) -> Outcome:
        return Done(effects=lambda tx: tx.run_text("INSERT INTO once VALUES (1)"))

    a_worker(work_db, run).once()
    assert statuses(work_db) == {"failed": 1, "succeeded": 1}


def test_effects_put_the_next_jobs_in_the_same_transaction(work_db: Database) -> None:
    put(work_db, A)

    def run(job: Job, _context: Context) -> Outcome:
        if job.args:
            return Done()
        return Done(effects=lambda tx: jobs.put(tx, [NewJob(kind="a", args={"after": job.id})]))

    worker = a_worker(work_db, run)
    assert [worker.once() for _ in range(3)] == [True, True, False]
    assert statuses(work_db) == {"succeeded": 2}


def test_a_worker_that_lost_its_job_while_it_ran_writes_nothing(work_db: Database) -> None:
    (job_id,) = put(work_db, A)
    other = a_worker(work_db)

    def run(job: Job, context: Context) -> Outcome:
        let_pass(work_db, 301)
        assert other.once()
        return count_it(job, context)

    told: list[Settled] = []
    a_worker(work_db, run, on_settled=lambda settled, _seconds: told.append(settled)).once()
    assert effects(work_db) == [job_id]
    (job,) = all_jobs(work_db)
    assert (job.status, job.attempts, job.locked_by) == ("succeeded", 2, other.name)
    assert told == []


def test_a_cancelled_job_has_no_effects_and_its_step_can_know(work_db: Database) -> None:
    (job_id,) = put(work_db, A)
    was_lost: list[bool] = []

    def run(job: Job, context: Context) -> Outcome:
        with work_db.transaction() as tx:
            jobs.cancel(tx, job_id, who="ann")
        worker.beat()
        was_lost.append(context.is_lost())
        return count_it(job, context)

    worker = a_worker(work_db, run)
    worker.once()
    assert was_lost == [True]
    assert effects(work_db) == []
    assert statuses(work_db) == {"failed": 1}


def test_closed_sources_are_asked_for_in_every_claim(work_db: Database) -> None:
    put(work_db, NewJob(kind="a", source="hh"), A)
    closed = ["hh"]
    worker = a_worker(work_db, closed_sources=lambda _tx: closed)
    worker.once()
    assert statuses(work_db) == {"pending": 1, "succeeded": 1}
    closed.clear()
    worker.once()
    assert statuses(work_db) == {"succeeded": 2}


def test_a_running_worker_hears_of_new_jobs_without_being_asked_to_look(work_db: Database) -> None:
    worker = a_worker(work_db, poll_s=1000)
    with running(worker):
        for n in range(3):
            put(work_db, A)
            eventually(lambda n=n: statuses(work_db) == {"succeeded": n + 1})


def test_a_worker_that_hears_nothing_looks_for_itself(work_db: Database) -> None:
    with running(a_worker(work_db, poll_s=0.2)):
        # Put without a notification, as when the listening connection was away.
        with work_db.transaction() as tx:
            tx.run_text(f"INSERT INTO jobs (kind, args, run_at) VALUES ('a', '{{}}', '{tx.store_now().isoformat()}')")
        eventually(lambda: statuses(work_db) == {"succeeded": 1})


def test_steps_run_side_by_side_but_no_more_than_allowed(work_db: Database) -> None:
    put(work_db, *[A] * 12)
    together = threading.Barrier(3)
    lock = threading.Lock()
    now_running, most = 0, 0

    def run(job: Job, context: Context) -> Outcome:
        nonlocal now_running, most
        with lock:
            now_running += 1
            most = max(most, now_running)
        together.wait(WAIT_S)
        with lock:
            now_running -= 1
        return count_it(job, context)

    worker = a_worker(work_db, run, concurrency=3)
    worker.run(until_idle=True)
    assert most == 3
    assert statuses(work_db) == {"succeeded": 12}


def test_what_the_last_job_puts_for_this_moment_is_done_too_before_it_is_idle(work_db: Database) -> None:
    put(work_db, A)

    def run(job: Job, context: Context) -> Outcome:
        if len(all_jobs(work_db)) > 5:
            return count_it(job, context)
        # by the worker's clock, which may be a millisecond ahead of the store's
        soon = context.clock.now() + timedelta(milliseconds=1)
        return Done(effects=lambda tx: jobs.put(tx, [NewJob(kind="a", run_at=soon)]) and None)

    a_worker(work_db, run, concurrency=1).run(until_idle=True)
    assert statuses(work_db) == {"succeeded": 6}


def test_slow_steps_keep_no_jobs_in_hand_that_others_could_run(work_db: Database) -> None:
    put(work_db, *[A] * 20)
    go_on = threading.Event()

    def run(job: Job, context: Context) -> Outcome:
        go_on.wait(10)
        return count_it(job, context)

    with running(a_worker(work_db, run, concurrency=2, batch=100)):
        eventually(lambda: statuses(work_db).get("running", 0) == 2)
        put(work_db, A)
        assert statuses(work_db)["running"] == 2
        go_on.set()
        eventually(lambda: statuses(work_db) == {"succeeded": 21})


def test_finished_jobs_do_not_wait_for_a_slow_neighbour(work_db: Database) -> None:
    put(work_db, NewJob(kind="a", args={"slow": True}, priority=9), *[A] * 9)
    go_on = threading.Event()

    def run(job: Job, context: Context) -> Outcome:
        if job.args:
            go_on.wait(WAIT_S)
        return count_it(job, context)

    with running(a_worker(work_db, run, concurrency=2)):
        eventually(lambda: statuses(work_db) == {"running": 1, "succeeded": 9})
        go_on.set()
        eventually(lambda: statuses(work_db) == {"succeeded": 10})


@pytest.mark.parametrize(
    ("settled", "elapsed_s", "wanted"),
    [(0, 0.0, 4), (1, 1.0, 4), (100, 1.0, 25), (100, 0.01, 100), (50, 0.0, 100)],
)
def test_no_more_is_claimed_ahead_than_a_quarter_of_a_second_of_work(
    settled: int, elapsed_s: float, wanted: int
) -> None:
    assert appetite(settled, elapsed_s, concurrency=4, batch=100) == wanted


def test_no_two_workers_have_the_same_name() -> None:
    assert len({unique_name("w") for _ in range(50)}) == 50


def test_a_kind_with_a_limit_keeps_it_across_workers(work_db: Database) -> None:
    put(work_db, *[A] * 30)
    lock = threading.Lock()
    now_running, most = 0, 0

    def run(job: Job, context: Context) -> Outcome:
        nonlocal now_running, most
        with lock:
            now_running += 1
            most = max(most, now_running)
        with lock:
            now_running -= 1
        return count_it(job, context)

    step = Step(run=run, concurrency=2)
    with running(*(a_worker(work_db, step=step, concurrency=4, poll_s=0.1) for _ in range(3))):
        eventually(lambda: statuses(work_db) == {"succeeded": 30})
    assert most <= 2


def a_suspect(db: Database) -> None:
    """Of what waits, everything has lost two workers in a row."""
    with db.transaction() as tx:
        tx.run_text("UPDATE jobs SET losses = 2 WHERE status = 'pending'")


def test_a_worker_busy_for_long_does_not_wait_for_empty_hands_for_ever(work_db: Database) -> None:
    put(work_db, NewJob(kind="a", args={"long": True}))
    go_on = threading.Event()

    def run(job: Job, context: Context) -> Outcome:
        if job.args:
            go_on.wait(WAIT_S)
        return count_it(job, context)

    with running(a_worker(work_db, run, concurrency=2, poll_s=0.1, drain_s=0.5)):
        eventually(lambda: statuses(work_db) == {"running": 1})
        put(work_db, A)
        a_suspect(work_db)
        put(work_db, A)
        eventually(lambda: statuses(work_db) == {"running": 1, "succeeded": 2})
        go_on.set()


def test_a_suspect_that_runs_for_long_does_not_keep_its_worker_to_itself(work_db: Database) -> None:
    put(work_db, NewJob(kind="a", args={"long": True}))
    a_suspect(work_db)
    put(work_db, A)
    go_on, order = threading.Event(), []

    def run(job: Job, context: Context) -> Outcome:
        order.append(bool(job.args))
        if job.args:
            go_on.wait(WAIT_S)
        return count_it(job, context)

    with running(a_worker(work_db, run, concurrency=2, poll_s=0.1, drain_s=0.5)):
        eventually(lambda: statuses(work_db) == {"running": 1, "succeeded": 1})
        go_on.set()
    assert order == [True, False]
