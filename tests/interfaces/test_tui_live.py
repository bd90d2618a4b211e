"""What the terminal program hears of matches that others move."""

from inforadar.domain.status import Status
from inforadar.interfaces.tui.live import read_news
from inforadar.interfaces.tui.match_pages import Asked
from inforadar.interfaces.tui.narrowing import Narrowing
from inforadar.store import items, matches
from inforadar.store.database import open_database
from store.samples_of_rows import NOW, an_item


def to_analyzed(tx, match_id):
    matches.move(tx, match_id, Status.QUEUED, Status.ANALYZED, who="machine", why="x", now=NOW)


def test_what_a_long_transaction_moves_is_news_when_it_ends_after_many_short_ones(postgres_url):
    asked = Asked(narrowing=Narrowing(), topics={}, now=NOW)
    database, other = open_database(postgres_url), open_database(postgres_url)
    with database.transaction() as tx:
        held = items.insert(tx, [an_item(str(n)) for n in range(210)])
        slow, *fast = matches.create(tx, "w", "q", list(held.values()), NOW, "machine", "found").values()
    with database.reading() as tx:
        begin = read_news(tx, asked, None)
    with other.transaction() as long:
        to_analyzed(long, slow)
        for one in fast:
            with database.transaction() as tx:
                to_analyzed(tx, one)
        with database.reading() as tx:
            meanwhile = read_news(tx, asked, begin)
    with database.reading() as tx:
        at_last = read_news(tx, asked, meanwhile)
        assert {row.id for row in meanwhile.moved} == set(fast)
        assert [row.id for row in at_last.moved] == [slow]
        assert not read_news(tx, asked, at_last).moved
    other.close()
    database.close()
