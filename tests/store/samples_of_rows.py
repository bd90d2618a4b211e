"""Values the store tests begin with."""

from datetime import UTC, datetime
from typing import Any

from inforadar.domain.item import Item
from inforadar.domain.watch import Bounds, Query
from inforadar.store.tombstones import Tombstone

NOW = datetime(2026, 1, 5, 12, 0, 0, 123456, tzinfo=UTC)
LATER = datetime(2026, 1, 5, 13, 0, tzinfo=UTC)


def an_item(key: str, **changed: Any) -> Item:
    """A vacancy of hh, complete and plain."""
    values: dict[str, Any] = {
        "source": "hh",
        "key": key,
        "kind": "vacancy",
        "url": f"https://hh.ru/vacancy/{key}",
        "title": f"Python developer {key}",
        "company": "Acme",
        "company_key": "c1",
        "published_at": NOW,
        "first_seen_at": NOW,
        "last_seen_at": NOW,
        "data": {"salary": {"from": 100}, "tags": ["python"]},
    }
    return Item(**(values | changed))


def a_query(key: str = "q1", watch: str = "w", **params: Any) -> Query:
    """A query of hh without bounds."""
    return Query(watch=watch, source="hh", params=params or {"text": "python"}, bounds=Bounds(), key=key)


def a_tombstone(key: str, **changed: Any) -> Tombstone:
    """An entry left out for a ban word."""
    values: dict[str, Any] = {
        "watch": "w",
        "source": "hh",
        "key": key,
        "reason": "ban word",
        "word": "junior",
        "field": "title",
        "title": "Junior developer",
        "url": f"https://hh.ru/vacancy/{key}",
        "at": NOW,
    }
    return Tombstone(**(values | changed))
