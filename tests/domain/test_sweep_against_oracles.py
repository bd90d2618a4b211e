"""On a still feed the sweep gives what the specifications' own loops give, and never asks more pages.

Feeds of offset sources are left out of the page count: there two pages in a row share one entry, so that a
withdrawal between them hides nothing, and a page brings nine new entries where the literal loop takes ten.
"""

from datetime import timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from domain.feeds import GRID, OFFSET, RESIZABLE, Reader, feed_of, moment
from domain.oracles import Literal
from inforadar.domain.watch import Bounds

DAY = 24 * 60
MINUTES = st.lists(st.integers(0, 80 * DAY), max_size=120) | st.lists(st.integers(0, 40), max_size=120)
COUNTED = st.sampled_from([GRID, RESIZABLE])
NOW = moment(80 * DAY)


@settings(max_examples=200, deadline=None)
@given(
    paging=COUNTED,
    minutes=MINUTES,
    cutoff_day=st.integers(0, 79),
    window_days=st.none() | st.integers(1, 60),
    arrivals=st.lists(st.integers(0, 20), min_size=1, max_size=6),
)
def test_the_cutoff_rule_adds_and_updates_what_the_fetch_pseudo_code_does(
    paging, minutes, cutoff_day, window_days, arrivals
):
    cutoff = moment(cutoff_day * DAY)
    feed = feed_of(paging, minutes)
    literal = Literal(feed)
    reader = Reader(feed, Bounds(cutoff_date=cutoff.date(), window_days=window_days))
    minute = 80 * DAY
    for round_number, arriving in enumerate(arrivals):
        for number in range(arriving):
            minute += 1
            feed.add(f"new{round_number}-{number}", minute)
        now = moment(minute)
        pages, stored = literal.pages, len(reader.stored)
        added, updated = literal.fetch(cutoff)
        asked = feed.requests
        reader.sweep(now)
        assert sorted(reader.stored[stored:]) == sorted(added)
        assert feed.requests - asked <= literal.pages - pages
        if window_days is not None:
            inside = {key for key in updated if feed.ranks[key] >= now - timedelta(days=window_days)}
            assert inside <= set(reader.sightings[-1])


@settings(max_examples=200, deadline=None)
@given(paging=COUNTED, minutes=MINUTES, limit=st.integers(1, 40), sweeps=st.integers(1, 20))
def test_the_limit_rule_finds_what_the_discovery_loop_finds_in_no_more_pages(paging, minutes, limit, sweeps):
    feed = feed_of(paging, minutes)
    literal, reader = Literal(feed), Reader(feed, Bounds(limit=limit))
    for _ in range(sweeps):
        pages, stored = literal.pages, len(reader.stored)
        found = literal.discover(limit)
        asked = feed.requests
        reader.sweep(NOW)
        assert sorted(reader.stored[stored:]) == sorted(found)
        assert feed.requests - asked <= literal.pages - pages


@settings(max_examples=100, deadline=None)
@given(minutes=MINUTES, limit=st.integers(1, 40))
def test_an_offset_source_pays_one_entry_a_page_for_the_seam_and_then_asks_less(minutes, limit):
    feed = feed_of(OFFSET, minutes)
    literal, reader = Literal(feed), Reader(feed, Bounds(limit=limit, lookback_days=0))
    for _ in range(len(minutes) // limit + 3):
        stored = len(reader.stored)
        found = literal.discover(limit)
        reader.sweep(NOW)
        assert sorted(reader.stored[stored:]) == sorted(found)
    asked = feed.requests - literal.pages
    assert asked <= literal.pages * OFFSET.size / (OFFSET.size - 1) + 2 * reader.sweeps


def test_on_a_long_feed_a_limited_sweep_asks_a_small_fraction_of_the_discovery_loop():
    feed = feed_of(GRID, range(2_000))
    literal, reader = Literal(feed), Reader(feed, Bounds(limit=40))
    for _ in range(50):
        literal.discover(40)
    asked = feed.requests
    for _ in range(50):
        reader.sweep(NOW)
    assert sorted(reader.stored) == sorted(literal.stored)
    assert feed.requests - asked < literal.pages / 10
