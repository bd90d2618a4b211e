"""What metals cost: the spot price of an ounce by gold-api.com, which wants no key."""

from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any

from inforadar.domain.errors import Unreadable
from inforadar.domain.ports import Answer, Clock, Request, Transport
from inforadar.domain.price import MetalPrice
from inforadar.net.statuses import status_error
from inforadar.sources.reading import as_mapping, as_text, read_json, read_time

DEFAULT_BASE_URL = "https://api.gold-api.com"
CURRENCY = "USD"
CENTS = 100
MOST_CENTS = 10**10


@dataclass(frozen=True, slots=True, kw_only=True)
class Metals:
    """Asks for spot prices; `base_url` is the server that has them."""

    transport: Transport
    clock: Clock
    base_url: str = DEFAULT_BASE_URL

    def price(self, symbol: str) -> MetalPrice:
        """What an ounce costs now, by the metal's symbol (XAU, XAG, XPT, XPD); raises SourceError."""
        answer = self.transport.send(self.base_url, Request(path=f"/price/{symbol}"))
        error = status_error(answer, self.clock.now())
        if error is not None:
            raise error
        return read_price(answer, symbol, self.clock)


def read_price(answer: Answer, symbol: str, clock: Clock) -> MetalPrice:
    """The price in an answer; older servers name no currency, and mean US dollars."""
    told = as_mapping(read_json(answer.body))
    cents = _cents(told.get("price"))
    if cents is None or as_text(told.get("symbol")) not in ("", symbol):
        raise Unreadable(f"the metal server told no price of {symbol}")
    currency = as_text(told.get("currency")) or CURRENCY
    now = clock.now()
    return MetalPrice(
        symbol=symbol,
        ounce_cents=cents,
        currency=currency,
        at=min(read_time(told.get("updatedAt")) or now, now),
    )


def _cents(price: Any) -> int | None:
    if isinstance(price, bool) or not isinstance(price, int | float):
        return None
    try:
        cents = Decimal(str(price)) * CENTS
    except InvalidOperation:
        return None
    return int(cents.to_integral_value()) if cents.is_finite() and 1 <= cents <= MOST_CENTS else None
