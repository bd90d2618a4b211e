"""The table `jobs`: durable pieces of work. Of all unfinished jobs, one unique key has at most one."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from inforadar.store.database import Tx
from inforadar.store.encoding import json_of


@dataclass(frozen=True, slots=True, kw_only=True)
class NewJob:
    """A job to put: it may run from `run_at` on, higher priorities first."""

    kind: str
    args: Mapping[str, Any]
    unique_key: str | None
    priority: int
    run_at: datetime


def process_job(match_id: int, *, published_at: datetime, run_at: datetime) -> NewJob:
    """The first job of a match: newest publication first."""
    return NewJob(
        kind="process",
        args={"match_id": match_id},
        unique_key=f"process:{match_id}",
        priority=int(published_at.timestamp()),
        run_at=run_at,
    )


def put(tx: Tx, jobs: Iterable[NewJob]) -> int:
    """Put jobs; the number really put, without those whose unique key has an unfinished job."""
    return tx.many("job_insert", [_row(job) for job in jobs])


def counts(tx: Tx) -> dict[str, int]:
    """How many jobs have each status."""
    return {row["status"]: int(row["n"]) for row in tx.rows("job_counts")}


def _row(job: NewJob) -> dict[str, Any]:
    return {
        "kind": job.kind,
        "args": json_of(job.args),
        "unique_key": job.unique_key,
        "priority": job.priority,
        "run_at": job.run_at,
    }
