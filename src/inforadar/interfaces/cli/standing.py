"""Where every query stands, read from the store, and the JSON of `radar status`."""

from dataclasses import dataclass
from typing import Any

from inforadar.bootstrap import App
from inforadar.collect.report import moment
from inforadar.domain import coverage as coverages
from inforadar.domain.coverage import Coverage
from inforadar.domain.watch import Query
from inforadar.store import items, jobs, matches, query_states
from inforadar.store.query_states import QueryState


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryStanding:
    """One query of the configuration, what the store knows of it (None = it never ran), and what it has covered."""

    query: Query
    state: QueryState | None
    covered: Coverage
    is_enabled: bool

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
class Standing:
    """Everything `radar status` tells."""

    queries: list[QueryStanding]
    items: int
    matches: dict[str, int]
    jobs: dict[str, int]


def read_standing(app: App) -> Standing:
    """The standing of every configured query, and totals, at one moment."""
    with app.database.reading() as tx:
        states = {(state.watch, state.query_key): state for state in query_states.all(tx)}
        return Standing(
            queries=[
                _query_standing(app, query, states.get((query.watch, query.key)))
                for watch in app.config.watches
                for query in watch.queries
            ],
            items=items.count(tx),
            matches=matches.counts(tx),
            jobs=jobs.counts(tx),
        )


def to_json(app: App, standing: Standing) -> dict[str, Any]:
    """The standing in the shape of the outer contract; deliveries come with the sinks."""
    return {
        "queries": [_query(one) for one in standing.queries],
        "sources": [
            _source(app, name, [one.state for one in standing.queries if one.query.source == name])
            for name in app.config.sources
        ],
        "jobs": standing.jobs,
        "deliveries": {},
    }


def _query_standing(app: App, query: Query, state: QueryState | None) -> QueryStanding:
    return QueryStanding(
        query=query,
        state=state,
        covered=coverages.from_json(state.coverage if state else None),
        is_enabled=app.config.sources[query.source].enabled,
    )


def _query(one: QueryStanding) -> dict[str, Any]:
    state, covered = one.state, one.covered
    return {
        "watch": one.query.watch,
        "source": one.query.source,
        "query_key": one.query.key,
        "status": state.status if state else "IDLE",
        "sweeps": state.sweeps if state else 0,
        "last_run_at": moment(state.last_run_at) if state else None,
        "last_success_at": moment(state.last_success_at) if state else None,
        "last_error_at": moment(state.last_error_at) if state else None,
        "last_error": state.last_error if state else None,
        "last_processed_date": str(state.last_processed_date) if state and state.last_processed_date else None,
        "consecutive_failures": state.consecutive_failures if state else 0,
        "last_seen_max": moment(covered.last_seen_max),
        "last_complete_sweep_before": moment(covered.last_complete_sweep_before),
        "coverage": [
            {"after": moment(part.after), "upto": moment(part.upto), "count": part.count, "is_ended": part.is_ended}
            for part in covered.stretches
        ],
        "gaps": one.gaps,
    }


def _source(app: App, name: str, states: list[QueryState | None]) -> dict[str, Any]:
    known = [state for state in states if state]
    settings = app.config.sources[name]
    return {
        "name": name,
        "enabled": settings.enabled,
        "rate_limit_per_minute": settings.rate_limit_per_minute,
        "queries": len(states),
        "failing_queries": sum(state.status == "ERROR" for state in known),
        "last_success_at": moment(max((s.last_success_at for s in known if s.last_success_at), default=None)),
        "last_failure_at": moment(max((s.last_error_at for s in known if s.last_error_at), default=None)),
        "last_error": next((state.last_error for state in known if state.status == "ERROR"), None),
    }
