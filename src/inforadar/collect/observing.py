"""Observing prices: the points that a page of a price watch makes, inside the transaction that saves the page."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import groupby

from inforadar.domain.item import Draft, Item
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
    if _save(tx, watch, source, held, last, now):
        put_valuing(tx, watch, now)
    return {draft.key: price_flaw(draft.data, watch.valuation.currency) for draft in held}


def observe_again(tx: Tx, watch: Watch, source: str, items: Iterable[Item]) -> int:
    """Save what stored listings of a watch cost, as if each was seen again when it was seen last; how many are new.

    The caller puts the valuing.
    """
    saved = 0
    for seen_at, group in groupby(sorted(items, key=_last_seen), key=_last_seen):
        shown = [_as_shown(item) for item in group]
        last = price_points.standing(tx, watch.name, source, [draft.key for draft in shown], seen_at.date())
        saved += _save(tx, watch, source, [draft for draft in shown if draft.key in last], last, seen_at)
    return saved


def put_valuing(tx: Tx, watch: Watch, now: datetime) -> None:
    """Have a watch valued that has new points; after all points of the transaction, as `valuations` wants it."""
    valuations.touch(tx, watch.name, now)
    jobs.put(tx, [valuations.value_job(watch.name)])


def _save(
    tx: Tx, watch: Watch, source: str, held: Sequence[Draft], last: Mapping[str, LastPoint | None], now: datetime
) -> int:
    told = [point_of(watch, source, draft, last[draft.key], now) for draft in held]
    points = [point for point in told if point is not None]
    return price_points.save(tx, points, now) + price_points.take_up(tx, _taken_up(points, last), now)


def _last_seen(item: Item) -> datetime:
    return item.last_seen_at


def _as_shown(item: Item) -> Draft:
    return Draft(key=item.key, rank=item.published_at, url=item.url, title=item.title, data=item.data)


def _taken_up(points: Sequence[PricePoint], last: Mapping[str, LastPoint | None]) -> Iterator[PricePoint]:
    """The points of listings that went back to a price they had before."""
    for point in points:
        known = last[point.item_key]
        if known is not None and known.is_before(point.dedupe_key):
            yield point
