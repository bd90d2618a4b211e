"""Looks into a database past our own store, so that the store cannot hide its mistakes."""

import json
from typing import Any

import apsw
import psycopg

TABLES = (
    "companies",
    "ingestion_runs",
    "item_changes",
    "items",
    "jobs",
    "leases",
    "match_events",
    "matches",
    "query_state",
    "tombstones",
)
Rows = list[tuple[Any, ...]]


def rows(url: str, sql: str) -> Rows:
    """Every row of a statement."""
    if url.startswith("sqlite:///"):
        connection = apsw.Connection(url.removeprefix("sqlite:///"))
        try:
            return list(connection.execute(sql).fetchall())
        finally:
            connection.close()
    with psycopg.connect(url, autocommit=True) as server:
        cursor = server.execute(sql)
        return cursor.fetchall() if cursor.description else []


def dump(url: str) -> dict[str, Rows]:
    """Everything a database holds."""
    return {table: rows(url, f"SELECT * FROM {table} ORDER BY 1, 2") for table in TABLES}


def decoded(value: Any) -> Any:
    """A JSON column as a value; PostgreSQL has decoded it already."""
    return json.loads(value) if isinstance(value, str | bytes) else value
