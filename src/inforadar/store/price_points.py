"""The table `price_points`: what listings asked, were bid or were sold for.

`updated_at` is when a listing took a price up, or a better title of it was seen: the newest is the listing's latest.
Invariant: one row per (watch, source, dedupe_key), kept by the unique key; the stronger match wins, decided by SQL.
"""

from collections.abc import Collection, Iterable
from datetime import date, datetime
from itertools import groupby

from inforadar.domain.price import LastPoint, Price, PricePoint
from inforadar.store.database import Row, Tx
from inforadar.store.encoding import key_set, storable

MOST_POINTS = 50_000


def standing(tx: Tx, watch: str, source: str, keys: Collection[str], today: date) -> dict[str, LastPoint | None]:
    """The listings among these keys that the watch has a match of, each with its latest point.

    What they had before is told as far as they may come back to it: of today, and what was sold.
    """
    if not keys:
        return {}
    rows = tx.rows("price_point_standing", watch=watch, source=source, keys=key_set(keys), today=today)
    return {key: _last(list(found)) for key, found in groupby(rows, key=lambda row: str(row["key"]))}


def save(tx: Tx, points: Iterable[PricePoint], now: datetime) -> int:
    """Save points; how many are new or fit better than what was there."""
    return tx.many("price_point_save", [_row(point, now) for point in points])


def take_up(tx: Tx, points: Iterable[PricePoint], now: datetime) -> int:
    """Make points that other prices followed the latest of their listings again; how many were not."""
    in_order = sorted(points, key=lambda point: point.dedupe_key)
    return sum(
        tx.run(
            "price_point_take_up",
            watch=point.watch,
            source=point.source,
            dedupe_key=point.dedupe_key,
            seen_at=point.seen_at or now,
        )
        for point in in_order
    )


def since(tx: Tx, watch: str, day: date) -> list[PricePoint]:
    """The points of a watch since a day, newest first."""
    return [_point(row) for row in tx.rows("price_point_search", watch=watch, since=day, limit=MOST_POINTS)]


def recent(tx: Tx, watch: str, *, limit: int) -> list[PricePoint]:
    """The newest points of a watch."""
    return [_point(row) for row in tx.rows("price_point_search", watch=watch, since=None, limit=limit)]


def count(tx: Tx, watch: str) -> int:
    """How many points a watch has."""
    return int(tx.rows("price_point_count", watch=watch)[0]["n"])


def _last(rows: list[Row]) -> LastPoint | None:
    """The latest of a listing's rows, which come oldest first; one row without a key = it has no point."""
    latest = rows[-1]
    if not latest["dedupe_key"]:
        return None
    had = {(_price(row), row["observed_on"]): row["dedupe_key"] for row in rows}
    return LastPoint(dedupe_key=latest["dedupe_key"], price=_price(latest), seen_at=latest["seen_at"], had=had)


def _price(row: Row) -> Price:
    return Price(cents=row["price_cents"], currency=row["currency"], type=row["price_type"])


def _point(row: Row) -> PricePoint:
    own = {name: value for name, value in row.items() if name not in ("price_cents", "currency", "price_type")}
    return PricePoint(**own, price=_price(row))


def _row(point: PricePoint, now: datetime) -> Row:
    return {
        "watch": storable(point.watch),
        "source": point.source,
        "dedupe_key": storable(point.dedupe_key),
        "item_key": storable(point.item_key),
        "url": storable(point.url),
        "title": storable(point.title),
        "price_cents": point.price.cents,
        "currency": point.price.currency,
        "price_type": point.price.type,
        "observed_on": point.observed_on,
        "match_strength": point.match_strength,
        "why": storable(point.why),
        "seen_at": point.seen_at or now,
        "now": now,
    }
