"""What is known of a list that several queries read: found by the list itself, on both databases."""

from contextlib import closing

import pytest

from inforadar.domain.watch import Bounds, Query
from inforadar.store import query_states
from inforadar.store.database import Database, open_database
from inforadar.store.migrate import known_migrations, upgrade
from store.samples_of_rows import NOW
from store.test_jobs_plans import plan


def known_of(list_of: str, *, turn: int) -> dict[str, object]:
    """What a query that read a list remembers of it."""
    return {"lasting": {"links": list_of}, "lasting_of": list_of, "lasting_turn": turn}


def read_lists(db: Database, *, lists: int) -> None:
    """Each list was read by two watches, by the one named first the last time."""
    with db.transaction() as tx:
        for number in range(lists):
            for watch, turn in (("w", 10), ("v", 9)):
                query = Query(watch=watch, source="feed", params={}, bounds=Bounds(), key=f"q{number}")
                query_states.ensure(tx, query, NOW)
                query_states.save_metadata(tx, query, known_of(f"list {number}", turn=turn))


def test_whoever_read_a_list_last_is_asked_about_it(db: Database) -> None:
    read_lists(db, lists=3)
    with db.reading() as tx:
        assert query_states.newest_lasting(tx, "feed", "list 2") == known_of("list 2", turn=10)
        assert query_states.newest_lasting(tx, "feed", "list of nobody") is None
        assert query_states.newest_lasting(tx, "rest", "list 2") is None


@pytest.mark.parametrize("has_statistics", [False, True])
def test_a_list_among_hundreds_is_found_without_reading_what_the_others_remember(
    db: Database, has_statistics: bool
) -> None:
    read_lists(db, lists=400)
    with closing(db.driver.connect()) as connection:
        if has_statistics:
            connection.run("ANALYZE", {})
        way = plan(db, connection, "query_state_lasting", {"source": "feed", "list_of": "list 7"})
    assert "query_state_by_list" in way, way
    assert "Sort" not in way, way
    assert "TEMP B-TREE" not in way, way


def test_an_upgrade_finds_the_lists_that_were_read_before_it(empty_url: str) -> None:
    db = open_database(empty_url)
    upgrade(db, [one for one in known_migrations() if one.name < "0023"])
    read_lists(db, lists=3)
    assert upgrade(db)[0] == "0023_shared_lists"
    with db.reading() as tx:
        assert query_states.newest_lasting(tx, "feed", "list 2") == known_of("list 2", turn=10)
    db.close()
