"""Entries without a guid: each is known by one key, whatever else is shown, in whatever order."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flows.rig import rows
from inforadar.domain.paging import Position
from inforadar.domain.ports import Answer
from inforadar.sources.feed import Feed
from inforadar.sources.feed_holders import MOST_LINKS, from_memory, holders, sign_of, to_memory
from sources.odd_numbers import examples
from sources.whole_lists import WholeListTrial, feed

URL = "https://blog.test/feed"
LOG = "https://blog.test/changelog"
FIRST = datetime(2026, 1, 5, tzinfo=UTC)


def entry(number, link=LOG, *, title=None, is_dated=True, guid=""):
    date = f"<pubDate>{format_datetime(FIRST + number * timedelta(days=1))}</pubDate>" if is_dated else ""
    named = f"<guid isPermaLink='false'>{guid}</guid>" if guid else ""
    return f"<item><title>{title or f'Release {number}'}</title><link>{link}</link>{named}{date}</item>"


def body(*items):
    return f'<rss version="2.0"><channel><title>Blog</title>{"".join(items)}</channel></rss>'.encode()


class Reader:
    """Reads documents of one feed one after another, and is told what it asked to be told."""

    def __init__(self):
        self.memory = {}
        self.notes = ()

    def __call__(self, *items):
        source = Feed().serving({"url": URL}, self.memory)
        page = source.read(Answer(status=200, headers={}, body=body(*items), url=URL), Position(size=100))
        self.memory, self.notes = {**self.memory, **(page.lasting or {})}, page.notes
        return [draft.key.removeprefix(source.key_prefix) for draft in page.drafts]


@pytest.fixture
def read():
    return Reader()


def test_entries_that_take_turns_with_one_link_are_not_one(read):
    (first,) = read(entry(1))
    assert first == LOG
    both = read(entry(2), entry(1))
    assert both[1] == first
    assert read(entry(2)) == both[:1]
    assert read(entry(3)) != both[:1]
    assert read(entry(1)) == [first]


def test_an_entry_that_comes_alone_after_another_left_is_not_that_one(read):
    assert read(entry(1)) == [LOG]
    (second,) = read(entry(2))
    assert second != LOG
    assert read(entry(2), entry(1)) == [second, LOG]


def test_an_entry_alone_with_its_link_may_change_its_title_or_its_date(read):
    assert read(entry(1)) == read(entry(1, title="Release one")) == read(entry(4, title="Release one")) == [LOG]


def test_tracking_makes_no_other_link_of_a_shared_one(read):
    before = read(entry(1, f"{LOG}?utm_campaign=1"), entry(2, f"{LOG}?utm_campaign=1"))
    assert read(entry(1, f"{LOG}?utm_campaign=2"), entry(2, f"{LOG}?utm_campaign=3")) == before


@settings(max_examples=examples(100), deadline=None)
@given(data=st.data())
def test_any_sightings_in_any_order_show_each_entry_by_one_key_of_its_own(data):
    links = data.draw(st.lists(st.sampled_from([LOG, URL, "https://blog.test/a"]), min_size=2, max_size=6))
    dated = data.draw(st.lists(st.booleans(), min_size=len(links), max_size=len(links)))
    entries = [entry(number, link, is_dated=dated[number]) for number, link in enumerate(links)]
    read, keys = Reader(), {}
    for sighting in data.draw(st.lists(st.lists(st.sampled_from(range(len(links)))), min_size=1, max_size=8)):
        for number, key in zip(sighting, read(*(entries[number] for number in sighting)), strict=True):
            assert keys.setdefault(number, key) == key
    assert len(set(keys.values())) == len(keys)


def test_one_guid_for_different_entries_is_told(read):
    read(entry(1, "https://blog.test/1", guid="x"), entry(2, "https://blog.test/2", guid="x"))
    assert "one guid" in read.notes[0]
    read(entry(1, guid="x"), entry(1, guid="x"), entry(2, guid="y"))
    assert read.notes == ()


def test_what_is_remembered_of_links_is_bounded_and_survives_nonsense():
    sign = sign_of("t", "", "w")
    known = holders(((str(number), sign) for number in range(MOST_LINKS + 500)), {})
    memory = to_memory(holders([("x", sign)], from_memory(to_memory(known))))
    assert len(memory) == MOST_LINKS
    assert "x" in memory
    for nonsense in (None, [], "x", {"a": 1}, {"a": ""}, {"a": "..."}, {"a": "+"}):
        holders([("a", sign)], from_memory(nonsense))


class Site:
    """Sends one document, whatever it is asked."""

    body = b""

    def send(self, base_url, request):
        return Answer(status=200, headers={}, body=self.body, url=base_url + request.path)


def test_what_is_remembered_of_links_outlives_limits_flaws_and_loosened_filters(sqlite_db):
    trial, site = WholeListTrial(feed("/news.rss"), sqlite_db, entries=0, limit=1), Site()
    trial.radar = trial.process(transport=site)
    wide = trial.watch
    trial.watch = type(wide)(name=wide.name, kind=wide.kind, ban_words=("unwanted",), queries=wide.queries)
    site.body = body(entry(1))
    trial.sweep()
    site.body = body(entry(2), entry(1), entry(3))
    trial.sweep()
    trial.watch = wide
    for shown in ([1], [2], [3], [3, 2], [1, 2, 3]):
        site.body = body(*map(entry, shown)) + b"<flaw>"
        trial.sweep()
    titles = [row["title"] for row in rows(sqlite_db, "SELECT title FROM items ORDER BY title")]
    assert titles == ["Release 1", "Release 2", "Release 3"]
    assert not rows(sqlite_db, "SELECT * FROM item_changes")
