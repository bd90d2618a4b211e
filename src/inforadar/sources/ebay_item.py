"""One item of eBay as its JSON shows it: offered in a search, sold, or on its own page."""

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any
from urllib.parse import urlsplit

from inforadar.domain.errors import Unreadable
from inforadar.domain.item import Draft
from inforadar.domain.ports import Detail
from inforadar.sources.reading import UNDATED, as_int, as_list, as_mapping, as_text, read_time, without_empty
from inforadar.sources.text import clean_line, plain_text

CENTS = 100
MOST_CENTS = 10**14
SOLD_MARK = "sold-"

_ITEM_ID = re.compile(r"v1\|(\d{1,20})\|(\d{1,20})")
_KEY = re.compile(r"(\d{1,20})(?:-(\d{1,20}))?")
_CURRENCY = re.compile(r"[A-Z]{3}")


def read_summary(entry: Mapping[str, Any]) -> Draft:
    """The draft of one offered item; raises Unreadable without id or title."""
    key, title = _key_and_title(entry)
    listed_at = read_time(entry.get("itemCreationDate")) or read_time(entry.get("itemOriginDate"))
    return Draft(
        key=key,
        rank=listed_at or UNDATED,
        url=_url(entry, key),
        title=title,
        data=_data(entry, _asked(entry)),
        is_dated=listed_at is not None,
    )


def read_sale(entry: Mapping[str, Any]) -> Draft | None:
    """The draft of one sold item, None without a date; it is kept apart from the same item on offer."""
    key, title = _key_and_title(entry)
    sold_at = read_time(entry.get("lastSoldDate"))
    if sold_at is None:
        return None
    sold = _price(entry.get("lastSoldPrice"), "sold") | {"sold_quantity": as_int(entry.get("totalSoldQuantity"))}
    data = _data(entry, sold)
    return Draft(key=f"{SOLD_MARK}{key}", rank=sold_at, url=_url(entry, key), title=title, data=data)


def read_item_detail(item: Mapping[str, Any]) -> Detail:
    """The detail of one item; raises Unreadable when it is none."""
    if not as_text(item.get("itemId")):
        raise Unreadable("eBay's answer is not an item")
    sold = [
        as_int(as_mapping(one).get("estimatedSoldQuantity")) for one in as_list(item.get("estimatedAvailabilities"))
    ]
    text = plain_text(as_text(item.get("description"))) or clean_line(as_text(item.get("shortDescription")))
    told = {"sold_quantity": next((count for count in sold if count is not None), None)}
    return Detail(availability="alive", full_text=text or None, data=without_empty(_data(item, _asked(item)) | told))


def item_id(key: str) -> str:
    """eBay's own id of the item behind a key of ours."""
    found = _KEY.fullmatch(key.removeprefix(SOLD_MARK))
    return f"v1|{found[1]}|{found[2] or 0}" if found else key


def _key_and_title(entry: Mapping[str, Any]) -> tuple[str, str]:
    """The listing's number, followed by the variation's where a listing has several."""
    told, title = clean_line(as_text(entry.get("itemId"))), clean_line(as_text(entry.get("title")))
    if not told or len(told) > 100 or not title:
        raise Unreadable("an item without id or title")
    found = _ITEM_ID.fullmatch(told)
    if found is None:
        return told, title
    return found[1] if int(found[2]) == 0 else f"{found[1]}-{found[2]}", title


def _url(entry: Mapping[str, Any], key: str) -> str:
    """The item's page without the tracking that differs from search to search."""
    listing, _, variation = key.partition("-")
    try:
        parts = urlsplit(as_text(entry.get("itemWebUrl")))
    except ValueError:
        parts = urlsplit("")
    is_web = parts.scheme in ("http", "https") and bool(parts.netloc)
    page = f"{parts.scheme}://{parts.netloc}{parts.path}" if is_web else f"https://www.ebay.com/itm/{listing}"
    return f"{page}?var={variation}" if variation else page


def _asked(entry: Mapping[str, Any]) -> dict[str, Any]:
    """What the seller asks, or for an auction without a fixed price the highest bid so far."""
    options = _options(entry)
    is_only_auction = "AUCTION" in options and "FIXED_PRICE" not in options
    bid = _price(entry.get("currentBidPrice"), "bid")
    return bid if is_only_auction and bid else _price(entry.get("price"), "ask")


def _price(value: Any, price_type: str) -> dict[str, Any]:
    """A price in cents of the seller's own currency: what eBay converted it to changes every day."""
    told = as_mapping(value)
    for amount, unit in (("convertedFromValue", "convertedFromCurrency"), ("value", "currency")):
        cents, currency = _cents(told.get(amount)), as_text(told.get(unit))
        if cents is not None and _CURRENCY.fullmatch(currency):
            return {"price_cents": cents, "currency": currency, "price_type": price_type}
    return {}


def _cents(value: Any) -> int | None:
    try:
        cents = Decimal(as_text(value).strip()) * CENTS
    except ArithmeticError:  # what is no number, and what no number can be
        return None
    return int(cents.to_integral_value()) if cents.is_finite() and 0 <= cents <= MOST_CENTS else None


def _data(entry: Mapping[str, Any], price: Mapping[str, Any]) -> dict[str, Any]:
    seller, ends_at = as_mapping(entry.get("seller")), read_time(entry.get("itemEndDate"))
    found = _ITEM_ID.fullmatch(as_text(entry.get("itemId")))
    has_variations = found is not None and int(found[2]) != 0
    return without_empty(
        {
            **price,
            "condition": clean_line(as_text(entry.get("condition"))),
            "condition_id": clean_line(as_text(entry.get("conditionId"))),
            "buying_options": _options(entry),
            "ends_at": ends_at.isoformat() if ends_at else None,
            "seller": clean_line(as_text(seller.get("username"))),
            "location": _location(as_mapping(entry.get("itemLocation"))),
            "listing": as_text(entry.get("legacyItemId")) or (found[1] if found else "") if has_variations else "",
            "epid": clean_line(as_text(entry.get("epid"))),
        }
    )


def _options(entry: Mapping[str, Any]) -> list[str]:
    return [text for text in (clean_line(as_text(one)) for one in as_list(entry.get("buyingOptions"))) if text]


def _location(told: Mapping[str, Any]) -> str:
    parts = (clean_line(as_text(told.get(name))) for name in ("city", "postalCode", "country"))
    return ", ".join(part for part in parts if part)
