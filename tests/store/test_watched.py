"""What a watch has found, read in bulk, on both databases."""

from inforadar.store import items, matches, tombstones, watched
from inforadar.store.database import Database, Tx
from inforadar.store.watched import AT_ONCE
from store.samples_of_rows import NOW, a_tombstone, an_item


def match(tx: Tx, watch: str, *keys: str) -> None:
    ids = items.insert(tx, [an_item(key) for key in keys])
    matches.create(tx, watch, "q1", list(ids.values()), NOW, "machine", "found")


def test_matches_are_counted_by_watch(db: Database) -> None:
    with db.transaction() as tx:
        match(tx, "v", "1")
        match(tx, "w", "1", "2")
        assert watched.counts(tx) == {"v": 1, "w": 2}


def test_every_match_is_walked_once_with_what_people_read(db: Database) -> None:
    keys = [str(number) for number in range(AT_ONCE + 3)]
    with db.transaction() as tx:
        match(tx, "w", *keys)
        match(tx, "v", "other")
    with db.reading() as tx:
        walked = list(watched.walk(tx, "w"))
        assert sorted(one.draft.key for one in walked) == sorted(keys)
        assert len(list(watched.walk(tx, None))) == len(keys) + 1
    first = an_item(walked[0].draft.key)
    assert (walked[0].draft.title, walked[0].draft.company, walked[0].draft.data) == (
        first.title,
        first.company,
        first.data,
    )


def test_what_ban_words_left_out_is_counted_by_word(db: Database) -> None:
    with db.transaction() as tx:
        dead = [a_tombstone(key, reason="ban word", word="junior") for key in ("1", "2")]
        tombstones.add(tx, [*dead, a_tombstone("3", reason="experience", word="moreThan6")])
        assert watched.left_out(tx) == {("w", "junior"): 2}


def test_the_database_tells_its_version(db: Database) -> None:
    with db.reading() as tx:
        row = tx.row("store_version")
    assert row is not None
    assert int(row["version"].split(".")[0]) >= 3
