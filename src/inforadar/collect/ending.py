"""How a sweep ends: why, what is written down of it with its last transaction, and what the log says."""

from datetime import date, datetime, timedelta

from inforadar.collect.report import QueryReport
from inforadar.domain import coverage as coverages
from inforadar.domain.coverage import Coverage
from inforadar.domain.errors import RateLimited, Refused, SourceError, Unreadable
from inforadar.domain.health import news_of_list
from inforadar.domain.run import Counters, StopReason
from inforadar.domain.sweep import Sweep
from inforadar.domain.watch import Query
from inforadar.domain.whole_list import WholeList
from inforadar.observe.log import get_log
from inforadar.store import companies, events, query_states, runs
from inforadar.store.database import Tx

JUST_ABOVE = timedelta(microseconds=1)

log = get_log("collect")
AnySweep = Sweep | WholeList


def stop_reason(error: SourceError) -> StopReason:
    """Why a sweep ends that meets this error."""
    if isinstance(error, RateLimited):
        return StopReason.RATE_LIMITED
    if isinstance(error, Unreadable):
        return StopReason.UNREADABLE_PAGE
    return StopReason.REFUSED if isinstance(error, Refused) else StopReason.UNAVAILABLE


def reached_day(covered: Coverage) -> date | None:
    """Down to which day all is collected; stretches do not hold the moment they begin after."""
    lowest = covered.last_complete_sweep_before
    return (lowest + JUST_ABOVE).date() if lowest else None


def write_end(
    tx: Tx, query: Query, report: QueryReport, rest: Counters, covered: Coverage, now: datetime, *, is_unchanged: bool
) -> str | None:
    """Write down how a sweep ended; `rest`: what was counted since its last page. A sentence if the list told news."""
    assert report.run_id is not None, "a sweep that began has a record"
    query_states.save_coverage(tx, query, coverages.to_json(covered), report.last_processed_date)
    runs.add(tx, report.run_id, rest)
    runs.finish(
        tx,
        report.run_id,
        now,
        status="ERROR" if report.status == "ERROR" else "PARTIAL" if report.left else "SUCCESS",
        stop_reason=report.stop_reason,
        left=report.left,
        notes=[report.error] if report.error else [],
        warnings=report.warnings,
    )
    companies.put_counting(tx)
    told = None if is_unchanged else _told_if_emptied(tx, report, covered, now)
    if report.status == "ERROR":
        query_states.fail(tx, query, now, report.error or report.stop_reason.value)
    else:
        query_states.succeed(tx, query, now, report.last_processed_date)
    return told


def log_end(report: QueryReport, sweep: AnySweep) -> None:
    """Say in the log how a sweep ended."""
    log.info(
        "sweep ended",
        query_key=report.query_key,
        watch=report.watch,
        pages=report.counters.pages,
        requests=report.counters.requests,
        unseen=report.counters.unseen,
        duplicate_share=report.duplicate_share,
        last_seen_max=str(report.last_seen_max),
        last_complete_sweep_before=str(report.last_complete_sweep_before),
        stop_reason=report.stop_reason.value,
        left=report.left,
    )
    log.debug(
        "sweep trace",
        query_key=report.query_key,
        seen_existing=sweep.entries.seen_existing,
        found_new_inside_window=sweep.entries.found_new_inside_window,
        stretches=len(sweep.coverage.stretches),
    )


def _told_if_emptied(tx: Tx, report: QueryReport, covered: Coverage, now: datetime) -> str | None:
    """A list that always had entries and suddenly shows none is an event, and so is its return."""
    if report.error or not report.counters.pages:
        return None
    is_told = events.is_told_empty(tx, report.source, report.query_key)
    name = f"{report.source} (query {report.query_key} of {report.watch})"
    told = news_of_list(name, had=covered.count, shown=report.counters.seen, is_told=is_told)
    if told is None:
        return None
    events.add(tx, told, report.source, now, report.query_key)
    return told.message
