"""Sources with their health, and queries with what they have covered."""

from collections.abc import Sequence
from datetime import datetime

from fastapi import APIRouter, Request
from starlette.responses import Response

from inforadar.domain.health import is_paused
from inforadar.domain.offline import OFFLINE
from inforadar.domain.run import StopReason
from inforadar.interfaces.source_standing import SourceStanding
from inforadar.interfaces.standing import all_out_of_reach, read_queries, read_services, read_sources
from inforadar.interfaces.web.answers import Radar
from inforadar.interfaces.web.charts.coverage import coverage_bar
from inforadar.interfaces.web.pages.rendering import page
from inforadar.store import events, runs
from inforadar.store.runs import Run

RUNS_SHOWN = 5
EVENTS_SHOWN = 10

router = APIRouter(include_in_schema=False)


@router.get("/sources")
def show_sources(request: Request, radar: Radar) -> Response:
    """Whether each source answers, how fast it is asked, how long it is left alone."""
    now = radar.app.clock.now()
    with radar.app.database.reading() as tx:
        queries = read_queries(radar.app, tx)
        sources = read_sources(radar.app, tx, queries)
        services = read_services(radar.app, tx)
        latest = events.recent(tx, limit=EVENTS_SHOWN)
    used = [one for one in sources if one.queries or (one.known and one.known.requests_total)]
    used.sort(key=lambda one: not one.why(now))  # what is wrong stands first
    return page(
        request,
        "sources.html",
        now=now,
        sources=[(one, one.state(now), _pause_s(one, now)) for one in used],
        services=[(one, one.state(now), _pause_s(one.asked, now) if one.asked else None) for one in services],
        unused=[one.name for one in sources if one not in used],
        events=latest,
        offline=OFFLINE if all_out_of_reach(sources) else "",
    )


@router.get("/queries")
def show_queries(request: Request, radar: Radar) -> Response:
    """What each query has covered, and how its last runs ended."""
    now = radar.app.clock.now()
    with radar.app.database.reading() as tx:
        queries = read_queries(radar.app, tx)
        last = [runs.recent(tx, one.query.key, RUNS_SHOWN, watch=one.query.watch) for one in queries]
    shown = [
        (one, coverage_bar(one.covered, one.query.bounds.floor, now, is_capped=is_capped(runs_of)), runs_of)
        for one, runs_of in zip(queries, last, strict=True)
    ]
    return page(request, "queries.html", now=now, queries=shown)


def is_capped(latest: Sequence[Run]) -> bool:
    """Whether the last run that ended met the depth beyond which its source shows nothing."""
    ended = next((run for run in latest if run.stop_reason is not None), None)
    return ended is not None and (
        ended.stop_reason is StopReason.DEPTH_CAP or any(StopReason.DEPTH_CAP.value in note for note in ended.notes)
    )


def _pause_s(one: SourceStanding, now: datetime) -> float | None:
    """How long a source is still left alone."""
    until = one.health.paused_until
    return (until - now).total_seconds() if until and is_paused(one.health, now) else None
