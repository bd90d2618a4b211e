"""How text, times and JSON travel to and from both databases.

PostgreSQL has types of its own for times and JSON; SQLite holds fixed-width UTC text and JSON text. Neither the
NUL character nor half a surrogate pair can be stored in PostgreSQL, so they are taken out for both databases.
"""

from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime
from functools import lru_cache
from typing import Any

import msgspec


class Json:
    """An encoded JSON value: marks a parameter as JSON, scalars and null included.

    No dataclass, which msgspec would encode by its fields, and no bytes, which SQLite would keep as a blob.
    """

    __slots__ = ("encoded",)

    def __init__(self, encoded: bytes) -> None:
        self.encoded = encoded


def json_of(value: Any) -> Json:
    """The value as a JSON parameter; it may hold other such parameters."""
    try:
        encoded = msgspec.json.encode(value, enc_hook=_embed)
    except UnicodeEncodeError:
        return Json(msgspec.json.encode(_cleaned(value), enc_hook=_embed))
    if b"\\u0000" in encoded:
        encoded = msgspec.json.encode(_cleaned(value), enc_hook=_embed)
    return Json(encoded)


def key_set(keys: Iterable[object]) -> Json:
    """A set of keys or ids for `FROM json_each(:keys)`: as an object, because there both databases name them `key`."""
    return json_of({str(key): 1 for key in keys})


def containing(text: str) -> str:
    """The pattern for `lower(column) LIKE :pattern ESCAPE '\\'` that finds a text anywhere, in any letter case."""
    literal = text.lower().replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    return f"%{literal}%"


def storable(value: Any) -> Any:
    """The parameter without what no database can hold; anything but text is left alone."""
    if not isinstance(value, str) or (value.isascii() and "\0" not in value):
        return value
    return value.replace("\0", "").encode("utf-8", "replace").decode("utf-8")


@lru_cache(maxsize=4096)
def time_text(moment: datetime) -> str:
    """The moment as SQLite keeps it: `YYYY-MM-DDTHH:MM:SS.ffffffZ`, which sorts as time does."""
    if moment.tzinfo is None:
        raise ValueError(f"a time without a zone cannot be stored: {moment!r}")
    return moment.astimezone(UTC).isoformat(timespec="microseconds")[:26] + "Z"


def time_of(text: str) -> datetime:
    """The moment in a text of `time_text`."""
    return datetime.fromisoformat(text)


def date_of(text: str) -> date:
    """The date in an ISO text."""
    return date.fromisoformat(text)


def json_value(text: str) -> Any:
    """The Python value of a JSON text."""
    return msgspec.json.decode(text)


def _embed(value: Any) -> msgspec.Raw:
    if not isinstance(value, Json):
        raise TypeError(f"{type(value).__name__} is not a JSON value")
    return msgspec.Raw(value.encoded)


def _cleaned(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {storable(name): _cleaned(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_cleaned(part) for part in value]
    return storable(value)
