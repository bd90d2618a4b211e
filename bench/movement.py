"""A feed that moves by its own clock: a script drawn from a seed, and copies of the feed that play it.

Every rival plays the same script: what happens depends on the minute alone, never on who asks or how often.
"""

from bisect import insort
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from heapq import merge
from random import Random

from inforadar.domain.item import Draft
from inforadar.domain.paging import Page, Paging, Position

START = datetime(2026, 1, 1, tzinfo=UTC)
HOUR = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """How many events of each kind an hour brings on average.

    `tie_size`: entries that arrive together under one date; `late_depth`: how many entries down a late one may
    appear; `expiry_size`: neighbours that vanish together in one expiry; `busy_top`: the share of withdrawals
    and bumps that strike the newest forty entries.
    """

    arrivals: float = 6.0
    late: float = 0.0
    withdrawals: float = 0.0
    expiries: float = 0.0
    bumps: float = 0.0
    tie_size: int = 1
    late_depth: int = 70
    expiry_size: int = 12
    busy_top: float = 0.5


@dataclass(frozen=True, slots=True, order=True)
class Event:
    """At this minute the entry stands at this rank (in minutes), or nowhere any more."""

    minute: float
    key: str
    rank: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """Everything that happens to one feed, and the minutes between which each entry is in the list."""

    paging: Paging
    events: tuple[Event, ...]
    spans: dict[str, tuple[float, float]]


@dataclass(slots=True)
class Feed:
    """One copy of the feed at the minute its script was played to."""

    script: Script
    minute: float = 0.0
    requests: int = 0
    entries: list[tuple[float, str]] = field(default_factory=list)
    _ranks: dict[str, float] = field(default_factory=dict)
    _played: int = 0

    def advance(self, minute: float) -> None:
        """Play the script up to this minute."""
        events = self.script.events
        while self._played < len(events) and events[self._played].minute <= minute:
            self.place(events[self._played])
            self._played += 1
        self.minute = max(self.minute, minute)

    def place(self, event: Event) -> None:
        """Do what one event says."""
        old = self._ranks.pop(event.key, None)
        if old is not None:
            self.entries.remove((-old, event.key))
        if event.rank is not None:
            self._ranks[event.key] = event.rank
            insort(self.entries, (-event.rank, event.key))

    def ask(self, position: Position, latency: float) -> Page:
        """The answer to one request, which takes its time: the list is the one at the end of it."""
        self.advance(self.minute + latency)
        self.requests += 1
        paging = self.script.paging
        shown = self._in_window(position)
        end = position.offset + position.size
        return Page(
            drafts=tuple(draft(key, -rank) for rank, key in shown[position.offset : end]),
            total=len(shown) if paging.has_exact_total else None,
            is_last=None if paging.kind == "offset" else end >= len(shown),
        )

    def _in_window(self, position: Position) -> list[tuple[float, str]]:
        window = position.window
        if window is None:
            return self.entries
        after = minutes(window.after) if window.after else float("-inf")
        upto = minutes(window.upto) if window.upto else float("inf")
        return [(rank, key) for rank, key in self.entries if after < -rank <= upto]


def moment(minute: float) -> datetime:
    """The date of a minute."""
    return START + timedelta(minutes=minute)


def minutes(at: datetime) -> float:
    """The minute of a date."""
    return (at - START) / timedelta(minutes=1)


def draft(key: str, rank: float) -> Draft:
    """An entry as a source would show it."""
    return Draft(key=key, rank=moment(rank), url=f"https://example.org/{key}", title=key)


def write_script(paging: Paging, pace: Pace, *, stock: int, hours: int, seed: int) -> Script:
    """Draw what happens in so many hours to a feed that holds `stock` entries at the start."""
    chance = Random(seed)
    names = (f"{chance.getrandbits(40):010x}" for _ in iter(int, 1))
    span = stock / (pace.arrivals + pace.late) * HOUR
    start = sorted(chance.uniform(-span, 0.0) for _ in range(stock))
    feed = Feed(Script(paging=paging, events=(), spans={}))
    events = [Event(0.0, next(names), rank) for rank in start]
    for event in events:
        feed.place(event)
    for minute, kind in _moments(pace, hours, chance):
        for event in _happen(kind, minute, feed, pace, chance, names):
            feed.place(event)
            events.append(event)
    return Script(paging=paging, events=tuple(events), spans=_spans(events))


def _moments(pace: Pace, hours: int, chance: Random) -> Iterator[tuple[float, str]]:
    rates = {
        "arrive": pace.arrivals / pace.tie_size,
        "late": pace.late,
        "withdraw": pace.withdrawals,
        "expire": pace.expiries,
        "bump": pace.bumps,
    }
    return merge(*(_poisson(kind, rate, hours, chance) for kind, rate in rates.items() if rate))


def _poisson(kind: str, rate: float, hours: int, chance: Random) -> list[tuple[float, str]]:
    moments = []
    minute = chance.expovariate(rate) * HOUR
    while minute < hours * HOUR:
        moments.append((minute, kind))
        minute += chance.expovariate(rate) * HOUR
    return moments


def _happen(kind: str, minute: float, feed: Feed, pace: Pace, chance: Random, names: Iterator[str]) -> list[Event]:
    if kind == "arrive":
        return [Event(minute, next(names), minute) for _ in range(pace.tie_size)]
    if not feed.entries:
        return []
    if kind == "late":
        rank = -feed.entries[min(chance.randrange(pace.late_depth), len(feed.entries) - 1)][0]
        return [Event(minute, next(names), rank - 0.001)]
    place = _place(feed, pace, chance)
    if kind == "expire":
        return [Event(minute, key, None) for _, key in feed.entries[place : place + pace.expiry_size]]
    return [Event(minute, feed.entries[place][1], minute if kind == "bump" else None)]


def _place(feed: Feed, pace: Pace, chance: Random) -> int:
    reach = len(feed.entries)
    return chance.randrange(min(40, reach) if chance.random() < pace.busy_top else reach)


def _spans(events: list[Event]) -> dict[str, tuple[float, float]]:
    spans: dict[str, tuple[float, float]] = {}
    for event in events:
        begin, _ = spans.get(event.key, (event.minute, 0.0))
        spans[event.key] = (begin, float("inf") if event.rank is not None else event.minute)
    return spans
