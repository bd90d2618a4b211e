"""The watches: what each asks for, of whom, and where its matches go."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from inforadar.interfaces.standing import read_queries
from inforadar.interfaces.web.answers import Radar
from inforadar.interfaces.web.pages.rendering import page

router = APIRouter(include_in_schema=False)


@router.get("/watches")
def show_watches(request: Request, radar: Radar) -> Response:
    """Every watch of the configuration with its queries."""
    with radar.app.database.reading() as tx:
        queries = read_queries(radar.app, tx)
    shown = [(watch, [one for one in queries if one.query.watch == watch.name]) for watch in radar.app.config.watches]
    return page(request, "watches.html", now=radar.app.clock.now(), watches=shown)
