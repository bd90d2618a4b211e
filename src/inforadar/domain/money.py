"""What an item says of money and place, in words: the same wherever an item is shown or judged."""

from collections.abc import Mapping
from typing import Any

from inforadar.domain.valuation import money

LARGEST = 10**15
PAID_BY = {"HOUR": "an hour", "SHIFT": "a shift", "SERVICE": "a piece"}
TAXES = {True: "gross", False: "net"}


def money_of(data: Mapping[str, Any]) -> str:
    """The salary an item tells, such as `3,000–4,500 EUR gross`; empty where it tells none."""
    salary = data.get("salary")
    if not isinstance(salary, Mapping):
        return _line(data.get("salary_text"))
    span = _span(_whole(salary.get("from")), _whole(salary.get("to")))
    tax = salary.get("gross")
    words = (
        span,
        _line(salary.get("currency")),
        PAID_BY.get(str(salary.get("mode")), ""),
        TAXES[tax] if isinstance(tax, bool) else "",
    )
    return " ".join(filter(None, words)) if span else ""


def price_of(data: Mapping[str, Any]) -> str:
    """The price an offer tells, such as `171.82 USD`; empty where it tells none."""
    cents = data.get("price_cents")
    if not isinstance(cents, int) or isinstance(cents, bool) or abs(cents) > LARGEST:
        return ""
    return money(cents, _line(data.get("currency")))


def place_of(data: Mapping[str, Any]) -> str:
    """Where the work is, with `remote` where it can be done from anywhere."""
    place = _line(data.get("place"))
    if data.get("remote") is True and "remote" not in place.lower():
        return f"{place}, remote" if place else "remote"
    return place


def _line(value: Any) -> str:
    return " ".join(value.split()) if isinstance(value, str) else ""


def _span(lowest: int | None, highest: int | None) -> str:
    if lowest is None and highest is None:
        return ""
    if highest is None:
        return f"from {lowest:,}"
    if lowest is None:
        return f"up to {highest:,}"
    return f"{lowest:,}" if lowest == highest else f"{lowest:,}–{highest:,}"


def _whole(value: Any) -> int | None:
    """A number that is one, and small enough to be meant."""
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return int(value) if is_number and 0 <= value < LARGEST else None
