"""The parameters of an eBay search: their names, what is wrong with a query's, and date windows as filters."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from inforadar.domain.paging import Window
from inforadar.domain.ports import ParamRule
from inforadar.sources.reading import param_values, unknown_params

NEWEST_FIRST = "newlyListed"
DEFAULT_MARKETPLACE = "EBAY_US"
OWN_PARAMS = ("sort", "limit", "offset")
ASKED_BY = ("q", "category_ids", "epid", "gtin")
START, SOLD = "itemStartDate", "lastSoldDate"
SECOND = timedelta(seconds=1)
PARAM_RULES: Mapping[str, ParamRule] = {
    "aspect_filter": ParamRule(),
    "category_ids": ParamRule(),
    "epid": ParamRule(),
    "filter": ParamRule(),
    "gtin": ParamRule(),
    "limit": ParamRule(),
    "marketplace": ParamRule(default=DEFAULT_MARKETPLACE),
    "offset": ParamRule(),
    "q": ParamRule(ignores_case=True),
    "sold": ParamRule(default=False),
    "sort": ParamRule(default=NEWEST_FIRST),
}
SENT = ("q", "category_ids", "epid", "gtin", "aspect_filter")

_MARKETPLACE = re.compile(r"EBAY_[A-Z_]{2,12}")
_PRICE = re.compile(r"\bprice:\[")
_CURRENCY = re.compile(r"\bpriceCurrency:[A-Z]{3}\b")


def check_params(params: Mapping[str, Any]) -> tuple[str, ...]:
    """Sentences on what is wrong; eBay ignores a wrong filter or sort in silence and so shows another list."""
    return (*_unknown_names(params), *_missing(params), *_forbidden(params), *_bad_filter(params))


def is_sold(params: Mapping[str, Any]) -> bool:
    """Whether a query asks for what was sold instead of what is offered."""
    return params.get("sold") in (True, "true")


def marketplace_of(params: Mapping[str, Any]) -> str:
    """The eBay site a query asks."""
    return next(iter(param_values(params.get("marketplace"))), DEFAULT_MARKETPLACE)


def list_params(params: Mapping[str, Any], dated_by: str, window: Window | None) -> list[tuple[str, str]]:
    """The user's parameters as they are sent, with the window as one more filter."""
    pairs = [(name, ",".join(param_values(params.get(name)))) for name in SENT]
    filters = [*param_values(params.get("filter")), *_dates(dated_by, window)]
    return [(name, text) for name, text in (*pairs, ("filter", ",".join(filters))) if text]


def _dates(dated_by: str, window: Window | None) -> list[str]:
    """A range of dates, rounded outwards to seconds; the lower end is included."""
    if window is None or (window.after is None and window.upto is None):
        return []
    lowest = _written(window.after) if window.after else ""
    highest = f"..{_written(window.upto + SECOND)}" if window.upto else ""
    return [f"{dated_by}:[{lowest}{highest}]"]


def _written(moment: datetime) -> str:
    return f"{moment.astimezone(UTC):%Y-%m-%dT%H:%M:%S}.000Z"


def _unknown_names(params: Mapping[str, Any]) -> list[str]:
    sentence = "an eBay query has no parameter `{name}`"
    return unknown_params(params, PARAM_RULES, sentence, "docs/sources/ebay.md")


def _missing(params: Mapping[str, Any]) -> list[str]:
    if not any(param_values(params.get(name)) for name in ASKED_BY):
        return ["eBay needs something to search for: write q, category_ids, epid or gtin."]
    if is_sold(params) and not param_values(params.get("category_ids")):
        return ["`sold` needs `category_ids` as well: eBay searches sold items only inside a category."]
    return []


def _forbidden(params: Mapping[str, Any]) -> list[str]:
    sentences = []
    if params.get("sort", NEWEST_FIRST) != NEWEST_FIRST:
        sentences.append(f"`sort` must stay `{NEWEST_FIRST}`: in any other order new items are lost.")
    sentences += [f"`{name}` is set by Radar itself: leave it out." for name in ("limit", "offset") if name in params]
    if not _MARKETPLACE.fullmatch(marketplace_of(params)):
        sentences.append("`marketplace` is written as eBay names it: EBAY_US, EBAY_GB, EBAY_DE, EBAY_ES and so on.")
    if params.get("sold", False) not in (True, False, "true", "false"):
        sentences.append("`sold` is true or false.")
    return sentences


def _bad_filter(params: Mapping[str, Any]) -> list[str]:
    text = ",".join(param_values(params.get("filter")))
    sentences = [
        f"`filter` must not hold {name}: Radar asks for dates itself; set `cutoff_date` of the query instead."
        for name in (START, SOLD)
        if name in text
    ]
    if _PRICE.search(text) and not _CURRENCY.search(text):
        sentences.append("`filter` has a price without a currency, which eBay ignores: add priceCurrency:USD.")
    return sentences
