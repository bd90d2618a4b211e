"""The real way of a page, from its bytes to the commit, with a stopwatch on each part."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, cast

from bench.pages import body, templates
from inforadar.collect.governor import Governor
from inforadar.collect.progress import Nobody
from inforadar.collect.sweeper import Sweeper
from inforadar.domain.item import Draft
from inforadar.domain.paging import Page, Position
from inforadar.domain.ports import Answer, Source
from inforadar.domain.run import Counters
from inforadar.domain.watch import Bounds, Query, Watch
from inforadar.observe.clock import SystemClock
from inforadar.sources.hh import Hh
from inforadar.store import leases
from inforadar.store.database import Database
from inforadar.store.leases import Lease

WATCH = Watch(name="bench", kind="vacancy")


@dataclass(slots=True)
class Times:
    """Seconds spent in the parts of collecting; what is left of `total_s` is merging and committing."""

    total_s: float = 0.0
    parse_s: float = 0.0
    making_s: float = 0.0

    @property
    def save_s(self) -> float:
        """Merge and commit."""
        return self.total_s - self.parse_s - self.making_s


class LongHh(Hh):
    """hh without its depth cap, so that a long list is one sweep."""

    paging = replace(Hh.paging, depth=None, filters_by_date=False)


@dataclass(slots=True)
class Pages:
    """Stands where the governor stands, and answers from a made-up list: the entries from `first` on.

    `drafts`: what the pages of the last list held, for the floors.
    """

    times: Times
    first: int = 0
    total: int = 0
    is_changed: bool = False
    drafts: list[tuple[Draft, ...]] = field(default_factory=list)
    shapes: list[dict[str, Any]] = field(default_factory=templates)

    def page(self, source: Source, _params: Mapping[str, Any], position: Position, _tell: object) -> Page:
        """The page asked for; the time to make it up is nobody's."""
        began = time.perf_counter()
        made = body(self.shapes, self.first + position.offset, self.total, is_changed=self.is_changed)
        answer = Answer(status=200, headers={}, body=made, url="")
        between = time.perf_counter()
        page = source.read(answer, position)
        self.times.making_s += between - began
        self.times.parse_s += time.perf_counter() - between
        self.drafts.append(page.drafts)
        return replace(page, notes=())

    def take_counters(self) -> Counters:
        """One request was made."""
        return Counters(requests=1)


@dataclass(slots=True)
class Collector:
    """Sweeps lists of made-up pages into a real database with the real sweeper."""

    database: Database
    times: Times = field(default_factory=Times)
    sweeps: int = 0
    pages: Pages = field(init=False)
    lease: Lease = field(init=False)
    sweeper: Sweeper = field(init=False)

    def __post_init__(self) -> None:
        self.pages = Pages(self.times)
        self.sweeper = Sweeper(
            database=self.database,
            source=LongHh(),
            governor=cast(Governor, self.pages),
            clock=SystemClock(),
            listener=Nobody(),
        )
        with self.database.transaction() as tx:
            lease = leases.acquire(tx, "run", "bench", 3600.0, lambda _: False)
        assert isinstance(lease, Lease)
        self.lease = lease

    def sweep(self, first: int, total: int, *, is_changed: bool = False) -> tuple[int, int]:
        """Collect one list as a query of its own; how many items it added and updated."""
        self.sweeps += 1
        self.pages.drafts.clear()
        self.pages.first, self.pages.total, self.pages.is_changed = first, total, is_changed
        query = Query(watch=WATCH.name, source="hh", params={}, bounds=Bounds(), key=f"hh:{self.sweeps}")
        began = time.perf_counter()
        report = self.sweeper.sweep(WATCH, query, self.lease)
        self.times.total_s += time.perf_counter() - began
        if report.error:
            raise RuntimeError(report.error)
        return report.counters.added, report.counters.updated
