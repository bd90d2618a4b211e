"""A field of an item in words: lists and tables as people write them, never as a program does."""

import re
from collections.abc import Mapping
from itertools import takewhile
from operator import eq
from typing import Any

from inforadar.domain.health import moment
from inforadar.domain.item import Change
from inforadar.domain.money import price_of
from inforadar.interfaces.cli.table import shorten
from inforadar.observe.printable import printable
from inforadar.sources.reading import read_time

NAMES = {"initial_created_at": "first posted", "ends_at": "ends"}
MOMENT = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d\S*")


def field_name(name: str) -> str:
    """What people call a field."""
    return NAMES.get(name, name.replace("_", " "))


def field_words(value: Any, width: int) -> str:
    """A value in at most so many cells, safe to show; what is empty is nothing."""
    return shorten(printable(_words(value)), width)


def shown_fields(data: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of an item by the names people read; cents and their currency are one price."""
    price = price_of(data)
    told: dict[str, Any] = {}
    for name, value in data.items():
        if price and name == "price_cents":
            told["price"] = price
        elif not (price and name == "currency"):
            told[field_name(name)] = value
    return told


def change_words(change: Change, data: Mapping[str, Any], width: int) -> str:
    """What became of one field of an item with this data; each value in at most so many cells."""
    name, values = field_name(change.field), [change.old, change.new]
    if change.field == "price_cents":
        name = "price"
        values = [price_of({**data, "price_cents": value}) or value for value in values]
    was, became = (printable(_words(value)) for value in values)
    old, new = _told_apart(was, became, width)
    return f"{name}: {old} -> {new}"


def _told_apart(old: str, new: str, width: int) -> tuple[str, str]:
    """Two texts in at most so many cells each; where they begin alike, from where they differ."""
    if old == new or shorten(old, width) != shorten(new, width):
        return shorten(old, width), shorten(new, width)
    alike = sum(takewhile(bool, map(eq, old, new)))
    begin = max(0, alike - width // 3)
    return shorten(f"…{old[begin:]}", width), shorten(f"…{new[begin:]}", width)


def _words(value: Any) -> str:
    if value in (None, "", [], {}):
        return "nothing"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str) and MOMENT.fullmatch(value) and (at := read_time(value)):
        return moment(at)
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_words(inner)}" for name, inner in value.items() if inner is not None)
    return ", ".join(map(_words, value)) if isinstance(value, list) else str(value)
