"""Signs of life and settlements of the same jobs at the same moment never wait for each other in a circle."""

import threading
from collections.abc import Callable, Iterator

import pytest
from psycopg.errors import LockNotAvailable

from inforadar.domain.errors import StoreError
from inforadar.domain.job import Done, Job, NewJob, Snooze, settlement
from inforadar.observe.chance import chance
from inforadar.store import jobs, queue
from inforadar.store.database import Database, Tx, open_database
from inforadar.store.queue import Settled, Terms
from store.samples_of_rows import NOW

TERMS = {"a": Terms(max_attempts=1000)}
JOBS = 40
ROUNDS = 60


@pytest.fixture
def pg(postgres_url: str) -> Iterator[Database]:
    """A PostgreSQL database: SQLite has one writer and no such circles."""
    database = open_database(postgres_url)
    yield database
    database.close()


def claimed(db: Database, number: int) -> list[Job]:
    """So many running jobs."""
    with db.transaction() as tx:
        jobs.put(tx, [NewJob(kind="a")] * number)
        return queue.claim(tx, "w1", TERMS, number)[0]


def test_a_sign_of_life_does_not_wait_for_a_settlement_under_way(pg: Database) -> None:
    first, second = claimed(pg, 2)
    is_held, beaten = threading.Event(), threading.Event()

    def settle_slowly() -> None:
        with pg.transaction() as tx:
            assert queue.hold(tx, "w1", [second]) == {second.id}
            is_held.set()
            assert beaten.wait(20), "the beat waits for our transaction"
            queue.settle(tx, "w1", [Settled(job=second, settlement=settlement(Done(), second, NOW, chance(1)))])

    settler = threading.Thread(target=settle_slowly)
    settler.start()
    assert is_held.wait(10)
    with pg.transaction() as tx:
        tx.run_text("SET LOCAL lock_timeout = '2s'")
        try:
            assert queue.beat(tx, "w1", [first, second]) == {first.id, second.id}, "it is ours until it is settled"
        finally:
            beaten.set()
    settler.join(20)
    with pg.transaction() as tx:
        assert queue.beat(tx, "w1", [first, second]) == {first.id}


def test_only_the_transaction_of_a_sign_of_life_is_impatient(pg: Database) -> None:
    def impatience(tx: Tx) -> str:
        return str(tx._connection.rows("SHOW lock_timeout", {})[0]["lock_timeout"])

    (job,) = claimed(pg, 1)
    with pg.transaction() as tx:
        before = impatience(tx)
        queue.beat(tx, "w1", [job])
        assert impatience(tx) == "200ms", "well below the second after which PostgreSQL looks for a victim"
    with pg.transaction() as tx:
        assert impatience(tx) == before == "30s"


def test_beats_and_settlements_of_the_same_jobs_in_any_order_never_deadlock(pg: Database) -> None:
    batch = claimed(pg, JOBS)
    errors: list[StoreError] = []
    is_over = threading.Event()

    def hammer(write: object) -> None:
        while not is_over.is_set() and not errors:
            try:
                with pg.transaction() as tx:
                    write(tx)  # type: ignore[operator]
            except StoreError as error:
                # a sign of life that would have to wait is given up: that never hurts the settlement
                if not isinstance(error.__cause__, LockNotAvailable):
                    errors.append(error)

    threads = [
        threading.Thread(target=hammer, args=(lambda tx: queue.beat(tx, "w1", batch[::-1]),)),
        threading.Thread(target=hammer, args=(lambda tx: queue.beat(tx, "w1", batch),)),
    ]
    for thread in threads:
        thread.start()
    try:
        for _ in range(ROUNDS):
            if errors:
                break
            batch[:] = settled_and_claimed_again(pg, batch)
    finally:
        is_over.set()
        for thread in threads:
            thread.join(20)
    assert errors == []


def settled_and_claimed_again(db: Database, batch: list[Job]) -> list[Job]:
    """One transaction as a worker makes it: some are held for their effects, some succeed, some are put off."""
    held, others = batch[JOBS // 2 :], batch[: JOBS // 2]
    outcomes = [Done() if job.id % 2 else Snooze(until=NOW, reason="x") for job in others]
    with db.transaction() as tx:
        queue.hold(tx, "w1", held)
        both = [*zip(others, outcomes, strict=True), *((job, Done()) for job in held)]
        settled = [Settled(job=job, settlement=settlement(outcome, job, NOW, chance(1))) for job, outcome in both]
        assert len(queue.settle(tx, "w1", settled)) == len(batch)
        jobs.put(tx, [NewJob(kind="a")] * JOBS)
        return queue.claim(tx, "w1", TERMS, JOBS)[0]


def test_a_job_is_not_retried_by_hand_while_another_of_its_key_is_being_put(pg: Database) -> None:
    with pg.transaction() as tx:
        jobs.put(tx, [NewJob(kind="a", unique_key="sweep:q")])
        (failed,) = jobs.search(tx)
        jobs.cancel(tx, failed.id, who="test")
    answers: list[bool | Exception] = []

    def retry() -> None:
        try:
            with pg.transaction() as tx:
                answers.append(jobs.retry(tx, failed.id, who="test"))
        except Exception as error:
            answers.append(error)

    person = threading.Thread(target=retry)
    with pg.transaction() as tx:
        jobs.put(tx, [NewJob(kind="a", unique_key="sweep:q")])
        person.start()
        until(lambda: is_somebody_waiting(tx))
    person.join(20)
    assert answers == [False]


def is_somebody_waiting(tx: Tx) -> bool:
    """Whether another transaction waits for this one."""
    waiting = "SELECT 1 FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY (pg_blocking_pids(pid))"
    return bool(tx._connection.rows(waiting, {}))


def until(is_so: Callable[[], bool]) -> None:
    """Wait for something that certainly comes."""
    pause = threading.Event()
    for _ in range(2000):
        if is_so():
            return
        pause.wait(0.01)
    raise AssertionError("it never came")
