"""The steps of radar's own jobs: one sweep of a query, full texts, pruning."""

from collections.abc import Callable, Mapping
from datetime import timedelta

from inforadar.collect.fetch import Fetcher
from inforadar.collect.fulltext import FullTexts
from inforadar.collect.governor import StoppedByUser
from inforadar.collect.report import FetchReport
from inforadar.domain.errors import StoreError
from inforadar.domain.job import Done, Job, Outcome, Retry, Snooze
from inforadar.domain.run import StopReason
from inforadar.domain.watch import Query, Watch
from inforadar.observe import process
from inforadar.observe.log import get_log
from inforadar.pipeline.routes import CHECK, DELIVER, EDIT, PROCESS, RECOVER
from inforadar.service.alarms import ALARM, ALERT
from inforadar.service.sheets import SHEETS
from inforadar.store import events, jobs, runs
from inforadar.store.database import Tx
from inforadar.store.jobs import AGGREGATE
from inforadar.store.valuations import VALUE
from inforadar.workers.step import Context, Step

SWEEP = "sweep"
FULL_TEXT = "fulltext"
PRUNE = "prune"
KINDS = (SWEEP, PROCESS, DELIVER, EDIT, RECOVER, CHECK, FULL_TEXT, AGGREGATE, PRUNE, SHEETS, ALARM, ALERT, VALUE)
"""Every kind of job there is a step for."""

AFTER_OUTAGE = timedelta(seconds=5)
LEASE_PAUSE_S = 15
LEASE_PAUSES = 16
STALLED_S = 1800.0
FULL_TEXTS_A_JOB = 100
PRUNED_AT_ONCE = 2000
KEPT_RECORDS = timedelta(days=90)
KEPT_RUNS = 50
STOPPED = "stopped in the middle; the next worker goes on"

Queries = Mapping[tuple[str, str], tuple[Watch, Query]]

log = get_log("service")


def sweep_step(fetcher: Fetcher, queries: Queries) -> Step:
    """One sweep. It writes down itself how it went: a failed one is done, and the next tick tries anew.

    One whose source is to be left alone for a while goes on when that is over.
    """

    def run(job: Job, context: Context) -> Outcome:
        chosen = queries.get((job.args["watch"], job.args["query_key"]))
        if chosen is None:
            log.info("query is not in the configuration any more", **job.args)
            return Done()
        try:
            report = fetcher.fetch([chosen], _pulse(context))
        except StoreError as error:
            return Retry(error=str(error), delay=AFTER_OUTAGE if not job.retry_count else None)
        if report.held_by:
            reason = f"another sweep is under way ({process.told(report.held_by)})"
            return Snooze(until=context.clock.now() + _lease_pause(job), reason=reason)
        if any(query.stop_reason is StopReason.STOPPED_BY_USER for query in report.queries):
            return Snooze(until=context.clock.now(), reason=STOPPED)
        return _after(report)

    sources = {query.source for _, query in queries.values()}
    at_once = len(sources) if fetcher.is_leased_by_source else 1
    return Step(run=run, time_limit_s=STALLED_S, concurrency=max(1, at_once), isolates_suspects=False)


def _after(report: FetchReport) -> Outcome:
    """Done, unless the source said when to come back."""
    for query in report.queries:
        if query.retry_at:
            return Snooze(until=query.retry_at, reason=query.error or query.stop_reason.value)
    return Done()


def full_text_step(full_texts: FullTexts) -> Step:
    """Full texts of articles that have none yet."""

    def run(_job: Job, context: Context) -> Outcome:
        try:
            report = full_texts.get(limit=FULL_TEXTS_A_JOB, only_due=True, pulse=_pulse(context))
        except StoppedByUser:
            return Snooze(until=context.clock.now(), reason=STOPPED)
        log.info("full texts", fetched=report.fetched, gone=report.gone, errors=len(report.errors), left=report.left)
        return Done()

    return Step(run=run, time_limit_s=STALLED_S, concurrency=1, isolates_suspects=False)


def prune_step(keep: timedelta) -> Step:
    """Finished jobs older than `keep`, old runs and old events are thrown away.

    Some at a time, so that nobody waits long for their tables.
    """

    def run(_job: Job, context: Context) -> Outcome:
        pulse, before = _pulse(context), context.clock.now() - KEPT_RECORDS
        bites: tuple[Callable[[Tx], int], ...] = (
            lambda tx: jobs.prune(tx, finished_before=tx.store_now() - keep, limit=PRUNED_AT_ONCE),
            lambda tx: runs.prune(tx, before=before, kept=KEPT_RUNS),
            lambda tx: events.prune(tx, before=before),
        )
        for bite in bites:
            while _taken(context, bite):
                pulse()
                if context.is_stopping():
                    return Snooze(until=context.clock.now(), reason=STOPPED)
        return Done()

    return Step(run=run, concurrency=1)


def _taken(context: Context, bite: Callable[[Tx], int]) -> int:
    with context.database.transaction() as tx:
        return bite(tx)


def _pulse(context: Context) -> Callable[[], None]:
    """Tells the worker that the step gets on, and ends a step whose job is somebody else's or cancelled."""

    def pulse() -> None:
        context.progress()
        if context.is_lost():
            raise StoppedByUser("the job was cancelled, or is somebody else's by now")

    return pulse


def _lease_pause(job: Job) -> timedelta:
    """Long enough to be no busy loop, and not the same for all that wait."""
    return timedelta(seconds=LEASE_PAUSE_S + job.id % LEASE_PAUSES)
