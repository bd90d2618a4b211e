"""Worker processes killed, frozen and stopped at random: no job is lost, no effect is double; on both databases."""

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from random import Random

import apsw
import pytest

from crash.tables import rows
from inforadar.domain.job import NewJob
from inforadar.store.database import Database, open_database
from store.passing_time import let_pass
from workers.nursery import LIMIT_S, Forked, Nursery
from workers.queue_promises import broken_promises, unfinished
from workers.rig import all_jobs, effects, eventually, put, statuses, with_effects_table

BLOWS = int(os.environ.get("RADAR_KILLS", "40"))
WORKERS = 3
LOCK_TIMEOUT_S = 0.6
FROZEN_S = (0.0, 2 * LOCK_TIMEOUT_S)
BETWEEN_S = (0.01, 0.12)
HASTY = {"lock_timeout_s": LOCK_TIMEOUT_S, "heartbeat_s": 0.1, "poll_s": 0.1, "concurrency": 2, "batch": 10}
PATIENT_S = 60.0
"""A lock timeout that is not over by itself, however busy the machine: the test lets it pass."""
PATIENT = {**HASTY, "lock_timeout_s": PATIENT_S}
IN_A_TRANSACTION = """
SELECT pid FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid() AND xact_start IS NOT NULL
"""


@pytest.fixture
def work_db(database_url: str) -> Iterator[Database]:
    """A database with a place for effects."""
    database = open_database(database_url)
    yield with_effects_table(database)
    database.close()


@pytest.fixture
def nursery(tmp_path: Path) -> Iterator[Nursery]:
    """Where workers come from."""
    with Nursery(tmp_path) as nursery:
        yield nursery


@pytest.mark.timeout(600)
def test_workers_killed_and_frozen_at_random_lose_nothing_and_double_nothing(
    work_db: Database, database_url: str, nursery: Nursery
) -> None:
    chance = Random(20260105)
    settings = {**HASTY, "max_attempts": 1000}
    workers = [nursery.start(database_url, **settings) for _ in range(WORKERS)]
    thaws: list[threading.Timer] = []
    for blow in range(BLOWS):
        keep_busy(work_db, chance)
        number = chance.randrange(WORKERS)
        workers[number].ended_within(chance.uniform(*BETWEEN_S))
        if chance.random() < 0.6:
            workers[number].kill()
            workers[number] = nursery.start(database_url, **settings)
        else:
            thaws.append(freeze(workers[number], chance.uniform(*FROZEN_S)))
        if blow % 10 == 0:
            assert broken_promises(database_url, LOCK_TIMEOUT_S) == []
    for thaw in thaws:
        thaw.join()
    acknowledged = put(work_db)
    eventually(lambda: unfinished(database_url) == 0, within_s=240)
    assert broken_promises(database_url, LOCK_TIMEOUT_S) == []
    assert effects(work_db) == acknowledged
    losses = rows(database_url, "SELECT count(*) FROM job_events WHERE event = 'loss'")[0][0]
    assert losses >= BLOWS / 4, "the blows must hit workers at work, or this test shows nothing"
    assert "Traceback" not in nursery.said.read_text()


def keep_busy(db: Database, chance: Random) -> None:
    """Let there always be something to do."""
    if statuses(db).get("pending", 0) < 40:
        put(db, *(NewJob(kind="a", args={"sleep_s": chance.choice([0, 0.005, 0.05])}) for _ in range(40)))


def freeze(worker: Forked, seconds: float) -> threading.Timer:
    """Stop a worker where it stands, perhaps with the database locked, and let it go on after a while."""
    worker.send(signal.SIGSTOP)
    thaw = threading.Timer(seconds, worker.send, [signal.SIGCONT])
    thaw.start()
    return thaw


def freeze_outside_a_transaction(worker: Forked, database_url: str) -> None:
    """Freeze a worker where it keeps nobody out: whoever freezes in a transaction holds up all who want its rows."""
    worker.freeze()
    while is_locked(database_url):
        worker.send(signal.SIGCONT)
        worker.freeze()


def is_locked(database_url: str) -> bool:
    if not database_url.startswith("sqlite"):
        return bool(rows(database_url, IN_A_TRANSACTION))
    with closing(apsw.Connection(database_url.removeprefix("sqlite:///"))) as connection:
        try:
            connection.execute("BEGIN IMMEDIATE; ROLLBACK")
        except apsw.BusyError:
            return True
        return False


def test_a_frozen_worker_that_goes_on_changes_nothing_of_a_reclaimed_job(
    work_db: Database, database_url: str, nursery: Nursery, tmp_path: Path
) -> None:
    may_end = tmp_path / "may end"
    (job_id,) = put(work_db, NewJob(kind="a", args={"until": str(may_end)}))
    first = nursery.start(database_url, **PATIENT)
    eventually(lambda: statuses(work_db) == {"running": 1})
    freeze_outside_a_transaction(first, database_url)
    let_pass(work_db, PATIENT_S + 1)
    second = nursery.start(database_url, **PATIENT)
    eventually(lambda: all_jobs(work_db)[0].attempts == 2)
    may_end.touch()
    eventually(lambda: statuses(work_db) == {"succeeded": 1})
    second.kill()
    before = all_jobs(work_db)
    assert effects(work_db) == [job_id]
    first.send(signal.SIGCONT)
    # What the first worker does next, it does after it has settled, or failed to, what it was doing.
    put(work_db, NewJob(kind="a"))
    eventually(lambda: statuses(work_db) == {"succeeded": 2})
    assert all_jobs(work_db)[:1] == before
    assert effects(work_db).count(job_id) == 1
    assert rows(database_url, f"SELECT attempt FROM effects WHERE job_id = {job_id}") == [(2,)]


def test_a_job_that_kills_its_worker_ends_in_failed(work_db: Database, database_url: str, nursery: Nursery) -> None:
    put(work_db, NewJob(kind="a", args={"kills": True}, priority=9), *[NewJob(kind="a")] * 5)
    deaths = 0
    worker = nursery.start(database_url, **PATIENT)
    while unfinished(database_url):
        if worker.ended_within(0.05):
            deaths += 1
            let_pass(work_db, PATIENT_S + 1)
            worker = nursery.start(database_url, **PATIENT)
    poison, *others = all_jobs(work_db)
    assert deaths == 5
    assert (poison.status, poison.attempts) == ("failed", 5)
    assert (poison.error_message or "").startswith("worker lost 5 times")
    assert {job.status for job in others} == {"succeeded"}
    assert broken_promises(database_url, PATIENT_S) == []


@pytest.mark.parametrize("signals", [1, 2])
def test_a_worker_told_to_end_leaves_nothing_running_and_loses_nothing(
    work_db: Database, database_url: str, nursery: Nursery, signals: int
) -> None:
    chance = Random(signals)
    for _ in range(max(4, BLOWS // 10)):
        put(work_db, *(NewJob(kind="a", args={"sleep_s": chance.choice([0, 0.01, 0.1])}) for _ in range(30)))
        worker = nursery.start(database_url, **PATIENT)
        eventually(lambda: statuses(work_db).get("running", 0) > 0 or unfinished(database_url) == 0)
        worker.ended_within(chance.uniform(0, 0.1))
        for _ in range(signals):
            worker.send(signal.SIGTERM)
        assert worker.ended_within(LIMIT_S)
        assert nursery.has_ended_well(worker)
        assert "running" not in statuses(work_db)
        assert broken_promises(database_url, PATIENT_S) == []
    last = nursery.start(database_url, **PATIENT)
    eventually(lambda: unfinished(database_url) == 0)
    last.kill()
    assert effects(work_db) == put(work_db)
    assert rows(database_url, "SELECT id FROM job_events") == []
