"""What must hold for every feed, however it moves while it is read."""

import itertools
from dataclasses import dataclass, field
from datetime import timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from domain.feeds import DATED, FIXED, GRID, OFFSET, RESIZABLE, Feed, Reader, feed_of, moment
from inforadar.domain.coverage import from_json, to_json
from inforadar.domain.watch import Bounds

KINDS = [OFFSET, GRID, RESIZABLE, DATED]
ROUNDS_TO_CALM = 400


@dataclass
class World:
    """A feed, the clock of its world, and who was visible all the time since the last sweep began."""

    feed: Feed
    minute: float
    steady: set[str] = field(default_factory=set)
    arrivals: int = 0

    def move(self, event: tuple[str, int]) -> None:
        kind, number = event
        keys = self.feed.keys()
        if kind == "arrive":
            self._arrive(number % 4 + 1)
        elif kind == "withdraw" and keys:
            self._drop(keys[number % len(keys)])
        elif kind == "expire":
            for key in keys[number % (len(keys) + 1) :][: number % 7]:
                self._drop(key)
        elif kind == "bump" and keys:
            self.minute += 1
            self.steady.discard(keys[number % len(keys)])
            self.feed.add(keys[number % len(keys)], self.minute)
        elif kind == "late":
            self.arrivals += 1
            self.feed.add(f"late{self.arrivals}", self.minute - number % 50 - 0.5)

    def _arrive(self, many: int) -> None:
        self.minute += 1
        for _ in range(many):
            self.arrivals += 1
            self.feed.add(f"new{self.arrivals}", self.minute)

    def _drop(self, key: str) -> None:
        self.feed.withdraw(key)
        self.steady.discard(key)


EVENTS = st.tuples(st.sampled_from(["arrive", "withdraw", "expire", "bump", "late", "nothing"]), st.integers(0, 200))
STARTS = st.lists(st.integers(0, 60), max_size=90)
BOUNDS = st.builds(
    Bounds,
    limit=st.none() | st.integers(1, 30),
    max_pages=st.none() | st.integers(6, 12),
    lookback_days=st.just(3650),
)


@settings(max_examples=400, deadline=None)
@given(
    paging=st.sampled_from(KINDS),
    start=STARTS,
    bounds=BOUNDS,
    script=st.lists(EVENTS, max_size=60),
    crashes=st.lists(st.integers(1, 6) | st.none(), min_size=1, max_size=6),
)
def test_nothing_that_stays_visible_during_a_complete_sweep_is_lost_and_nothing_is_double(
    paging, start, bounds, script, crashes
):
    """One event between two requests: a total alone cannot tell a withdrawal with a late arrival from no change."""
    world = World(feed_of(paging, start), minute=60)
    reader = Reader(world.feed, bounds)
    events = iter(script)
    world.feed.before_request = lambda _feed: world.move(next(events, ("nothing", 0)))
    high_water = None
    for crash in crashes:
        late = {key for key in world.feed.ranks if key.startswith("late")}
        world.steady = set(world.feed.ranks) - late
        sweep = reader.sweep(moment(world.minute) + timedelta(days=1), stop_after=crash)
        if sweep.is_complete:
            assert world.steady <= set(reader.stored)
        assert len(set(reader.stored)) == len(reader.stored)
        assert high_water is None or reader.coverage.last_seen_max >= high_water
        high_water = reader.coverage.last_seen_max
        assert from_json(to_json(reader.coverage)) == reader.coverage
        assert_well_formed(reader)
    world.feed.before_request = lambda _feed: None
    for _ in range(ROUNDS_TO_CALM):
        if set(world.feed.ranks) <= set(reader.stored):
            break
        reader.sweep(moment(world.minute) + timedelta(days=1))
    assert set(world.feed.ranks) <= set(reader.stored)
    assert len(set(reader.stored)) == len(reader.stored)


@settings(max_examples=150, deadline=None)
@given(
    paging=st.sampled_from([OFFSET, RESIZABLE]),
    start=STARTS,
    bounds=BOUNDS,
    script=st.lists(st.lists(EVENTS, max_size=4), max_size=40),
)
def test_overlapping_pages_need_no_total_to_lose_nothing(paging, start, bounds, script):
    world = World(feed_of(paging, start), minute=60)
    reader = Reader(world.feed, bounds)
    bursts = iter(script)

    def move(feed: Feed) -> None:
        for event in next(bursts, []):
            world.move(event)

    world.feed.before_request = move
    for _ in range(5):
        late = {key for key in world.feed.ranks if key.startswith("late")}
        world.steady = set(world.feed.ranks) - late
        sweep = reader.sweep(moment(world.minute) + timedelta(days=1))
        if sweep.is_complete:
            assert world.steady <= set(reader.stored)


@settings(max_examples=150, deadline=None)
@given(start=STARTS, bounds=BOUNDS, script=st.lists(st.integers(0, 200), max_size=40))
def test_fixed_pages_without_a_total_lose_nothing_while_entries_are_withdrawn(start, bounds, script):
    """They cannot overlap: each page is proved by reading the one above it again."""
    world = World(feed_of(FIXED, start), minute=60)
    reader = Reader(world.feed, bounds)
    events = iter([("withdraw", number) for number in script])
    world.feed.before_request = lambda _feed: world.move(next(events, ("nothing", 0)))
    for _ in range(3):
        world.steady = set(world.feed.ranks)
        sweep = reader.sweep(moment(world.minute) + timedelta(days=1))
        if sweep.is_complete:
            assert world.steady <= set(reader.stored)


@settings(max_examples=100, deadline=None)
@given(paging=st.sampled_from([*KINDS, FIXED]), start=STARTS, limit=st.integers(1, 12))
def test_the_tail_shrinks_however_busy_the_top_is(paging, start, limit):
    world = World(feed_of(paging, start), minute=60)
    reader = Reader(world.feed, Bounds(limit=limit))
    old = set(world.feed.ranks)
    reader.sweep(moment(world.minute) + timedelta(days=1))
    for _ in range(6 * len(old) + 6):
        for _ in range(limit):
            world.move(("arrive", 0))
        reader.sweep(moment(world.minute) + timedelta(days=1))
        if old <= set(reader.stored):
            return
    assert old <= set(reader.stored)


def assert_well_formed(reader: Reader) -> None:
    stretches = reader.coverage.stretches
    assert all(stretch.after <= stretch.upto for stretch in stretches)
    assert all(upper.after >= lower.upto for upper, lower in itertools.pairwise(stretches))
