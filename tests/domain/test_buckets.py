"""Lists that can be cut by age: a bucket saves requests and never hides an entry."""

from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.feeds import BUCKETED, Feed, Reader, feed_of, moment
from inforadar.domain.buckets import bucket_for
from inforadar.domain.coverage import Coverage, Stretch
from inforadar.domain.paging import Paging
from inforadar.domain.run import StopReason
from inforadar.domain.watch import Bounds

DAY = timedelta(days=1)
WEEK = timedelta(days=7)
FORTNIGHT = timedelta(days=15)
NOW = moment(0)


def complete(age: timedelta) -> Coverage:
    """All is collected, the newest entry of it so old."""
    return Coverage(stretches=(Stretch(upto=NOW - age, after=NOW - age - 9 * DAY, count=9, is_ended=True),))


def chosen(coverage: Coverage, bounds: Bounds) -> timedelta | None:
    return bucket_for(coverage, BUCKETED, bounds, NOW)


@pytest.mark.parametrize(
    ("pause", "lookback_days", "bucket"),
    [
        (timedelta(hours=1), 0, DAY),
        (timedelta(hours=20), 0, DAY),
        (DAY, 0, WEEK),
        (timedelta(hours=1), 2, WEEK),
        (4 * DAY, 2, WEEK),
        (5 * DAY, 2, FORTNIGHT),
        (12 * DAY, 2, FORTNIGHT),
        (13 * DAY, 2, None),
        (400 * DAY, 2, None),
    ],
)
def test_the_bucket_is_the_smallest_that_covers_the_pause_and_the_lookback(pause, lookback_days, bucket):
    assert chosen(complete(pause), Bounds(lookback_days=lookback_days)) == bucket


def test_without_a_lookback_of_the_users_the_sources_own_counts():
    assert chosen(complete(timedelta(hours=1)), Bounds()) == WEEK


def test_days_that_are_read_again_in_full_are_covered_too():
    assert chosen(complete(timedelta(hours=1)), Bounds(lookback_days=0, window_days=8)) == FORTNIGHT


def test_the_first_sweep_and_one_that_has_gaps_to_close_see_the_whole_list():
    assert chosen(Coverage(), Bounds()) is None
    open_below = Coverage(stretches=(Stretch(upto=NOW, after=NOW - DAY, count=5),))
    assert chosen(open_below, Bounds(lookback_days=0)) is None
    assert chosen(complete(DAY).reopened(), Bounds(lookback_days=0)) is None


def test_a_sweep_of_one_page_sees_the_whole_list_for_a_bucket_may_be_empty():
    assert chosen(complete(timedelta(hours=1)), Bounds(lookback_days=0, max_pages=1)) is None
    assert chosen(complete(timedelta(hours=1)), Bounds(lookback_days=0, max_pages=2)) == DAY


def test_a_source_without_buckets_is_never_asked_for_one():
    assert bucket_for(complete(DAY), Paging(kind="page", size=10), Bounds(), NOW) is None


def served(feed: Feed) -> list[timedelta | None]:
    return [position.window.age if position.window else None for position in feed.asked]


def test_the_end_of_a_bucket_is_not_the_end_of_the_feed():
    feed = feed_of(BUCKETED, [-60 * number for number in range(30)])
    reader = Reader(feed, Bounds(lookback_days=0))
    assert reader.sweep(NOW).stop_reason is StopReason.END_OF_FEED
    assert set(served(feed)) == {None}
    feed.asked.clear()
    feed.now = NOW + timedelta(hours=20)
    feed.add("new", 60 * 19)
    # so old that no bucket asked for holds it
    feed.add("old", -60 * 24 * 20)
    assert reader.sweep(feed.now).is_complete
    assert served(feed)[0] == DAY
    assert "new" in reader.stored
    for _ in range(40):
        reader.sweep(feed.now)
    assert "old" in reader.stored


def test_an_empty_bucket_of_a_quiet_list_is_looked_behind():
    feed = feed_of(BUCKETED, [-60 * number for number in range(12)])
    reader = Reader(feed, Bounds(lookback_days=0))
    reader.sweep(NOW)
    feed.asked.clear()
    # the clock of the site is ahead of ours: nothing is young enough
    feed.now = NOW + 3 * DAY
    sweep = reader.sweep(NOW + timedelta(hours=1))
    assert sweep.is_complete
    assert served(feed)[0] == DAY
    assert served(feed)[-1] is None


@pytest.mark.parametrize("entries", [3, 12, 25, 60])
def test_a_walk_that_meets_known_ground_where_the_bucket_ends_has_joined_it(entries):
    """Thirteen entries a day: the bucket ends inside what is known."""
    plain = replace(BUCKETED, buckets=())
    asked = []
    for paging in (BUCKETED, plain):
        feed = feed_of(paging, [-110 * number for number in range(entries)])
        reader = Reader(feed, Bounds(lookback_days=0))
        reader.sweep(NOW)
        feed.requests = 0
        for day in range(1, 8):
            feed.now = NOW + day * timedelta(hours=20)
            feed.add(f"new{day}", day * 20 * 60)
            for _ in ("news", "nothing new"):
                assert reader.sweep(feed.now).is_complete
                assert len(reader.coverage.stretches) == 1
                assert set(feed.ranks) == set(reader.stored)
        asked.append(feed.requests)
    assert asked[0] <= asked[1] + 7


@settings(max_examples=300, deadline=None)
@given(
    start=st.lists(st.integers(-60 * 24 * 30, 0), max_size=60),
    steps=st.lists(
        st.tuples(
            st.integers(1, 60 * 24 * 20),
            st.lists(st.integers(0, 60 * 24 * 3), max_size=25),
            st.integers(-2 * 60, 2 * 60),
        ),
        max_size=6,
    ),
    lookback_days=st.integers(0, 3),
    limit=st.none() | st.integers(1, 20),
    moves=st.lists(st.none() | st.integers(-1, 60), max_size=40),
)
def test_whatever_the_pauses_all_that_arrived_since_is_collected(start, steps, lookback_days, limit, moves):
    """`steps`: minutes of pause, how long before its end each arrival came, how wrong our clock is.

    `moves`: what happens between two requests, an entry withdrawn (by its place) or one more on top (-1).
    """
    feed = feed_of(BUCKETED, start)
    reader = Reader(feed, Bounds(lookback_days=lookback_days, limit=limit))
    coming = iter(moves)
    feed.before_request = lambda _: move(feed, next(coming, None))
    minute, number = 0, 0
    for pause, arrivals, skew in [(0, [], 0), *steps]:
        minute += pause
        feed.now = moment(minute)
        for before in arrivals:
            number += 1
            feed.add(f"n{number}", minute - min(before, pause - 1))
        for _ in range(200):
            if reader.sweep(feed.now + timedelta(minutes=skew)).is_complete:
                break
        on_top = {key for key in feed.ranks if key.startswith("top")}
        assert set(feed.ranks) - on_top <= set(reader.stored)
        assert len(reader.stored) == len(set(reader.stored))


def move(feed: Feed, step: int | None) -> None:
    keys = feed.keys()
    if step == -1:
        feed.add(f"top{feed.requests}", (feed.now - moment(0)).total_seconds() / 60)
    elif step is not None and keys:
        feed.withdraw(keys[step % len(keys)])
