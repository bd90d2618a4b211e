"""What the contract suite needs to know of a source, and one trial of it: a small world, swept by the real collector.

A source of somebody else passes the same suite by one more `SourceCase` over a site of the simulator.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from flows.rig import NOON, Radar, Wire, WorldClock, rows, search_of, watch_and_query
from inforadar.collect.report import QueryReport
from inforadar.domain.ports import Answer, Clock, Request, Source, Transport
from inforadar.simulator.entry import Entry
from inforadar.simulator.faults import Fault
from inforadar.simulator.internet import Internet
from inforadar.simulator.world import World
from inforadar.sources.authorization import Authorized
from inforadar.sources.ebay import Ebay, ebay_client
from inforadar.sources.habr import Habr
from inforadar.sources.habr_html import HabrHtml
from inforadar.sources.hh import Hh
from inforadar.sources.infojobs import InfoJobs
from inforadar.sources.linkedin import LinkedIn
from inforadar.sources.rest import Rest
from inforadar.sources.rest_plan import plan_of
from inforadar.store import query_states, runs
from inforadar.store.database import Database
from inforadar.store.query_states import QueryState
from inforadar.store.runs import Run

APART = timedelta(minutes=50)
COIN = {"title": "1921 Morgan Dollar silver coin"}


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
    """One source under the contract: how it is made, what it is asked, which site of the simulator answers.

    `entry`: what an entry of that site must have for the question to find it. `dress`: what stands between the
    source and the wire, such as whoever fetches tokens. `is_dated`: whether its entries carry a date.
    `id_of`: the site's id behind a key of ours.
    """

    name: str
    make: Callable[[], Source]
    site: str
    params: Mapping[str, Any] = field(default_factory=dict)
    entry: Mapping[str, Any] = field(default_factory=dict)
    dress: Callable[[Transport, Clock], Transport] = lambda wire, _clock: wire
    is_dated: bool = True
    id_of: Callable[[str], str] = str


class RestOnTrial(Rest):
    """A JSON API that is asked at the site of its trial, wherever its query says it is."""

    def serving(self, params: Mapping[str, Any], memory: Mapping[str, Any]) -> Rest:
        served = super().serving(params, memory)
        served.base_url = None
        return served


def rest(path: str, **params: Any) -> SourceCase:
    """Any JSON API, given only configuration."""
    told = {"url": f"https://rest.test/api/{path}", "id": "key.id", "title": "attributes.name", "date": "posted"}
    told |= {"link": "links[0].href", "fields": {"company": "owner.name", "place": "attributes.city"}, **params}
    told = {name: value for name, value in told.items() if value is not None}
    name, is_dated = f"rest-{path}", "date" in told
    return SourceCase(
        name=name if is_dated else f"{name}-undated",
        make=lambda: RestOnTrial(plan=plan_of(told)),
        site="rest",
        params=told,
        is_dated=is_dated,
        id_of=lambda key: key.rpartition("#")[2],
    )


def with_tokens(wire: Transport, clock: Clock) -> Transport:
    """A wire on which eBay's tokens are fetched when they are needed."""
    return Authorized(transport=wire, client=ebay_client("app", "secret"), clock=clock)


CASES = (
    SourceCase(name="hh", make=Hh, site="hh"),
    SourceCase(name="linkedin", make=LinkedIn, site="linkedin"),
    SourceCase(name="habr", make=Habr, site="habr", entry={"kind": "article", "lang": "ru"}),
    SourceCase(name="habr-html", make=HabrHtml, site="habr", entry={"kind": "article", "lang": "ru"}),
    SourceCase(name="infojobs", make=lambda: InfoJobs(client_id="app", client_secret="secret"), site="infojobs"),
    rest("page", page="page", list="data.items", total="data.total", size_param="size", page_size=15),
    rest("plain", page="page", list="items", page_param="p", first_page=0, page_size=10),
    rest("offset", page="offset", list="results", total="count", size_param="limit", page_size=12),
    rest("cursor", page="cursor", list="items", next="next", size_param="limit", date="posted_s", date_format="unix"),
    rest("link", page="link", size_param="limit"),
    rest("shuffled", page="page", list="data.items", total="data.total", size_param="size", order="none"),
    rest("offset", page="offset", list="results", size_param="limit", date=None),
    SourceCase(name="ebay", make=Ebay, site="ebay", params={"q": "coin"}, entry=COIN, dress=with_tokens),
)


class Trial:
    """A still world with so many pages of entries, one query over it, and a process that sweeps it."""

    def __init__(self, case: SourceCase, database: Database, *, pages: float = 1.5, **bounds: Any) -> None:
        self.case = case
        self.database = database
        self.source = case.make()
        self.size = self.source.paging.size
        self.world = World(seed=1, start_at=NOON)
        self.internet = Internet(self.world)
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
        keys = [self.case.id_of(row["key"]) for row in rows(self.database, "SELECT key FROM items")]
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
