"""A walk: reading a feed downward without a break, and knowing how deep in covered ground it stands."""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum, auto

from inforadar.domain.coverage import TAIL_LENGTH, Claim, Coverage, Mark, Stretch
from inforadar.domain.item import Draft
from inforadar.domain.paging import Page, Paging, Position, Window

MARKS_KEPT = 128
MOST_STAGNATION = 10
MOST_ON_THE_SPOT = 20


class Ending(Enum):
    """How a walk ended."""

    JOINED = auto()
    FEED_ENDED = auto()
    FLOOR = auto()
    CAPPED = auto()
    SPENT = auto()
    LEFT = auto()
    UNREADABLE = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class Sorted:
    """One page sorted by what is to be done with its entries.

    `prefix`: the entries that may be claimed, that is all before the first one the budget did not allow; `untaken`:
    those it did not allow.
    """

    new: tuple[Draft, ...]
    seen: tuple[Draft, ...]
    prefix: tuple[Draft, ...]
    untaken: tuple[Draft, ...]
    too_old: int

    @property
    def is_quiet(self) -> bool:
        """Whether the page showed nothing new."""
        return not self.new and not self.untaken


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """One page, where it was asked, and what is done with its entries."""

    page: Page
    position: Position
    entries: Sorted


@dataclass(slots=True, kw_only=True)
class Walk:
    """What one walk has read so far. `read`: entries of the list (of the window) above where it goes on.

    `ranks`: those of the entries it read that are not in `origin`, `fresh`: of those never seen before. `need`: how
    many pages of covered ground it must read before it may stop. `drift`: by how many entries the lower end of
    `origin` stood elsewhere than counted; `is_on_tail`: it was found by its last entries, so that none below is in it.
    """

    paging: Paging
    is_top: bool = False
    origin: Stretch | None = None
    drift: int = 0
    is_on_tail: bool = False
    window: Window | None = None
    need: int = 1
    read: int = 0
    total: int | None = None
    upto: datetime | None = None
    low: datetime | None = None
    ground: Stretch | None = None
    covered_pages: int = 0
    is_quiet: bool = False
    is_ended: bool = False
    found_late: bool = False
    has_untaken: bool = False
    passed_floor: bool = False
    ranks: list[datetime] = field(default_factory=list)
    fresh: list[datetime] = field(default_factory=list)
    last_key: str | None = None
    last_keys: frozenset[str] = frozenset()
    ending: Ending | None = None
    _keys: set[str] = field(default_factory=set)
    _end_keys: frozenset[str] = frozenset()
    _places: dict[str, tuple[int, int]] = field(default_factory=dict)
    _most_keys: int = -1
    _stagnation: int = 0
    _on_the_spot: int = 0
    _before: int = 0
    _deepest: tuple[int, datetime | None] = (0, None)
    _latest: deque[datetime] = field(default_factory=deque)
    _marks: deque[Mark] = field(default_factory=lambda: deque(maxlen=MARKS_KEPT))

    def continues(self, page: Page, position: Position) -> bool:
        """Whether a page certainly goes on where the walk stands, so that nothing can hide between them."""
        if not self.last_keys or position.offset == 0:
            return True
        if self._shares_entries(page):
            return True
        return self.total is not None and self.total == page.total and position.offset == self.read

    def _shares_entries(self, page: Page) -> bool:
        """Whether a page shows the end of the one before; a stray that stands on every page proves nothing."""
        shared = {draft.key for draft in page.drafts if draft.key in self.last_keys and not self.is_repeated(draft.key)}
        return not shared.isdisjoint(self._end_keys) or len(shared) > self.paging.strays

    def is_repeated(self, key: str) -> bool:
        """Whether an entry has stood on pages too far apart for one place: promoted ones stand on all of them."""
        first, last = self._places.get(key, (0, 0))
        return last - first >= self.paging.size

    def has_shown(self, page: Page) -> bool:
        """Whether a page shows what was read above and nothing else: a list that begins again below its end."""
        return bool(page.drafts) and all(draft.key in self._keys for draft in page.drafts)

    def shows_the_last_again(self, sheet: Sheet) -> bool:
        """Whether a full page further down shows what the last one did, where nobody says if more follows."""
        page, position = sheet.page, sheet.position
        is_further_down = self.paging.can_repeat_its_end and position.offset >= self.read > 0
        is_open = not page.tells_end and page.entries >= position.size
        return is_further_down and is_open and self.last_keys == {*page.keys}

    def accept(self, sheet: Sheet, end: int, coverage: Coverage, *, not_own: int = 0) -> None:
        """Go on through one page, which ends at entry `end`; its first `not_own` entries belong to `origin`."""
        entries = sheet.entries
        self.total = sheet.page.total
        self.read = sheet.position.offset + len(entries.prefix) if entries.untaken else end
        self.has_untaken = bool(entries.untaken)
        self.is_quiet = entries.is_quiet
        self.passed_floor = self.passed_floor or bool(entries.too_old)
        if self.paging.kind == "offset" and self.paging.strays:
            self._remember_places(sheet)
        if entries.prefix:
            self._go_down(entries, not_own)
            self.look_around(coverage)
            self._count_covered(entries)

    def _remember_places(self, sheet: Sheet) -> None:
        offset = sheet.position.offset
        for draft in sheet.page.drafts:
            first, last = self._places.get(draft.key, (offset, offset))
            self._places[draft.key] = (min(first, offset), max(last, offset))

    def check_progress(self) -> Ending | None:
        """A list that shows the same again and again leads nowhere, nor does one of ever others in the same place."""
        self._stagnation = 0 if len(self._keys) > self._most_keys else self._stagnation + 1
        self._most_keys = len(self._keys)
        self._count_on_the_spot()
        is_stuck = self._stagnation >= MOST_STAGNATION or self._on_the_spot >= MOST_ON_THE_SPOT
        return Ending.UNREADABLE if is_stuck else None

    def _count_on_the_spot(self) -> None:
        """Count the times that it came no further down, until it is deeper than ever, by position or by rank."""
        read, low = self._deepest
        is_lower = self.low is not None and (low is None or self.low < low)
        if self.read > read or is_lower:
            self._on_the_spot = 0
        elif self.read <= self._before:
            self._on_the_spot += 1
        self._deepest = (max(read, self.read), self.low)
        self._before = self.read

    def look_around(self, coverage: Coverage) -> None:
        """Find the stretch the walk stands in now; depth is counted anew in another one."""
        before, self.ground = self.ground, None
        if self.low is not None:
            self.ground = coverage.ground(self.low, below=self.origin)
        if before is None or self.ground is None or before.upto != self.ground.upto:
            self.covered_pages = 0

    @property
    def is_in_bucket(self) -> bool:
        """Whether it reads a list cut at an age, whose end is not the end of the feed."""
        return self.window is not None and self.window.age is not None

    def leave_ended_bucket(self) -> None:
        """Go on in the whole list where the bucket ended: an entry has the same place in both."""
        if self.is_ended and self.is_in_bucket:
            self.window, self.total, self.is_ended = None, None, False

    def resume(self, origin: Stretch) -> None:
        """Go on later in the same sweep, from the stretch that holds all it has read so far."""
        self.origin, self.drift = origin, 0
        self.ranks.clear()
        self.fresh.clear()

    def claim(self, *, after: datetime, joined: Stretch | None, is_ended: bool) -> Claim:
        """What this walk has read, as a claim down to `after`."""
        return Claim(
            upto=self.upto or after,
            after=min(after, self.origin.after) if self.origin else after,
            ranks=self.ranks,
            fresh=self.fresh,
            tail=self.tail_above(after),
            is_ended=is_ended,
            origin=self.origin,
            joined=joined,
            drift=self.drift,
        )

    def tail_above(self, after: datetime) -> tuple[Mark, ...]:
        """The last entries read that a claim down to `after` includes."""
        marks = [mark for mark in self._marks if mark.rank >= after]
        return tuple(marks[-TAIL_LENGTH:])

    def _go_down(self, entries: Sorted, not_own: int) -> None:
        prefix, new = entries.prefix, {draft.key for draft in entries.new}
        for place, draft in enumerate(prefix):
            if draft.key in self._keys:
                continue
            self._keys.add(draft.key)
            self._marks.append(Mark(key=draft.key, rank=draft.rank))
            is_below = self.origin is None or self.is_on_tail or draft.rank <= self.origin.after
            if place >= not_own and is_below:
                self.ranks.append(draft.rank)
                self.fresh.extend([draft.rank] if draft.key in new else [])
        self._latest.extend(draft.rank for draft in prefix[-1 - self.paging.strays :])
        while len(self._latest) > self.paging.strays + 1:
            self._latest.popleft()
        frontier = max(self._latest)
        self.low = frontier if self.low is None else min(self.low, frontier)
        highest = max(draft.rank for draft in prefix)
        self.upto = highest if self.upto is None else max(self.upto, highest)
        self.last_key = prefix[-1].key
        self._end_keys = frozenset(draft.key for draft in prefix[-1 - self.paging.strays :])
        self.last_keys = frozenset(draft.key for draft in prefix)

    def _count_covered(self, entries: Sorted) -> None:
        if self.ground and ceiling(entries.prefix, self.paging.strays) <= self.ground.upto:
            self.covered_pages += 1
            if entries.new:
                self.found_late = True
                self.need = max(self.need, 2 * self.covered_pages)


def ceiling(drafts: Sequence[Draft], strays: int) -> datetime:
    """The highest rank among entries, misplaced ones left aside where there are enough others."""
    ranks = sorted((draft.rank for draft in drafts), reverse=True)
    return ranks[min(strays, (len(ranks) - 1) // 2)]


def bottom(drafts: Sequence[Draft], strays: int) -> datetime:
    """The lowest rank among entries, misplaced ones left aside where there are enough others."""
    ranks = sorted(draft.rank for draft in drafts)
    return ranks[min(strays, (len(ranks) - 1) // 2)]
