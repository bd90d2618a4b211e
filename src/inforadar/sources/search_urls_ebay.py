"""eBay's search pages as queries of its Browse API: the same filters under other names."""

import re
from typing import Any
from urllib.parse import SplitResult

from inforadar.sources.search_urls_reading import (
    NO_FILTER,
    RADARS_OWN,
    Asked,
    LeftOut,
    NotASearch,
    Pairs,
    is_tracking,
    segments,
)

SITES = {
    "com": ("EBAY_US", "USD"),
    "co.uk": ("EBAY_GB", "GBP"),
    "de": ("EBAY_DE", "EUR"),
    "es": ("EBAY_ES", "EUR"),
    "fr": ("EBAY_FR", "EUR"),
    "it": ("EBAY_IT", "EUR"),
    "at": ("EBAY_AT", "EUR"),
    "nl": ("EBAY_NL", "EUR"),
    "ie": ("EBAY_IE", "EUR"),
    "be": ("EBAY_BE", "EUR"),
    "pl": ("EBAY_PL", "PLN"),
    "ch": ("EBAY_CH", "CHF"),
    "ca": ("EBAY_CA", "CAD"),
    "com.au": ("EBAY_AU", "AUD"),
    "com.hk": ("EBAY_HK", "HKD"),
    "com.sg": ("EBAY_SG", "SGD"),
    "com.my": ("EBAY_MY", "MYR"),
    "ph": ("EBAY_PH", "PHP"),
}
BUYING = {"LH_BIN": "FIXED_PRICE", "LH_Auction": "AUCTION", "LH_BO": "BEST_OFFER"}
PAGING = ("_sop", "_ipg", "_pgn", "_dmd", "_stpos", "_skc")
NOISE = (
    *("_from", "_trksid", "_odkw", "_osacat", "_oac", "_dcat", "_blrs", "_fsrp", "_ssc", "_vxp", "_oaa", "_svsrch"),
    *("rt", "hash", "mkevt", "mkcid", "mkrid", "campid", "toolid", "customid", "norover", "amdata", "epid_from"),
)
NOT_UNDERSTOOD = "there is no filter of eBay's API known for it"

_CATEGORY = re.compile(r"\d{1,9}")
_MONEY = re.compile(r"\d+(?:\.\d+)?")
_SEARCH = re.compile(r"/sch(?:/.*)?|/b/.+|/itm/?")
_CONDITION = re.compile(r"\d{4}")


def read_ebay(parts: SplitResult, host: str) -> Asked:
    """A search or a category page; without a choice the page shows auctions too, and so does the query."""
    pairs, where = Pairs.of(parts), segments(parts)
    if not _SEARCH.fullmatch(parts.path) or where[0] == "itm":
        raise NotASearch("This page of eBay is not a search. Search there, then give the address of the results.")
    market, currency = SITES.get(host.partition("ebay.")[2], SITES["com"])
    category = _category(pairs, where)
    is_sold = "1" in (pairs.one("LH_Sold"), pairs.one("LH_Complete"))
    params: dict[str, Any] = {"q": pairs.one("_nkw"), "category_ids": category, "epid": pairs.one("epid")}
    params["marketplace"] = market if market != "EBAY_US" else ""
    params["filter"] = _filters(pairs, market, currency, is_sold=is_sold)
    params["aspect_filter"] = _aspects(pairs, category)
    params["sold"] = is_sold
    pairs.leave(PAGING, RADARS_OWN)
    pairs.leave([*NOISE, *filter(is_tracking, pairs.rest())], NO_FILTER)
    told = {name: value for name, value in params.items() if value}
    return Asked(source="ebay", params=told, left_out=pairs.finish(NOT_UNDERSTOOD))


def _category(pairs: Pairs, where: list[str]) -> str:
    in_path = next((part for part in where if _CATEGORY.fullmatch(part)), "")
    asked = pairs.one("_sacat")
    return asked if asked not in ("", "0") else in_path


def _filters(pairs: Pairs, market: str, currency: str, *, is_sold: bool) -> str:
    bought = [option for name, option in BUYING.items() if pairs.one(name) == "1"]
    if not bought and not is_sold:
        bought = ["FIXED_PRICE", "AUCTION"]
    lowest, highest = (_money(pairs, name) for name in ("_udlo", "_udhi"))
    conditions = [one for value in pairs.values("LH_ItemCondition") for one in value.split("|")]
    if not all(map(_CONDITION.fullmatch, conditions)):
        pairs.left_out += Pairs([("LH_ItemCondition", "|".join(conditions))]).finish(
            "eBay's API knows conditions by four digits: add conditionIds to `filter` yourself"
        )
        conditions = []
    sellers = pairs.values("_ssn") or pairs.values("_sasl")
    filters = [
        f"buyingOptions:{{{'|'.join(bought)}}}" if bought else "",
        f"price:[{lowest}..{highest}],priceCurrency:{currency}" if lowest or highest else "",
        f"conditionIds:{{{'|'.join(conditions)}}}" if conditions else "",
        f"sellers:{{{'|'.join(sellers)}}}" if sellers else "",
        "maxDeliveryCost:0" if pairs.one("LH_FS") == "1" else "",
        f"itemLocationCountry:{market.removeprefix('EBAY_')}" if pairs.one("LH_PrefLoc") == "1" else "",
    ]
    return ",".join(part for part in filters if part)


def _money(pairs: Pairs, name: str) -> str:
    value = pairs.one(name).replace(",", "")
    if value and not _MONEY.fullmatch(value):
        pairs.left_out.append(LeftOut(name=name, value=value, why="it is no amount", is_lost=True))
        return ""
    return value


def _aspects(pairs: Pairs, category: str) -> str:
    """The properties chosen on the left of the page (Year=1921), which eBay's API takes inside a category only."""
    names = [name for name in pairs.rest() if name[:1].isupper() and not name.startswith("LH_")] if category else []
    chosen = [f"{name}:{{{'|'.join(pairs.values(name))}}}" for name in names]
    return ",".join([f"categoryId:{category}", *chosen]) if chosen else ""
