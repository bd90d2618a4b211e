"""The table `ingestion_runs`: the record of every sweep."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime

from inforadar.domain.run import Counters, RunStatus, StopReason
from inforadar.store.database import Row, Tx
from inforadar.store.encoding import json_of, key_set


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """The record of one sweep of one query; `left` is how many entries are known to be left, None = not known.

    The companies are counted after the sweep, one by one.
    """

    id: int
    query_key: str
    watch: str
    source: str
    status: RunStatus
    stop_reason: StopReason | None
    started_at: datetime
    finished_at: datetime | None
    counters: Counters
    companies_aggregated: int
    companies_failed: int
    left: int | None
    notes: tuple[str, ...]
    warnings: tuple[str, ...]


def start(tx: Tx, query_key: str, watch: str, source: str, now: datetime) -> int:
    """Begin a run; its id."""
    rows = tx.rows("run_start", query_key=query_key, watch=watch, source=source, now=now)
    return int(rows[0]["id"])


def add(tx: Tx, run_id: int, counters: Counters) -> None:
    """Add what one page did, in the transaction that did it."""
    tx.run("run_add", run_id=run_id, **asdict(counters))


def finish(
    tx: Tx,
    run_id: int,
    now: datetime,
    *,
    status: RunStatus,
    stop_reason: StopReason | None,
    left: int | None = None,
    notes: Sequence[str] = (),
    warnings: Sequence[str] = (),
) -> None:
    """End a run and say why."""
    tx.run(
        "run_finish",
        run_id=run_id,
        now=now,
        status=status,
        stop_reason=stop_reason and stop_reason.value,
        left_count=left,
        notes=json_of(notes),
        warnings=json_of(warnings),
    )


def clean_up(tx: Tx, now: datetime, source: str | None = None) -> int:
    """Close the runs that a dead process left open; for the holder of the run lease (of that source) alone."""
    return tx.run("run_clean_up", now=now, source=source, stop_reason=StopReason.INTERRUPTED.value)


def recent(
    tx: Tx,
    query_key: str | None = None,
    limit: int = 20,
    *,
    watch: str | None = None,
    started_by: datetime | None = None,
) -> list[Run]:
    """The latest runs, newest first; `started_by` leaves out those that began later."""
    rows = tx.rows("run_recent", query_key=query_key, watch=watch, started_by=started_by, limit=limit)
    return [_run(row) for row in rows]


def latest_warnings(tx: Tx) -> dict[tuple[str, str], tuple[str, ...]]:
    """What the latest finished run of each query noted, by watch and query."""
    rows = tx.rows("run_latest_warnings")
    return {(row["watch"], row["query_key"]): tuple(row["warnings"] or ()) for row in rows}


def prune(tx: Tx, *, before: datetime, kept: int, limit: int = 100) -> int:
    """Forget at most `limit` runs from before a moment, but the newest `kept` of each query; how many.

    What these runs have changed stays in the history of the items. Call until it says 0.
    """
    ids = key_set(str(row["id"]) for row in tx.rows("run_old", before=before, kept=kept, n=limit))
    tx.run("run_unlink_changes", ids=ids)
    return tx.run("run_forget", ids=ids)


def _run(row: Row) -> Run:
    return Run(
        id=row["id"],
        query_key=row["query_key"],
        watch=row["watch"],
        source=row["source"],
        status=row["status"],
        stop_reason=StopReason(row["stop_reason"]) if row["stop_reason"] else None,
        started_at=row["started_at"],
        finished_at=row["finished_at"],
        counters=_counters(row),
        companies_aggregated=row["companies_aggregated"],
        companies_failed=row["companies_failed"],
        left=row["left_count"],
        notes=tuple(row["notes"] or ()),
        warnings=tuple(row["warnings"] or ()),
    )


def _counters(row: Row) -> Counters:
    return Counters(
        pages=row["pages_fetched"],
        requests=row["requests_count"],
        seen=row["items_fetched"],
        unseen=row["items_unseen"],
        known=row["items_known"],
        added=row["items_added"],
        updated=row["items_updated"],
        filtered=row["items_filtered"],
        errors=row["errors_count"],
        http_429=row["http_429_count"],
    )
