"""The valuation of a watch: what its price points say together, as quantiles and never as a mean.

Of each listing the latest price counts, once; what was sold counts at every sale. Points that fit the coin badly, are
very old or are in a currency that cannot be converted are left out and counted. A point weighs half as much with every
half-life of its age. What lies far outside the middle half (on a scale of factors, not of amounts) is an outlier. The
result rests on prices that were paid if there are enough of them, else on asking prices, else on all prices together;
with too few there is none.
"""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import Literal

from inforadar.domain.price import PricePoint, PriceType
from inforadar.domain.watch import ValuationTerms

QUANTILES = (10, 25, 50, 75, 90)
LEAST_STRENGTH = 0.5
HALF_LIVES = 10
FENCE = 1.5
NEVER_OUTLYING = math.log(2)
RATES_IN = "USD"
TYPES: tuple[PriceType, ...] = ("sold", "ask", "bid")

_UNKNOWN = datetime(1, 1, 1, tzinfo=UTC)

Basis = Literal["sold", "ask", "all"]
Quantiles = Mapping[int, int]
Rates = Mapping[str, float]
"""What one unit of a currency is worth in US dollars."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Amount:
    """Cents of a currency."""

    cents: int
    currency: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """What the points of one type say: how many count, how many are outliers, and the middle."""

    count: int
    outliers: int
    median_cents: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Valuation:
    """What the points of a watch say; without `quantiles` there is not enough data.

    `count`: the points it rests on. `left_out`: points that say nothing here, by reason. `melt_cents`: the floor.
    """

    currency: str | None = None
    basis: Basis | None = None
    quantiles: Quantiles = field(default_factory=dict)
    count: int = 0
    outliers: int = 0
    by_type: Mapping[str, Summary] = field(default_factory=dict)
    left_out: Mapping[str, int] = field(default_factory=dict)
    melt_cents: int | None = None

    @property
    def median_cents(self) -> int | None:
        """The value to tell if only one number fits."""
        return self.quantiles.get(50)


@dataclass(frozen=True, slots=True)
class _Weighted:
    cents: float
    weight: float
    type: PriceType


def value(
    points: Iterable[PricePoint],
    terms: ValuationTerms,
    *,
    today: date,
    rates: Rates | None = None,
    melt: Amount | None = None,
) -> Valuation:
    """The valuation of a watch on a day; `melt` is what its metal is worth."""
    left_out: Counter[str] = Counter()
    fitting = list(_fitting(_latest(points, left_out), terms, today, left_out))
    currency = terms.currency or _usual_currency(fitting) or (melt.currency if melt else None)
    if currency is None:
        return Valuation(left_out=_sorted(left_out))
    weighted = list(_weighted(fitting, currency, rates or {}, terms, today, left_out))
    floor = converted(melt.cents, melt.currency, currency, rates or {}) if melt else None
    melt_cents = None if floor is None else round(floor)
    basis = _basis(weighted, terms)
    kept, outliers = _fenced([one for one in weighted if basis == "all" or one.type == basis]) if basis else ([], 0)
    return Valuation(
        currency=currency,
        basis=basis,
        quantiles={q: max(round(quantile(kept, q / 100)), melt_cents or 0) for q in QUANTILES} if kept else {},
        count=len(kept) if basis else len(weighted),
        outliers=outliers,
        by_type=_by_type(weighted),
        left_out=_sorted(left_out),
        melt_cents=melt_cents,
    )


def horizon(terms: ValuationTerms, today: date) -> date:
    """The day before which a point weighs next to nothing and is left out."""
    days = min(terms.half_life_days * HALF_LIVES, (today - date.min).days)
    return today - timedelta(days=days)


def converted(cents: float, currency: str, into: str, rates: Rates) -> float | None:
    """An amount in another currency, None where no rate is known."""
    if currency == into:
        return cents
    known = {RATES_IN: 1.0, **rates}
    return cents * known[currency] / known[into] if currency in known and into in known else None


def quantile(points: Sequence[_Weighted], share: float) -> float:
    """The amount below which a share of the weight lies: each point stands at the middle of its own weight."""
    ordered = sorted(points, key=lambda one: (one.cents, one.weight))
    total, passed = sum(one.weight for one in ordered), 0.0
    before: tuple[float, float] | None = None
    for one in ordered:
        place = (passed + one.weight / 2) / total
        if place >= share:
            return one.cents if before is None else _between(before, (place, one.cents), share)
        before, passed = (place, one.cents), passed + one.weight
    return ordered[-1].cents


def movement(baseline_cents: int | None, median_cents: int | None, percent: float) -> float | None:
    """By how many percent the value moved since the last alert, if that is worth one; 0 percent = never."""
    if not baseline_cents or median_cents is None or percent <= 0:
        return None
    moved = (median_cents - baseline_cents) * 100 / baseline_cents
    return moved if abs(moved) > percent else None


def alert_words(watch: str, before: Amount, now: Valuation) -> str:
    """What a person is told when the value has moved."""
    cents = now.median_cents or 0
    moved = (cents - before.cents) * 100 / before.cents
    verb = "rose" if moved > 0 else "fell"
    return (
        f"{watch}: the value {verb} by {abs(moved):.1f} % to {money(cents, now.currency)}, "
        f"from {money(before.cents, before.currency)}; it rests on {basis_words(now)}."
    )


def basis_words(valuation: Valuation) -> str:
    """What a valuation rests on."""
    kinds = {"sold": "prices paid", "ask": "asking prices", "all": "prices of all kinds", None: "too few prices"}
    return f"{valuation.count} {kinds[valuation.basis]}"


def money(cents: int, currency: str | None) -> str:
    """An amount as a person reads it."""
    return f"{cents / 100:,.2f} {currency or ''}".rstrip()


def _latest(points: Iterable[PricePoint], left_out: Counter[str]) -> list[PricePoint]:
    """Of each listing its latest price, of what was sold every sale; the same point told twice is one."""
    unique = {(point.source, point.dedupe_key): point for point in sorted(points, key=_rank)}
    newest = {_listing(point): point for point in sorted(unique.values(), key=_rank)}
    left_out["earlier prices of the same listing"] += len(unique) - len(newest)
    return sorted(newest.values(), key=_rank)


def _listing(point: PricePoint) -> tuple[str, ...]:
    """What has one price at a time: an offer is replaced by its next price, a sale by none."""
    listing = (point.source, point.item_key, point.price.type)
    return (*listing, point.dedupe_key) if point.price.type == "sold" else listing


def _rank(point: PricePoint) -> tuple[object, ...]:
    """A total order, so that no other order can matter: later and stronger ones last."""
    price = point.price
    told = (price.cents, price.currency, price.type, point.source, point.item_key, point.dedupe_key)
    since = (point.seen_at or _UNKNOWN, point.id or 0, point.observed_on)
    return *since, point.match_strength, *told


def _fitting(
    points: Iterable[PricePoint], terms: ValuationTerms, today: date, left_out: Counter[str]
) -> Iterator[PricePoint]:
    first_day = horizon(terms, today)
    for point in points:
        if point.match_strength < LEAST_STRENGTH:
            left_out["not what is looked for"] += 1
        elif point.observed_on < first_day:
            left_out["too old"] += 1
        else:
            yield point


def _usual_currency(points: Sequence[PricePoint]) -> str | None:
    counts = Counter(point.price.currency for point in points)
    return min(counts, key=lambda currency: (-counts[currency], currency), default=None)


def _weighted(
    points: Iterable[PricePoint],
    currency: str,
    rates: Rates,
    terms: ValuationTerms,
    today: date,
    left_out: Counter[str],
) -> Iterator[_Weighted]:
    for point in points:
        cents = converted(point.price.cents, point.price.currency, currency, rates)
        if cents is None:
            left_out[f"no rate from {point.price.currency} to {currency}"] += 1
            continue
        age_days = max(0, (today - point.observed_on).days)
        yield _Weighted(cents, 0.5 ** (age_days / terms.half_life_days), point.price.type)


def _basis(points: Sequence[_Weighted], terms: ValuationTerms) -> Basis | None:
    counts = Counter(point.type for point in points)
    if counts["sold"] >= terms.min_points:
        return "sold"
    if counts["ask"] >= terms.min_points:
        return "ask"
    return "all" if len(points) >= terms.min_points else None


def _fenced(points: Sequence[_Weighted]) -> tuple[list[_Weighted], int]:
    """The points inside the fences, and how many are outside."""
    if not points:
        return [], 0
    low, high = math.log(quantile(points, 0.25)), math.log(quantile(points, 0.75))
    reach = max(FENCE * (high - low), NEVER_OUTLYING)
    # a hair wider, so that no rounding of a logarithm decides
    kept = [one for one in points if low - reach - 1e-9 <= math.log(one.cents) <= high + reach + 1e-9]
    return kept, len(points) - len(kept)


def _by_type(points: Sequence[_Weighted]) -> dict[str, Summary]:
    found: dict[str, Summary] = {}
    for price_type in TYPES:
        kept, outliers = _fenced([one for one in points if one.type == price_type])
        if kept:
            found[price_type] = Summary(count=len(kept), outliers=outliers, median_cents=round(quantile(kept, 0.5)))
    return found


def _between(low: tuple[float, float], high: tuple[float, float], share: float) -> float:
    (place, cents), (next_place, next_cents) = low, high
    return cents + (next_cents - cents) * (share - place) / (next_place - place)


def _sorted(left_out: Counter[str]) -> dict[str, int]:
    return {reason: count for reason, count in sorted(left_out.items()) if count}
