"""What a price watch is worth, in lines, for `:prices`: the value, how it went, the newest prices."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from inforadar.bootstrap import App
from inforadar.domain.errors import ConfigError
from inforadar.domain.price import PricePoint
from inforadar.domain.valuation import LEAST_STRENGTH, QUANTILES, basis_words
from inforadar.domain.watch import Watch
from inforadar.interfaces.cli.chart import FINE, step_chart, went
from inforadar.interfaces.cli.choosing import require_known
from inforadar.interfaces.cli.price_rows import HEADERS, SOURCE, TITLE, WHY, median_steps, price_rows
from inforadar.interfaces.cli.wording import ago, counted
from inforadar.interfaces.tui.columns import fitted
from inforadar.interfaces.tui.record import Record
from inforadar.pipeline.pricing import weighed
from inforadar.store import price_points, valuations
from inforadar.store.valuations import PastValuation, StoredValuation

MOST_PAST = 1000
MOST_POINTS = 100


def read_prices(app: App, name: str, width: int) -> list[Record]:
    """The valuation of a price watch; raises ConfigError for a name that is none."""
    watch = _watch(app, name)
    with app.database.reading() as tx:
        stored = valuations.get(tx, name)
        past = valuations.history(tx, name, limit=MOST_PAST)
        points = weighed(price_points.recent(tx, name, limit=MOST_POINTS), watch)
        count = price_points.count(tx, name)
    now = app.clock.now()
    return [*_value_lines(stored, count, now), *_chart(stored, past, now, width), *_point_lines(points, width)]


def _watch(app: App, name: str) -> Watch:
    priced = {watch.name: watch for watch in app.config.watches if watch.kind == "price"}
    if not priced:
        raise ConfigError("No watch of kind price is configured.")
    require_known([name], list(priced), "price watch")
    return priced[name]


def _value_lines(stored: StoredValuation | None, count: int, now: datetime) -> Iterator[Record]:
    if stored is None or stored.valued_at is None:
        yield Record(text=f"{counted(count, 'price')} to be valued: `radar run` does that.", tone="warning")
        return
    valuation = stored.valuation
    if not valuation.quantiles:
        yield Record(text="Not enough data for a value.", tone="warning")
        return
    told = [f"{'median' if q == 50 else f'{q} %'} {valuation.quantiles[q] / 100:,.2f}" for q in QUANTILES]
    yield Record(text=f"{'   '.join(told)}  {valuation.currency}", tone="head")
    yield Record(text=f"Rests on {basis_words(valuation)}; valued {ago(stored.valued_at, now)}.", tone="faint")


def _chart(
    stored: StoredValuation | None, past: Sequence[PastValuation], now: datetime, width: int
) -> Iterator[Record]:
    currency = stored.valuation.currency if stored else None
    lines = step_chart(median_steps(past, currency), now, width=width, pen=FINE)
    yield from (Record(text=line) for line in ["", went(currency), *lines, ""] if lines)


def _point_lines(points: Sequence[PricePoint], width: int) -> Iterator[Record]:
    if not points:
        yield Record(text="No prices yet: f fetches them.", tone="faint")
        return
    rows = [row[:SOURCE] for row in price_rows(points)]
    head, lines = fitted(HEADERS[:SOURCE], rows, width, flexible=(TITLE, WHY))
    yield Record(text=head, tone="faint")
    for point, line in zip(points, lines, strict=True):
        yield Record(text=line, tone="plain" if point.match_strength >= LEAST_STRENGTH else "faint")
