"""Pages that lie for a while: whatever they said, everything that is still listed is collected once they stop.

Each kind of lie meets each kind of paging with fixed seeds; `RADAR_LIES=100` tries as many of each.
"""

import os
from dataclasses import replace
from datetime import timedelta
from math import ceil
from random import Random

import pytest

from domain.feeds import BUCKETED, DATED, FIXED, GRID, OFFSET, RESIZABLE, START, Reader, feed_of, moment
from domain.lies import LIES, Liar
from inforadar.domain.coverage import Coverage, Stretch
from inforadar.domain.deep_check import DEEP_CHECK_EVERY
from inforadar.domain.paging import Page, Paging, Position
from inforadar.domain.run import StopReason
from inforadar.domain.watch import Bounds

SEEDS = int(os.environ.get("RADAR_LIES", "2"))
DAYS = 14
MOST_REQUESTS = 400
NOW = moment(200_000)
HOLES = {f"k{number}" for number in range(20, 28)}
KINDS = {
    "offset": OFFSET,
    "with a total": GRID,
    "of any size": RESIZABLE,
    "of one size": FIXED,
    "plain": FIXED,
    "by date": DATED,
    "in buckets": BUCKETED,
    "out of order": Paging(kind="offset", size=10, slack=timedelta(days=1), strays=2),
}


def test_a_page_shown_three_times_over_does_not_hide_those_it_stood_in_for() -> None:
    """The walk stands at page 4 with the entries of page 2: found again, that proves nothing of page 5."""
    feed = Liar.of(feed_of(FIXED, range(80)))
    feed.stuck = {30: 20, 40: 20}
    reader = Reader(feed)
    sweep = reader.sweep(NOW)
    assert sweep.is_complete
    assert set(reader.stored) == set(feed.ranks)


def test_what_an_end_that_was_none_has_hidden_is_found_by_the_deep_check() -> None:
    """The end was told far below the look-back, and the coverage counts no entry below it."""
    feed = Liar.of(feed_of(GRID, range(0, 80 * 1440, 1440)))
    reader = Reader(feed)
    feed.told_total = 60
    assert reader.sweep(NOW).is_complete
    feed.told_total = None
    assert len(reader.stored) == 60
    for _ in range(DEEP_CHECK_EVERY * 8):
        reader.sweep(NOW)
    assert set(reader.stored) == set(feed.ranks)


def test_the_deep_check_goes_on_by_date_under_a_depth_cap() -> None:
    feed = Liar.of(feed_of(DATED, range(0, 80 * 1440, 1440)))
    reader = Reader(feed)
    reader.sweep(NOW)
    feed.add("late", 20 * 1440 - 1)
    for _ in range(DEEP_CHECK_EVERY * 9):
        reader.sweep(NOW)
    assert "late" in reader.stored


class Ring(Liar):
    """A list that begins again below its end, as those of some servers do, and tells nothing of its length."""

    def serve(self, position: Position) -> Page:
        shown_at = position.offset if position.offset < len(self.ranks) else 0
        return replace(super().serve(replace(position, offset=shown_at)), is_last=None)


def test_the_deep_check_returns_to_the_top_of_a_list_that_begins_again_below_its_end() -> None:
    feed = Ring.of(feed_of(FIXED, range(0, 75 * 1440, 1440)))
    reader = Reader(feed)
    assert reader.sweep(NOW).is_complete
    for number in range(5):  # its last page is full now
        feed.add(f"new{number}", (75 + number) * 1440)
    for _ in range(DEEP_CHECK_EVERY * 20):
        reader.sweep(NOW)
    assert reader.coverage.deep_offset <= len(feed.ranks)
    feed.add("late", 20 * 1440 - 1)
    for _ in range(DEEP_CHECK_EVERY * 9):
        reader.sweep(NOW)
    assert "late" in reader.stored


@pytest.mark.parametrize("paging", [OFFSET, FIXED, GRID])
def test_the_deep_check_asks_for_nothing_where_the_look_back_read_everything(paging: Paging) -> None:
    reader = Reader(Liar.of(feed_of(paging, range(25))))
    for _ in range(DEEP_CHECK_EVERY - 1):
        reader.sweep(NOW)
    before = len(reader.feed.asked)
    reader.sweep(NOW)
    assert len(reader.feed.asked) - before <= 5


@pytest.mark.parametrize("paging", [OFFSET, GRID, FIXED])
def test_holes_that_a_limit_leaves_open_are_not_called_collected(paging: Paging) -> None:
    """Each sweep but the last says that something is left, and takes as much of it as it may."""
    reader = Reader(feed_of(paging, range(0, 80 * 1440, 1440)), Bounds(limit=3))
    reader.stored = sorted(set(reader.feed.ranks) - HOLES)
    reader.coverage = Coverage(stretches=(Stretch(upto=moment(79 * 1440), after=START, count=80, is_ended=True),))
    lefts = []
    while not set(reader.feed.ranks) <= set(reader.stored):
        lefts.append(reader.sweep(NOW).left)
        assert len(lefts) < DEEP_CHECK_EVERY * 9
    found = next(number for number, left in enumerate(lefts) if left)
    assert all(lefts[found:-1])
    assert len(lefts) - found == ceil(len(HOLES) / 3)


@pytest.mark.parametrize("kind", ["offset", "with a total", "of one size", "out of order"])
def test_a_stretch_whose_last_entries_are_gone_is_continued_wherever_it_ends(kind: str) -> None:
    feed = feed_of(KINDS[kind], range(0, 80 * 300, 300))
    for end in range(15, 35):
        reader = Reader(feed, Bounds(max_pages=8), stored=feed.keys()[:end])
        upto, after = feed.ranks[feed.keys()[0]], feed.ranks[feed.keys()[end - 1]]
        reader.coverage = Coverage(stretches=(Stretch(upto=upto, after=after, count=end),))
        for _ in range(25):
            reader.sweep(NOW)
        assert set(feed.ranks) <= set(reader.stored)


@pytest.mark.parametrize("limit", [None, 1, 7])
@pytest.mark.parametrize("lie", [*LIES, "any"])
@pytest.mark.parametrize("kind", KINDS)
def test_once_pages_are_honest_again_everything_listed_is_collected_in_bounded_time(
    kind: str, lie: str, limit: int | None
) -> None:
    for seed in range(SEEDS):
        chance = Random(f"{kind}/{lie}/{limit}/{seed}")
        reader = lied_to(kind, lie, chance, Bounds(limit=limit))
        missing = set(reader.feed.ranks) - set(reader.stored)
        pages = len(reader.feed.ranks) // reader.feed.paging.size + 1
        most = DEEP_CHECK_EVERY * (pages + 1) + (ceil(len(missing) / limit) if limit else 0)
        for _ in range(most):
            if set(reader.feed.ranks) <= set(reader.stored):
                break
            reader.sweep(NOW)
        assert set(reader.feed.ranks) <= set(reader.stored), f"seed {seed}"


@pytest.mark.parametrize("kind", KINDS)
def test_a_bounded_number_of_pages_only_makes_it_slower(kind: str) -> None:
    for seed in range(SEEDS):
        reader = lied_to(kind, "any", Random(f"{kind}/{seed}"), Bounds(max_pages=8))
        for _ in range(200):
            if set(reader.feed.ranks) <= set(reader.stored):
                break
            reader.sweep(NOW)
        assert set(reader.feed.ranks) <= set(reader.stored), f"seed {seed}"


def lied_to(kind: str, lie: str, chance: Random, bounds: Bounds) -> Reader:
    """Somebody who swept a list of two weeks six times while a quarter of its pages lied."""
    feed = Liar(paging=KINDS[kind], chance=chance, tells_more=kind != "plain")
    for number in range(60):
        feed.add(f"k{number}", chance.randrange(DAYS * 1440))
    reader = Reader(feed, bounds)
    feed.lie, feed.probability = lie, 0.25
    for number in range(6):
        feed.now = moment(DAYS * 1440 + 30 * number)
        if number % 3 == 1:
            feed.add(f"new{number}", DAYS * 1440 + 30 * number)
        reader.sweep(feed.now, most_requests=100_000)
    feed.lie, feed.now = "", NOW
    return reader


@pytest.mark.parametrize("kind", KINDS)
def test_a_list_of_ever_other_foreign_entries_does_not_keep_a_sweep_busy(kind: str) -> None:
    """Each page shows keys nobody has seen; a walk that comes no deeper by them ends, and what it left stays a gap."""
    feed = Liar(paging=KINDS[kind], chance=Random(kind), tells_more=kind != "plain", foreigners=10**9)
    for number in range(60):
        feed.add(f"k{number}", number * 300)
    feed.lie, feed.probability = "foreign", 1.0
    reader = Reader(feed)
    sweep = reader.sweep(NOW, most_requests=MOST_REQUESTS)
    if not sweep.is_complete:
        assert sweep.stop_reason is StopReason.UNREADABLE_PAGE
        assert sweep.left > 0
    feed.lie = ""
    for _ in range(DEEP_CHECK_EVERY * 9):
        reader.sweep(NOW)
    assert set(feed.ranks) <= set(reader.stored)
