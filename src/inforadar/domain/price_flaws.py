"""Why a listing of a price watch tells no price that can be used, and what its user can do about that."""

from collections import Counter
from collections.abc import Mapping
from typing import Any, Literal, get_args

from inforadar.domain.price import PriceType, price_in

PRICE_TEXT = "price_text"
"""The field in which a source keeps a price that it could not read."""

Flaw = Literal[
    "tell none", "cannot be read for sure", "are zero or too high", "name no currency", "are of another type"
]

REMEDIES: Mapping[Flaw, str] = {
    "tell none": "check the path of `price` in `fields`",
    "cannot be read for sure": "`price_text` has what they say; take a field that holds a plain number",
    "are zero or too high": "check the path of `price` in `fields`",
    "name no currency": "state `currency` in [watch.valuation], or its path in `fields`",
    "are of another type": f"`price_type` must be one of {', '.join(get_args(PriceType))}",
}


def price_flaw(data: Mapping[str, Any], usual_currency: str | None = None) -> Flaw | None:
    """What is wrong with the price an item tells, None where it can be used; as `price_in` sees it."""
    if price_in(data, usual_currency) is not None:
        return None
    if data.get("price_cents") is None:
        return "cannot be read for sure" if data.get(PRICE_TEXT) else "tell none"
    if price_in({**data, "currency": "USD", "price_type": "ask"}) is None:
        return "are zero or too high"
    return (
        "name no currency" if price_in({**data, "price_type": "ask"}, usual_currency) is None else "are of another type"
    )


def flaw_words(flaws: Mapping[str, Flaw | None]) -> str | None:
    """What is to be told of listings and their flaws, by key; None where every price can be used."""
    counts = Counter(flaw for flaw in flaws.values() if flaw is not None)
    if not counts:
        return None
    told = "; ".join(f"{number} {flaw} ({REMEDIES[flaw]})" for flaw, number in counts.most_common())
    return f"{counts.total()} of {len(flaws)} listings tell no usable price: {told}"
