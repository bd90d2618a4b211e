"""A whole list: a board or a feed that shows all it has in one answer or a few, in no promised order.

    sweep = WholeList(coverage, paging, bounds, now, wants=..., remembered=...)      # used as `Sweep` is

Every sweep reads the list from end to end, however few entries it may take. A passage over several pages proves
nothing if the list moved meanwhile: it counts when each page began with the last entry of the one before, every page
told the same total and so many entries were seen, or when two passages in a row showed the same; else the list is
read again. A list that shows fewer entries than it tells, three times alike, is taken as it is, and closes nothing.
An entry that cannot be read is on the list as well, by its key; one that does not even tell that may be any other.
What follows for an entry that is not on it any more is decided in `closing`.

Invariant: the sweep is complete only if every entry of a proven passage was taken.
"""

from collections.abc import Callable, Collection, Container, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from hashlib import blake2b

from inforadar.domain.coverage import Coverage, Stretch
from inforadar.domain.item import Draft
from inforadar.domain.paging import Page, Paging, Position
from inforadar.domain.run import StopReason
from inforadar.domain.sorting import Sorter
from inforadar.domain.walk import Sorted
from inforadar.domain.watch import Bounds

MOST_PASSAGES = 5
ALIKE = 2
ALIKE_AGAINST_THE_TOTAL = 3
MARK_BYTES = 6
MOST_MARKS = 2000


@dataclass(slots=True)
class Passage:
    """One reading of the list from its top: what it has shown so far.

    `read`: entries above where it goes on. `broken`: keys of entries that could not be read; `nameless`: how many more
    could not, and told no key. `is_joined`: whether the pages overlapped as they should have.
    """

    pages: int = 0
    read: int = 0
    nameless: int = 0
    is_joined: bool = True
    keys: set[str] = field(default_factory=set)
    broken: set[str] = field(default_factory=set)
    totals: set[int | None] = field(default_factory=set)
    _last_key: str | None = None

    def add(self, page: Page, position: Position) -> bool:
        """Go on through one page; False = it leads nowhere."""
        before, self.read = self.read, position.offset + page.entries
        if position.offset < before:
            self.is_joined = self.is_joined and bool(page.drafts) and page.drafts[0].key == self._last_key
        self.pages += 1
        self.nameless += page.unreadable + page.undated - len(page.unreadable_keys)
        self.broken.update(page.unreadable_keys)
        self.keys.update(draft.key for draft in page.drafts)
        self.totals.add(page.total)
        self._last_key = page.drafts[-1].key if page.drafts else None
        return self.read > before

    def has_ended(self, page: Page) -> bool:
        """Whether this page is where the list ends."""
        if page.is_last is not None and page.entries:
            return page.is_last
        return not page.entries or (page.total is not None and self.read >= page.total)

    def is_proven(self) -> bool:
        """Whether it certainly showed all there was, going by what the source told."""
        if self.totals == {None}:
            return self.pages == 1
        return self.is_joined and len(self.totals) == 1 and not self.lacks_entries

    @property
    def told(self) -> set[str]:
        """The keys of all entries that stood there, readable or not."""
        return self.keys | self.broken

    @property
    def repeats_itself(self) -> bool:
        """Whether an entry stood there twice, perhaps in the place of another; feeds do that without meaning it."""
        return self.pages == 1 and len(self.told) + self.nameless < self.read

    @property
    def lacks_entries(self) -> bool:
        """Whether the source told of more entries than it showed."""
        return len(self.told) + self.nameless < max(total or 0 for total in self.totals)


class WholeList:
    """One sweep of one query whose whole list is read; offers what `Sweep` offers.

    `wants`: which unseen entries the query asks for. `remembered`: marks of the entries the last sweep was shown.
    """

    def __init__(
        self,
        coverage: Coverage,
        paging: Paging,
        bounds: Bounds,
        now: datetime,
        *,
        wants: Callable[[Draft], bool] = lambda _: True,
        remembered: Collection[str] = (),
    ) -> None:
        self.stop_reason: StopReason | None = None
        self.pages = 0
        self.total: int | None = None
        self.notes: list[str] = []
        self.coverage = self._started_with = coverage
        self.entries = Sorter(bounds.floor, bounds.limit, bounds.max_items, allowed=bounds.limit)
        self.position: Position | None = Position(size=paging.size)
        self.is_unchanged = False
        self.memory: dict[str, object] | None = None
        self.lasting: dict[str, object] = {}
        self._paging = paging
        self._bounds = bounds
        self._now = now
        self._wants = wants
        self._remembered = frozenset(remembered)
        self._passage = Passage()
        self._shown_before: set[str] | None = None
        self._alike = 1
        self._passages = 1
        self._ranks: dict[str, datetime] = {}
        self._untaken: dict[str, datetime] = {}
        self._too_old = 0

    @property
    def is_complete(self) -> bool:
        """Whether everything on the list above the floor is taken."""
        return self.stop_reason is StopReason.END_OF_FEED

    @property
    def is_read_whole(self) -> bool:
        """Whether the list was read to its end for certain, taken or not."""
        return self.stop_reason in (StopReason.END_OF_FEED, StopReason.LIMIT_REACHED, StopReason.MAX_ITEMS)

    @property
    def shown(self) -> frozenset[str] | None:
        """The keys of all entries of a list that shows everything there is; None = nothing follows from this one."""
        is_sure = self.is_read_whole and not self.is_unchanged
        is_sure = is_sure and not self._passage.nameless and not self._passage.lacks_entries
        return frozenset(self._passage.told) if is_sure and self._paging.absence_closes else None

    @property
    def nameless(self) -> int:
        """How many entries nobody can tell: each may be any of those that seem to be gone."""
        return self._passage.nameless

    @property
    def marks(self) -> list[str]:
        """What to remember of the entries shown, so that the next sweep knows whether it missed any."""
        if self._paging.absence_closes or not self._passage.keys:
            return sorted(self._remembered)
        return sorted(map(mark, self._passage.keys))[:MOST_MARKS]

    @property
    def has_rolled_over(self) -> bool:
        """Whether the list went on so fast that not one entry of the last sweep is left on it."""
        if self._paging.absence_closes or not self._remembered or not self.is_read_whole:
            return False
        return bool(self._passage.keys) and self._remembered.isdisjoint(map(mark, self._passage.keys))

    @property
    def oldest(self) -> datetime | None:
        """The lowest rank on the list."""
        return min((*self._ranks.values(), *self._untaken.values()), default=None)

    @property
    def left(self) -> int:
        """How many entries are left to collect: 0 only for a complete sweep, else at least 1."""
        return 0 if self.is_complete else max(1, len(self._untaken), (self.total or 0) - len(self._ranks))

    @property
    def has_progressed(self) -> bool:
        """Whether this sweep collected or covered anything that was not before it."""
        return self.entries.unseen > 0 or self.coverage.stretches != self._started_with.stretches

    @property
    def expected(self) -> int | None:
        """How many entries this sweep will read, as far as the source has told; None = not known yet."""
        return self.entries.seen if self.position is None else self.total

    def take(self, page: Page, known: Container[str]) -> Sorted:
        """Take in the page at `position`; `known`: which of its keys were stored before this sweep began."""
        assert self.position is not None, "the sweep is over"
        self.pages += 1
        self.lasting |= page.lasting or {}
        self.total = self.total if page.total is None else page.total
        drafts = [draft if draft.is_dated else replace(draft, rank=self._now) for draft in page.drafts]
        asked_for = [draft for draft in drafts if draft.key in known or self._wants(draft)]
        # the order means nothing, so that a limit takes the newest first
        asked_for.sort(key=lambda draft: draft.rank, reverse=True)
        entries = self.entries.sort(replace(page, drafts=tuple(asked_for)), known)
        self._note(asked_for, entries)
        self._advance(page)
        return entries

    def abort(self, reason: StopReason) -> None:
        """End the sweep from outside; nothing follows from what is not on a list that was not read to its end."""
        self._end(reason)

    def _note(self, asked_for: Sequence[Draft], entries: Sorted) -> None:
        self._too_old += entries.too_old
        taken = {draft.key: draft.rank for draft in (*entries.new, *entries.seen)}
        self._ranks |= taken
        floor = self._bounds.floor
        for draft in asked_for:
            if draft.key not in taken and not (floor and draft.rank < floor):
                self._untaken[draft.key] = draft.rank

    def _advance(self, page: Page) -> None:
        assert self.position is not None
        leads_on = self._passage.add(page, self.position)
        if page.is_unchanged:
            self.is_unchanged = True
            self._end(StopReason.END_OF_FEED)
        elif leads_on and not self._passage.has_ended(page):
            self._ask_on(self._passage.read - (1 if self._paging.kind == "offset" else 0))
        elif self._is_whole():
            self._conclude(page)
        elif self._passages < MOST_PASSAGES:
            self._shown_before, self._passage = self._passage.told, Passage()
            self._passages += 1
            self._ask_on(0)
        else:
            self._end(StopReason.UNREADABLE_PAGE)

    def _ask_on(self, offset: int) -> None:
        if self._bounds.max_pages is not None and self.pages >= self._bounds.max_pages:
            self._end(StopReason.MAX_PAGES)
        else:
            self.position = Position(offset=offset, size=self._paging.size)

    def _is_whole(self) -> bool:
        """Whether this passage is believed: the source proved it, or those before showed the same."""
        passage = self._passage
        self._alike = self._alike + 1 if passage.told == self._shown_before else 1
        if passage.lacks_entries:
            return bool(passage.keys) and self._alike >= ALIKE_AGAINST_THE_TOTAL
        is_odd = not passage.read and self._started_with.count > 0
        is_odd = is_odd or (self._paging.absence_closes and passage.repeats_itself)
        return self._alike >= ALIKE or (passage.is_proven() and not is_odd)

    def _conclude(self, page: Page) -> None:
        self._end((self.entries.stop_reason or StopReason.LIMIT_REACHED) if self._untaken else StopReason.END_OF_FEED)
        if page.memory is not None and self.is_complete and not self._too_old:
            self.memory = dict(page.memory)
        if self._ranks:
            self.coverage = Coverage(stretches=(self._covered(),))

    def _covered(self) -> Stretch:
        """From the newest entry down to the oldest, or to the newest that the budget did not allow."""
        newest, oldest = max(self._ranks.values()), min(self._ranks.values())
        before = self._started_with.last_seen_max
        upto = max(min(newest, self._now), before or oldest)
        after = max(self._untaken.values(), default=oldest)
        return Stretch(
            upto=max(upto, oldest), after=min(after, upto), count=len(self._ranks), is_ended=self.is_complete
        )

    def _end(self, reason: StopReason) -> None:
        self.stop_reason = reason
        self.position = None


def mark(key: str) -> str:
    """A short sign for a key, to be remembered."""
    return blake2b(key.encode("utf-8", "replace"), digest_size=MARK_BYTES).hexdigest()
