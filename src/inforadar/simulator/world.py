"""The world: what exists on each site, what is visible, since when, and what will happen next.

A world is moved only by `advance` and by the plain changes below (`add`, `withdraw`, `bump`, ...). Time
passes from one planned event to the next, so many small advances end in the same world as one big one.
Invariant: every change of visibility is kept as a span, so that the truth of any past moment can be asked.
"""

import heapq
import itertools
from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import UTC, datetime
from random import Random
from typing import Any, NamedTuple

from inforadar.simulator.entry import Closing, Entry
from inforadar.simulator.faults import PAGE_STATES
from inforadar.simulator.making import make_entry
from inforadar.simulator.search import Search, matches

BOARDS = ("greenhouse", "lever", "ashby", "smartrecruiters", "workable", "recruitee")
SOURCES = ("hh", "linkedin", "habr", "infojobs", "ebay", "rest", *BOARDS, "feed")
FIRST_IDS = {
    "hh": 130_000_000,
    "linkedin": 4_400_000_000,
    "habr": 1_060_000,
    "infojobs": 237_090_954_317 * 10**18,
    "ebay": 136_942_000_000,
    "rest": 5_000,
    **dict.fromkeys(BOARDS, 7_440_000_000),
    "feed": 60_000,
}
LARGEST_ID_STEPS = {"hh": 40, "linkedin": 900, "habr": 3, "infojobs": 10**18, "ebay": 900, "rest": 3, "feed": 3}
LARGEST_ID_STEPS |= dict.fromkeys(BOARDS, 700)
DRAFTS_KEPT = 12


class Span(NamedTuple):
    """A stretch of time in which an entry was visible; `end` None = it still is."""

    start: datetime
    end: datetime | None

    def holds(self, at: datetime) -> bool:
        """Whether the entry was visible at this moment."""
        return self.start <= at and (self.end is None or at < self.end)

    def encloses(self, start: datetime, end: datetime) -> bool:
        """Whether the entry was visible all the time from `start` to `end`."""
        return self.start <= start and (self.end is None or end < self.end)


class PageState(NamedTuple):
    """The state of an entry's own page for so many visits to come; None = for good."""

    name: str
    visits: int | None


class World:
    """Everything the sites hold at one moment, and the truth about all moments before.

    `labels` say by (source, id) what a scenario meant an entry to be.
    """

    def __init__(self, *, seed: int, start_at: datetime, hostile_share: float = 0.0) -> None:
        self.seed = seed
        self.start_at = start_at.astimezone(UTC)
        self.now = self.start_at
        self.hostile_share = hostile_share
        self._entries: dict[str, dict[str, Entry]] = {source: {} for source in SOURCES}
        self._spans: dict[str, dict[str, list[Span]]] = {source: {} for source in SOURCES}
        self._visible: dict[str, dict[str, None]] = {source: {} for source in SOURCES}
        self._last_id = dict(FIRST_IDS)
        self._drafts: list[str] = []
        self._agenda: list[tuple[datetime, int, Callable[[], object]]] = []
        self._order = itertools.count()
        self._script_chance = self.chance("script")
        self.labels: dict[tuple[str, str], str] = {}
        self._pages: dict[tuple[str, str], PageState] = {}
        self._listings: dict[Search, tuple[Entry, ...]] = {}

    def chance(self, stream: str) -> Random:
        """A stream of chance of its own, fixed by the world's seed."""
        return Random(f"{self.seed}/{stream}")

    def later(self, at: datetime, do: Callable[[], object]) -> None:
        """Plan something for a moment to come."""
        heapq.heappush(self._agenda, (at, next(self._order), do))

    def rest(self) -> None:
        """Forget all that is planned: from now on nothing happens by itself."""
        self._agenda.clear()

    def advance(self, to: datetime) -> None:
        """Let time pass to this moment, with everything planned until then; time never goes back."""
        if to < self.now:
            raise ValueError(f"the world is at {self.now.isoformat()} already, it cannot go back")
        while self._agenda and self._agenda[0][0] <= to:
            at, _, do = heapq.heappop(self._agenda)
            self.now = max(self.now, at)
            do()
        self.now = to

    def next_id(self, source: str, chance: Random, *, is_consecutive: bool = False) -> str:
        """A fresh id; Habr gives its ids to drafts, so there they are not in the order of publication."""
        step = 1 if is_consecutive else chance.randint(1, LARGEST_ID_STEPS[source])
        self._last_id[source] += step
        if source != "habr":
            return str(self._last_id[source])
        self._drafts.append(str(self._last_id[source]))
        if len(self._drafts) < DRAFTS_KEPT:
            self._last_id[source] += 1
            return str(self._last_id[source])
        return self._drafts.pop(chance.randrange(len(self._drafts)))

    def place(self, entry: Entry, visible_at: datetime | None = None) -> Entry:
        """Put an entry into its site, visible from now or since `visible_at` in the past."""
        if entry.id in self._entries[entry.source]:
            raise ValueError(f"{entry.source} has an entry {entry.id} already")
        self._entries[entry.source][entry.id] = entry
        self._spans[entry.source][entry.id] = []
        self._open_span(entry.source, entry.id, visible_at or self.now)
        return entry

    def add(self, source: str, **given: Any) -> Entry:
        """Publish an entry; fields that are not given are made up, `published_at` is now unless given."""
        entry_id = str(given.pop("id", None) or self.next_id(source, self._script_chance))
        published_at = given.pop("published_at", self.now)
        given.setdefault("created_at", published_at.replace(microsecond=0))
        return self.place(make_entry(source, entry_id, published_at, self._script_chance, **given))

    def withdraw(self, source: str, entry_id: str, closing: Closing = "archived") -> None:
        """Take an entry off the list for good; `archived` still has its own page, `deleted` has none."""
        self._change(source, entry_id, closing=closing)
        self._close_span(source, entry_id)

    def bump(self, source: str, entry_id: str) -> None:
        """Raise an entry to the top: the same id, dated now."""
        self._change(source, entry_id, published_at=self.now.replace(microsecond=0))

    def edit(self, source: str, entry_id: str, **fields: Any) -> None:
        """Change what the author may change: title, snippet, tags, salary."""
        self._change(source, entry_id, **fields)

    def hide(self, source: str, entry_id: str) -> None:
        """Drop an entry from the lists while its own page goes on."""
        self.entry(source, entry_id)
        self._close_span(source, entry_id)

    def show(self, source: str, entry_id: str) -> None:
        """Bring a hidden entry back, unless it was withdrawn meanwhile."""
        if self.entry(source, entry_id).closing == "open" and entry_id not in self._visible[source]:
            self._open_span(source, entry_id, self.now)

    def set_page(self, source: str, entry_id: str, state: str, visits: int | None = None) -> None:
        """Put the entry's own page, and it alone, into a state: one of PAGE_STATES, or `open`.

        Lists go on showing the entry. After so many visits the page is itself again.
        """
        if state != "open" and state not in PAGE_STATES:
            raise ValueError(f"a page is open, {', '.join(PAGE_STATES)}, not {state!r}")
        self.entry(source, entry_id)
        self._pages[source, entry_id] = PageState(state, visits)

    def page_state(self, source: str, entry_id: str) -> str:
        """The state of an entry's own page at the next visit."""
        return self._pages.get((source, entry_id), PageState("open", None)).name

    def visit_page(self, source: str, entry_id: str) -> str:
        """The state of an entry's own page at this visit, which counts."""
        name, visits = self._pages.get((source, entry_id), PageState("open", None))
        if visits is not None:
            self._pages[source, entry_id] = PageState(name if visits > 1 else "open", max(visits - 1, 1))
        return name

    def entry(self, source: str, entry_id: str) -> Entry:
        """The entry with this id, visible or not; KeyError if there was never one."""
        return self._entries[source][entry_id]

    def find(self, source: str, entry_id: str) -> Entry | None:
        """The entry with this id if the site still has a page of it."""
        entry = self._entries[source].get(entry_id)
        return None if entry is None or entry.closing == "deleted" else entry

    def visible_in(self, source: str) -> list[str]:
        """The ids of all entries a site lists now, oldest placed first."""
        return list(self._visible[source])

    def listing(self, search: Search) -> tuple[Entry, ...]:
        """What a search shows now, newest first; equal dates by id, greatest first."""
        if search not in self._listings:
            held = self._entries[search.source]
            found = (held[entry_id] for entry_id in self._visible[search.source])
            self._listings[search] = newest_first(entry for entry in found if matches(search, entry))
        return self._listings[search]

    def visible_ids(self, search: Search, at: datetime | None = None) -> frozenset[str]:
        """The ids a search showed at a moment, now unless given."""
        moment = at or self.now
        return self._ids(search, lambda span: span.holds(moment))

    def ever_visible_ids(self, search: Search) -> frozenset[str]:
        """The ids a search showed at any moment so far."""
        return self._ids(search, lambda _: True)

    def visible_throughout(self, search: Search, start: datetime, end: datetime) -> frozenset[str]:
        """The ids a search showed without a break from `start` to `end`: what a complete sweep must have."""
        return self._ids(search, lambda span: span.encloses(start, end))

    def spans(self, source: str, entry_id: str) -> tuple[Span, ...]:
        """The stretches of time in which an entry was visible."""
        return tuple(self._spans[source].get(entry_id, ()))

    def counts(self) -> dict[str, dict[str, int]]:
        """How many entries each site has ever had and lists now."""
        return {
            source: {"entries": len(self._entries[source]), "visible": len(self._visible[source])} for source in SOURCES
        }

    def _ids(self, search: Search, is_meant: Callable[[Span], bool]) -> frozenset[str]:
        spans = self._spans[search.source]
        return frozenset(
            entry.id
            for entry in self._entries[search.source].values()
            if any(map(is_meant, spans[entry.id])) and matches(search, entry)
        )

    def _change(self, source: str, entry_id: str, **fields: Any) -> None:
        self._entries[source][entry_id] = replace(self._entries[source][entry_id], **fields)
        self._listings.clear()

    def _open_span(self, source: str, entry_id: str, at: datetime) -> None:
        self._visible[source][entry_id] = None
        self._spans[source][entry_id].append(Span(at, None))
        self._listings.clear()

    def _close_span(self, source: str, entry_id: str) -> None:
        if self._visible[source].pop(entry_id, "absent") is None:
            self._spans[source][entry_id][-1] = self._spans[source][entry_id][-1]._replace(end=self.now)
        self._listings.clear()


def newest_first(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    """Entries in the order of a list sorted by date."""
    return tuple(sorted(entries, key=lambda entry: (entry.published_at, int(entry.id)), reverse=True))
