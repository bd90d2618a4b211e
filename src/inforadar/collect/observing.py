"""Observing prices: the points that a page of a price watch makes, inside the transaction that saves the page."""

from collections.abc import Sequence
from datetime import datetime

from inforadar.domain.item import Draft
from inforadar.domain.price import point_of
from inforadar.domain.watch import Watch
from inforadar.store import jobs, price_points, valuations
from inforadar.store.database import Tx


def observe(tx: Tx, watch: Watch, source: str, drafts: Sequence[Draft], now: datetime) -> int:
    """Save what these listings cost, as far as the watch has them; new points are to be valued. How many there are."""
    last = price_points.standing(tx, watch.name, source, [draft.key for draft in drafts])
    shown = [point_of(watch, source, draft, last[draft.key], now) for draft in drafts if draft.key in last]
    saved = price_points.save(tx, [point for point in shown if point is not None], now)
    if saved:
        valuations.touch(tx, watch.name, now)
        jobs.put(tx, [valuations.value_job(watch.name)])
    return saved
