"""Processes of Radar over a simulated internet, and what tests look up in their stores."""

import re
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from inforadar.contract.rig import NOON, OpenGate, Radar, Waiting, Wire, WorldClock, search_of, watch_and_query
from inforadar.store.database import Database

__all__ = [
    "NOON",
    "OpenGate",
    "Radar",
    "Waiting",
    "Wire",
    "WorldClock",
    "contents",
    "hours_ago",
    "rows",
    "search_of",
    "stored_keys",
    "watch_and_query",
]


def rows(database: Database, text: str, **params: Any) -> list[dict[str, Any]]:
    """Rows of a statement that the program itself has no use for."""
    if database.kind == "postgres":
        text = re.sub(r"(?<!:):(\w+)", r"%(\1)s", text)
    with database.reading() as tx:
        return tx._connection.rows(text, params)


def stored_keys(database: Database, source: str | None = None) -> list[str]:
    """The keys of all items, as often as they are there."""
    return [row["key"] for row in rows(database, "SELECT source, key FROM items") if source in (None, row["source"])]


def contents(database: Database, without: Iterable[str] = ("leases",)) -> dict[str, list[tuple[Any, ...]]]:
    """Everything the store holds, to compare a moment with another one."""
    tables = ("items", "item_changes", "companies", "matches", "match_events", "tombstones", "jobs", "query_state")
    return {
        table: sorted(tuple(map(str, row.values())) for row in rows(database, f"SELECT * FROM {table}"))
        for table in (*tables, "ingestion_runs", "leases")
        if table not in without
    }


def hours_ago(hours: float, now: datetime = NOON) -> datetime:
    """A moment before the world's start."""
    return now - timedelta(hours=hours)
