"""One sweep: the passage through a query's feed, as a pure machine that is given pages and says where to ask next.

    sweep = Sweep(coverage, paging, bounds, now, number)
    while sweep.position:                        # None: the sweep is over, sweep.stop_reason says why
        page = ...ask the source at sweep.position...
        taken = sweep.take(page, known)          # what to store of it
        ...store taken.new, taken.seen and sweep.coverage in one transaction...

A sweep walks the top gap first (from entry 0 down into covered ground), then with a share of the budget the deepest
gap, then the others, newest first. Every walk reads without a break: two pages in a row share an entry, or an
unchanged total proves that nothing moved, or the walk steps back and reads again. What a walk has read is claimed
in the coverage after every page, so that a crash leaves gaps that say exactly what is missing.

Invariant: a stretch is claimed only for entries that were read without a break and stored with it.
Invariant: a gap is closed only after a whole page of known entries, read to the source's slack below it.
"""

from collections.abc import Container, Generator
from datetime import datetime, timedelta

from inforadar.domain.buckets import bucket_for, lookback
from inforadar.domain.claiming import CLOSED, below, claimed, conclusion
from inforadar.domain.coverage import Coverage, Gap, Stretch
from inforadar.domain.deep_check import DeepCheck, is_turn_of_all, is_turn_of_check
from inforadar.domain.holding_back import opened
from inforadar.domain.landing import land, window_of
from inforadar.domain.paging import Page, Paging, Position, Window
from inforadar.domain.positions import Grid
from inforadar.domain.reading import read_on
from inforadar.domain.run import StopReason
from inforadar.domain.shares import is_turn_of_gaps, lookback_within, tail_share, too_few_pages
from inforadar.domain.sorting import Sorter
from inforadar.domain.walk import Ending, Sheet, Sorted, Walk
from inforadar.domain.watch import Bounds

COMPLETE = frozenset({StopReason.WINDOW_EXHAUSTED, StopReason.CUTOFF_REACHED, StopReason.END_OF_FEED})

Passage = Generator[Position, Sheet | None, None]
Walking = Generator[Position, Sheet | None, Ending]


class Sweep:
    """One sweep of one query; `number` counts the sweeps of this query from 1."""

    def __init__(self, coverage: Coverage, paging: Paging, bounds: Bounds, now: datetime, number: int = 1) -> None:
        self.stop_reason: StopReason | None = None
        self.pages = 0
        self.total: int | None = None
        self.notes: list[str] = []
        self._started_with = self._coverage = coverage
        self._grid = Grid(paging)
        self._paging = paging
        self._bounds = bounds
        self._now = now
        self._number = number
        self._floor = bounds.floor
        self.entries = Sorter(self._floor, bounds.limit, bounds.max_items)
        self.entries.tail_from = coverage.last_complete_sweep_before
        self._pages_allowed = bounds.max_pages
        self._walk: Walk | None = None
        self._resting: list[Walk] = []
        self._held_back: list[Sheet] = []
        self._endings: set[Ending] = set()
        self._steps = self._passage()
        self.position: Position | None = None
        self._advance(None)

    @property
    def coverage(self) -> Coverage:
        """What is covered now, the walk under way included; to be stored with each page."""
        covered = self._claimed(self._walk, Ending.SPENT) if self._walk else self._coverage
        return opened(covered, self._held_back, self._started_with, self.entries, self._paging.slack)

    @property
    def is_complete(self) -> bool:
        """Whether nothing above the floor is left unread."""
        return self.stop_reason in COMPLETE

    @property
    def left(self) -> int:
        """How many entries are left to collect: 0 only for a complete sweep, else the best estimate, at least 1."""
        if self.is_complete:
            return 0
        return max(1, self.entries.untaken, (self.total or 0) - self.coverage.count)

    @property
    def has_progressed(self) -> bool:
        """Whether this sweep collected or covered anything that was not before it."""
        return self.entries.unseen > 0 or self.coverage.stretches != self._started_with.stretches

    @property
    def expected(self) -> int | None:
        """How many entries this sweep will read, as far as the source has told; None = not known yet."""
        if self.position is None:
            return self.entries.seen
        if self.total is None:
            return None
        fresh = max(0, self.total - self._started_with.count)
        wanted = fresh if self._bounds.limit is None else min(fresh, self._bounds.limit)
        return max(self.entries.seen, wanted)

    def take(self, page: Page, known: Container[str]) -> Sorted:
        """Take in the page at `position`; `known`: which of its keys were stored before this sweep began."""
        assert self.position is not None, "the sweep is over"
        self.pages += 1
        if page.total is not None and self.position.window is None:
            self.total = page.total
        page = page.dated(self._now)
        entries = self.entries.sort(page, known)
        self.stop_reason = self.entries.stop_reason
        sheet = Sheet(page=page, position=self.position, entries=entries)
        self._held_back += [sheet] if entries.untaken else []
        self._advance(sheet)
        return entries

    def abort(self, reason: StopReason) -> None:
        """End the sweep from outside; what was claimed stays claimed, the rest stays a gap."""
        self._coverage = self.coverage
        self._walk = None
        self._steps.close()
        self.stop_reason = reason
        self.position = None

    def _advance(self, sheet: Sheet | None) -> None:
        """Run the passage up to its next position; one that the budget does not allow is answered with None."""
        try:
            self.position = next(self._steps) if sheet is None else self._steps.send(sheet)
            while self._is_spent():
                self.position = self._steps.send(None)
        except StopIteration:
            self.position = None

    def _is_spent(self) -> bool:
        if self._bounds.max_pages is not None and self.pages >= self._bounds.max_pages:
            self.stop_reason = self.stop_reason or StopReason.MAX_PAGES
        is_over_share = self._pages_allowed is not None and self.pages >= self._pages_allowed
        return self.stop_reason is not None or is_over_share

    def _passage(self) -> Passage:
        has_tail = any(self._gaps())
        need = lookback_within(self._number, self._bounds.max_pages if has_tail else None)
        top = Walk(paging=self._paging, is_top=True, need=need, window=self._bucket())
        self._grant(keep_tail_share=has_tail)
        if not has_tail and self._pages_allowed and is_turn_of_check(self._paging, self._number):
            self._pages_allowed = max(1, self._pages_allowed - 1)
        if has_tail and is_turn_of_gaps(self._grid.paging, self._number, self._bounds.max_pages):
            self._grant()
            yield from self._go_through_gaps(tail_first=False)
        yield from self._go(top)
        if top.is_ended and top.low is None:
            self.stop_reason = self.stop_reason or StopReason.END_OF_FEED
        yield from self._go_through_gaps(has_tail)
        if self.stop_reason is None and top.ending not in CLOSED:
            self._grant()
            yield from self._go(top, may_leave=False)
        if top.ending is Ending.LEFT:
            self._coverage = self._claimed(top, Ending.LEFT)
        if self.stop_reason is None and not any(self._gaps()):
            yield from self._check_deep(top)
        if self.stop_reason is None or self._is_done_within(top):
            self.stop_reason = conclusion(self._endings, has_gaps=any(self._gaps()))
        if self.stop_reason is StopReason.MAX_PAGES and any(self._gaps()):
            self.notes += too_few_pages(self._grid.paging, self._bounds.max_pages, has_progressed=self.has_progressed)

    def _bucket(self) -> Window | None:
        age = bucket_for(self._coverage, self._paging, self._bounds, self._now)
        return Window(age=age) if age else None

    def _go_through_gaps(self, tail_first: bool) -> Passage:
        done: set[datetime] = set()
        while self.stop_reason is None:
            gaps = [gap for gap in self._gaps() if gap.above.upto not in done]
            if not gaps:
                return
            tail_first = tail_first and len(gaps) > 1
            gap = gaps[-1] if tail_first else gaps[0]
            self._grant(only_tail_share=tail_first)
            ending = yield from self._go_through(gap)
            if not (tail_first and ending is Ending.SPENT):
                done.add(gap.above.upto)
            tail_first = False

    def _go_through(self, gap: Gap) -> Walking:
        resting = next((walk for walk in self._resting if walk.last_key == gap.above.last_key), None)
        if resting:
            resting.resume(gap.above)
            return (yield from self._go(resting, may_leave=False))
        walk = Walk(paging=self._paging, origin=gap.above)
        if self._paging.filters_by_date:
            walk.window = window_of(gap, self._paging, self._floor)
        else:
            ending = yield from land(walk, self._grid, self._coverage)
            if ending:
                return self._settled(walk, ending)
        return (yield from self._go(walk))

    def _go(self, walk: Walk, *, may_leave: bool = True) -> Walking:
        """Walk on until something ends it."""
        self._walk = walk
        walk.has_untaken = False
        walk.look_around(self._coverage)
        ending = self._ending(walk, may_leave)
        while ending is None:
            walk.leave_ended_bucket()
            ending = yield from read_on(walk, self._grid, self._coverage)
            ending = self._ending(walk, may_leave) or ending or walk.check_progress()
            if ending is Ending.SPENT and self._is_joined_already(walk):
                ending = Ending.JOINED
        return self._settled(walk, ending)

    def _is_joined_already(self, walk: Walk) -> bool:
        """Whether only the look-back was cut short by the budget: the gap itself is closed."""
        if walk.ground is None or walk.low is None or walk.has_untaken or self._bounds.window_days is not None:
            return False
        is_deep = walk.low < walk.ground.upto - self._paging.slack
        return is_deep and walk.covered_pages > 0 and walk.is_quiet and not walk.found_late

    def _ending(self, walk: Walk, may_leave: bool) -> Ending | None:
        if walk.has_untaken or self.entries.is_spent(walk.low):
            return Ending.SPENT
        if self._floor and walk.low and walk.low < self._floor - self._paging.slack:
            return Ending.FLOOR
        if walk.is_ended and not walk.is_in_bucket:
            return self._ending_of_list(walk)
        if walk.ground is None or walk.low is None or not self._has_read_enough(walk, walk.low):
            return None
        if self._is_next_page(walk, walk.ground):
            return None
        if walk.low < walk.ground.upto - self._paging.slack:
            return Ending.JOINED
        return Ending.LEFT if may_leave and walk.is_top and self._has_better_use(walk.ground) else None

    def _ending_of_list(self, walk: Walk) -> Ending:
        if walk.window and walk.window.after:
            return Ending.JOINED if below(self._coverage, walk.origin, self._floor) else Ending.FLOOR
        return Ending.FLOOR if walk.passed_floor else Ending.FEED_ENDED

    def _has_read_enough(self, walk: Walk, low: datetime) -> bool:
        if not walk.covered_pages or not walk.is_quiet:
            return False
        if not walk.is_top:
            return True
        days = self._bounds.window_days
        if days is not None and low >= self._now - timedelta(days=days):
            return False
        earliest = self._now - lookback(self._paging, self._bounds)
        is_late = low < earliest and not is_turn_of_all(self._paging, walk.need, self._coverage.count)
        return walk.covered_pages >= walk.need or (is_late and not walk.found_late)

    def _has_better_use(self, ground: Stretch) -> bool:
        """Whether a bounded sweep would spend its budget on known ground while a gap below waits."""
        is_bounded = self._bounds.limit is not None or self._bounds.max_pages is not None
        return is_bounded and self._has_gap_below(ground)

    def _has_gap_below(self, ground: Stretch) -> bool:
        return any(gap.above is ground for gap in self._gaps())

    def _is_next_page(self, walk: Walk, ground: Stretch) -> bool:
        """Whether the next gap begins so near that walking on costs less than landing there.

        Where pages are proved by reading one again, landing there is that reading, unless none can be jumped to.
        """
        if not (walk.is_top and (self._grid.overlaps or self._paging.has_exact_total or self._paging.is_followed)):
            return False
        distance = self._coverage.count_above(ground) - walk.read
        return 0 <= distance <= self._paging.size and self._has_gap_below(ground)

    def _settled(self, walk: Walk, ending: Ending) -> Ending:
        self._endings.add(ending)
        walk.ending = ending
        if ending is Ending.CAPPED:
            self.notes.append("older entries are hidden by the source's depth cap")
        if ending is not Ending.LEFT:
            self._coverage = self._claimed(walk, ending)
        if ending is Ending.SPENT:
            self._resting.append(walk)
        self._walk = None
        return ending

    def _claimed(self, walk: Walk, ending: Ending) -> Coverage:
        return claimed(self._coverage, walk, ending, self._floor, self._now)

    def _gaps(self) -> list[Gap]:
        return list(self._coverage.gaps(self._floor))

    def _grant(self, *, keep_tail_share: bool = False, only_tail_share: bool = False) -> None:
        """Say how much the next walk may take and ask; the shares add up exactly over the sweeps."""
        limit, pages = self._bounds.limit, self._bounds.max_pages
        if limit is not None and (keep_tail_share or only_tail_share):
            share = tail_share(limit, self._number)
            self.entries.allowed = limit - share if keep_tail_share else min(limit, self.entries.unseen + share)
        else:
            self.entries.allowed = limit
        self._pages_allowed = pages
        if pages is not None and keep_tail_share:
            self._pages_allowed = pages - tail_share(pages, self._number)

    def _check_deep(self, top: Walk) -> Passage:
        if not is_turn_of_check(self._paging, self._number):
            return
        self._grant()
        check = DeepCheck(coverage=self._coverage, grid=self._grid, top=top, floor=self._floor)
        self._coverage = yield from check.run()

    def _is_done_within(self, top: Walk) -> bool:
        is_cut = self.stop_reason is StopReason.MAX_PAGES
        return is_cut and top.ending is Ending.JOINED and not any(self._gaps())
