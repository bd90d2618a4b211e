"""Whoever changes items lets others move matches of them: PostgreSQL takes no two of them for a circle."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from psycopg.errors import LockNotAvailable

from inforadar.domain.errors import StoreError
from inforadar.domain.item import ItemId
from inforadar.domain.status import Status
from inforadar.store import groups, items, matches
from inforadar.store.database import Database, Tx, open_database
from store.samples_of_rows import LATER, NOW, an_item
from store.test_jobs_locks import is_somebody_waiting, until

Hold = Callable[[Tx], object]


@pytest.fixture
def pg(postgres_url: str) -> Iterator[Database]:
    """A PostgreSQL database: SQLite has one writer and no such circles."""
    database = open_database(postgres_url)
    yield database
    database.close()


@pytest.fixture(
    params=[
        lambda tx: items.find_to_change(tx, "hh", ["1"]),
        lambda tx: groups.regroup_some(tx, 10),
        lambda tx: [groups.regroup(tx, one, "Acme") for one in range(1, 10)],
    ],
    ids=["a page is saved", "items are grouped", "a company is grouped"],
)
def hold(request: pytest.FixtureRequest) -> Hold:
    """Someone who changes an item, and keeps it until the end of the transaction."""
    changer: Hold = request.param
    return changer


def test_a_match_is_recovered_while_its_item_is_changed(pg: Database, hold: Hold) -> None:
    match_id, _ = a_skipped_match(pg)

    def recover(tx: Tx) -> None:
        # twice, after which PostgreSQL looks whether the item is still there
        for old, new, who in ((Status.SKIPPED, Status.NEW, "recovery"), (Status.NEW, Status.QUEUED, "machine")):
            assert matches.move(tx, match_id, old, new, who=who, why="recovered", now=LATER)  # type: ignore[arg-type]

    with pg.transaction() as tx:
        hold(tx)
        elsewhere(pg, recover)


def test_nobody_else_changes_an_item_that_is_being_changed(pg: Database, hold: Hold) -> None:
    _, item_id = a_skipped_match(pg)
    with pg.transaction() as tx:
        hold(tx)
        with pytest.raises(StoreError) as raised:
            elsewhere(pg, lambda other: items.looked_up(other, item_id, LATER))
    assert isinstance(raised.value.__cause__, LockNotAvailable)


def test_an_item_stays_that_gets_another_match_while_its_last_one_is_deleted(pg: Database) -> None:
    match_id, item_id = a_skipped_match(pg)

    def expel() -> bool:
        with pg.transaction() as tx:
            matches.delete(tx, match_id)
            return items.forget_unmatched(tx, item_id)

    with ThreadPoolExecutor(1) as pool:
        with pg.transaction() as tx:
            items.find_to_change(tx, "hh", ["1"])
            is_forgotten = pool.submit(expel)
            until(lambda: is_somebody_waiting(tx))
            matches.create(tx, "v", "q", [item_id], NOW, "machine", "found")
        assert not is_forgotten.result()
    with pg.reading() as tx:
        assert len(matches.of_item(tx, item_id)) == 1


def a_skipped_match(db: Database) -> tuple[int, ItemId]:
    with db.transaction() as tx:
        item_id = items.insert(tx, [an_item("1")])["1"]
        match_id = matches.create(tx, "w", "q", [item_id], NOW, "machine", "found")[item_id]
        matches.move(tx, match_id, Status.QUEUED, Status.SKIPPED, who="machine", why="an outage", now=NOW)
    return match_id, item_id


def elsewhere(db: Database, write: Callable[[Tx], object]) -> None:
    """Write in another connection, which gives up where it has to wait; raises what that raises."""

    def run() -> None:
        with db.transaction() as tx:
            tx.run_text("SET LOCAL lock_timeout = '300ms'")
            write(tx)

    with ThreadPoolExecutor(1) as pool:
        pool.submit(run).result()
