"""Transactions, threads and processes, on both databases."""

import os
import subprocess
import sys
import threading
from datetime import UTC, datetime, timedelta

import apsw
import psycopg
import pytest

from inforadar.domain.errors import ConfigError, StoreError
from inforadar.store import items, leases, runs
from inforadar.store.database import Database, open_database
from store.samples_of_rows import NOW, an_item

COUNT_UP = """
import sys
from datetime import UTC, datetime
from inforadar.store import items, leases, runs
from inforadar.store.database import open_database
db = open_database(sys.argv[1])
lease = leases.Lease(name="run", holder="all", token=1, ttl_s=60)
for _ in range(40):
    with db.transaction() as tx:
        items.count(tx)
        leases.guard(tx, lease)
        (run,) = runs.recent(tx)
        now = datetime.now(UTC)
        runs.finish(tx, run.id, now, status="RUNNING", stop_reason=None, left=(run.left or 0) + 1)
db.close()
"""


def save_then_fail(db: Database) -> None:
    """A transaction that breaks after its first write."""
    with db.transaction() as tx:
        items.insert(tx, [an_item("1")])
        raise KeyboardInterrupt


def write_while_reading(db: Database) -> None:
    """A write in a transaction that may only read."""
    with db.reading() as tx:
        items.insert(tx, [an_item("1")])


def count_of(db: Database) -> int:
    """How many items a fresh look sees."""
    with db.reading() as tx:
        return items.count(tx)


def test_an_exception_undoes_the_whole_transaction(db: Database) -> None:
    with pytest.raises(KeyboardInterrupt):
        save_then_fail(db)
    assert count_of(db) == 0


def test_a_reading_transaction_cannot_write_and_the_next_one_can(db: Database) -> None:
    with pytest.raises((StoreError, apsw.ReadOnlyError, psycopg.errors.ReadOnlySqlTransaction)):
        write_while_reading(db)
    with db.transaction() as tx:
        items.insert(tx, [an_item("1")])
    assert count_of(db) == 1


def test_a_reading_transaction_sees_one_moment(db: Database) -> None:
    def write() -> None:
        with db.transaction() as tx:
            items.insert(tx, [an_item("1")])

    with db.reading() as tx:
        assert items.count(tx) == 0
        writer = threading.Thread(target=write)
        writer.start()
        writer.join()
        assert items.count(tx) == 0
    assert count_of(db) == 1


def test_a_transaction_inside_a_transaction_is_a_mistake(db: Database) -> None:
    with db.transaction(), pytest.raises(RuntimeError, match="already open"), db.transaction():
        pass


def test_reading_then_writing_under_contention_loses_no_update(database_url: str) -> None:
    db = open_database(database_url)
    with db.transaction() as tx:
        leases.acquire(tx, "run", "all", 60, lambda _holder: False)
        runs.start(tx, "q", "w", "hh", NOW)
    processes = [subprocess.Popen([sys.executable, "-c", COUNT_UP, database_url]) for _ in range(3)]
    assert [process.wait() for process in processes] == [0, 0, 0]
    with db.reading() as tx:
        assert runs.recent(tx)[0].left == 120
    db.close()


def test_threads_that_save_the_same_items_store_each_once(db: Database) -> None:
    failures: list[BaseException] = []

    def save(number: int) -> None:
        try:
            for page in range(5):
                keys = [str(page * 10 + n) for n in range(10)]
                with db.transaction() as tx:
                    shuffled = keys if number % 2 else keys[::-1]
                    assert len(items.insert(tx, sorted(map(an_item, shuffled), key=lambda item: item.key))) == 10
        except BaseException as failure:
            failures.append(failure)

    threads = [threading.Thread(target=save, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert count_of(db) == 50


def test_the_stores_time_is_the_real_time(db: Database) -> None:
    with db.transaction() as tx:
        now = tx.store_now()
        later = tx.store_now()
    assert abs(datetime.now(UTC) - now) < timedelta(seconds=10)
    assert later >= now


def test_a_time_without_zone_is_refused(sqlite_db: Database) -> None:
    with pytest.raises(ValueError, match="without a zone"), sqlite_db.transaction() as tx:
        runs.start(tx, "q", "w", "hh", NOW.replace(tzinfo=None))


def test_a_forked_process_may_not_use_the_connection_of_its_parent(db: Database) -> None:
    db._pid = os.getpid() + 1
    with pytest.raises(RuntimeError, match="after a fork"), db.reading():
        pass
    db._pid = os.getpid()


def test_connections_of_ended_threads_are_closed(db: Database) -> None:
    for _ in range(5):
        thread = threading.Thread(target=count_of, args=(db,))
        thread.start()
        thread.join()
    assert len(db._connections) <= 2


def test_a_closed_database_opens_again_at_the_next_use(db: Database) -> None:
    db.close()
    assert count_of(db) == 0


@pytest.mark.parametrize("url", ["mysql://x", "radar.db", "sqlite://", "sqlite:///", ""])
def test_an_unknown_url_names_the_forms_that_work(url: str) -> None:
    with pytest.raises(ConfigError, match=r"sqlite:///radar\.db"):
        open_database(url)
