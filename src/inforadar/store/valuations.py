"""The tables `valuations` (one row per watch), `valuation_history` and `metal_prices`.

Whoever writes points touches the valuation's row before it puts the job, in the same transaction, and whoever values
the watch locks that row before it reads the points: so the two take turns, and no point is missed because its job was
swallowed by one that was about to end. The touch comes after the points, for all who write them, so that nobody waits
in a circle.
Invariant: one valuation per watch, kept by the primary key.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from inforadar.domain.job import NewJob
from inforadar.domain.price import MetalPrice
from inforadar.domain.valuation import QUANTILES, Amount, Quantiles, Summary, Valuation
from inforadar.store.database import Row, Tx
from inforadar.store.encoding import json_of
from inforadar.store.jobs import OUT_FIRST

VALUE = "value"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredValuation:
    """A valuation as it stands; `valued_at` None = points came, and nobody has valued them yet.

    `alerted`: the value from which the next movement is counted.
    """

    watch: str
    changed_at: datetime
    valued_at: datetime | None
    valuation: Valuation
    alerted: Amount | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PastValuation:
    """What a watch was worth from a moment on."""

    at: datetime
    currency: str
    basis: str
    quantiles: Quantiles
    count: int
    melt_cents: int | None


def value_job(watch: str) -> NewJob:
    """The job that values a watch; a watch never has two."""
    return NewJob(kind=VALUE, args={"watch": watch}, unique_key=f"{VALUE}:{watch}", priority=OUT_FIRST)


def touch(tx: Tx, watch: str, now: datetime) -> None:
    """Note that a watch has new points; whoever values it waits for the end of this transaction."""
    tx.run("valuation_touch", watch=watch, now=now)


def lock(tx: Tx, watch: str) -> bool:
    """Whether the watch has a valuation; nobody else writes its points or values it before this transaction ends."""
    return tx.row("valuation_lock", watch=watch) is not None


def get(tx: Tx, watch: str) -> StoredValuation | None:
    """The valuation of a watch, None where it never had a point."""
    row = tx.row("valuation_get", watch=watch)
    return _stored(row) if row else None


def watches(tx: Tx) -> list[str]:
    """Every watch that has a valuation."""
    return [row["watch"] for row in tx.rows("valuation_watches")]


def save(tx: Tx, watch: str, valuation: Valuation, now: datetime) -> None:
    """Write a valuation over the one before; one that differs goes into the history too."""
    before = get(tx, watch)
    columns = {**_columns(valuation), "watch": watch, "now": now}
    by_type = {name: asdict(summary) for name, summary in valuation.by_type.items()}
    more = {"by_type": json_of(by_type), "left_out": json_of(dict(valuation.left_out))}
    tx.run("valuation_save", **columns, outliers=valuation.outliers, **more)
    is_news = before is None or _columns(before.valuation) != _columns(valuation)
    if valuation.quantiles and is_news:
        tx.run("valuation_history_add", **columns)


def alerted(tx: Tx, watch: str, value: Amount) -> None:
    """Count the next movement from this value."""
    tx.run("valuation_alerted", watch=watch, cents=value.cents, currency=value.currency)


def history(tx: Tx, watch: str, *, limit: int) -> list[PastValuation]:
    """How the valuation of a watch went, oldest first; of a long history the newest part."""
    rows = tx.rows("valuation_history_of", watch=watch, limit=limit)
    return [
        PastValuation(
            at=row["at"],
            currency=row["currency"],
            basis=row["basis"],
            quantiles=_quantiles(row),
            count=row["points"],
            melt_cents=row["melt_cents"],
        )
        for row in reversed(rows)
    ]


def put_metal(tx: Tx, price: MetalPrice) -> None:
    """Keep what a metal costs."""
    tx.run("metal_price_put", **asdict(price))


def metal(tx: Tx, symbol: str) -> MetalPrice | None:
    """What a metal cost when it was last asked for."""
    row = tx.row("metal_price_get", symbol=symbol)
    return MetalPrice(**row) if row else None


def _columns(valuation: Valuation) -> dict[str, Any]:
    """What makes a valuation another one."""
    return {
        "currency": valuation.currency,
        "basis": valuation.basis,
        **{f"q{q}_cents": valuation.quantiles.get(q) for q in QUANTILES},
        "points": valuation.count,
        "melt_cents": valuation.melt_cents,
    }


def _stored(row: Row) -> StoredValuation:
    summaries: Mapping[str, Any] = row["by_type"] or {}
    valuation = Valuation(
        currency=row["currency"],
        basis=row["basis"],
        quantiles=_quantiles(row),
        count=row["points"],
        outliers=row["outliers"],
        by_type={name: Summary(**summary) for name, summary in summaries.items()},
        left_out=row["left_out"] or {},
        melt_cents=row["melt_cents"],
    )
    cents, currency = row["alerted_cents"], row["alerted_currency"]
    return StoredValuation(
        watch=row["watch"],
        changed_at=row["changed_at"],
        valued_at=row["valued_at"],
        valuation=valuation,
        alerted=Amount(cents=cents, currency=currency) if cents else None,
    )


def _quantiles(row: Row) -> Quantiles:
    return {q: row[f"q{q}_cents"] for q in QUANTILES if row[f"q{q}_cents"] is not None}
