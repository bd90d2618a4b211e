"""Ways to collect a feed: ours, the three that others use, and the ideal that knows where everything is."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from bench.movement import HOUR, Feed, moment
from inforadar.domain.coverage import Coverage
from inforadar.domain.item import Draft
from inforadar.domain.paging import Position
from inforadar.domain.shares import lookback_pages
from inforadar.domain.sweep import Sweep
from inforadar.domain.watch import Bounds

PAGE_LIMIT = 5


class Rival(Protocol):
    """Someone who collects a feed; `stored` is what was handed on as new, in order."""

    name: str
    feed: Feed
    stored: list[str]

    def sweep(self, latency: float) -> None:
        """One cycle."""
        ...


@dataclass
class Ours:
    """The sweep of this project."""

    feed: Feed
    limit: int | None = None
    name: str = "our sweep"
    stored: list[str] = field(default_factory=list)
    coverage: Coverage = field(default_factory=Coverage)
    sweeps: int = 0

    def sweep(self, latency: float) -> None:
        """One cycle."""
        self.sweeps += 1
        known = set(self.stored)
        bounds = Bounds(limit=self.limit)
        sweep = Sweep(self.coverage, self.feed.script.paging, bounds, moment(self.feed.minute), self.sweeps)
        while sweep.position:
            taken = sweep.take(self.feed.ask(sweep.position, latency), known)
            self.stored.extend(entry.key for entry in taken.new)
        self.coverage = sweep.coverage


@dataclass
class Pager:
    """Pages from the top; what differs between the rivals is when they stop."""

    feed: Feed
    limit: int | None = None
    name: str = ""
    stored: list[str] = field(default_factory=list)

    def page(self, number: int, latency: float) -> tuple[Draft, ...]:
        """One page of the feed."""
        paging = self.feed.script.paging
        position = Position(offset=number * paging.size, size=paging.size)
        if paging.depth is not None and position.offset >= paging.depth:
            return ()
        return self.feed.ask(position, latency).drafts


@dataclass
class FirstKnown(Pager):
    """Stops at the first entry that is in its store."""

    name: str = "stop at the first known"

    def sweep(self, latency: float) -> None:
        """One cycle."""
        known = set(self.stored)
        number = unseen = 0
        while drafts := self.page(number, latency):
            for draft in drafts:
                if draft.key in known or unseen == self.limit:
                    return
                known.add(draft.key)
                self.stored.append(draft.key)
                unseen += 1
            number += 1


@dataclass
class HighWater(Pager):
    """Takes what is newer than the newest of the last cycle, from at most a few pages; its first cycle takes all."""

    name: str = "high-water mark"
    mark: datetime | None = None

    def sweep(self, latency: float) -> None:
        """One cycle."""
        mark, number, unseen = self.mark, 0, 0
        highest = mark
        while drafts := self._next(number, latency):
            for draft in drafts:
                if (mark is not None and draft.rank <= mark) or unseen == self.limit:
                    self.mark = highest
                    return
                highest = draft.rank if highest is None else max(highest, draft.rank)
                self.stored.append(draft.key)
                unseen += 1
            number += 1
        self.mark = highest

    def _next(self, number: int, latency: float) -> tuple[Draft, ...]:
        return () if self.mark is not None and number >= PAGE_LIMIT else self.page(number, latency)


@dataclass
class ReWalk(Pager):
    """Reads the whole list in every cycle; with a limit, until it has that many unseen entries."""

    name: str = "full re-walk"

    def sweep(self, latency: float) -> None:
        """One cycle."""
        known = set(self.stored)
        number = unseen = 0
        while drafts := self.page(number, latency):
            for draft in drafts:
                if draft.key in known:
                    continue
                if unseen == self.limit:
                    return
                known.add(draft.key)
                self.stored.append(draft.key)
                unseen += 1
            number += 1


@dataclass
class Ideal:
    """Knows where every new entry stands: asks for the pages that hold one, and for the look-back pages."""

    feed: Feed
    limit: int | None = None
    name: str = "ideal"
    stored: list[str] = field(default_factory=list)
    sweeps: int = 0
    mark: float = float("-inf")

    def sweep(self, latency: float) -> None:  # noqa: ARG002 - it needs no time
        """One cycle; look-back pages are the first 2^k pages of ground covered before it."""
        self.sweeps += 1
        known, size = set(self.stored), self.feed.script.paging.size
        new = [place for place, (_, key) in enumerate(self.feed.entries) if key not in known][: self.limit]
        pages = {place // size for place in new} | self._lookback(new, known)
        self.feed.requests += max(1, len(pages))
        self.stored.extend(self.feed.entries[place][1] for place in new)
        self.mark = max([self.mark, *(-rank for rank, _ in self.feed.entries[:1])])

    def _lookback(self, new: list[int], known: set[str]) -> set[int]:
        """Pages of ground covered before; none where the limit is spent on what stands above it."""
        paging = self.feed.script.paging
        fresh = sum(1 for rank, _ in self.feed.entries if -rank > self.mark)
        if self.limit is not None and sum(place < fresh for place in new) >= self.limit:
            return set()
        oldest = self.feed.minute - paging.lookback_days * 24 * HOUR
        known_places = (n for n, (rank, key) in enumerate(self.feed.entries) if key in known and -rank >= oldest)
        begin, end = -(-fresh // paging.size), max(known_places, default=-1) // paging.size + 1
        # Under a limit most of what is new deep down is backlog, not late.
        late = {place // paging.size for place in new} if self.limit is None else set()
        return _look_back(begin, end, lookback_pages(self.sweeps), late)


def _look_back(begin: int, end: int, need: int, late: set[int]) -> set[int]:
    """`need` pages from `begin` on; a late arrival found at depth d makes it read on to 2d."""
    pages: set[int] = set()
    for page in range(begin, end):
        if len(pages) >= need:
            break
        pages.add(page)
        if page in late:
            need = max(need, 2 * len(pages))
    return pages
