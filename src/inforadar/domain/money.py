"""What an item says of money and place, in words: the same wherever an item is shown or judged."""

from collections.abc import Mapping
from typing import Any

LARGEST = 10**12


def money_of(data: Mapping[str, Any]) -> str:
    """The salary or price an item tells, such as `3,000-4,500 EUR`; empty where it tells none."""
    salary = data.get("salary")
    if isinstance(salary, Mapping):
        return _range(salary.get("from"), salary.get("to"), salary.get("currency"))
    text = data.get("salary_text")
    return " ".join(text.split()) if isinstance(text, str) else ""


def place_of(data: Mapping[str, Any]) -> str:
    """Where the work is, with `remote` where it can be done from anywhere."""
    place = data.get("place")
    named = " ".join(place.split()) if isinstance(place, str) else ""
    return ", ".join(part for part in (named, "remote" if data.get("remote") is True else "") if part)


def _range(lowest: Any, highest: Any, currency: Any) -> str:
    amounts = [_amount(bound) for bound in (lowest, highest)]
    unit = currency if isinstance(currency, str) else ""
    if all(amounts):
        words = amounts[0] if amounts[0] == amounts[1] else f"{amounts[0]}-{amounts[1]}"
    elif any(amounts):
        words = f"from {amounts[0]}" if amounts[0] else f"up to {amounts[1]}"
    else:
        return ""
    return f"{words} {unit}".strip()


def _amount(bound: Any) -> str:
    is_number = isinstance(bound, (int, float)) and not isinstance(bound, bool)
    return f"{bound:,.0f}" if is_number and 0 < bound < LARGEST else ""
