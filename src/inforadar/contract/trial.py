"""What the contract suite must know of a source, and one trial of it: a small world, swept by the real collector."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from inforadar.collect.report import QueryReport
from inforadar.contract.fake_site import SHELF, FakeSite
from inforadar.contract.rig import NOON, Radar, Wire, WorldClock, search_of, watch_and_query
from inforadar.domain.ports import Answer, Clock, Request, Source, Transport
from inforadar.simulator.entry import Entry
from inforadar.simulator.faults import Fault
from inforadar.simulator.internet import Internet
from inforadar.simulator.sites import SITES, Site
from inforadar.simulator.world import World
from inforadar.store import inbox, query_states, runs
from inforadar.store.database import Database
from inforadar.store.inbox import Wanted
from inforadar.store.query_states import QueryState
from inforadar.store.runs import Run

APART = timedelta(minutes=50)
MOST_STORED = 100_000


class PostingWire(Wire):
    """A wire that also carries what is sent."""

    def send(self, base_url: str, request: Request) -> Answer:
        if request.method == "GET":
            return super().send(base_url, request)
        headers = {name.lower(): value for name, value in request.headers.items()}
        answer = self.internet.ask(base_url, request.path, request.params, headers, request.body)
        return self._delivered(base_url, request.path, answer)


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceCase:
    """One source under the contract: how it is made, what it is asked, who answers: a site of the simulator, or `fake`.

    `entry`: what an entry of that site must have for the question to find it. `dress`: what stands between the
    source and the wire, such as whoever fetches tokens. `is_dated`: whether its entries carry a date.
    `id_of`: the site's id behind a key of ours.
    """

    name: str
    make: Callable[[], Source]
    site: str = SHELF
    fake: FakeSite | None = None
    params: Mapping[str, Any] = field(default_factory=dict)
    entry: Mapping[str, Any] = field(default_factory=dict)
    dress: Callable[[Transport, Clock], Transport] = lambda wire, _clock: wire
    is_dated: bool = True
    id_of: Callable[[str], str] = str

    @property
    def sites(self) -> Mapping[str, Site]:
        """The sites of the simulator, with the fake one in its place."""
        return {**SITES, self.site: self.fake.site()} if self.fake else SITES


class Trial:
    """A still world with so many pages of entries, one query over it, and a process that sweeps it."""

    def __init__(self, case: SourceCase, database: Database, *, pages: float = 1.5, **bounds: Any) -> None:
        self.case = case
        self.database = database
        self.source = case.make()
        self.size = self.source.paging.size
        self.world = World(seed=1, start_at=NOON)
        self.internet = Internet(self.world, sites=case.sites)
        self.entries = [self.add(NOON - number * APART) for number in range(int(pages * self.size))]
        self.search = search_of(self.internet, case.site, self.source, case.params)
        self.watch, self.query = watch_and_query(self.source, case.params, **bounds)
        self.radar = self.process()

    def process(self, **given: Any) -> Radar:
        """A process over this trial's database and world."""
        name = self.source.name
        wire = given.pop("transport", None) or PostingWire(self.internet)
        given["transport"] = self.case.dress(wire, WorldClock(self.internet))
        defaults: dict[str, Any] = {
            "database": self.database,
            "internet": self.internet,
            "sites": {name: self.case.site},
        }
        return Radar(**{**defaults, "sources": {name: self.source}, **given})

    def add(self, published_at: Any = None) -> Entry:
        """Publish an entry that the query finds; now unless told."""
        given = {} if published_at is None else {"published_at": published_at}
        return self.world.add(self.case.site, **given, **self.case.entry)

    def withdraw(self, *places: int) -> None:
        """Take entries off the list by their place in it."""
        shown = self.world.listing(self.search)
        for entry in [shown[place] for place in places]:
            self.world.withdraw(self.case.site, entry.id)

    def faults(self, *faults: Fault) -> None:
        """Switch these on and all others off."""
        self.internet.faults.replace(faults)

    def before_page(self, number: int, do: Callable[[], object]) -> None:
        """Do something to the world just before a page is asked for, counted from 1 over the whole trial."""
        self.internet.before_list(self.case.site, number, lambda _: do())

    def sweep(self, times: int = 1) -> QueryReport:
        """So many sweeps; the report of the last one."""
        for _ in range(times):
            report = self.radar.fetch_one(self.watch, self.query)
            assert_honest(self, report)
        return report

    @property
    def visible(self) -> set[str]:
        """What the site shows now."""
        return set(self.world.visible_ids(self.search))

    @property
    def stored(self) -> set[str]:
        """The keys of the items held, each of them once."""
        with self.database.reading() as tx:
            items = {one.item_id: one.key for one in inbox.search(tx, Wanted(), limit=MOST_STORED)}
        keys = [self.case.id_of(key) for key in items.values()]
        assert len(keys) == len(set(keys))
        return set(keys)

    @property
    def run(self) -> Run:
        """The record of the latest sweep."""
        with self.database.reading() as tx:
            return runs.recent(tx, self.query.key)[0]

    @property
    def state(self) -> QueryState:
        """Where the query stands."""
        with self.database.reading() as tx:
            state = query_states.get(tx, self.query)
        assert state is not None
        return state


def assert_honest(trial: Trial, report: QueryReport) -> None:
    """The report, the run record and the query's state tell one and the same story, and a true one."""
    run, state = trial.run, trial.state
    assert run.counters == report.counters
    assert (run.stop_reason, run.left, run.id) == (report.stop_reason, report.left, report.run_id)
    assert run.finished_at is not None
    assert state.status == report.status
    expected = "ERROR" if report.status == "ERROR" else "PARTIAL" if report.left else "SUCCESS"
    assert run.status == expected
    assert run.counters.requests >= run.counters.pages
    assert run.counters.seen == run.counters.unseen + run.counters.known
    assert (state.last_error is not None) == (state.status == "ERROR")
    assert bool(state.consecutive_failures) == (state.status == "ERROR")
    assert len(report.added) == report.counters.added == len(set(report.added))
    if report.error:
        assert run.notes == (report.error,)
