"""The table `jobs` as workers use it: claim, hold, settle, beat, reclaim.

Every time here is the database's own. Everything a worker writes carries id, attempt, its name and 'running': a
worker that lost a job (reclaimed, cancelled, settled before) changes nothing, and effects are run only for jobs
that `hold` has locked in the same transaction.
Invariant: a live lease is not stolen: a job is reclaimed only when its heartbeat is older than the lock timeout.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from inforadar.domain.job import LOCK_TIMEOUT_S, LONGEST_WAIT, Job, JobId, Settlement, after_loss
from inforadar.store.database import Row, Tx
from inforadar.store.encoding import Json, json_of, key_set, storable

MOST_RECLAIMED = 500
_NOTED = frozenset({"retry", "failure", "loss"})
_JOB_COLUMNS = ("id", "kind", "args", "source", "attempt", "max_attempts", "retry_count", "losses")


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """On what terms jobs of a kind are claimed: how often each is tried, how many may run at once anywhere.

    `isolates_suspects`: one that has lost worker after worker is claimed alone.
    """

    max_attempts: int
    concurrency: int | None = None
    isolates_suspects: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """A job and what becomes of it."""

    job: Job
    settlement: Settlement


@dataclass(frozen=True, slots=True, kw_only=True)
class Reclaimed:
    """A job taken from a worker that gave no sign of life since `heartbeat_at`."""

    job: Job
    locked_by: str
    heartbeat_at: datetime
    settlement: Settlement


def claim(
    tx: Tx,
    worker: str,
    terms: Mapping[str, Terms],
    n: int,
    *,
    closed_sources: Collection[str] = (),
    is_empty_handed: bool = True,
    is_patient: bool = True,
    lock_timeout_s: float = LOCK_TIMEOUT_S,
    now: datetime | None = None,
) -> tuple[list[Job], list[Reclaimed]]:
    """Claim up to `n` jobs of these kinds, the highest priority first, then the oldest.

    Jobs of paused kinds, of kinds that run as often as they may, and of closed sources stay where they are. While a
    suspect waits, a worker with empty hands gets it, alone, and one with jobs in hand gets nothing as long as it
    `is_patient`, then the suspect with the others. When there are too few, stuck jobs are reclaimed and claimed as
    well; those are told too. `now`: the database's time, if known.
    """
    is_careful = is_empty_handed or is_patient

    def claimed(at: datetime) -> list[Job]:
        free = _free(tx, terms, n)
        choice = _Choice(worker=worker, terms=terms, closed=closed_sources, now=at)
        return choice.with_care(tx, free, n, is_empty_handed) if is_careful else choice.claim(tx, free, n)

    jobs = claimed(now or tx.store_now())
    if len(jobs) >= n or any(job.is_suspect for job in jobs):
        return jobs, []
    lost = reclaim(tx, lock_timeout_s=lock_timeout_s)
    if lost and not jobs:
        jobs = claimed(tx.store_now())
    return jobs, lost


def hold(tx: Tx, worker: str, jobs: Collection[Job]) -> set[JobId]:
    """Which of these jobs are still ours; nobody can take those before this transaction ends."""
    return _ids(tx.many_rows("job_hold", [_fence(job, worker) for job in jobs]))


def settle(tx: Tx, worker: str, settled: Sequence[Settled], *, now: datetime | None = None) -> set[JobId]:
    """Write what becomes of jobs that are still ours; their ids. The others are left alone."""
    now = now or tx.store_now()
    done = [one.job for one in settled if one.settlement.status == "succeeded"]
    # In the order of ids, as `hold` locks: two that settle the same jobs must not wait for each other.
    others = sorted((one for one in settled if one.settlement.status != "succeeded"), key=lambda one: one.job.id)
    ids = _ids(tx.many_rows("job_succeed", [{**_fence(job, worker), "now": now} for job in done]))
    ids |= _ids(tx.many_rows("job_settle", [_move(one, worker, now) for one in others]))
    _note(tx, [_event(one, worker, now) for one in others if one.job.id in ids])
    return ids


def beat(tx: Tx, worker: str, jobs: Iterable[Job]) -> set[JobId]:
    """Give a sign of life for running jobs; the ids of those that are still ours."""
    now = tx.store_now()
    return _ids(tx.many_rows("job_beat", [{**_fence(job, worker), "now": now} for job in jobs]))


def mine(tx: Tx, worker: str) -> list[Job]:
    """What runs in this worker's name: tells after a lost reply whether a claim was committed."""
    return [_job(row) for row in tx.rows("job_mine", worker=worker)]


def reclaim(tx: Tx, *, lock_timeout_s: float = LOCK_TIMEOUT_S) -> list[Reclaimed]:
    """Take jobs from workers without a sign of life: once more, or failed after the last attempt."""
    now = tx.store_now()
    lost = tx.rows("job_lost", since=now - timedelta(seconds=lock_timeout_s), n=MOST_RECLAIMED)
    reclaimed = [_reclaimed(row) for row in lost]
    moves = [_move(Settled(job=one.job, settlement=one.settlement), one.locked_by, now) for one in reclaimed]
    ids = _ids(tx.many_rows("job_settle", moves))
    kept = [one for one in reclaimed if one.job.id in ids]
    _note(tx, [_loss(one, now) for one in kept])
    return kept


def thaw(tx: Tx, *, lock_timeout_s: float = LOCK_TIMEOUT_S) -> int:
    """Mend the times of jobs that were written before the database's clock was set back; how many.

    A job made, or beaten for, later than now, or put off for longer than anything may be, would else stand still.
    """
    now = tx.store_now()
    ahead = now + timedelta(seconds=lock_timeout_s)
    return len(tx.rows("job_thaw", now=now, ahead=ahead, furthest=ahead + LONGEST_WAIT))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Choice:
    """What one claim chooses from."""

    worker: str
    terms: Mapping[str, Terms]
    closed: Collection[str]
    now: datetime

    def with_care(self, tx: Tx, free: dict[str, int], n: int, is_empty_handed: bool) -> list[Job]:
        """Suspects alone and by empty hands only; `free` is how many more of each kind may run."""
        isolated = {kind: places for kind, places in free.items() if self.terms[kind].isolates_suspects}
        if not self._has_suspects(tx, isolated):
            return self.claim(tx, free, n, isolated=key_set(isolated))
        if not is_empty_handed:
            return []
        suspects = self.claim(tx, dict(isolated), 1, are_suspects=True)
        # Another worker may just have taken the suspect.
        return suspects or self.claim(tx, free, n, isolated=key_set(isolated))

    def claim(
        self,
        tx: Tx,
        free: dict[str, int],
        n: int,
        *,
        are_suspects: bool = False,
        isolated: Json | None = None,
    ) -> list[Job]:
        """Suspects, or all but those of the isolated kinds, or all."""
        rows: list[Row] = []
        while free and len(rows) < n:
            wanted = n - len(rows)
            found = tx.rows(
                "job_claim",
                worker=self.worker,
                now=self.now,
                kinds=json_of(
                    {kind: {"free": free[kind], "max_attempts": self.terms[kind].max_attempts} for kind in free}
                ),
                closed=self._closed_keys(),
                suspects=are_suspects or None,
                isolated=isolated,
                n=wanted,
            )
            rows += found
            exhausted = _take(free, found)
            # Jobs of a kind that has just reached its limit may have hidden those of other kinds behind them.
            if len(found) >= wanted or not exhausted:
                break
        return [_job(row) for row in sorted(rows, key=lambda row: (-row["priority"], row["id"]))]

    def _has_suspects(self, tx: Tx, kinds: Mapping[str, int]) -> bool:
        return bool(tx.rows("job_suspects", now=self.now, kinds=key_set(kinds), closed=self._closed_keys()))

    def _closed_keys(self) -> Json | None:
        return key_set(self.closed) if self.closed else None


def _free(tx: Tx, terms: Mapping[str, Terms], n: int) -> dict[str, int]:
    """How many more jobs of each kind may run; kinds that may not are absent."""
    limits = {kind: one.concurrency for kind, one in terms.items() if one.concurrency is not None}
    running: dict[str, int] = {}
    if limits:
        tx.rows("job_kinds_lock", kinds=key_set(limits))
        running = {row["kind"]: row["n"] for row in tx.rows("job_running_counts")}
    free = {kind: min(n, limits[kind] - running.get(kind, 0)) if kind in limits else n for kind in terms}
    return {kind: places for kind, places in free.items() if places > 0}


def _take(free: dict[str, int], found: Sequence[Row]) -> bool:
    """Count claimed jobs against what is free; whether a kind has none left now."""
    for row in found:
        free[row["kind"]] -= 1
    full = [kind for kind, places in free.items() if places <= 0]
    for kind in full:
        del free[kind]
    return bool(full)


def _fence(job: Job, worker: str) -> Row:
    return {"id": job.id, "attempt": job.attempt, "worker": worker}


def _move(one: Settled, worker: str, now: datetime) -> Row:
    settlement = one.settlement
    return {
        **_fence(one.job, worker),
        "status": settlement.status,
        "run_at": None if settlement.delay is None else now + settlement.delay,
        "completed_at": now if settlement.status in ("succeeded", "failed") else None,
        "error": storable(settlement.error),
        "more_attempts": settlement.more_attempts,
        "is_retry": int(settlement.move == "retry"),
        "is_loss": int(settlement.move == "loss"),
    }


def _event(one: Settled, worker: str, now: datetime) -> dict[str, Any]:
    return {
        "job_id": one.job.id,
        "attempt": one.job.attempt,
        "at": now,
        "who": worker,
        "event": one.settlement.move,
        "message": storable(one.settlement.error or ""),
        "heartbeat_at": None,
    }


def _loss(one: Reclaimed, now: datetime) -> dict[str, Any]:
    event = _event(Settled(job=one.job, settlement=one.settlement), one.locked_by, now)
    return event | {"heartbeat_at": one.heartbeat_at}


def _note(tx: Tx, events: Iterable[Row]) -> None:
    tx.many("job_event_insert", [event for event in events if event["event"] in _NOTED])


def _reclaimed(row: Row) -> Reclaimed:
    job = _job(row)
    return Reclaimed(
        job=job,
        locked_by=row["locked_by"],
        heartbeat_at=row["heartbeat_at"],
        settlement=after_loss(job, row["locked_by"]),
    )


def _job(row: Row) -> Job:
    return Job(**{name: row[name] for name in _JOB_COLUMNS})


def _ids(rows: Iterable[Row]) -> set[JobId]:
    return {row["id"] for row in rows}
