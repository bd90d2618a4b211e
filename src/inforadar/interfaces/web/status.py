"""Where everything stands, over the REST API: queries, sources, all of it, metrics and health."""

from fastapi import APIRouter
from starlette.responses import Response

from inforadar.interfaces.standing import read_queries, read_sources, read_standing
from inforadar.interfaces.standing_shape import query_json, source_json, to_json
from inforadar.interfaces.web.answers import Json, Radar
from inforadar.interfaces.web.shown_standing import HealthShown, Queries, Sources, StatusShown

METRICS = "text/plain; version=0.0.4; charset=utf-8"

router = APIRouter(tags=["status"])


@router.get("/api/queries", response_model=Queries)
def list_queries(radar: Radar) -> Json:
    """Every configured query: when it was asked last, how it went, what it has covered."""
    with radar.app.database.reading() as tx:
        found = read_queries(radar.app, tx)
    return Json({"queries": [query_json(one) for one in found]})


@router.get("/api/sources", response_model=Sources)
def list_sources(radar: Radar) -> Json:
    """Every source: whether it answers, how fast it is asked, how long it is left alone."""
    with radar.app.database.reading() as tx:
        found = read_sources(radar.app, tx, read_queries(radar.app, tx))
    return Json({"sources": [source_json(one, radar.app.clock.now()) for one in found]})


@router.get("/api/status", response_model=StatusShown)
def show_status(radar: Radar) -> Json:
    """Where everything stands, as `radar status --json` prints it."""
    return Json(to_json(read_standing(radar.app)))


@router.get("/metrics", response_class=Response, responses={200: {"content": {"text/plain": {}}}})
def show_metrics(radar: Radar) -> Response:
    """The numbers of this process and of the store, for Prometheus."""
    return Response(radar.meter.render(), headers={"Content-Type": METRICS})


@router.get("/healthz", response_model=HealthShown)
def show_health(radar: Radar) -> Json:
    """The server and its database answer."""
    with radar.app.database.reading() as tx:
        tx.store_now()
    return Json({"status": "ok"})
