"""A model of a feed that moves between two requests, and a driver that sweeps it with a store in memory."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from inforadar.domain.coverage import Coverage
from inforadar.domain.item import Draft
from inforadar.domain.paging import Page, Paging, Position
from inforadar.domain.sweep import Sweep
from inforadar.domain.watch import Bounds

START = datetime(2026, 1, 1, tzinfo=UTC)
OFFSET = Paging(kind="offset", size=10)
GRID = Paging(kind="page", size=10, has_exact_total=True)
RESIZABLE = Paging(kind="page", size=10, largest_size=25)
FIXED = Paging(kind="page", size=10)
DATED = Paging(kind="page", size=10, depth=30, filters_by_date=True, has_exact_total=True)
BUCKETED = Paging(
    kind="page",
    size=10,
    largest_size=15,
    has_exact_total=True,
    lookback_days=2,
    buckets=(timedelta(days=1), timedelta(days=7), timedelta(days=15)),
)


def moment(minutes: float) -> datetime:
    """A rank so many minutes after the start of the model's world."""
    return START + timedelta(minutes=minutes)


@dataclass
class Feed:
    """Entries by key; shown newest first, ties in an arbitrary but stable order; `now` is what ages count from."""

    paging: Paging = OFFSET
    ranks: dict[str, datetime] = field(default_factory=dict)
    requests: int = 0
    before_request: Callable[["Feed"], None] = lambda _feed: None
    asked: list[Position] = field(default_factory=list)
    now: datetime = START
    _order: list[str] | None = None

    def add(self, key: str, minutes: float) -> None:
        self.ranks[key] = moment(minutes)
        self._order = None

    def withdraw(self, key: str) -> None:
        self.ranks.pop(key, None)
        self._order = None

    def keys(self) -> list[str]:
        if self._order is None:
            self._order = self._sorted()
        return list(self._order)

    def _sorted(self) -> list[str]:
        return sorted(self.ranks, key=lambda key: (self.ranks[key], key[::-1]), reverse=True)

    def serve(self, position: Position) -> Page:
        self.before_request(self)
        self.requests += 1
        self.asked.append(position)
        keys = self.keys()
        if position.window:
            lower, upper = position.window.after, position.window.upto
            lower = self.now - position.window.age if position.window.age else lower
            keys = [
                key
                for key in keys
                if (lower is None or self.ranks[key] > lower) and (upper is None or self.ranks[key] <= upper)
            ]
        if self.paging.depth is not None:
            assert position.offset < self.paging.depth, "asked past the depth cap"
        if self.paging.kind == "page":
            assert position.offset % position.size == 0, "asked between pages"
        shown = keys[position.offset : position.offset + position.size]
        return Page(
            drafts=tuple(draft(key, self.ranks[key]) for key in shown),
            total=len(keys) if self.paging.has_exact_total else None,
            is_last=None if self.paging.kind == "offset" else position.offset + position.size >= len(keys),
        )


def draft(key: str, rank: datetime) -> Draft:
    return Draft(key=key, rank=rank, url=f"https://example.org/{key}", title=key)


@dataclass
class Reader:
    """A query with its store: what is known, what is covered, how many sweeps there were."""

    feed: Feed
    bounds: Bounds = field(default_factory=Bounds)
    coverage: Coverage = field(default_factory=Coverage)
    stored: list[str] = field(default_factory=list)
    sightings: list[list[str]] = field(default_factory=list)
    sweeps: int = 0

    def sweep(self, now: datetime, *, stop_after: int | None = None, most_requests: int = 2_000) -> Sweep:
        """One sweep; `stop_after` pages the process dies, keeping what was committed."""
        self.sweeps += 1
        known = set(self.stored)
        self.sightings.append([])
        sweep = Sweep(self.coverage, self.feed.paging, self.bounds, now, self.sweeps)
        while sweep.position:
            assert sweep.pages < most_requests, "the sweep does not end"
            if stop_after is not None and sweep.pages >= stop_after:
                return sweep
            taken = sweep.take(self.feed.serve(sweep.position), known)
            self.stored.extend(new.key for new in taken.new)
            self.sightings[-1].extend(seen.key for seen in taken.seen)
            self.coverage = sweep.coverage
        self.coverage = sweep.coverage
        return sweep


def feed_of(paging: Paging, minutes: Iterable[float]) -> Feed:
    """A feed with one entry for each of these minutes."""
    feed = Feed(paging=paging)
    for number, minute in enumerate(minutes):
        feed.add(f"k{number}", minute)
    return feed
