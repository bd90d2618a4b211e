"""Who closes items or finds them again, and who groups and counts them, never wait for each other in a circle."""

import threading
from collections.abc import Callable, Iterator

import pytest

from inforadar.domain.item import ItemId
from inforadar.store import companies, groups, items
from inforadar.store.database import Database, Tx, open_database
from store.samples_of_rows import LATER, NOW, an_item
from store.test_jobs_locks import is_somebody_waiting, until


@pytest.fixture
def pg(postgres_url: str) -> Iterator[Database]:
    """A PostgreSQL database: SQLite has one writer and no such circles."""
    database = open_database(postgres_url)
    yield database
    database.close()


@pytest.mark.parametrize(
    ("was_closed", "note"),
    [
        (False, lambda tx, item_id: items.close(tx, [item_id], LATER)),
        (True, lambda tx, _: items.shown_again(tx, "hh", ["1"])),
        (True, lambda tx, item_id: items.check(tx, item_id, now=LATER, gone_seen_at=None)),
    ],
    ids=["closed", "shown again", "found again"],
)
def test_a_closing_noted_while_items_are_grouped_lets_the_grouping_end(
    pg: Database, was_closed: bool, note: Callable[[Tx, ItemId], None]
) -> None:
    with pg.transaction() as tx:
        item_id = items.insert(tx, [an_item("1")])["1"]
        items.close(tx, [item_id] if was_closed else [], NOW)
    errors: list[Exception] = []

    def run() -> None:
        try:
            with pg.transaction() as tx:
                note(tx, item_id)
        except Exception as error:
            errors.append(error)

    noting = threading.Thread(target=run)
    with pg.transaction() as tx:
        groups.regroup_some(tx, 10)
        noting.start()
        until(lambda: is_somebody_waiting(tx))
        companies.mark_of_items(tx, [item_id])
    noting.join(20)
    assert errors == []
