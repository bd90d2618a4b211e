"""A field of an item in words: lists and tables as people write them, never as a program does."""

from collections.abc import Mapping
from typing import Any

from inforadar.interfaces.cli.table import shorten
from inforadar.observe.printable import printable


def field_words(value: Any, width: int) -> str:
    """A value in at most so many cells, safe to show; what is empty is nothing."""
    return shorten(printable(_words(value)), width)


def _words(value: Any) -> str:
    if value in (None, "", [], {}):
        return "nothing"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_words(inner)}" for name, inner in value.items() if inner is not None)
    return ", ".join(map(_words, value)) if isinstance(value, list) else str(value)
