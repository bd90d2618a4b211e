"""The tables `matches` and `match_events`: items as they concern a watch, and every change of their status."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from inforadar.domain.item import ItemId, Kind
from inforadar.store.database import Row, Tx
from inforadar.store.encoding import key_set


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchView:
    """One match together with what a person wants to see of its item."""

    id: int
    watch: str
    item_id: ItemId
    source: str
    key: str
    kind: Kind
    url: str
    title: str
    company: str | None
    published_at: datetime
    status: str
    score: float | None
    reason: str | None
    query_key: str
    version: int
    created_at: datetime
    updated_at: datetime
    data: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchEvent:
    """One change of a match's status: who moved it and why."""

    at: datetime
    who: str
    from_status: str | None
    to_status: str
    why: str


def known(tx: Tx, watch: str, source: str, keys: Collection[str]) -> set[str]:
    """Which of these keys the watch has dealt with before: a match or a tombstone."""
    if not keys:
        return set()
    return {row["key"] for row in tx.rows("match_known", watch=watch, source=source, keys=key_set(keys))}


def create(
    tx: Tx, watch: str, query_key: str, item_ids: Collection[ItemId], now: datetime, who: str, why: str
) -> dict[ItemId, int]:
    """Match items with a watch, status QUEUED, each with its first event; ids of the new matches by item."""
    if not item_ids:
        return {}
    rows = tx.rows("match_insert", watch=watch, query_key=query_key, item_ids=key_set(item_ids), now=now)
    created = {ItemId(row["item_id"]): int(row["id"]) for row in rows}
    if created:
        tx.run("match_event_insert", match_ids=key_set(created.values()), now=now, who=who, why=why)
    return created


def search(
    tx: Tx,
    *,
    watch: str | None = None,
    source: str | None = None,
    status: str | None = None,
    text: str | None = None,
    topic: str | None = None,
    limit: int = 50,
    before_id: int | None = None,
) -> list[MatchView]:
    """Matches, newest publication first, below the match `before_id`.

    `text` is looked for in title and company, `topic` among the values of the item's data.
    """
    rows = tx.rows(
        "match_search",
        id=None,
        watch=watch,
        source=source,
        status=status,
        text=f"%{_literal(text.lower())}%" if text else None,
        topic=f'%"{_literal(topic.lower())}"%' if topic else None,
        limit=limit,
        before_id=before_id,
    )
    return [_view(row) for row in rows]


def get(tx: Tx, match_id: int) -> MatchView | None:
    """One match by its id."""
    others = dict.fromkeys(("watch", "source", "status", "text", "topic", "before_id"))
    row = tx.row("match_search", id=match_id, limit=1, **others)
    return _view(row) if row else None


def events(tx: Tx, match_id: int) -> list[MatchEvent]:
    """Every status change of one match, oldest first."""
    return [MatchEvent(**row) for row in tx.rows("match_events_of", match_id=match_id)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """A queued match that nothing works on."""

    id: int
    published_at: datetime
    source: str


def without_job(tx: Tx, *, limit: int) -> list[Waiting]:
    """Queued matches that have no job, neither unfinished nor failed."""
    return [Waiting(**row) for row in tx.rows("match_without_job", limit=limit)]


def counts(tx: Tx) -> dict[str, int]:
    """How many matches have each status."""
    return {row["status"]: int(row["n"]) for row in tx.rows("match_counts")}


def _view(row: Row) -> MatchView:
    return MatchView(**{**row, "item_id": ItemId(row["item_id"])})


def _literal(text: str) -> str:
    return text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
