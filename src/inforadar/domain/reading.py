"""Reading one page further in a walk: the seam to the page before, lists that shrink, pages that lie.

Each function here is a generator: it yields the position to ask, is sent the sheet that came back (None when the
budget is spent), and returns how the walk ended, or None when it may go on.
"""

from collections.abc import Generator
from itertools import count

from inforadar.domain.coverage import Coverage
from inforadar.domain.paging import Paging, Position, Window
from inforadar.domain.positions import Grid
from inforadar.domain.walk import Ending, Sheet, Walk

EMPTY_RETRIES = 2
PROBES = 2

Reading = Generator[Position, Sheet | None, Ending | None]


def read_on(walk: Walk, grid: Grid, coverage: Coverage) -> Reading:
    """Read the next page of a walk, or as many as it takes to be sure that nothing was left out."""
    position = grid.following(walk.read, walk.window)
    if not grid.is_reachable(position) or position.offset + position.size <= walk.read:
        if not _narrow(walk, grid.paging):
            return Ending.CAPPED
        position = grid.top(walk.window)
    sheet = yield position
    if sheet is None:
        return Ending.SPENT
    if not sheet.page.entries:
        return (yield from _doubt(walk, sheet, grid, coverage))
    if grid.learn(sheet.page, position):
        return None
    if not walk.continues(sheet.page, position):
        return (yield from _step_back(walk, sheet, grid, coverage))
    if walk.shows_the_last_again(sheet):
        return (yield from _probe(walk, sheet, grid, coverage))
    accept(walk, sheet, grid, coverage)
    return None


def accept(walk: Walk, sheet: Sheet, grid: Grid, coverage: Coverage, *, not_own: int = 0) -> None:
    """Take a page into the walk."""
    is_end = _ends_feed(walk, sheet, grid)
    strays = sum(walk.is_repeated(draft.key) for draft in sheet.page.drafts)
    end = grid.end(sheet.page, sheet.position) - min(strays, grid.paging.strays)
    walk.accept(sheet, end, coverage, not_own=not_own)
    walk.is_ended = is_end and not sheet.entries.untaken


def _ends_feed(walk: Walk, sheet: Sheet, grid: Grid) -> bool:
    page, end = sheet.page, grid.end(sheet.page, sheet.position)
    if page.total is not None:
        return end >= page.total
    if grid.paging.depth is not None and end >= grid.paging.depth:
        return False
    if page.is_last is not None:
        return page.is_last
    is_short = page.entries < sheet.position.size
    return is_short and all(draft.key in walk.last_keys or walk.is_repeated(draft.key) for draft in page.drafts)


def _narrow(walk: Walk, paging: Paging) -> bool:
    """Under a depth cap: go on in the window that starts at the lowest rank read. False = no way further."""
    if not paging.filters_by_date or walk.low is None:
        return False
    upto = walk.low + paging.slack + paging.date_grain
    if walk.window and walk.window.upto is not None and upto >= walk.window.upto:
        return False
    walk.window = Window(after=walk.window.after if walk.window else None, upto=upto)
    walk.read, walk.total = 0, None
    return True


def _probe(walk: Walk, again: Sheet, grid: Grid, coverage: Coverage) -> Reading:
    """A page shown again under the next number: some lists do so below their end, and then far below it as well."""
    for probe in range(1, PROBES + 1):
        position = grid.ahead(again.position, 2**probe)
        if not grid.is_reachable(position):  # then the cap of the source ends the walk soon
            break
        sheet = yield position
        if sheet is None:
            return Ending.SPENT
        if not walk.shows_the_last_again(sheet):
            break
    else:
        walk.is_ended = True
        return None
    accept(walk, again, grid, coverage)
    return None


def _step_back(walk: Walk, ahead: Sheet, grid: Grid, coverage: Coverage) -> Reading:
    """The seam does not hold: entries above were withdrawn. Read further up until it does."""
    position = ahead.position
    empty_tops = 0
    for steps in count(1):
        position = grid.back(position, steps)
        sheet = yield position
        if sheet is None:
            return Ending.SPENT
        if sheet.page.entries and walk.continues(sheet.page, position):
            _mend_seam(walk, sheet, ahead, grid, coverage)
            return None
        empty_tops += position.offset == 0
        if empty_tops == EMPTY_RETRIES:
            walk.is_ended = True
            return None
    raise AssertionError("unreachable: the position reaches 0")


def _mend_seam(walk: Walk, sheet: Sheet, ahead: Sheet, grid: Grid, coverage: Coverage) -> None:
    is_adjacent = _touches(walk, sheet, ahead, grid.paging.strays) or _has_stood_still(walk, sheet, ahead, grid)
    accept(walk, sheet, grid, coverage)
    if is_adjacent and not walk.has_untaken and not walk.is_ended:
        accept(walk, ahead, grid, coverage)


def _touches(walk: Walk, upper: Sheet, lower: Sheet, strays: int) -> bool:
    """Whether two pages share entries that stand where they stood: a bumped or promoted one proves nothing."""
    places = {(draft.key, draft.rank) for draft in lower.page.drafts if not walk.is_repeated(draft.key)}
    shared = [draft.key for draft in upper.page.drafts if (draft.key, draft.rank) in places]
    ends = {draft.key for draft in upper.page.drafts[-1 - strays :]}
    return len(shared) > strays or not ends.isdisjoint(shared)


def _has_stood_still(walk: Walk, again: Sheet, ahead: Sheet, grid: Grid) -> bool:
    """Whether a page read again is as it was, so that the page asked for in between does follow it.

    It must stand right above that one: where a list repeated a page, the same entries are found further up again.
    """
    is_same = {draft.key for draft in again.page.drafts} == walk.last_keys
    is_next = grid.end(again.page, again.position) >= ahead.position.offset
    return is_same and is_next and again.page.total == ahead.page.total


def _doubt(walk: Walk, empty: Sheet, grid: Grid, coverage: Coverage) -> Reading:
    """An empty page is the end of the feed only if nothing speaks against it; else it is asked for again."""
    for tries in range(EMPTY_RETRIES):
        is_plausible = bool(walk.last_keys or not coverage.stretches or tries) or empty.page.total is not None
        if is_plausible and not _contradicts_itself(empty):
            if not walk.last_keys or walk.total == empty.page.total is not None:
                walk.is_ended = True
                return None
            above = yield grid.back(empty.position, 1)
            if above is None:
                return Ending.SPENT
            if not (above.page.entries and walk.continues(above.page, above.position)):
                return (yield from _step_back(walk, above, grid, coverage))
            if grid.end(above.page, above.position) <= empty.position.offset:
                accept(walk, above, grid, coverage)
                walk.is_ended = walk.is_ended if above.page.tells_end else not walk.has_untaken
                return None
        again = yield empty.position
        if again is None:
            return Ending.SPENT
        if again.page.entries:
            if not walk.continues(again.page, again.position):
                return (yield from _step_back(walk, again, grid, coverage))
            accept(walk, again, grid, coverage)
            return None
        empty = again
    return Ending.UNREADABLE


def _contradicts_itself(empty: Sheet) -> bool:
    """Whether an empty page says that there should be something on it."""
    if empty.page.total is not None:
        return empty.position.offset < empty.page.total
    return empty.page.is_last is False
