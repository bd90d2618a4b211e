"""PostgreSQL goes away under a worker: it comes back by itself, nothing is lost, nothing is double (I16, F4, F18)."""

import os
import signal
import threading
from collections.abc import Iterator
from random import Random

import psycopg
import pytest

from inforadar.domain.job import Done, Job, NewJob, Outcome
from inforadar.store.database import Database, Tx, open_database
from inforadar.store.migrate import upgrade
from inforadar.workers.step import Context
from postgres_server import running_postgres
from workers.cutting_proxy import CuttingProxy
from workers.queue_promises import broken_promises, unfinished
from workers.rig import (
    a_worker,
    count_it,
    effects,
    eventually,
    put,
    running,
    statuses,
    with_effects_table,
    write_effect,
)

JOBS = 300
A = NewJob(kind="a")
TERMINATE = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
    "WHERE datname = current_database() AND pid <> pg_backend_pid()"
)


@pytest.fixture
def work_db(postgres_url: str) -> Iterator[Database]:
    """A database with a place for effects."""
    database = open_database(postgres_url)
    yield with_effects_table(database)
    database.close()


def take_a_moment(job: Job, context: Context) -> Outcome:
    """A step long enough to be interrupted."""
    threading.Event().wait(0.002)
    return count_it(job, context)


@pytest.mark.parametrize("seed", [1, 2])
def test_a_lost_reply_to_a_commit_loses_and_doubles_nothing(work_db: Database, postgres_url: str, seed: int) -> None:
    ids = put(work_db, *[A] * JOBS)
    chance = Random(seed)
    with CuttingProxy(postgres_url, lambda n: n > 3 and chance.random() < 0.3) as proxy:
        through = open_database(proxy.url)
        with running(*(a_worker(through, take_a_moment, concurrency=2, batch=10) for _ in range(2))):
            eventually(lambda: unfinished(postgres_url) == 0)
        through.close()
        assert proxy.cuts >= 5, "replies must be lost, or this test shows nothing"
    assert effects(work_db) == ids
    assert broken_promises(postgres_url, lock_timeout_s=300) == []
    assert statuses(work_db) == {"succeeded": JOBS}


def test_jobs_of_a_claim_whose_reply_was_lost_are_found_and_run(work_db: Database, postgres_url: str) -> None:
    put(work_db, *[A] * 3)
    # The first commit is the check of a new connection; the second is the claim.
    with CuttingProxy(postgres_url, lambda n: n == 2) as proxy:
        through = open_database(proxy.url)
        a_worker(through, concurrency=4).run(until_idle=True)
        through.close()
        assert proxy.cuts == 1
    assert statuses(work_db) == {"succeeded": 3}
    assert len(effects(work_db)) == 3


def test_connections_ended_by_the_server_are_replaced(work_db: Database, postgres_url: str) -> None:
    ids = put(work_db, *[A] * JOBS)
    through = open_database(postgres_url)
    with psycopg.connect(postgres_url, autocommit=True) as admin:
        with running(a_worker(through, take_a_moment, concurrency=2, batch=10)):
            for _ in range(15):
                admin.execute(TERMINATE)
                threading.Event().wait(0.03)
            eventually(lambda: unfinished(postgres_url) == 0)
        through.close()
    work_db.close()
    assert effects(work_db) == ids
    assert broken_promises(postgres_url, lock_timeout_s=300) == []


def test_effects_that_always_break_the_connection_do_not_hold_up_the_others(
    work_db: Database, postgres_url: str
) -> None:
    ids = put(work_db, *(NewJob(kind="a", args={"breaks": n == 1}, priority=-n) for n in range(4)))

    def run(job: Job, _context: Context) -> Outcome:
        def write(tx: Tx) -> None:
            write_effect(tx, job)
            if job.args["breaks"]:
                with psycopg.connect(postgres_url, autocommit=True) as admin:
                    admin.execute(TERMINATE)

        return Done(effects=write)

    through = open_database(postgres_url)
    with running(a_worker(through, run)):
        eventually(lambda: statuses_of(postgres_url) == {"retryable": 1, "succeeded": 3})
    through.close()
    work_db.close()
    assert effects(work_db) == [ids[0], ids[2], ids[3]]


def test_many_effects_that_break_the_connection_do_not_choke_those_behind_them(
    work_db: Database, postgres_url: str
) -> None:
    put(work_db, *(NewJob(kind="a", args={"breaks": n < 3}, priority=-n) for n in range(20)))

    def run(job: Job, _context: Context) -> Outcome:
        def write(tx: Tx) -> None:
            write_effect(tx, job)
            if job.args["breaks"]:
                tx.run_text("SELECT pg_terminate_backend(pg_backend_pid())")

        return Done(effects=write)

    through = open_database(postgres_url)
    with running(a_worker(through, run, concurrency=4, batch=8)):
        eventually(lambda: statuses_of(postgres_url) == {"retryable": 3, "succeeded": 17})
    through.close()
    assert len(effects(work_db)) == 17


def test_a_worker_behind_poison_claims_no_more_than_a_batch_ahead(work_db: Database, postgres_url: str) -> None:
    put(work_db, *[A] * 60)
    most = 0

    def run(job: Job, _context: Context) -> Outcome:
        nonlocal most
        most = max(most, statuses_of(postgres_url).get("running", 0))
        return Done(effects=lambda tx: tx.run_text("SELECT pg_terminate_backend(pg_backend_pid())"))

    through = open_database(postgres_url)
    with running(a_worker(through, run, concurrency=2, batch=6)):
        eventually(lambda: statuses_of(postgres_url).get("retryable", 0) >= 6)
    through.close()
    assert most <= 12


def statuses_of(url: str) -> dict[str, int]:
    """How many jobs have each status, asked on a connection that nobody ends for long."""
    try:
        with psycopg.connect(url, autocommit=True) as server:
            return dict(server.execute("SELECT status, count(*) FROM jobs GROUP BY status").fetchall())
    except psycopg.OperationalError:
        return {}


@pytest.mark.skipif("RADAR_TEST_PG" in os.environ, reason="a server of somebody else's is not crashed")
def test_a_server_that_crashes_and_recovers_loses_and_doubles_nothing() -> None:
    with running_postgres() as server:
        url = f"{server}&options=-csynchronous_commit%3Don"
        db = with_effects_table(migrated(url))
        ids = put(db, *[A] * JOBS)
        db.close()
        through = open_database(url)
        with running(*(a_worker(through, take_a_moment, concurrency=2, batch=10) for _ in range(2))):
            for _ in range(3):
                crash(url)
                threading.Event().wait(0.15)
            eventually(lambda: statuses_of(url) == {"succeeded": JOBS})
        through.close()
        assert effects(db) == ids
        assert broken_promises(url, lock_timeout_s=300) == []
        db.close()


def migrated(url: str) -> Database:
    """A fresh database, brought up to date."""
    database = open_database(url)
    upgrade(database)
    return database


def crash(url: str) -> None:
    """Kill one process of the server: it ends all others, recovers and starts again."""
    eventually(lambda: statuses_of(url) != {})
    with psycopg.connect(url, autocommit=True) as victim:
        os.kill(victim.info.backend_pid, signal.SIGKILL)
