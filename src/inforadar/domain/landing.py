"""The way into a gap: by its dates, or by landing: finding the lower end of a stretch again by jumping, without
reading all that lies above it."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from inforadar.domain.coverage import JUST_BELOW, Coverage, Gap, Stretch
from inforadar.domain.paging import Page, Paging, Position, Window
from inforadar.domain.positions import Grid
from inforadar.domain.reading import Reading, accept
from inforadar.domain.walk import Ending, Sheet, Walk, bottom, ceiling

LANDING_TRIES = 6

Verdict = Literal["landed", "above", "below"]


@dataclass(slots=True, kw_only=True)
class Search:
    """Looking for the lower end of a stretch: `guess` is how many entries may stand above it.

    It steps away from a miss, twice as far each time, until it has a page on either side of the target; then it
    interpolates between their ranks. `above`: the deepest page that certainly stood above the target.
    """

    target: datetime
    guess: int
    step: int
    above: Position | None = None
    above_end: int = 0
    above_rank: datetime | None = None
    below_start: int | None = None
    below_rank: datetime | None = None

    def learn(self, where: Verdict, page: Page, position: Position) -> None:
        """Take in that a page stood above or below the target, and guess again."""
        if where == "above":
            self.above = position
            self.above_end = position.offset + page.entries
            self.above_rank = min(draft.rank for draft in page.drafts)
        else:
            self.below_start = position.offset
            self.below_rank = max((draft.rank for draft in page.drafts), default=None)
        self.guess = max(1, self._next_guess())
        self.step *= 2

    def _next_guess(self) -> int:
        if self.below_start is None:
            return self.above_end + self.step
        if self.above_rank is None:
            return self.below_start - self.step
        room = self.below_start - self.above_end
        return self.above_end + round(room * self._share())

    def _share(self) -> float:
        if self.above_rank is None or self.below_rank is None or self.above_rank <= self.below_rank:
            return 0.5
        share = (self.above_rank - self.target) / (self.above_rank - self.below_rank)
        return min(1.0, max(0.0, share))


def window_of(gap: Gap, paging: Paging, floor: datetime | None) -> Window:
    """The dates of a gap, for sources that filter by them: as wide as the order may be violated and dates rounded."""
    reach = paging.slack + paging.date_grain
    lower = gap.below.upto if gap.below else floor
    return Window(after=lower - reach - JUST_BELOW if lower else None, upto=gap.above.after + reach)


def land(walk: Walk, grid: Grid, coverage: Coverage) -> Reading:
    """Bring a walk to the lower end of the stretch it continues: jump, look, correct; at last page on from above."""
    assert walk.origin is not None
    search = Search(
        target=walk.origin.after + grid.paging.slack,
        guess=coverage.count_above(walk.origin),
        step=max(1, grid.paging.size // 2),
    )
    asked: set[Position] = set()
    while len(asked) < LANDING_TRIES and (position := grid.landing(search.guess)) not in asked:
        asked.add(position)
        if not grid.is_reachable(position):
            return Ending.CAPPED
        sheet = yield position
        if sheet is None:
            walk.drift = search.guess - coverage.count_above(walk.origin)
            return Ending.SPENT
        where = verdict(sheet.page, position, walk.origin, grid.paging)
        if where == "landed":
            _set_down(walk, sheet, grid, coverage)
            return None
        if _is_known_tie(sheet, walk.origin):
            where = "above"
        search.learn(where, sheet.page, position)
    return (yield from _page_on(walk, search, grid, coverage))


def _page_on(walk: Walk, search: Search, grid: Grid, coverage: Coverage) -> Reading:
    """No more guesses: go on from the deepest page that certainly stood above the target, if it does so still."""
    assert walk.origin is not None
    sheet = yield search.above or grid.top()
    if sheet is None or not (_is_known_tie(sheet, walk.origin) or _is_above_or_landed(sheet, walk.origin, grid.paging)):
        walk.drift = search.guess - coverage.count_above(walk.origin)
        return Ending.SPENT
    accept(walk, sheet, grid, coverage)
    return None


def _is_above_or_landed(sheet: Sheet, stretch: Stretch, paging: Paging) -> bool:
    return verdict(sheet.page, sheet.position, stretch, paging) != "below"


def _is_known_tie(sheet: Sheet, stretch: Stretch) -> bool:
    """Whether a page stands in the tie group at the lower end of a stretch and shows nothing new: look deeper."""
    ranks = {draft.rank for draft in sheet.page.drafts}
    return ranks == {stretch.after} and sheet.entries.is_quiet


def _set_down(walk: Walk, sheet: Sheet, grid: Grid, coverage: Coverage) -> None:
    assert walk.origin is not None
    tail = {mark.key for mark in walk.origin.tail}
    place = max((place for place, draft in enumerate(sheet.page.drafts, start=1) if draft.key in tail), default=0)
    walk.is_on_tail = place > 0
    if place:
        walk.drift = sheet.position.offset + place - coverage.count_above(walk.origin)
    accept(walk, sheet, grid, coverage, not_own=place)


def verdict(page: Page, position: Position, stretch: Stretch, paging: Paging) -> Verdict:
    """Where a page stands to the lower end of a stretch; landed = reading on from it leaves nothing out.

    What stands that far above the end as the order may be violated can stand no lower than the end.
    """
    if not page.drafts:
        return "below"
    if _shows_tail(page, stretch):
        return "landed"
    line = stretch.after + paging.slack
    if bottom(page.drafts, paging.strays) > line:
        return "above"
    return "landed" if position.offset == 0 or ceiling(page.drafts, paging.strays) > line else "below"


def _shows_tail(page: Page, stretch: Stretch) -> bool:
    tail = {(mark.key, mark.rank) for mark in stretch.tail}
    return any((draft.key, draft.rank) in tail for draft in page.drafts)
