"""Price points: what a listing asked, was bid or was sold for, once for each watch, source and dedupe key.

`ext_{id}` is the first point of a listing its source has an id for; a listing without one, and every later price of
one that has, is `hash_{...}` of address, title, price, day, type and currency. On conflict the stronger match wins, and
SQL decides that. A listing that goes back to a price it had on the same day takes that point up again, as its latest.
An offer that stands makes no other point; a sale on another day does, also at the same price.
Invariant: the same price of the same item on the same day is one point, and the latest point is what was seen last.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Any, Literal, cast, get_args
from urllib.parse import urlsplit

from inforadar.domain.coin import match_strength
from inforadar.domain.item import Draft
from inforadar.domain.url import normalise_url
from inforadar.domain.watch import Watch

PriceType = Literal["sold", "ask", "bid"]
MOST_CENTS = 10**14
DIGEST_LENGTH = 16
JUST_AFTER = timedelta(microseconds=1)
SIGNS = {"$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY", "₽": "RUB", "₴": "UAH", "₹": "INR", "₺": "TRY"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """An amount in the hundredth part of a currency, and what it is: asked, bid or paid."""

    cents: int
    currency: str
    type: PriceType


@dataclass(frozen=True, slots=True, kw_only=True)
class PricePoint:
    """One observed price of one listing, as it concerns one watch; `id` None = not stored.

    `seen_at`: since when it is, or was last, the price of its listing.
    """

    id: int | None = None
    watch: str
    source: str
    dedupe_key: str
    item_key: str
    url: str
    title: str
    price: Price
    observed_on: date
    match_strength: float
    why: str
    seen_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LastPoint:
    """The latest point of a listing; `seen_at`: since when, `had`: the keys of the points it has, by price and day."""

    dedupe_key: str
    price: Price
    seen_at: datetime
    had: Mapping[tuple[Price, date], str] = field(default_factory=dict)

    def is_before(self, key: str) -> bool:
        """Whether a point of this listing is one that another price has followed."""
        return key != self.dedupe_key and key in self.had.values()


@dataclass(frozen=True, slots=True, kw_only=True)
class MetalPrice:
    """What an ounce of a metal cost at a moment."""

    symbol: str
    ounce_cents: int
    currency: str
    at: datetime


def price_in(data: Mapping[str, Any], usual_currency: str | None = None) -> Price | None:
    """The price an item tells, None where it tells none that can be used; `usual_currency` where it names none."""
    cents, price_type = data.get("price_cents"), data.get("price_type", "ask")
    currency = _currency(data.get("currency") or usual_currency)
    is_amount = isinstance(cents, int) and not isinstance(cents, bool) and 0 < cents <= MOST_CENTS
    if not is_amount or currency is None or price_type not in get_args(PriceType):
        return None
    return Price(cents=int(cents or 0), currency=currency, type=cast(PriceType, price_type))


def point_of(watch: Watch, source: str, draft: Draft, last: LastPoint | None, now: datetime) -> PricePoint | None:
    """The point a sighting makes, None without a price; a price that stands keeps its key, so that it is no new one."""
    price = price_in(draft.data, watch.valuation.currency)
    if price is None:
        return None
    observed_on = (draft.rank if price.type == "sold" else now).date()
    strength = match_strength(watch.coin, draft.title)
    return PricePoint(
        watch=watch.name,
        source=source,
        dedupe_key=_key_of(draft, price, observed_on, last),
        item_key=draft.key,
        url=draft.url,
        title=draft.title,
        price=price,
        observed_on=observed_on,
        match_strength=strength.score,
        why=strength.why,
        # a clock that was set back must not make an earlier price the latest
        seen_at=now if last is None else max(now, last.seen_at + JUST_AFTER),
    )


def dedupe_key(external_id: str | None, *, url: str, title: str, price: Price, observed_on: date) -> str:
    """What makes two observations one."""
    if external_id:
        return f"ext_{external_id}"
    amount, words = str(price.cents), " ".join(title.lower().split())
    parts = (_bare(url), words, amount, observed_on.isoformat(), price.type, price.currency)
    digest = hashlib.sha256("|".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
    return f"hash_{digest[:DIGEST_LENGTH]}"


def _key_of(draft: Draft, price: Price, observed_on: date, last: LastPoint | None) -> str:
    # an offer that stands is one offer; a thing that is sold on another day is sold again
    may_recur = price.type == "sold" and draft.is_dated
    if last is not None and last.price == price and not may_recur:
        return last.dedupe_key
    if last is not None and (price, observed_on) in last.had:
        return last.had[price, observed_on]
    external_id = None if "://" in draft.key else draft.key
    first_id = external_id if last is None else None
    # two listings may share address, title and price; those that have ids are told apart by them
    place = external_id or draft.url
    return dedupe_key(first_id, url=place, title=draft.title, price=price, observed_on=observed_on)


def _currency(told: Any) -> str | None:
    if not isinstance(told, str):
        return None
    code = SIGNS.get(told.strip(), told.strip().upper())
    return code if len(code) == 3 and code.isascii() and code.isalpha() else None


def _bare(url: str) -> str:
    """An address without query and fragment, in its one form."""
    normal = normalise_url(url)
    try:
        parts = urlsplit(normal)
    except ValueError:
        return normal
    return f"{parts.scheme}://{parts.netloc}{parts.path}" if parts.netloc else normal
