"""Observing prices: the points that a page of a price watch makes, inside the transaction that saves the page."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from inforadar.domain.item import Draft
from inforadar.domain.price import LastPoint, PricePoint, point_of
from inforadar.domain.price_flaws import Flaw, price_flaw
from inforadar.domain.watch import Watch
from inforadar.store import jobs, price_points, valuations
from inforadar.store.database import Tx


def observe(tx: Tx, watch: Watch, source: str, drafts: Sequence[Draft], now: datetime) -> dict[str, Flaw | None]:
    """Save what these listings cost, as far as the watch has them; new points are to be valued.

    What is wrong with the price of each of them, by key; None where nothing is.
    """
    last = price_points.standing(tx, watch.name, source, [draft.key for draft in drafts], now.date())
    held = [draft for draft in drafts if draft.key in last]
    told = [point_of(watch, source, draft, last[draft.key], now) for draft in held]
    points = [point for point in told if point is not None]
    saved = price_points.save(tx, points, now) + price_points.take_up(tx, _taken_up(points, last), now)
    if saved:
        valuations.touch(tx, watch.name, now)
        jobs.put(tx, [valuations.value_job(watch.name)])
    return {draft.key: price_flaw(draft.data, watch.valuation.currency) for draft in held}


def _taken_up(points: Sequence[PricePoint], last: Mapping[str, LastPoint | None]) -> Iterator[PricePoint]:
    """The points of listings that went back to a price they had before."""
    for point in points:
        known = last[point.item_key]
        if known is not None and known.is_before(point.dedupe_key):
            yield point
