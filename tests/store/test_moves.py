"""What moves is heard once, in whatever order it is committed."""

from dataclasses import replace
from datetime import timedelta

import pytest

from inforadar.domain.status import Status
from inforadar.store import items, matches, moves
from inforadar.store.database import open_database
from inforadar.store.moves import LATEST, Heard
from store.samples_of_rows import NOW, an_item


def matched(tx, count, prefix=""):
    ids = items.insert(tx, [an_item(f"{prefix}{n}") for n in range(count)])
    return list(matches.create(tx, "w", "q", list(ids.values()), NOW, "machine", "found").values())


def queued_to_analyzed(tx, match_ids, now=NOW):
    for one in match_ids:
        matches.move(tx, one, Status.QUEUED, Status.ANALYZED, who="machine", why="x", now=now)


def moved_and_taken_back(db, match_id):
    with db.transaction() as tx:
        queued_to_analyzed(tx, [match_id])
        raise RuntimeError


def heard_ids(db, heard, now=NOW, limit=1000):
    with db.reading() as tx:
        heard, places = moves.hear(tx, heard, now, limit=limit)
    return heard, [one.id for one in places]


@pytest.fixture
def late(postgres_url):
    """A database and another connection to it, whose transactions can stay open."""
    database, other = open_database(postgres_url), open_database(postgres_url)
    yield database, other
    other.close()
    database.close()


def test_what_moved_is_told_once_as_it_stands_now(db):
    with db.transaction() as tx:
        assert moves.settled(tx, NOW) == 0
        first, second = matched(tx, 2)
        begin = Heard(newest=moves.settled(tx, NOW))
        assert moves.hear(tx, begin, NOW, limit=9) == (begin, ())
        queued_to_analyzed(tx, [first])
        matches.move(tx, first, Status.ANALYZED, Status.SENT_TO_USER, who="machine", why="x", now=NOW)
        heard, places = moves.hear(tx, begin, NOW, limit=9)
        assert [(one.id, one.status) for one in places] == [(first, "SENT_TO_USER")]
        assert heard == Heard(newest=moves.settled(tx, NOW))
        assert moves.hear(tx, begin, NOW, limit=1)[0].newest < heard.newest
        assert moves.moved_since(tx, [first, second], begin.newest) == {first}
        assert moves.moved_since(tx, [first, second], heard.newest) == set()


def test_a_transaction_that_is_committed_after_many_later_ones_is_heard(late):
    db, other = late
    with db.transaction() as tx:
        slow, *fast = matched(tx, 301)
        begin = Heard(newest=moves.settled(tx, NOW))
    with other.transaction() as open_tx:
        queued_to_analyzed(open_tx, [slow])
        for one in fast:
            with db.transaction() as tx:
                queued_to_analyzed(tx, [one])
        heard, told = heard_ids(db, begin)
        assert sorted(told) == sorted(fast)
        with db.reading() as tx:
            assert moves.settled(tx, NOW) == heard.settled == begin.newest, "nobody may begin behind what is to come"
    heard, told = heard_ids(db, heard, NOW + timedelta(seconds=30))
    assert told == [slow]
    assert heard == Heard(newest=heard.newest)
    assert heard_ids(db, heard)[1] == []


def test_a_number_that_was_given_back_is_not_waited_for_without_end(late):
    db, other = late
    with db.transaction() as tx:
        first, second = matched(tx, 2)
        begin = Heard(newest=moves.settled(tx, NOW))
    with pytest.raises(RuntimeError):
        moved_and_taken_back(other, first)
    with db.transaction() as tx:
        queued_to_analyzed(tx, [second])
    heard, told = heard_ids(db, begin)
    assert told == [second]
    assert set(heard.missing) == {begin.newest + 1}
    later = NOW + LATEST + timedelta(seconds=1)
    assert heard_ids(db, heard, later)[0] == replace(heard, missing={})
    assert heard_ids(db, begin, later)[0] == replace(heard, missing={}), "what lies long back is not waited for at all"
    with db.reading() as tx:
        assert moves.settled(tx, later) == heard.newest
