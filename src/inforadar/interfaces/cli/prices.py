"""`radar prices`: what the listings of a price watch say together, how that went, and the newest of them."""

import sys
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

import click

from inforadar.collect.report import moment
from inforadar.config import Config
from inforadar.domain.errors import ConfigError
from inforadar.domain.price import PricePoint
from inforadar.domain.price_flaws import Flaw, flaw_words, price_flaw
from inforadar.domain.valuation import LEAST_STRENGTH, QUANTILES, TYPES, Valuation, basis_words, money
from inforadar.domain.watch import Watch
from inforadar.interfaces.cli.chart import pen_for, step_chart, went
from inforadar.interfaces.cli.choosing import require_known
from inforadar.interfaces.cli.output import print_json, show
from inforadar.interfaces.cli.parameters import WHOLE
from inforadar.interfaces.cli.price_rows import HEADERS, SOURCE, TITLE, TYPE, WHY, median_steps, price_rows
from inforadar.interfaces.cli.session import Session
from inforadar.interfaces.cli.table import UNBOUNDED, print_table, room, tell, wrapped
from inforadar.interfaces.cli.wording import ago, counted, listed
from inforadar.observe.printable import printable
from inforadar.pipeline.pricing import weighed
from inforadar.store import matches, price_points, valuations
from inforadar.store.database import Tx
from inforadar.store.valuations import PastValuation, StoredValuation

MOST_PAST = 1000
MOST_LOOKED_AT = 1000
USUAL_WIDTH = 80
WIDEST = 160


@click.command(
    "prices",
    help="""What the listings of a price watch are worth together: quantiles, how the value went, the newest prices
    with how well each fits and why.

    \b
    Examples:
      radar prices morgan-1921
      radar prices morgan-1921 --limit 50
      radar prices morgan-1921 --json
    """,
)
@click.argument("watch", metavar="WATCH")
@click.option("--limit", metavar="N", default=10, show_default=True, type=WHOLE, help="At most so many prices.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object.")
@click.pass_obj
def command(session: Session, watch: str, limit: int, as_json: bool) -> None:
    """Print the valuation of a watch as text or as JSON."""
    with session.app() as app, app.database.reading() as tx:
        asked = _asked(app.config, watch)
        stored = valuations.get(tx, watch)
        past = valuations.history(tx, watch, limit=MOST_PAST)
        points, unfit = _best(weighed(price_points.recent(tx, watch, limit=max(limit, MOST_LOOKED_AT)), asked), limit)
        flaws = _flaws(tx, asked) if not points else {}
        count, now = price_points.count(tx, watch), app.clock.now()
    if as_json:
        print_json(_json(watch, stored, past, points, count))
        return
    show(click.style(printable(watch), bold=True))
    for line in _lines(stored, count, now):
        show(printable(line))
    for line in _chart(stored, past, now):
        show(line)
    if points:
        print_table(HEADERS, price_rows(points), flexible=(TITLE, WHY), spare=(SOURCE, TYPE))
    if unfit:
        tell(f"{counted(unfit, 'price')} that do not fit are not shown: a higher --limit lists them last.")
    if not points:
        told = flaw_words(flaws)
        tell(f"No prices yet. {told}." if told else f"No prices yet. `radar fetch {watch}` collects them.")


def _asked(config: Config, name: str) -> Watch:
    require_known([name], [watch.name for watch in config.watches], "watch")
    watch = next(watch for watch in config.watches if watch.name == name)
    if watch.kind != "price":
        raise ConfigError(f"{name} is a watch of kind {watch.kind}; prices are of watches of kind price.")
    return watch


def _best(points: Sequence[PricePoint], limit: int) -> tuple[list[PricePoint], int]:
    """The points to show, those that count first, each newest first; and how many of the others are not among them."""
    ordered = sorted(points, key=lambda point: point.match_strength < LEAST_STRENGTH)
    return ordered[:limit], sum(point.match_strength < LEAST_STRENGTH for point in ordered[limit:])


def _flaws(tx: Tx, watch: Watch) -> dict[str, Flaw | None]:
    """What is wrong with the prices of the newest listings of a watch."""
    found = matches.search(tx, watch=watch.name, limit=MOST_LOOKED_AT)
    return {match.key: price_flaw(match.data, watch.valuation.currency) for match in found}


def _lines(stored: StoredValuation | None, count: int, now: datetime) -> Iterator[str]:
    if stored is None:
        return
    if stored.valued_at is None:
        yield f"{counted(count, 'price')} to be valued: `radar run` or `radar work` does that."
        return
    valuation = stored.valuation
    yield from _value_lines(valuation)
    outliers = f", {counted(valuation.outliers, 'outlier')} aside" if valuation.outliers else ""
    yield f"Rests on {basis_words(valuation)}{outliers}; valued {ago(stored.valued_at, now)}."
    for kind in TYPES:
        if kind in valuation.by_type:
            one = valuation.by_type[kind]
            yield f"  {kind:<4}  {one.count:>5}  median {money(one.median_cents, valuation.currency)}"
    if valuation.left_out:
        yield from wrapped(f"Left out: {listed(dict(valuation.left_out))}.", 0)


def _value_lines(valuation: Valuation) -> Iterator[str]:
    if valuation.melt_cents is not None:
        yield f"Its metal is worth {money(valuation.melt_cents, valuation.currency)}; no value is below that."
    if not valuation.quantiles:
        yield "Not enough data for a value."
        return
    amounts = [f"{valuation.quantiles[q] / 100:,.2f}" for q in QUANTILES]
    names = ["median" if q == 50 else f"{q} %" for q in QUANTILES]
    widths = [max(len(name), len(amount)) for name, amount in zip(names, amounts, strict=True)]
    for cells in (names, amounts):
        row = "   ".join(f"{cell:>{width}}" for cell, width in zip(cells, widths, strict=True))
        yield f"  {row} {valuation.currency if cells is amounts else ''}".rstrip()


def _chart(stored: StoredValuation | None, past: Sequence[PastValuation], now: datetime) -> list[str]:
    currency = stored.valuation.currency if stored else None
    width = USUAL_WIDTH if room() >= UNBOUNDED else min(room(), WIDEST)
    lines = step_chart(median_steps(past, currency), now, width=width, pen=pen_for(sys.stdout.encoding))
    return ["", went(currency), *lines, ""] if lines else []


def _json(
    watch: str, stored: StoredValuation | None, past: Sequence[PastValuation], points: Sequence[PricePoint], count: int
) -> dict[str, Any]:
    valuation = stored.valuation if stored else Valuation()
    return {
        "watch": watch,
        "valued_at": moment(stored.valued_at) if stored else None,
        "is_valued": bool(valuation.quantiles),
        "currency": valuation.currency,
        "basis": valuation.basis,
        "median_cents": valuation.median_cents,
        "quantiles": {str(q): cents for q, cents in valuation.quantiles.items()},
        "count": valuation.count,
        "outliers": valuation.outliers,
        "by_type": valuation.by_type,
        "left_out": valuation.left_out,
        "melt_cents": valuation.melt_cents,
        "points_count": count,
        "points": [_point_json(point) for point in points],
        "history": [_past_json(one) for one in past],
    }


def _point_json(point: PricePoint) -> dict[str, Any]:
    return {
        "observed_on": point.observed_on.isoformat(),
        "price_cents": point.price.cents,
        "currency": point.price.currency,
        "price_type": point.price.type,
        "match_strength": point.match_strength,
        "why": point.why,
        "title": point.title,
        "url": point.url,
        "source": point.source,
        "dedupe_key": point.dedupe_key,
    }


def _past_json(one: PastValuation) -> dict[str, Any]:
    return {
        "at": moment(one.at),
        "currency": one.currency,
        "basis": one.basis,
        "quantiles": {str(q): cents for q, cents in one.quantiles.items()},
        "count": one.count,
        "melt_cents": one.melt_cents,
    }
