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
    return answers(url, sql)[0]


def answers(url: str, *statements: str) -> list[Rows]:
    """Every row of each statement, over one connection."""
    if url.startswith("sqlite:///"):
        connection = apsw.Connection(url.removeprefix("sqlite:///"))
        # the last process to close a file has it for itself for a moment
        connection.set_busy_timeout(10_000)
        try:
            return [list(connection.execute(sql).fetchall()) for sql in statements]
        finally:
            connection.close()
    with psycopg.connect(url, autocommit=True) as server:
        cursors = [server.execute(sql) for sql in statements]
        return [cursor.fetchall() if cursor.description else [] for cursor in cursors]


def dump(url: str) -> dict[str, Rows]:
    """Everything a database holds."""
    held = answers(url, *(f"SELECT * FROM {table} ORDER BY 1, 2" for table in TABLES))
    return dict(zip(TABLES, held, strict=True))


def decoded(value: Any) -> Any:
    """A JSON column as a value; PostgreSQL has decoded it already."""
    return json.loads(value) if isinstance(value, str | bytes) else value


def everything(url: str) -> str:
    """Every row of every table there is, as one text."""
    listing = (
        "SELECT name FROM sqlite_master WHERE type = 'table'"
        if url.startswith("sqlite:///")
        else "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
    )
    names = sorted(name for (name,) in rows(url, listing))
    return repr(dict(zip(names, answers(url, *(f'SELECT * FROM "{name}"' for name in names)), strict=True)))
