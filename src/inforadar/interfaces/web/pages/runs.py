"""The latest runs: counters, duration, why each stopped, and how much each brought as bars."""

from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from inforadar.interfaces.web.answers import Radar
from inforadar.interfaces.web.asked import LONGEST_TEXT
from inforadar.interfaces.web.charts.bars import bars
from inforadar.interfaces.web.pages.rendering import page
from inforadar.store import runs
from inforadar.store.runs import Run

SHOWN = 100

router = APIRouter(include_in_schema=False)

Key = Annotated[str, Query(max_length=LONGEST_TEXT)]


@router.get("/runs")
def show_runs(request: Request, radar: Radar, query: Key = "") -> Response:
    """The latest runs, of one query or of all."""
    with radar.app.database.reading() as tx:
        found = runs.recent(tx, query or None, SHOWN)
    return page(
        request,
        "runs.html",
        now=radar.app.clock.now(),
        query=query,
        runs=[(run, _duration_s(run)) for run in found],
        bars=bars([run.counters.added for run in reversed(found)]),
        added=sum(run.counters.added for run in found),
    )


def _duration_s(run: Run) -> float | None:
    return (run.finished_at - run.started_at).total_seconds() if run.finished_at else None
