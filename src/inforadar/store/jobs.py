"""The table `jobs` as people and the other rooms use it: put, look, cancel, retry, pause, forget.

Of all unfinished jobs, one unique key has at most one. What workers do with jobs is in `queue`.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from inforadar.domain.job import LOCK_TIMEOUT_S, LONGEST_WAIT, MAX_ATTEMPTS, JobId, JobStatus, Move, NewJob
from inforadar.store.database import Row, Tx
from inforadar.store.encoding import json_of, key_set, storable

EDIT = "edit"
AGGREGATE = "aggregate"
OUT_FIRST = 10**11
"""What is ready to be sent goes before what is still to be judged, and behind sweeps."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JobView:
    """Everything the table knows of one job."""

    id: JobId
    kind: str
    args: Mapping[str, Any]
    source: str | None
    unique_key: str | None
    priority: int
    status: JobStatus
    attempts: int
    max_attempts: int
    retry_count: int
    run_at: datetime
    locked_by: str | None
    locked_at: datetime | None
    heartbeat_at: datetime | None
    created_at: datetime
    completed_at: datetime | None
    error_message: str | None

    @property
    def next_retry_at(self) -> datetime | None:
        """When a job that had a transient error may run again."""
        return self.run_at if self.status == "retryable" else None


@dataclass(frozen=True, slots=True, kw_only=True)
class JobEvent:
    """Something that went wrong with a job, or that a person did to it."""

    attempt: int
    at: datetime
    who: str
    event: Move
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PausedKind:
    """A kind of jobs that nobody claims, since when, by whom and why."""

    kind: str
    at: datetime
    who: str
    reason: str


def process_job(
    match_id: int, *, published_at: datetime, run_at: datetime | None = None, source: str | None = None
) -> NewJob:
    """The first job of a match: newest publication first."""
    return NewJob(
        kind="process",
        args={"match_id": match_id},
        source=source,
        unique_key=f"process:{match_id}",
        priority=int(published_at.timestamp()),
        run_at=run_at,
    )


def aggregate_job(run_id: int) -> NewJob:
    """The job that counts the companies a run touched."""
    return NewJob(kind=AGGREGATE, args={"run_id": run_id}, unique_key=f"{AGGREGATE}:{run_id}", priority=OUT_FIRST)


def edit_job(reference: str, sink: str, because: str) -> NewJob:
    """The job that makes a sent message show how things stand; each cause has its own, so that none is swallowed."""
    return NewJob(
        kind=EDIT,
        args={"reference": reference, "sink": sink},
        source=sink,
        unique_key=f"{EDIT}:{reference}:{because}",
        priority=OUT_FIRST,
    )


def put(tx: Tx, jobs: Iterable[NewJob]) -> int:
    """Put jobs; the number really put, without those whose unique key has an unfinished job."""
    now = tx.store_now()
    return tx.many("job_insert", [_row(job, now) for job in jobs])


def counts(tx: Tx) -> dict[str, int]:
    """How many jobs have each status."""
    return {row["status"]: int(row["n"]) for row in tx.rows("job_counts")}


def counts_up_to(tx: Tx, most: int) -> dict[str, int]:
    """How many jobs have each status, counted no further than one above `most`, however many there are."""
    return {row["status"]: int(row["n"]) for row in tx.rows("job_counts_bounded", limit=most + 1)}


def search(
    tx: Tx,
    *,
    status: JobStatus | None = None,
    kind: str | None = None,
    source: str | None = None,
    before_id: int | None = None,
    limit: int = 50,
) -> list[JobView]:
    """Jobs, newest first."""
    return _views(tx, status=status, kind=kind, source=source, before_id=before_id, limit=limit)


def stuck(tx: Tx, *, lock_timeout_s: float = LOCK_TIMEOUT_S, limit: int = 50) -> list[JobView]:
    """Running jobs whose worker has given no sign of life for so long that they will be reclaimed."""
    return _views(tx, stuck_since=tx.store_now() - timedelta(seconds=lock_timeout_s), limit=limit)


def get(tx: Tx, job_id: int) -> JobView | None:
    """One job by its id."""
    found = _views(tx, id=job_id, limit=1)
    return found[0] if found else None


def latest(tx: Tx, unique_keys: Collection[str]) -> dict[str, JobView]:
    """The latest job of each of these unique keys, finished or not."""
    rows = tx.rows("job_latest", unique_keys=key_set(unique_keys)) if unique_keys else []
    found = [JobView(**row) for row in reversed(rows)]
    return {job.unique_key: job for job in found if job.unique_key}


def history(tx: Tx, job_id: int) -> list[JobEvent]:
    """What went wrong with one job and what people did to it, oldest first."""
    return histories(tx, [job_id])[job_id]


def histories(tx: Tx, job_ids: Collection[int]) -> dict[int, list[JobEvent]]:
    """The history of each of these jobs, asked for in one question."""
    found: dict[int, list[JobEvent]] = {job_id: [] for job_id in job_ids}
    for row in tx.rows("job_events_of", ids=key_set(found)):
        found[row.pop("job_id")].append(JobEvent(**row))
    return found


def cancel(tx: Tx, job_id: int, *, who: str) -> bool:
    """End a job that is not finished; a worker that runs it changes nothing more. False = there is none such."""
    message = f"cancelled by {who}"
    row = tx.row("job_cancel", id=job_id, now=tx.store_now(), error=message)
    return _noted(tx, job_id, row, who, "cancel", message)


def retry(tx: Tx, job_id: int, *, who: str, more_attempts: int = MAX_ATTEMPTS) -> bool:
    """Let a failed or waiting job run at once, with fresh attempts.

    False = there is none such, or its unique key has another unfinished job.
    """
    wanted = {"id": job_id, "now": tx.store_now(), "more_attempts": more_attempts}
    try:
        with tx.savepoint():
            row = tx.row("job_retry_by_hand", **wanted)
    except Exception:
        if not tx.is_open:
            raise
        # Another transaction put a job of its key at this very moment; this time it is seen.
        row = tx.row("job_retry_by_hand", **wanted)
    return _noted(tx, job_id, row, who, "retry by hand", f"retried by {who}")


def wake(tx: Tx, source: str) -> int:
    """Let the waiting jobs of a source run at once; how many."""
    return tx.run("job_wake", source=source, now=tx.store_now())


def prune(tx: Tx, *, finished_before: datetime, limit: int = 1000) -> int:
    """Forget at most `limit` finished jobs, the oldest first; how many. Call until it says 0."""
    return len(tx.rows("job_prune", before=finished_before, n=limit))


def pause_kind(tx: Tx, kind: str, *, who: str, reason: str) -> None:
    """Let nobody claim jobs of this kind; those that run go on."""
    tx.run("job_kind_pause", kind=kind, now=tx.store_now(), who=who, reason=reason)


def resume_kind(tx: Tx, kind: str) -> bool:
    """Let jobs of this kind be claimed again; False = they were not paused."""
    return tx.run("job_kind_resume", kind=kind) > 0


def paused_kinds(tx: Tx) -> list[PausedKind]:
    """The kinds that are paused."""
    return [PausedKind(**row) for row in tx.rows("job_kinds_paused")]


def _views(tx: Tx, *, limit: int, **wanted: Any) -> list[JobView]:
    filters = dict.fromkeys(("id", "before_id", "status", "kind", "source", "stuck_since")) | wanted
    # said once more as a constant, which lets SQLite take the index of the failed ones
    filters["failed"] = True if wanted.get("status") == "failed" else None
    return [JobView(**row) for row in tx.rows("job_search", limit=limit, **filters)]


def _noted(tx: Tx, job_id: int, row: Row | None, who: str, event: Move, message: str) -> bool:
    if row is None:
        return False
    facts = {"job_id": job_id, "attempt": row["attempt"], "at": tx.store_now(), "heartbeat_at": None}
    tx.many("job_event_insert", [facts | {"who": storable(who), "event": event, "message": storable(message)}])
    return True


def _row(job: NewJob, now: datetime) -> Row:
    return {
        "kind": job.kind,
        "args": json_of(job.args),
        "source": job.source,
        "unique_key": storable(job.unique_key),
        "priority": job.priority,
        "run_at": min(job.run_at or now, now + LONGEST_WAIT),
    }
