"""Sweeps that may ask for a few pages only: they get on from sweep to sweep, or say that they never will."""

from dataclasses import replace

import pytest

from domain.feeds import DATED, FIXED, GRID, OFFSET, RESIZABLE, Feed, Reader, feed_of, moment
from inforadar.domain.paging import Page, Paging, Position
from inforadar.domain.shares import too_few_pages
from inforadar.domain.watch import Bounds

NOW = moment(300 * 60)
FOLLOWED = Paging(kind="page", size=10, is_followed=True)


class Silent(Feed):
    """A list that does not say whether anything follows a page."""

    def serve(self, position: Position) -> Page:
        return replace(super().serve(position), is_last=None)


def silent(paging: Paging) -> Feed:
    return Silent(paging=paging, ranks=feed_of(paging, range(0, 200 * 60, 60)).ranks)


@pytest.mark.parametrize(
    ("paging", "max_pages"),
    [(FIXED, 3), (FIXED, 4), (FIXED, 5), (GRID, 2), (GRID, 3), (OFFSET, 2), (RESIZABLE, 1), (DATED, 1)],
)
@pytest.mark.parametrize("is_busy", [False, True])
def test_a_long_list_is_collected_by_a_few_pages_a_sweep(paging: Paging, max_pages: int, is_busy: bool) -> None:
    reader = Reader(silent(paging), Bounds(max_pages=max_pages))
    listed = set(reader.feed.ranks)
    for number in range(150):
        if is_busy and number % 5 == 0:
            reader.feed.add(f"n{number}", 200 * 60 + number)
        sweep = reader.sweep(NOW)
        assert sweep.pages <= max_pages
        assert not any("max_pages" in note for note in sweep.notes)
    assert listed <= set(reader.stored)


def test_four_pages_a_sweep_find_the_end_of_a_list_whose_empty_pages_are_asked_for_twice() -> None:
    feed = silent(FIXED)
    reader, honest = Reader(feed, Bounds(max_pages=4)), feed.serve
    doubted: set[int] = set()

    def doubting(position: Position) -> Page:
        page = honest(position)
        is_first = not page.drafts and position.offset not in doubted
        doubted.add(position.offset)
        return replace(page, is_last=False) if is_first else page

    feed.serve = doubting  # type: ignore[method-assign]
    ends = []
    for _ in range(60):
        doubted.clear()
        ends.append(reader.sweep(NOW).is_complete)
    assert set(feed.ranks) <= set(reader.stored)
    assert all(ends[-4:])


@pytest.mark.parametrize(("paging", "max_pages", "needed"), [(FIXED, 1, 3), (FIXED, 2, 3), (GRID, 1, 2)])
def test_too_few_pages_to_get_on_are_told_with_how_many_it_takes(paging: Paging, max_pages: int, needed: int) -> None:
    reader = Reader(silent(paging), Bounds(max_pages=max_pages))
    sweep = reader.sweep(NOW)
    assert not sweep.is_complete
    assert sweep.notes == [
        f"max_pages = {max_pages} is too few to go on in this list; one step further down takes {needed}"
    ]


def test_a_short_list_that_the_pages_suffice_for_is_told_nothing() -> None:
    reader = Reader(feed_of(FIXED, range(8)), Bounds(max_pages=1))
    sweep = reader.sweep(NOW)
    assert sweep.is_complete
    assert sweep.notes == []


def test_a_followed_list_is_told_of_once_its_sweeps_get_no_further() -> None:
    assert too_few_pages(FOLLOWED, 2, has_progressed=True) == []
    (told,) = too_few_pages(FOLLOWED, 2, has_progressed=False)
    assert told.startswith("this sweep made no progress: max_pages = 2 ends above what is left")
