"""`radar status`: queries, coverage, sources, jobs and deliveries at a glance."""

from datetime import datetime
from typing import Any

import click

from inforadar.bootstrap import App
from inforadar.collect.report import moment
from inforadar.domain import coverage as coverages
from inforadar.domain.coverage import Coverage
from inforadar.domain.watch import Query
from inforadar.interfaces.cli.output import ago, print_json, print_table, say
from inforadar.interfaces.cli.session import Session
from inforadar.store import items, jobs, matches, query_states
from inforadar.store.query_states import QueryState

Standing = tuple[Query, QueryState | None, Coverage]


@click.command(
    help="""Where everything stands: queries and their coverage, sources, jobs, deliveries.

    \b
    Examples:
      radar status
      radar status --json
    """
)
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object.")
@click.pass_obj
def command(session: Session, as_json: bool = False) -> None:
    """Print the standing of every query, and totals."""
    with session.app() as app:
        standings = _standings(app)
        with app.database.reading() as tx:
            job_counts, match_counts, item_count = jobs.counts(tx), matches.counts(tx), items.count(tx)
        now = app.clock.now()
    if as_json:
        print_json(
            {
                "queries": [_query(*standing) for standing in standings],
                "sources": _sources(app, standings),
                "jobs": job_counts,
                "deliveries": {},
            }
        )
        return
    _print_queries(standings, now)
    say(f"{item_count} items; matches: {_counted(match_counts)}; jobs: {_counted(job_counts)}")
    for _, state, _covered in standings:
        if state and state.status == "ERROR":
            say(f"{state.watch} / {state.source} failed {state.consecutive_failures} times: {state.last_error}")


def _standings(app: App) -> list[Standing]:
    with app.database.reading() as tx:
        states = {(state.watch, state.query_key): state for state in query_states.all(tx)}
    queries = [query for watch in app.config.watches for query in watch.queries]
    found = [(query, states.get((query.watch, query.key))) for query in queries]
    return [(query, state, coverages.from_json(state.coverage if state else None)) for query, state in found]


def _print_queries(standings: list[Standing], now: datetime) -> None:
    print_table(
        ["WATCH", "SOURCE", "STATE", "LAST SUCCESS", "COVERED", "GAPS", "QUERY"],
        [
            [
                query.watch,
                query.source,
                state.status if state else "never run",
                ago(state.last_success_at if state else None, now),
                _span(covered),
                str(len(_gaps(query, covered))),
                query.key,
            ]
            for query, state, covered in standings
        ],
        flexible=0,
    )


def _span(covered: Coverage) -> str:
    if not covered.stretches:
        return "nothing yet"
    lowest, highest = covered.last_complete_sweep_before, covered.last_seen_max
    return f"{lowest:%Y-%m-%d} .. {highest:%Y-%m-%d %H:%M}"


def _gaps(query: Query, covered: Coverage) -> list[dict[str, Any]]:
    return [
        {"newer_than": moment(gap.below.upto if gap.below else None), "older_than": moment(gap.above.after)}
        for gap in covered.gaps(query.bounds.floor)
    ]


def _query(query: Query, state: QueryState | None, covered: Coverage) -> dict[str, Any]:
    return {
        "watch": query.watch,
        "source": query.source,
        "query_key": query.key,
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
            {"after": moment(one.after), "upto": moment(one.upto), "count": one.count, "is_ended": one.is_ended}
            for one in covered.stretches
        ],
        "gaps": _gaps(query, covered),
    }


def _sources(app: App, standings: list[Standing]) -> list[dict[str, Any]]:
    return [
        _source(app, name, [state for query, state, _ in standings if query.source == name])
        for name in app.config.sources
    ]


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


def _counted(counts: dict[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in counts.items()) or "none"
