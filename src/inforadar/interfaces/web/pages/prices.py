"""What price watches are worth: a step line with its band, the valuation, and the newest prices."""

from typing import Annotated

from fastapi import APIRouter, Path, Request
from starlette.responses import Response

from inforadar.domain.valuation import QUANTILES, TYPES, basis_words, money
from inforadar.interfaces.web.answers import Radar, nowhere
from inforadar.interfaces.web.asked import LONGEST_TEXT
from inforadar.interfaces.web.charts.step_line import Step, step_line
from inforadar.interfaces.web.pages.rendering import page
from inforadar.pipeline.pricing import weighed
from inforadar.store import price_points, valuations

MOST_PAST = 1000
SHOWN = 50

router = APIRouter(include_in_schema=False)

Name = Annotated[str, Path(min_length=1, max_length=LONGEST_TEXT)]


@router.get("/prices")
def show_prices(request: Request, radar: Radar) -> Response:
    """Every price watch with its value."""
    with radar.app.database.reading() as tx:
        known = [(watch, valuations.get(tx, watch.name)) for watch in radar.app.config.watches if watch.kind == "price"]
    return page(request, "prices.html", now=radar.app.clock.now(), watches=known, money=money, basis_words=basis_words)


@router.get("/prices/{name:path}")
def show_price(request: Request, radar: Radar, name: Name) -> Response:
    """One price watch: how its value went, and what it rests on."""
    watch = next((one for one in radar.app.config.watches if one.name == name and one.kind == "price"), None)
    if watch is None:
        raise nowhere("such price watch")
    now = radar.app.clock.now()
    with radar.app.database.reading() as tx:
        stored = valuations.get(tx, name)
        past = valuations.history(tx, name, limit=MOST_PAST)
        points = weighed(price_points.recent(tx, name, limit=SHOWN), watch)
        count = price_points.count(tx, name)
    currency = stored.valuation.currency if stored else None
    steps = [
        Step(at=one.at, low=one.quantiles[25], middle=one.quantiles[50], high=one.quantiles[75], count=one.count)
        for one in past
        if one.currency == currency
    ]
    return page(
        request,
        "price.html",
        now=now,
        watch=watch,
        stored=stored,
        currency=currency,
        chart=step_line(steps, now),
        points=points,
        count=count,
        quantiles=QUANTILES,
        types=TYPES,
        money=money,
        basis_words=basis_words,
    )
