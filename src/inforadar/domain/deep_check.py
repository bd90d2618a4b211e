"""The deep check: every few sweeps one page of ground that the look-back does not reach, in rotation.

It goes on to where the list itself ends, whatever the coverage counts: pages that lied may have ended a walk too
early, and then the coverage knows nothing of what lies below. Under a depth cap it goes on by date. Lists that are
followed cannot be jumped into; they are read to their end instead, the more rarely the longer they are.
"""

import math
from collections.abc import Generator
from dataclasses import dataclass, replace
from datetime import datetime

from inforadar.domain.coverage import Coverage
from inforadar.domain.paging import Paging, Position, Window
from inforadar.domain.positions import Grid
from inforadar.domain.walk import Ending, Sheet, Walk, bottom, ceiling

DEEP_CHECK_EVERY = 4
SWEEPS_A_PAGE_OF_ALL = 2
PAGES_AHEAD = 8


def is_turn_of_check(paging: Paging, number: int) -> bool:
    """Whether sweep `number` makes a deep check."""
    return number % DEEP_CHECK_EVERY == 0 and not paging.is_followed


def is_turn_of_all(paging: Paging, need: int, entries: int) -> bool:
    """Whether a followed list is read to its end by a sweep that looks back on `need` pages."""
    return paging.is_followed and need * paging.size >= SWEEPS_A_PAGE_OF_ALL * entries


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where the check goes on: below so many entries of the list, or of its part not newer than `upto`."""

    offset: int = 0
    upto: datetime | None = None

    def position(self, grid: Grid) -> Position:
        """Where to ask for it."""
        return grid.following(self.offset, Window(upto=self.upto) if self.upto else None)


@dataclass(frozen=True, slots=True, kw_only=True)
class DeepCheck:
    """One check; `top` is the walk from the top of the list that this sweep has made."""

    coverage: Coverage
    grid: Grid
    top: Walk
    floor: datetime | None

    def run(self) -> Generator[Position, Sheet | None, Coverage]:
        """Ask for one page, and for more while they show news; the coverage knows where to go on the next time."""
        place, coverage = self._begin(), self.coverage
        latest: Sheet | None = None
        while place != Place() and not (latest and latest.entries.is_quiet):
            sheet = yield place.position(self.grid)
            if sheet is None:
                coverage = _opened_below(latest, coverage) if latest else coverage
                break
            place, latest = self._below(place, sheet), sheet
            ahead = self.grid.ahead(sheet.position, PAGES_AHEAD)
            if place != Place() and self.grid.is_reachable(ahead) and self._may_be_below_the_end(sheet):
                far = yield ahead
                place = Place() if far and far.page.keys == sheet.page.keys else place
        return replace(coverage, deep_offset=place.offset, deep_upto=place.upto)

    def _begin(self) -> Place:
        if self.top.ending in (Ending.FEED_ENDED, Ending.FLOOR):
            return Place()
        read = Place(offset=self.top.read, upto=self.top.window.upto if self.top.window else None)
        checked = Place(offset=self.coverage.deep_offset, upto=self.coverage.deep_upto)
        return self._reachable(max(read, checked, key=_depth), self.top.low)

    def _below(self, place: Place, sheet: Sheet) -> Place:
        """The place below a page; the first one again where the list ends."""
        end = self.grid.end(sheet.page, sheet.position)
        if end <= place.offset or self._is_end(place, sheet, end):
            return Place()
        drafts = sheet.page.drafts
        return self._reachable(replace(place, offset=end), bottom(drafts, self.grid.paging.strays) if drafts else None)

    def _may_be_below_the_end(self, sheet: Sheet) -> bool:
        """Whether a page that shows nothing new stands below all that is counted: a list may repeat its last one."""
        is_known = sheet.position.window is None and sheet.entries.is_quiet and bool(sheet.page.drafts)
        is_open = self.grid.paging.can_repeat_its_end and not sheet.page.tells_end
        return is_known and is_open and sheet.position.offset >= self.coverage.count

    def _is_end(self, place: Place, sheet: Sheet, end: int) -> bool:
        page = sheet.page
        if not page.entries or page.is_last or (page.total is not None and end >= page.total):
            return True
        if place.upto is None and end < self.coverage.count:
            return False
        if self._is_below_floor(sheet) or self.top.has_shown(page):
            return True
        return not page.tells_end and page.entries < sheet.position.size

    def _is_below_floor(self, sheet: Sheet) -> bool:
        if self.floor is None or not sheet.page.drafts:
            return False
        return ceiling(sheet.page.drafts, self.grid.paging.strays) < self.floor

    def _reachable(self, place: Place, low: datetime | None) -> Place:
        """The place, or where the source's depth cap forbids it the window that begins at the lowest rank read."""
        paging = self.grid.paging
        if self.grid.is_reachable(place.position(self.grid)):
            return place
        if low is None or not paging.filters_by_date:
            return Place()
        upto = low + paging.slack + paging.date_grain
        return Place(upto=upto) if place.upto is None or upto < place.upto else Place()


def _opened_below(sheet: Sheet, coverage: Coverage) -> Coverage:
    """The coverage open at the end of a page that showed news, where the budget did not allow to look on."""
    if not sheet.page.drafts:
        return coverage
    low = min(draft.rank for draft in sheet.page.drafts)
    return coverage.opened(low, low, sheet.position.offset + sheet.page.entries)


def _depth(place: Place) -> tuple[float, int]:
    """The deeper of two places is the greater one: a window begins where the depth cap ended what is above it."""
    return (-place.upto.timestamp() if place.upto else -math.inf, place.offset)
