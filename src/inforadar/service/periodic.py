"""What the scheduler puts: sweeps of every query, jobs for matches that have none, full texts, pruning."""

from collections.abc import Callable, Sequence
from datetime import datetime

from inforadar.config import ScheduleSettings
from inforadar.domain.job import UNFINISHED, NewJob
from inforadar.domain.watch import Query
from inforadar.service.scheduler import Periodic
from inforadar.service.steps import FULL_TEXT, PRUNE, SWEEP
from inforadar.store import jobs, matches
from inforadar.store.database import Tx

BEFORE_ALL_ELSE = 10**12
AFTER_ALL_ELSE = -1
MOST_REQUEUED = 10_000


def periodic_work(settings: ScheduleSettings, queries: Sequence[Query]) -> tuple[Periodic, ...]:
    """Everything that is put again and again."""
    return (
        Periodic(
            name="fetch",
            rhythm=settings.fetch,
            put=lambda tx, _now: put_sweeps(tx, queries),
            may_begin=_no_sweep_is_left if settings.continuous else None,
        ),
        Periodic(name="requeue", rhythm=settings.requeue, put=lambda tx, _now: requeue(tx)),
        Periodic(name="fulltext", rhythm=settings.fulltext, put=_one(FULL_TEXT)),
        Periodic(name="prune", rhythm=settings.prune, put=_one(PRUNE)),
    )


def put_sweeps(tx: Tx, queries: Sequence[Query]) -> int:
    """One sweep job for each query that has none; how many were put."""
    return jobs.put(tx, [sweep_job(query) for query in queries])


def requeue(tx: Tx) -> int:
    """A first job for each queued match that has none; how many were put. One whose job failed is left alone."""
    waiting = matches.without_job(tx, limit=MOST_REQUEUED)
    return jobs.put(tx, [jobs.process_job(one.id, published_at=one.published_at, source=one.source) for one in waiting])


def sweep_job(query: Query) -> NewJob:
    """The job that sweeps one query; a query never has two."""
    return NewJob(
        kind=SWEEP,
        args={"watch": query.watch, "query_key": query.key},
        source=query.source,
        unique_key=f"{SWEEP}:{query.watch}:{query.key}",
        priority=BEFORE_ALL_ELSE,
    )


def _no_sweep_is_left(tx: Tx) -> bool:
    """Continuous fetching: a full cycle has ended when no sweep waits or runs."""
    return not any(jobs.search(tx, kind=SWEEP, status=status, limit=1) for status in sorted(UNFINISHED))


def _one(kind: str) -> Callable[[Tx, datetime], int]:
    job = NewJob(kind=kind, unique_key=kind, priority=AFTER_ALL_ELSE)
    return lambda tx, _now: jobs.put(tx, [job])
