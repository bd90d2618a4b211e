"""Where every query and source stands, read from the store."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from inforadar.bootstrap import App
from inforadar.domain import coverage as coverages
from inforadar.domain.health import moment
from inforadar.domain.offline import OFFLINE, is_offline, unreachable_kind
from inforadar.domain.schedule import next_run
from inforadar.domain.watch import Query, Watch
from inforadar.interfaces.source_standing import QueryStanding, SourceStanding
from inforadar.observe import process
from inforadar.service.buttons import UPDATES_LEASE, unheard_since
from inforadar.service.periodic import FETCH
from inforadar.store import (
    deliveries,
    events,
    items,
    jobs,
    leases,
    matches,
    query_states,
    runs,
    schedules,
    sources,
    totals,
)
from inforadar.store.database import Tx
from inforadar.store.deliveries import Unsent
from inforadar.store.events import Event
from inforadar.store.jobs import PausedKind
from inforadar.store.leases import Held
from inforadar.store.query_states import QueryState
from inforadar.store.sources import SourceHealth

EVENTS_SHOWN = 5
JUDGE = "judge"
TELEGRAM = "telegram"
BUILT_IN = "built in"


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceStanding:
    """The judge or a sink: what it is, and how it has answered; `asked` None = it lives in this program."""

    name: str
    about: str
    asked: SourceStanding | None

    def state(self, now: datetime) -> str:
        """Where it stands, in a word or two."""
        return self.asked.state(now) if self.asked else BUILT_IN


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """Everything `radar status` tells, at one moment; `out_since`: whose outage lasts, whether asked or not.

    `unheard_since`: since when Telegram's buttons are not heard though somebody asks for them.
    """

    now: datetime
    queries: list[QueryStanding]
    sources: list[SourceStanding]
    services: list[ServiceStanding]
    items: int
    matches: dict[str, int]
    jobs: dict[str, int]
    stuck: int
    paused_kinds: list[PausedKind]
    leases: dict[str, Held]
    events: list[Event]
    out_since: dict[str, datetime]
    next_fetch_at: datetime | None
    deliveries: dict[str, int]
    unsent: Unsent | None
    totals: dict[str, int]
    unheard_since: datetime | None

    @property
    def outages(self) -> list[SourceStanding]:
        """Everything that is asked by a name and does not answer well."""
        asked = [*self.sources, *(one.asked for one in self.services if one.asked)]
        return [one for one in asked if one.why(self.now)]

    @property
    def is_offline(self) -> bool:
        """Whether no source can be reached, as if this machine had no network."""
        return all_out_of_reach(self.sources)


def read_standing(app: App) -> Standing:
    """The standing of every configured query and source, and totals, at one moment."""
    with app.database.reading() as tx:
        queries = read_queries(app, tx)
        last_fetch_at = schedules.last_runs(tx).get(FETCH)
        return Standing(
            now=app.clock.now(),
            queries=queries,
            sources=read_sources(app, tx, queries),
            services=read_services(app, tx),
            items=items.count(tx),
            matches=matches.counts(tx),
            jobs=jobs.counts(tx),
            stuck=len(jobs.stuck(tx, lock_timeout_s=app.config.work.job_lock_timeout_s)),
            paused_kinds=jobs.paused_kinds(tx),
            leases={name: one for name, one in leases.held(tx).items() if not process.is_dead(one.holder)},
            events=events.recent(tx, limit=EVENTS_SHOWN),
            out_since={one.name: one.health.outage_at for one in sources.all(tx) if one.health.outage_at},
            next_fetch_at=next_run(app.config.schedule.fetch, last_fetch_at) if last_fetch_at else None,
            deliveries=deliveries.counts(tx),
            unsent=deliveries.unsent(tx, app.clock.now()),
            totals=totals.all(tx),
            unheard_since=_unheard_since(tx),
        )


def read_queries(app: App, tx: Tx) -> list[QueryStanding]:
    """The standing of every configured query."""
    states = {(state.watch, state.query_key): state for state in query_states.all(tx)}
    warnings = runs.latest_warnings(tx)
    asks = app.ways.gate_names()
    # a program that stays open may read its configuration anew in between
    return [
        replace(
            _query_standing(app, watch, query, asks.get(key, query.source), states.get(key)),
            warnings=warnings.get(key, ()),
        )
        for watch in app.config.watches
        for query in watch.queries
        for key in [(query.watch, query.key)]
    ]


def read_sources(app: App, tx: Tx, queries: list[QueryStanding]) -> list[SourceStanding]:
    """The standing of every source of the configuration, each before its ailing servers, then of others by name."""
    known = {one.name: one for one in sources.all(tx)}
    others = [name for name in known if "@" not in name and name not in (*app.config.sources, JUDGE, TELEGRAM)]
    asked, now = app.ways.asked(), app.clock.now()
    found: list[SourceStanding] = []
    for name in app.config.sources:
        one = _source_standing(app, queries, known, name)
        found += [one, *(server for server in one.servers if server.why(now))]
    return found + [_other_standing(known[name], is_asked=name in asked) for name in others]


def read_services(app: App, tx: Tx) -> list[ServiceStanding]:
    """The standing of the judge, and of Telegram where it is set up."""
    judge, telegram = app.config.judge, app.config.telegram
    about = judge.kind if judge.kind == "words" else f"{judge.kind} {judge.model}"
    asked = None if judge.kind == "words" else _service(tx, JUDGE, judge.rate_limit_per_minute)
    found = [ServiceStanding(name=JUDGE, about=about, asked=asked)]
    if telegram:
        chat = f"chat {telegram.chat_id}" if telegram.chat_id else "no chat yet: radar connect telegram"
        asked = _with_polls(_service(tx, TELEGRAM, telegram.rate_limit_per_minute), _unheard_since(tx))
        found.append(ServiceStanding(name=TELEGRAM, about=chat, asked=asked))
    return found


def all_out_of_reach(found: Iterable[SourceStanding]) -> bool:
    """Whether no source that is asked can be reached, as if this machine had no network."""
    asked = {one.name: one for source in found if source.is_asked for one in source.servers or [source]}
    return is_offline([one.health for one in asked.values() if one.asking])


def outage_words(found: Sequence[SourceStanding], now: datetime) -> list[str]:
    """Who does not answer well, each in a few words; that nobody can be reached is one matter."""
    ailing = [one for one in found if one.why(now)]
    if not all_out_of_reach(found):
        return [f"{one.name}: {one.state(now)}" for one in ailing]
    others = [one for one in ailing if unreachable_kind(one.why(now)) is None]
    return [OFFLINE, *(f"{one.name}: {one.state(now)}" for one in others)]


def told_events(standing: Standing) -> list[Event]:
    """The latest events without those of outages that last: whom it concerns tells of it himself, if he is asked."""
    return [event for event in standing.events if not _is_under_way(event, standing.out_since.get(event.source))]


def _is_under_way(event: Event, outage_at: datetime | None) -> bool:
    return event.kind == "outage" and event.query_key is None and outage_at is not None and event.at >= outage_at


def _source_standing(
    app: App, queries: list[QueryStanding], known: Mapping[str, SourceHealth], name: str
) -> SourceStanding:
    """A source with the requests to its many servers, and with those of them that are asked."""
    settings = app.config.sources[name]
    asking = [one for one in queries if one.query.source == name]
    servers = dict.fromkeys(one.asks for one in asking if one.is_active and one.asks != name)
    own = SourceStanding(
        name=name,
        is_enabled=settings.enabled,
        rate_limit_per_minute=settings.rate_limit_per_minute,
        known=_with_servers(known.get(name), known.values()),
        asking=asking,
        is_asked=any(one.is_active for one in asking),
    )
    return replace(own, servers=[_server_standing(own, known.get(server), server) for server in servers])


def _server_standing(source: SourceStanding, known: SourceHealth | None, name: str) -> SourceStanding:
    asking = [one for one in source.asking if one.asks == name]
    return replace(source, name=name, known=known, asking=asking, is_asked=True)


def _with_servers(known: SourceHealth | None, others: Iterable[SourceHealth]) -> SourceHealth | None:
    """A source with the requests to its many servers."""
    if known is None:
        return None
    own = sum(one.requests_total for one in others if one.name.startswith(f"{known.name}@"))
    return replace(known, requests_total=known.requests_total + own)


def _other_standing(known: SourceHealth, *, is_asked: bool) -> SourceStanding:
    """What is asked by a name and is no source of the configuration: a sink, or a source of earlier."""
    return SourceStanding(
        name=known.name,
        is_enabled=True,
        rate_limit_per_minute=int(known.bucket.per_minute),
        known=known,
        is_asked=is_asked,
    )


def _service(tx: Tx, name: str, rate_limit_per_minute: int) -> SourceStanding:
    known = sources.get(tx, name)
    return SourceStanding(name=name, is_enabled=True, rate_limit_per_minute=rate_limit_per_minute, known=known)


def _unheard_since(tx: Tx) -> datetime | None:
    """Since when Telegram's buttons are not heard though somebody polls; None = they are, or nobody does."""
    held = leases.held(tx).get(UPDATES_LEASE)
    return unheard_since(tx) if held and not process.is_dead(held.holder) else None


def _with_polls(one: SourceStanding, unheard_at: datetime | None) -> SourceStanding:
    """Telegram as failing where its polls fail and its messages have told no trouble of their own."""
    if unheard_at is None or one.known is None or one.health.last_error:
        return one
    error = f"its buttons are not heard since {moment(unheard_at)}; the log of radar run says why"
    health = replace(one.health, failure_streak=1, last_failure_at=unheard_at, last_error=error)
    return replace(one, known=replace(one.known, health=health))


def _query_standing(app: App, watch: Watch, query: Query, asks: str, state: QueryState | None) -> QueryStanding:
    return QueryStanding(
        query=query,
        asks=asks,
        state=state,
        covered=coverages.from_json(state.coverage if state else None),
        is_enabled=app.config.sources[query.source].enabled,
        is_paused=watch.paused,
    )
