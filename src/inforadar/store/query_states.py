"""The table `query_state`: where each query stands.

IDLE -> RUNNING -> SUCCESS or ERROR, and from both to RUNNING again. Only the holder of the run lease moves it; what
a dead holder left RUNNING is cleaned up by the next one.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Literal

from inforadar.domain.errors import StoreError
from inforadar.domain.watch import Query
from inforadar.store.database import Tx
from inforadar.store.encoding import json_of

QueryStatus = Literal["IDLE", "RUNNING", "SUCCESS", "ERROR"]


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryState:
    """Where one query stands; `coverage` and `metadata` are plain JSON values, None = never saved."""

    query_key: str
    watch: str
    source: str
    params: Mapping[str, Any]
    status: QueryStatus
    sweeps: int
    last_run_at: datetime | None
    last_success_at: datetime | None
    last_error_at: datetime | None
    last_error: str | None
    last_processed_date: date | None
    consecutive_failures: int
    coverage: Any
    metadata: Any


def ensure(tx: Tx, query: Query, now: datetime) -> None:
    """Make sure the query has its row; an existing one keeps its history."""
    params = json_of(query.params)
    tx.run("query_state_ensure", **_identity(query), source=query.source, params=params, now=now)


def get(tx: Tx, query: Query) -> QueryState | None:
    """The state of one query."""
    row = tx.row("query_state_search", **_identity(query))
    return QueryState(**row) if row else None


def first_asked_at(tx: Tx, watch: str, query_key: str) -> datetime | None:
    """When a query was asked for the first time; None = never."""
    row = tx.row("query_state_first_asked", watch=watch, query_key=query_key)
    return row["created_at"] if row else None


def all(tx: Tx) -> list[QueryState]:  # noqa: A001 - read as query_states.all
    """The states of all queries, by watch."""
    return [QueryState(**row) for row in tx.rows("query_state_search", watch=None, query_key=None)]


def start(tx: Tx, query: Query, now: datetime) -> QueryState:
    """Begin a sweep: count it and say RUNNING."""
    row = tx.row("query_state_start", **_identity(query), now=now)
    if row is None:
        raise StoreError(f"The query {query.key} is not in the store. Run `radar fetch` again, which saves it first.")
    return QueryState(**row)


def succeed(tx: Tx, query: Query, now: datetime, last_processed_date: date | None) -> None:
    """A sweep ended well; without a processed date the old one stays."""
    tx.run("query_state_succeed", **_identity(query), now=now, last_processed_date=last_processed_date)


def fail(tx: Tx, query: Query, now: datetime, error: str) -> None:
    """A sweep failed: one more failure in a row."""
    tx.run("query_state_fail", **_identity(query), now=now, error=error)


def save_coverage(tx: Tx, query: Query, coverage: Any, reached: date | None = None) -> None:
    """Replace what is completely collected, and down to which day, in the transaction that saved its items."""
    tx.run("query_state_save_coverage", **_identity(query), coverage=json_of(coverage), last_processed_date=reached)


def save_metadata(tx: Tx, query: Query, metadata: Any) -> None:
    """Replace what else is remembered of a query."""
    tx.run("query_state_save_metadata", **_identity(query), metadata=json_of(metadata))


def newest_lasting(tx: Tx, source: str, list_of: str) -> Mapping[str, Any] | None:
    """The metadata of the query that read a list last and knows its entries (`lasting_of`); None = none does."""
    row = tx.row("query_state_lasting", source=source, list_of=list_of)
    return row["metadata"] if row else None


def clean_up(tx: Tx, now: datetime, source: str | None = None) -> int:
    """Mark what a dead process left RUNNING as ERROR; for the holder of the run lease (of that source) alone."""
    return tx.run("query_state_clean_up", now=now, source=source)


def _identity(query: Query) -> dict[str, str]:
    """Two watches may ask the same question; each has its own history."""
    return {"watch": query.watch, "query_key": query.key}
