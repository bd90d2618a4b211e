"""Items and drafts: what we hold, and what a source showed of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, NewType

ItemId = NewType("ItemId", int)
Kind = Literal["vacancy", "article", "price"]

FULL_TEXT = "full_text"
FULL_TEXT_STATE = "full_text_state"
NOT_FETCHED = "not_fetched"
FETCHED = "fetched"


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """One entry of a page as the source showed it; `data` holds only plain JSON values.

    `is_dated`: False where the source shows no date at all; its rank is then when it was first seen.
    """

    key: str
    rank: datetime
    url: str
    title: str
    company: str | None = None
    company_key: str | None = None
    data: Mapping[str, Any] = field(default_factory=dict)
    is_dated: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """What we hold of one thing: one per (source, key)."""

    id: ItemId | None = None
    source: str
    key: str
    kind: Kind
    url: str
    title: str
    company: str | None
    company_key: str | None
    published_at: datetime
    first_seen_at: datetime
    last_seen_at: datetime
    data: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One field of an item that became different."""

    field: str
    old: Any
    new: Any
