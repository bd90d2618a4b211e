"""Processes of Radar over a simulated internet without sockets: the real collector and store, no real time."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from random import Random
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from inforadar.collect.fetch import Fetcher
from inforadar.collect.gate import SharedGate
from inforadar.collect.governor import Governor
from inforadar.collect.list_keeping import SoundGap
from inforadar.collect.progress import Listener, Nobody
from inforadar.collect.report import FetchReport, QueryReport
from inforadar.collect.serving import name_at
from inforadar.collect.sweeper import Sweeper
from inforadar.domain.errors import SourceError, Unavailable, Unreadable
from inforadar.domain.health import Admitted, Closed
from inforadar.domain.paging import Position
from inforadar.domain.ports import Answer, Gate, Request, Source, Transport
from inforadar.domain.query_key import query_key
from inforadar.domain.run import Counters
from inforadar.domain.watch import Bounds, Query, Watch
from inforadar.simulator.internet import Internet
from inforadar.simulator.search import Search
from inforadar.simulator.wire import Response
from inforadar.store import sources
from inforadar.store.database import Database

NOON = datetime(2026, 1, 5, 12, tzinfo=UTC)
LARGEST_BODY = 20_000_000


@dataclass(slots=True)
class Wire:
    """A transport that asks the simulator in this thread; the base_url of a site is its name in the simulator."""

    internet: Internet
    before: Callable[[Request], None] = lambda _: None

    def send(self, base_url: str, request: Request) -> Answer:
        """The answer of the site, in this thread."""
        self.before(request)
        headers = {name.lower(): value for name, value in request.headers.items()}
        if request.url is not None:
            address = urlsplit(request.url)
            site = (address.hostname or "").removesuffix(".test")
            params = tuple(parse_qsl(address.query))
            answer = self._delivered(site, address.path, self.internet.ask(site, address.path, params, headers))
            return replace(answer, url=request.url)
        answer = self._delivered(
            base_url, request.path, self.internet.ask(base_url, request.path, request.params, headers)
        )
        query = f"?{urlencode(request.params)}" if request.params else ""
        return replace(answer, url=answer.url + query) if answer.url.endswith(request.path) else answer

    def _delivered(self, site: str, path: str, response: Response) -> Answer:
        if response.delivery in ("cut", "reset", "hang"):
            raise Unavailable(f"{site}: {response.delivery}")
        if response.is_packed:
            raise Unreadable(f"the body is larger than {LARGEST_BODY} bytes when decoded")
        headers = {name.lower(): value for name, value in response.headers}
        if 300 <= response.status < 400 and "location" in headers:
            target = urlsplit(headers["location"]).path.removeprefix(f"/{site}")
            return self._delivered(site, target, self.internet.ask(site, target))
        return Answer(status=response.status, headers=headers, body=response.body, url=f"https://{site}.test{path}")


@dataclass(slots=True)
class WorldClock:
    """The world's own time; it moves only when the world does."""

    internet: Internet

    def now(self) -> datetime:
        """The world's present."""
        return self.internet.world.now

    def mono(self) -> float:
        """The world's seconds."""
        return self.internet.world.now.timestamp()


@dataclass(slots=True)
class Waiting:
    """Waits by letting the world's time pass; remembers how long, and may tell that the user stopped the run."""

    internet: Internet
    waits: list[float] = field(default_factory=list)
    is_stopped: bool = False

    def __call__(self, seconds: float) -> bool:
        if seconds > 0:
            self.waits.append(seconds)
            self.internet.advance(seconds)
        return self.is_stopped


class OpenGate:
    """A gate that lets everyone through at once: for tests of what happens behind it."""

    def closed(self) -> Closed | None:
        """It never is."""
        return None

    def enter(self) -> Admitted:
        """Everybody may."""
        return Admitted()

    def asked_to_wait(self, seconds: float) -> None:
        """Nobody is told."""

    def succeeded(self) -> None:
        """Nobody is told."""

    def failed(self, error: SourceError) -> None:
        """Nobody is told."""

    def rest_until(self, until: datetime) -> None:
        """Nobody is told."""


@dataclass(kw_only=True)
class Radar:
    """One process: whatever it is given, swept with the real parts; `sources` by the name queries use.

    `sites` says under which name the simulator holds a source, where that is another one. `per_minute`: its sources
    are governed by the store at this rate; None = everything is let through.
    """

    database: Database
    internet: Internet
    sources: Mapping[str, Source]
    holder: str = "first"
    dead: Collection[str] = ()
    sites: Mapping[str, str] = field(default_factory=dict)
    transport: Transport | None = None
    per_minute: int | None = None
    listener: Listener = field(default_factory=Nobody)
    sound_gap: SoundGap | None = None
    chance: Random = field(default_factory=lambda: Random(1))
    waiting: Waiting = field(init=False)
    governors: dict[str, Governor] = field(init=False)

    def __post_init__(self) -> None:
        self.waiting = Waiting(self.internet)
        transport = self.transport or Wire(self.internet)
        self.governors = {name: self._governor(name, transport) for name in self.sources}

    def fetcher(self) -> Fetcher:
        """Who runs sweeps."""
        clock = WorldClock(self.internet)
        sweepers = {
            name: Sweeper(
                database=self.database,
                source=source,
                governor=self.governors[name],
                clock=clock,
                listener=self.listener,
                sound_gap=self.sound_gap,
            )
            for name, source in self.sources.items()
        }
        return Fetcher(
            database=self.database,
            clock=clock,
            sweepers=sweepers,
            holder=self.holder,
            is_dead=lambda holder: holder in self.dead,
            is_stopped=lambda: self.waiting.is_stopped,
        )

    def fetch(self, *chosen: tuple[Watch, Query]) -> FetchReport:
        """One run over these queries; the reports of its sweeps."""
        report = self.fetcher().fetch(chosen)
        ours = [query.error for query in report.queries if query.error and query.error.startswith("an error of ours")]
        assert not ours, ours
        return report

    def fetch_one(self, watch: Watch, query: Query) -> QueryReport:
        """One sweep of one query; its report."""
        (report,) = self.fetch((watch, query)).queries
        return report

    def _governor(self, name: str, transport: Transport) -> Governor:
        return Governor(
            base_url=self.sites.get(name, name),
            transport=transport,
            clock=WorldClock(self.internet),
            chance=self.chance,
            wait=self.waiting,
            gate=self._gate(name),
            gate_of_server=lambda server: self._gate(name_at(name, server)),
            counters=Counters(),
        )

    def _gate(self, name: str) -> Gate:
        if self.per_minute is None:
            return OpenGate()
        with self.database.transaction() as tx:
            now = self.internet.world.now
            sources.register(tx, name, rate_limit_per_minute=self.per_minute, enabled=True, paced_at=now)
        return SharedGate(
            name=name,
            database=self.database,
            clock=WorldClock(self.internet),
            chance=self.chance,
            paced_at=lambda _: self.internet.world.now,
        )


def watch_and_query(
    source: Source,
    params: Mapping[str, Any],
    *,
    watch: str = "watch",
    ban_words: tuple[str, ...] = (),
    max_experience_years: int | None = None,
    **bounds: Any,
) -> tuple[Watch, Query]:
    """A watch with one query, as the configuration would give it."""
    key = query_key(source.name, params, source.param_rules)
    query = Query(watch=watch, source=source.name, params=params, bounds=Bounds(**bounds), key=key)
    return (
        Watch(
            name=watch,
            kind=source.kind,
            ban_words=ban_words,
            max_experience_years=max_experience_years,
            queries=(query,),
        ),
        query,
    )


def search_of(internet: Internet, site: str, source: Source, params: Mapping[str, Any]) -> Search:
    """What a query asks the simulated site for."""
    request = source.request(params, Position(size=source.paging.size))
    return internet.search(site, request.params, request.path)
