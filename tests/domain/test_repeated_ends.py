"""Numbered pages without a total that show their last page again, whatever number below it is asked for."""

from dataclasses import replace

import pytest

from domain.feeds import FIXED, Feed, Reader, moment
from inforadar.domain.deep_check import DEEP_CHECK_EVERY, PAGES_AHEAD
from inforadar.domain.paging import Page, Position
from inforadar.domain.run import StopReason
from inforadar.domain.watch import Bounds

DAY = 1440


class Clamped(Feed):
    """Asked below its end it shows its last page, and never says whether another one follows."""

    def serve(self, position: Position) -> Page:
        last = (len(self.ranks) - 1) // position.size * position.size
        page = super().serve(replace(position, offset=min(position.offset, last)))
        return replace(page, is_last=None)


def clamped(entries: int, *, every: int = DAY) -> Clamped:
    """A list of so many entries, one every so many minutes."""
    feed = Clamped(paging=FIXED)
    for number in range(entries):
        feed.add(f"k{number}", number * every)
    return feed


@pytest.mark.parametrize("entries", [10, 75, 80, 200])
@pytest.mark.parametrize("every", [5, DAY])
def test_a_list_that_repeats_its_last_page_ends_there(entries: int, every: int) -> None:
    reader = Reader(clamped(entries, every=every))
    now = moment(entries * every)
    first = reader.sweep(now)
    assert (first.stop_reason, first.left) == (StopReason.END_OF_FEED, 0)
    assert len(reader.feed.asked) <= 2 * entries // 10 + 3
    assert all(reader.sweep(now).is_complete for _ in range(70))
    assert sorted(reader.stored) == sorted(reader.feed.ranks)


@pytest.mark.parametrize("entries", [50, 60, 70, 80, 90])
def test_nothing_is_asked_for_below_the_depth_that_a_source_allows(entries: int) -> None:
    feed = clamped(entries)
    feed.paging = replace(FIXED, depth=100)
    reader, honest, asked = Reader(feed), feed.serve, set()

    def capped(position: Position) -> Page:
        asked.add(position.offset)
        return honest(position)

    feed.serve = capped  # type: ignore[method-assign]
    for _ in range(DEEP_CHECK_EVERY * 12):
        reader.sweep(moment(entries * DAY))
    assert sorted(reader.stored) == sorted(feed.ranks)
    assert max(asked) < 100


def test_the_deep_check_asks_for_nothing_below_a_page_that_is_the_end() -> None:
    """Entries without a date are not counted: the last page stands below all that are, and it is short."""
    feed = clamped(95)
    reader = Reader(feed)

    def undated(position: Position) -> Page:
        page = Feed.serve(feed, position)
        return replace(page, drafts=page.drafts[3:], undated=len(page.drafts[:3]), is_last=None)

    feed.serve = undated  # type: ignore[method-assign]
    for _ in range(DEEP_CHECK_EVERY * 24):
        reader.sweep(moment(95 * DAY))
    assert len(reader.stored) == 95 - 10 * 3
    assert 90 in {position.offset for position in feed.asked}
    assert 90 + PAGES_AHEAD * 10 not in {position.offset for position in feed.asked}


def test_news_that_push_a_page_down_by_its_length_are_no_end() -> None:
    reader = Reader(clamped(120))

    def news(feed: Feed) -> None:
        if feed.requests == 7:
            for number in range(10):
                feed.add(f"n{number}", (120 + number) * DAY)

    reader.feed.before_request = news
    reader.sweep(moment(130 * DAY))
    assert {f"k{number}" for number in range(120)} <= set(reader.stored)
    assert reader.sweep(moment(130 * DAY)).is_complete
    assert sorted(reader.stored) == sorted(reader.feed.ranks)


def test_every_length_it_grows_through_ends_well() -> None:
    reader = Reader(clamped(60, every=5))
    for number in range(100):
        reader.feed.add(f"n{number}", 60 * 5 + number)
        assert reader.sweep(moment(60 * 5 + number + 1)).is_complete
    assert sorted(reader.stored) == sorted(reader.feed.ranks)


def test_a_few_pages_a_sweep_come_to_the_end_as_well() -> None:
    reader = Reader(clamped(80), Bounds(max_pages=6))
    for _ in range(30):
        last = reader.sweep(moment(80 * DAY))
    assert last.is_complete
    assert sorted(reader.stored) == sorted(reader.feed.ranks)


def test_the_deep_check_does_not_go_on_below_the_end_for_ever() -> None:
    reader = Reader(clamped(75))
    now = moment(80 * DAY)
    reader.sweep(now)
    for number in range(5):  # its last page is full now
        reader.feed.add(f"n{number}", (75 + number) * DAY)
    for _ in range(DEEP_CHECK_EVERY * 20):
        reader.sweep(now)
    assert reader.coverage.deep_offset <= len(reader.feed.ranks)
    reader.feed.add("late", 20 * DAY - 1)
    for _ in range(DEEP_CHECK_EVERY * 9):
        reader.sweep(now)
    assert "late" in reader.stored


@pytest.mark.parametrize("stuck_at", [10, 30, 70])
def test_a_page_that_is_shown_under_some_numbers_below_it_hides_nothing(stuck_at: int) -> None:
    """A cache gave one page for two others: further down there are other entries, so that is no end."""
    feed = clamped(120)
    reader, honest = Reader(feed), feed.serve
    stuck = {stuck_at + 10, stuck_at + 20}

    def cached(position: Position) -> Page:
        return honest(replace(position, offset=stuck_at) if position.offset in stuck else position)

    feed.serve = cached  # type: ignore[method-assign]
    reader.sweep(moment(120 * DAY))
    assert "k0" in reader.stored
    feed.serve = honest  # type: ignore[method-assign]
    for _ in range(DEEP_CHECK_EVERY * 13):
        reader.sweep(moment(120 * DAY))
    assert sorted(reader.stored) == sorted(feed.ranks)
