"""Where every query and source stands, read from the store."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Literal

from inforadar.bootstrap import App
from inforadar.collect.report import moment
from inforadar.domain import coverage as coverages
from inforadar.domain.coverage import Coverage
from inforadar.domain.health import Health, is_paused
from inforadar.domain.schedule import next_run
from inforadar.domain.watch import Query, Watch
from inforadar.observe import process
from inforadar.service.periodic import FETCH
from inforadar.store import (
    deliveries,
    events,
    items,
    jobs,
    leases,
    matches,
    query_states,
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

SourceState = Literal["disabled", "paused", "refused", "to be tried", "failing", "no answer yet", "never asked", "ok"]


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryStanding:
    """One query of the configuration, what the store knows of it (None = it never ran), and what it has covered."""

    query: Query
    state: QueryState | None
    covered: Coverage
    is_enabled: bool
    is_paused: bool = False

    @property
    def is_failing(self) -> bool:
        """Whether its last sweep failed."""
        return self.state is not None and self.state.status == "ERROR"

    @property
    def gaps(self) -> list[dict[str, Any]]:
        """What is known to be left between and below the covered stretches."""
        return [
            {"newer_than": moment(gap.below.upto if gap.below else None), "older_than": moment(gap.above.after)}
            for gap in self.covered.gaps(self.query.bounds.floor)
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceStanding:
    """One source: what the configuration says of it, what the store knows of it (None = never asked), its queries."""

    name: str
    is_enabled: bool
    rate_limit_per_minute: int
    known: SourceHealth | None
    states: Sequence[QueryState]
    queries: int

    @property
    def health(self) -> Health:
        """How it has answered so far."""
        return self.known.health if self.known else Health()

    @property
    def last_success_at(self) -> datetime | None:
        """When it answered last."""
        return self.health.last_success_at or max(
            (state.last_success_at for state in self.states if state.last_success_at), default=None
        )

    @property
    def is_unanswered(self) -> bool:
        """Whether it was asked and has not answered: the first answer is long in coming, or it was changed since."""
        return self.last_success_at is None and self.known is not None and self.known.requests_total > 0

    def why(self, now: datetime) -> str:
        """What it failed of, while it is not well."""
        return (self.health.last_error or "") if self.state(now) not in ("ok", "disabled") else ""

    def state(self, now: datetime) -> SourceState:
        """Where it stands, in a word or two."""
        health = self.health
        if not self.is_enabled:
            return "disabled"
        if is_paused(health, now):
            return "paused"
        if health.outage == "refused":
            return "refused"
        if health.paused_until:
            return "to be tried"
        if health.failure_streak:
            return "failing"
        if self.is_unanswered:
            return "no answer yet"
        return "ok" if self.last_success_at else "never asked"


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
    """Everything `radar status` tells, at one moment."""

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
    next_fetch_at: datetime | None
    deliveries: dict[str, int]
    unsent: Unsent | None
    totals: dict[str, int]

    @property
    def outages(self) -> list[SourceStanding]:
        """Everything that is asked by a name and does not answer well."""
        asked = [*self.sources, *(one.asked for one in self.services if one.asked)]
        return [one for one in asked if one.why(self.now)]


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
            next_fetch_at=next_run(app.config.schedule.fetch, last_fetch_at) if last_fetch_at else None,
            deliveries=deliveries.counts(tx),
            unsent=deliveries.unsent(tx),
            totals=totals.all(tx),
        )


def read_queries(app: App, tx: Tx) -> list[QueryStanding]:
    """The standing of every configured query."""
    states = {(state.watch, state.query_key): state for state in query_states.all(tx)}
    return [
        _query_standing(app, watch, query, states.get((query.watch, query.key)))
        for watch in app.config.watches
        for query in watch.queries
    ]


def read_sources(app: App, tx: Tx, queries: list[QueryStanding]) -> list[SourceStanding]:
    """The standing of every source of the configuration, then of ailing servers of theirs, then of earlier sources."""
    known = {one.name: one for one in sources.all(tx)}
    others = [name for name in known if name not in (*app.config.sources, JUDGE, TELEGRAM)]
    servers = [known[name] for name in others if "@" in name]
    found = [
        _source_standing(app, queries, name, _with_servers(known.get(name), servers))
        for name in (*app.config.sources, *others)
    ]
    now = app.clock.now()
    return [one for one in found if "@" not in one.name or one.why(now)]


def _with_servers(known: SourceHealth | None, servers: list[SourceHealth]) -> SourceHealth | None:
    """A source with the requests to its many servers; a server stands for itself only while it is not well."""
    if known is None:
        return None
    own = sum(one.requests_total for one in servers if one.name.startswith(f"{known.name}@"))
    return replace(known, requests_total=known.requests_total + own)


def read_services(app: App, tx: Tx) -> list[ServiceStanding]:
    """The standing of the judge, and of Telegram where it is set up."""
    judge, telegram = app.config.judge, app.config.telegram
    about = judge.kind if judge.kind == "words" else f"{judge.kind} {judge.model}"
    asked = None if judge.kind == "words" else _service(tx, JUDGE, judge.rate_limit_per_minute)
    found = [ServiceStanding(name=JUDGE, about=about, asked=asked)]
    if telegram:
        chat = f"chat {telegram.chat_id}" if telegram.chat_id else "no chat yet: radar connect telegram"
        asked = _service(tx, TELEGRAM, telegram.rate_limit_per_minute)
        found.append(ServiceStanding(name=TELEGRAM, about=chat, asked=asked))
    return found


def told_events(standing: Standing) -> list[Event]:
    """The latest events without those of outages that last: their sources tell why they are out themselves."""
    since = {one.name: one.health.outage_at for one in standing.outages}
    return [event for event in standing.events if not _is_under_way(event, since.get(event.source))]


def _is_under_way(event: Event, outage_at: datetime | None) -> bool:
    return event.kind == "outage" and event.query_key is None and outage_at is not None and event.at >= outage_at


def _source_standing(app: App, queries: list[QueryStanding], name: str, known: SourceHealth | None) -> SourceStanding:
    settings = app.config.sources.get(name)
    own = [one for one in queries if one.query.source == name]
    rate = settings.rate_limit_per_minute if settings else int(known.bucket.per_minute) if known else 0
    return SourceStanding(
        name=name,
        is_enabled=settings.enabled if settings else True,
        rate_limit_per_minute=rate,
        known=known,
        states=[one.state for one in own if one.state],
        queries=len(own),
    )


def _service(tx: Tx, name: str, rate_limit_per_minute: int) -> SourceStanding:
    known = sources.get(tx, name)
    return SourceStanding(
        name=name, is_enabled=True, rate_limit_per_minute=rate_limit_per_minute, known=known, states=(), queries=0
    )


def _query_standing(app: App, watch: Watch, query: Query, state: QueryState | None) -> QueryStanding:
    return QueryStanding(
        query=query,
        state=state,
        covered=coverages.from_json(state.coverage if state else None),
        is_enabled=app.config.sources[query.source].enabled,
        is_paused=watch.paused,
    )
