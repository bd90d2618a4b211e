"""The JSON bodies of eBay's Buy APIs, key by key as recorded."""

from datetime import UTC, datetime, timedelta
from typing import Any

from inforadar.simulator.entry import Entry
from inforadar.simulator.listings import AUCTION

Json = dict[str, Any]
AUCTION_DAYS = 7
SOLD_AFTER = timedelta(days=3)


def summary(entry: Entry) -> Json:
    """One item of a search; an auction has a bid instead of a price and an end."""
    shown = {
        **_shared(entry),
        "itemWebUrl": f"https://www.ebay.com/itm/{entry.id}?_skw=coin&hash=item{entry.id}:g:abc",
        "itemCreationDate": date(entry.published_at),
        "legacyItemId": entry.id,
        "thumbnailImages": [{"imageUrl": f"https://i.ebayimg.com/thumbs/{entry.id}.jpg"}],
        "shippingOptions": [{"shippingCostType": "FIXED", "shippingCost": {"value": "4.50", "currency": "USD"}}],
        "adultOnly": False,
    }
    if _is_auction(entry):
        ends_at = entry.published_at + timedelta(days=AUCTION_DAYS)
        shown |= {"currentBidPrice": _price(entry), "bidCount": 2, "itemEndDate": date(ends_at)}
    else:
        shown["price"] = _price(entry)
    return shown


def detail(entry: Entry) -> Json:
    """The whole item."""
    return {
        **summary(entry),
        "description": f"<p>{entry.title}</p><ul><li>Ships in a capsule</li></ul>",
        "estimatedAvailabilities": [{"estimatedAvailabilityStatus": "IN_STOCK", "estimatedSoldQuantity": 1}],
    }


def sale(entry: Entry) -> Json:
    """One item that was sold."""
    return {
        **_shared(entry),
        "itemWebUrl": f"https://www.ebay.com/itm/{entry.id}",
        "lastSoldDate": date(sold_at(entry)),
        "lastSoldPrice": _price(entry),
        "totalSoldQuantity": 1,
    }


def sold_at(entry: Entry) -> datetime:
    """When an item that was taken off the list was sold."""
    return entry.published_at + SOLD_AFTER


def error(error_id: int, message: str, domain: str = "API_BROWSE", **more: str) -> Json:
    """An error or a warning in eBay's own shape."""
    return {"errorId": error_id, "domain": domain, "category": "REQUEST", "message": message, **more}


def date(moment: datetime) -> str:
    """A moment as eBay writes it."""
    return f"{moment.astimezone(UTC):%Y-%m-%dT%H:%M:%S}.000Z"


def _shared(entry: Entry) -> Json:
    return {
        "itemId": f"v1|{entry.id}|0",
        "title": entry.title,
        "leafCategoryIds": ["39464"],
        "categories": [{"categoryId": "39464"}, {"categoryId": "11116"}],
        "condition": "Ungraded",
        "conditionId": "4000",
        "buyingOptions": [AUCTION] if _is_auction(entry) else ["FIXED_PRICE", "BEST_OFFER"],
        "seller": {"username": entry.company.name, "feedbackPercentage": "99.9", "feedbackScore": 4711},
        "itemLocation": {"postalCode": "100**", "country": "US"},
    }


def _is_auction(entry: Entry) -> bool:
    return entry.salary is not None and entry.salary.mode == AUCTION


def _price(entry: Entry) -> Json:
    cents = (entry.salary.low if entry.salary else None) or 100
    return {"value": f"{cents / 100:.2f}", "currency": entry.salary.currency if entry.salary else "USD"}
