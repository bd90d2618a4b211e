"""What the scheduler puts: sweeps of every query, jobs for matches that have none, recovery, checks, texts, pruning.

Continuous fetching adds rounds to the rhythm: the next round begins when nothing of the last one is left that could
run now, at most once a second. A source that is left alone, or waits for a person, does not hold up the others; it
has its turn when its pause is over, or by the rhythm.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from datetime import datetime

from inforadar.config import ScheduleSettings
from inforadar.domain.job import UNFINISHED, NewJob
from inforadar.domain.ports import Clock
from inforadar.domain.schedule import Every
from inforadar.domain.status import Status
from inforadar.domain.watch import Query
from inforadar.pipeline.routes import deliver_job, recover_job
from inforadar.service.recovery import enqueue, is_judge_well
from inforadar.service.scheduler import Periodic
from inforadar.service.steps import FULL_TEXT, PRUNE, SWEEP
from inforadar.store import deliveries, jobs, matches, query_states, sources, waiting
from inforadar.store.database import Tx

FETCH = "fetch"
ROUND_FLOOR = Every(seconds=1)
NEWCOMERS = Every(seconds=10)
BEFORE_ALL_ELSE = 10**12
MOST_REQUEUED = 10_000
MOST_LOOKED_AT = 10_000

ClosedSources = Callable[[Tx], Collection[str]]
"""The sources that may not be asked now."""


def periodic_work(
    settings: ScheduleSettings,
    queries: Sequence[Query],
    *,
    closed_sources: ClosedSources,
    put_checks: Callable[[Tx], int],
    others: Sequence[Periodic] = (),
    clock: Clock,
) -> tuple[Periodic, ...]:
    """Everything that is put again and again; work for the night is put only then."""
    work = [
        Periodic(name=FETCH, rhythm=settings.fetch, put=lambda tx: put_sweeps(tx, queries)),
        Periodic(
            name="first fetch",
            rhythm=NEWCOMERS,
            put=lambda tx: put_sweeps(tx, never_swept(tx, queries)),
            may_begin=lambda tx: bool(never_swept(tx, queries)),
        ),
        Periodic(
            name="requeue", rhythm=settings.requeue, put=lambda tx: requeue(tx, clock.now()), is_put_at_start=True
        ),
        Periodic(
            name="recovery",
            rhythm=settings.recovery,
            put=lambda tx: jobs.put(tx, [recover_job()]),
            may_begin=lambda tx: is_judge_well(tx, clock.now()),
            is_put_at_start=True,
        ),
        Periodic(name="recheck", rhythm=settings.recheck, put=put_checks),
        Periodic(name="fulltext", rhythm=settings.fulltext, put=_one(FULL_TEXT)),
        Periodic(name="prune", rhythm=settings.prune, put=_one(PRUNE)),
    ]
    work += others
    if settings.continuous and queries:
        work.append(_rounds(queries, closed_sources))
    return tuple(_at_night(one, settings, clock) for one in work)


def _at_night(work: Periodic, settings: ScheduleSettings, clock: Clock) -> Periodic:
    night = settings.night
    if night is None or work.name not in settings.night_work:
        return work
    return replace(work, may_begin=lambda tx: night.is_open(clock.now()) and work.may_begin(tx))


def put_sweeps(tx: Tx, queries: Sequence[Query]) -> int:
    """One sweep job for each query that has none; how many were put."""
    return jobs.put(tx, [sweep_job(query) for query in queries])


def never_swept(tx: Tx, queries: Sequence[Query]) -> list[Query]:
    """The queries nobody has asked yet: whoever adds one need not wait for the next fetch."""
    known = {(state.watch, state.query_key) for state in query_states.all(tx) if state.last_run_at}
    return [query for query in queries if (query.watch, query.key) not in known]


def requeue(tx: Tx, now: datetime) -> int:
    """A first job for each new or queued match that has none; how many were put. One whose job failed is left alone."""
    put = _put_deliveries_again(tx, now)
    for one in waiting.given_up(tx, limit=MOST_REQUEUED):
        matches.move(tx, one.id, Status.QUEUED, Status.SKIPPED, who="machine", why="its job was given up", now=now)
    for one in waiting.new(tx, limit=MOST_REQUEUED):
        enqueue(tx, one.id, published_at=one.published_at, source=one.source, now=now)
    idle = waiting.without_job(tx, limit=MOST_REQUEUED)
    firsts = [jobs.process_job(one.id, published_at=one.published_at, source=one.source) for one in idle]
    return put + jobs.put(tx, firsts)


def _put_deliveries_again(tx: Tx, now: datetime) -> int:
    """A job for each delivery that waits without one; where it was given up or cancelled, that is shown instead."""
    lost = deliveries.without_job(tx, limit=MOST_REQUEUED)
    for one, why in lost:
        if why:
            deliveries.write(tx, one, replace(one, state="failed", why=why), now)
    return jobs.put(tx, [deliver_job(one.id, one.sink, one.due_at) for one, why in lost if not why])


def sweep_job(query: Query) -> NewJob:
    """The job that sweeps one query; a query never has two."""
    return NewJob(
        kind=SWEEP,
        args={"watch": query.watch, "query_key": query.key},
        source=query.source,
        unique_key=f"{SWEEP}:{query.watch}:{query.key}",
        priority=BEFORE_ALL_ELSE,
    )


def upkeep_job(kind: str) -> NewJob:
    """Full texts or pruning: rare, one at a time, and before matches, of which there may always be another one."""
    return NewJob(kind=kind, unique_key=kind, priority=BEFORE_ALL_ELSE)


def _rounds(queries: Sequence[Query], closed_sources: ClosedSources) -> Periodic:
    def put(tx: Tx) -> int:
        refusing = {one.name for one in sources.all(tx) if one.health.outage == "refused"}
        return put_sweeps(tx, [query for query in queries if query.source not in refusing])

    def may_begin(tx: Tx) -> bool:
        return not _has_sweep_left(tx, closed_sources(tx))

    return Periodic(name="round", rhythm=ROUND_FLOOR, put=put, may_begin=may_begin)


def _has_sweep_left(tx: Tx, closed: Collection[str]) -> bool:
    """Whether a sweep runs, or could if a worker were free."""
    now = tx.store_now()
    return any(
        job.status == "running" or (job.run_at <= now and job.source not in closed)
        for status in sorted(UNFINISHED)
        for job in jobs.search(tx, kind=SWEEP, status=status, limit=MOST_LOOKED_AT)
    )


def _one(kind: str) -> Callable[[Tx], int]:
    return lambda tx: jobs.put(tx, [upkeep_job(kind)])
