"""Small worlds for the tests of flows: a site with a few pages, a query over it, and processes that come and go."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

from flows.rig import NOON, Radar, rows, watch_and_query
from inforadar.collect.report import QueryReport
from inforadar.domain.ports import Source
from inforadar.domain.watch import Query, Watch
from inforadar.simulator.entry import Entry
from inforadar.simulator.faults import Fault
from inforadar.simulator.internet import Internet
from inforadar.simulator.world import World
from inforadar.sources.habr import Habr
from inforadar.sources.hh import Hh
from inforadar.sources.linkedin import LinkedIn
from inforadar.store import query_states, runs
from inforadar.store.database import Database
from inforadar.store.query_states import QueryState
from inforadar.store.runs import Run

PAGE = 5
HOUR = timedelta(hours=1)
ARTICLE: Mapping[str, Any] = {"kind": "article", "lang": "ru"}


def small_hh() -> Hh:
    """hh with five vacancies a page, so that a few of them make a list of many pages."""
    source = Hh()
    source.paging = replace(source.paging, size=PAGE, largest_size=PAGE)
    return source


@dataclass
class Scene:
    """A world that only the test moves, and the real collector over it."""

    database: Database
    world: World = field(default_factory=lambda: World(seed=1, start_at=NOON))
    sources: dict[str, Source] = field(
        default_factory=lambda: {"hh": small_hh(), "linkedin": LinkedIn(), "habr": Habr()}
    )
    internet: Internet = field(init=False)

    def __post_init__(self) -> None:
        self.internet = Internet(self.world)

    def publish(self, count: int, site: str = "hh", *, hours_apart: float = 1.0, **given: Any) -> list[Entry]:
        """So many entries, the newest of them now."""
        defaults = ARTICLE if site == "habr" else {"experience": "between1And3"}
        return [
            self.world.add(site, **{**defaults, "published_at": self.world.now - number * hours_apart * HOUR, **given})
            for number in range(count)
        ]

    def faults(self, *faults: Fault) -> None:
        """Switch these on and all others off."""
        self.internet.faults.replace(faults)

    def ask(self, source: str = "hh", params: Mapping[str, Any] | None = None, **given: Any) -> tuple[Watch, Query]:
        """A watch with one query."""
        return watch_and_query(self.sources[source], params or {}, **given)

    def process(self, **given: Any) -> Radar:
        """A process over this world and database."""
        return Radar(**{"database": self.database, "internet": self.internet, "sources": self.sources, **given})

    def sweep(self, asked: tuple[Watch, Query], **given: Any) -> QueryReport:
        """One sweep by a process of its own."""
        return self.process(**given).fetch_one(*asked)

    def keys(self, text: str = "SELECT key FROM items") -> list[str]:
        """The keys a statement finds, sorted."""
        return sorted(row["key"] for row in rows(self.database, text))

    def matches(self, watch: str) -> list[str]:
        """The keys of the items a watch has, sorted."""
        text = "SELECT i.key FROM matches m JOIN items i ON i.id = m.item_id WHERE m.watch = :watch"
        return sorted(row["key"] for row in rows(self.database, text, watch=watch))

    def state(self, query: Query) -> QueryState:
        """Where a query stands."""
        with self.database.reading() as tx:
            state = query_states.get(tx, query)
        assert state is not None
        return state

    def runs(self, query: Query | None = None) -> list[Run]:
        """The records of sweeps, newest first."""
        with self.database.reading() as tx:
            return runs.recent(tx, query and query.key)


def ids(entries: list[Entry]) -> list[str]:
    """The keys of entries, sorted."""
    return sorted(entry.id for entry in entries)
