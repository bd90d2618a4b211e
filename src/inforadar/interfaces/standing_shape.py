"""Where everything stands, in the shape of the outer contract: the JSON of `radar status` and of the REST API."""

from datetime import datetime
from typing import Any

from inforadar.collect.report import moment
from inforadar.domain.health import is_paused
from inforadar.interfaces.source_standing import QueryStanding, SourceStanding
from inforadar.interfaces.standing import ServiceStanding, Standing
from inforadar.store.deliveries import Unsent

OF_SOURCES_ALONE = ("enabled", "queries", "failing_queries")


def to_json(standing: Standing) -> dict[str, Any]:
    """The standing in the shape of the outer contract."""
    return {
        "queries": [query_json(one) for one in standing.queries],
        "sources": [source_json(one, standing.now) for one in standing.sources],
        "jobs": standing.jobs,
        "deliveries": standing.deliveries,
        "unsent": _unsent(standing.unsent),
        "matches": standing.matches,
        "services": [service_json(one, standing.now) for one in standing.services],
        "totals": standing.totals,
    }


def query_json(one: QueryStanding) -> dict[str, Any]:
    """One query in the shape of the outer contract."""
    state, covered = one.state, one.covered
    return {
        "watch": one.query.watch,
        "source": one.query.source,
        "query_key": one.query.key,
        "paused": one.is_paused,
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
        "warnings": list(one.warnings),
    }


def source_json(one: SourceStanding, now: datetime) -> dict[str, Any]:
    """One source in the shape of the outer contract."""
    health, failed = one.health, [query.state for query in one.failing if query.state]
    failures = [at for at in (health.last_failure_at, *(state.last_error_at for state in one.states)) if at]
    return {
        "name": one.name,
        "enabled": one.is_enabled,
        "state": one.state(now),
        "rate_limit_per_minute": one.rate_limit_per_minute,
        "requests_total": one.known.requests_total if one.known else 0,
        "queries": one.queries,
        "failing_queries": len(failed),
        "last_success_at": moment(one.last_success_at),
        "last_failure_at": moment(max(failures, default=None)),
        "last_error": health.last_error or next((state.last_error for state in failed), None),
        "failure_streak": health.failure_streak,
        "paused_until": moment(health.paused_until) if is_paused(health, now) else None,
        "pause_reason": health.pause_reason if is_paused(health, now) else None,
        "outage": health.outage,
        "outage_since": moment(health.outage_at),
    }


def service_json(one: ServiceStanding, now: datetime) -> dict[str, Any]:
    """The judge or a sink: what it is, and how it has answered as a source has."""
    told = source_json(one.asked, now) if one.asked else {"name": one.name}
    answered = {name: value for name, value in told.items() if name not in OF_SOURCES_ALONE}
    return {**answered, "about": one.about, "state": one.state(now)}


def _unsent(unsent: Unsent | None) -> dict[str, Any] | None:
    return {"oldest_at": moment(unsent.oldest_at), "next_due_at": moment(unsent.next_due_at)} if unsent else None
