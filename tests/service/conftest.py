"""Stored matches to schedule work for."""

from datetime import UTC, datetime

import pytest

from inforadar.domain.item import Item
from inforadar.store import items, matches

AT = datetime(2026, 1, 5, 12, tzinfo=UTC)


@pytest.fixture
def stored_matches(db):
    """Stores so many queued matches without jobs; their ids."""

    def store(number: int) -> list[int]:
        made = [
            Item(
                source="hh",
                key=str(one),
                kind="vacancy",
                url=f"https://example.org/{one}",
                title=f"title {one}",
                company=None,
                company_key=None,
                published_at=AT,
                first_seen_at=AT,
                last_seen_at=AT,
                data={},
            )
            for one in range(number)
        ]
        with db.transaction() as tx:
            ids = items.insert(tx, made)
            created = matches.create(tx, "w", "hh-1", list(ids.values()), AT, "machine", "test")
        return sorted(created.values())

    return store
