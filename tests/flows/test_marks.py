"""What a coverage may claim when the feed is younger than the sweep that reads it."""

from datetime import UTC, datetime, timedelta

from domain.feeds import GRID, Reader, feed_of, moment
from inforadar.domain.coverage import Claim, Coverage, Mark, Stretch

NOW = datetime(2026, 1, 5, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)


def test_a_walk_that_read_only_what_appeared_after_its_start_leaves_a_well_formed_stretch():
    before = Coverage(stretches=(Stretch(upto=NOW - HOUR, after=NOW - HOUR, count=1),))
    rank = NOW + HOUR
    claim = Claim(upto=rank, after=rank, ranks=[rank], tail=(Mark(key="new", rank=rank),))
    after = before.claimed(claim, NOW)
    assert all(stretch.after <= stretch.upto <= NOW for stretch in after.stretches)
    assert not any(stretch.holds(rank) for stretch in after.stretches)


def test_a_walk_finds_its_ground_only_below_the_stretch_it_came_from():
    top = Stretch(upto=NOW, after=NOW - HOUR, count=9)
    middle = Stretch(upto=NOW - 1.1 * HOUR, after=NOW - 2 * HOUR, count=9)
    deep = Stretch(upto=NOW - 3 * HOUR, after=NOW - 4 * HOUR, count=9)
    coverage = Coverage(stretches=(top, middle, deep))
    assert coverage.ground(NOW - 0.9 * HOUR, below=middle) is None
    assert coverage.ground(NOW - 3.5 * HOUR, below=middle) is deep
    assert coverage.ground(NOW - 0.9 * HOUR) is top


def test_an_entry_bumped_between_two_pages_does_not_prove_that_they_touch():
    feed = feed_of(GRID, [0] * 11)
    moves = iter(
        [
            lambda: feed.add("new", 1),
            lambda: feed.withdraw(feed.keys()[0]),
            lambda: feed.add(feed.keys()[10], 2),
        ]
    )
    feed.before_request = lambda _: next(moves, lambda: None)()
    steady = set(feed.ranks)
    reader = Reader(feed)
    sweep = reader.sweep(moment(60))
    assert sweep.is_complete
    assert steady <= set(reader.stored)
