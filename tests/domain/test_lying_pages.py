"""Pages that lie for a while: whatever they said, everything that is still listed is collected once they stop."""

import pytest

from domain.feeds import DATED, FIXED, GRID, OFFSET, Reader, feed_of, moment
from domain.lies import Liar
from inforadar.domain.deep_check import DEEP_CHECK_EVERY
from inforadar.domain.paging import Paging

NOW = moment(200_000)


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


@pytest.mark.parametrize("paging", [OFFSET, FIXED, GRID])
def test_the_deep_check_asks_for_nothing_where_the_look_back_read_everything(paging: Paging) -> None:
    reader = Reader(Liar.of(feed_of(paging, range(25))))
    for _ in range(DEEP_CHECK_EVERY - 1):
        reader.sweep(NOW)
    before = len(reader.feed.asked)
    reader.sweep(NOW)
    assert len(reader.feed.asked) - before <= 5
