"""The jobs screen: the queue, newest first, each job with its history."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from inforadar.bootstrap import App
from inforadar.domain.job import JobId
from inforadar.interfaces.cli.job_lines import HEADERS, job_row, read_titles
from inforadar.interfaces.cli.wording import ago, span
from inforadar.interfaces.tui.record import Record, Tone
from inforadar.interfaces.tui.report import Entry, Report, report_of
from inforadar.observe.printable import printable
from inforadar.store import jobs
from inforadar.store.jobs import JobEvent, JobView

MOST = 100
TONES: dict[str, Tone] = {"failed": "bad", "retryable": "warning", "running": "head", "succeeded": "faint"}


def read_jobs_report(app: App, width: int) -> Report:
    """The newest jobs."""
    with app.database.reading() as tx:
        found = jobs.search(tx, limit=MOST)
        stuck = {job.id for job in jobs.stuck(tx, lock_timeout_s=app.config.work.job_lock_timeout_s)}
        history = jobs.histories(tx, [job.id for job in found])
        titles = read_titles(tx, found)
        now = tx.store_now()  # jobs keep the time of the store
    entries = [_entry(job, titles, history[job.id], now, is_stuck=job.id in stuck) for job in found]
    return report_of(HEADERS, entries, width, flexible=(2, 6, 7))


def _entry(
    job: JobView, titles: Mapping[JobId, str], history: Sequence[JobEvent], now: datetime, *, is_stuck: bool
) -> Entry:
    return Entry(
        cells=job_row(job, titles, is_stuck=is_stuck, has_failed=False, now=now),
        details=list(_details(job, history, now)),
        tone="bad" if is_stuck else TONES.get(job.status, "plain"),
        id=job.id,
    )


def _details(job: JobView, history: Sequence[JobEvent], now: datetime) -> Iterator[Record]:
    args = ", ".join(f"{name} = {value}" for name, value in job.args.items())
    yield Record(text=printable(f"job {job.id}  {job.kind}  {args}"), tone="head")
    yield Record(text=printable(f"{job.status}, {_times(job, now)}"))
    if job.locked_by:
        yield Record(text=printable(f"worker {job.locked_by}"), tone="faint")
    if job.error_message:
        yield Record(text=printable(job.error_message), tone="bad")
    if job.status == "failed":
        yield Record(text="t tries again.", tone="faint")
    for event in reversed(history):
        told = f"{ago(event.at, now):>10}  attempt {event.attempt}: {event.event} ({event.who}) {event.message}"
        yield Record(text=printable(told), tone="faint")


def _times(job: JobView, now: datetime) -> str:
    """When a job was put, and when it ended."""
    told = f"put {span((now - job.created_at).total_seconds())} ago"
    return told if job.completed_at is None else f"{told}, ended {span((now - job.completed_at).total_seconds())} ago"
