"""How a job looks: as a row of a table, as lines, as JSON."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

import msgspec

from inforadar.domain.job import JobId
from inforadar.interfaces.cli.output import show
from inforadar.interfaces.cli.table import wrapped
from inforadar.interfaces.cli.wording import span
from inforadar.interfaces.shapes import job_json
from inforadar.observe.printable import printable
from inforadar.service.steps import SWEEP
from inforadar.store import deliveries, matches
from inforadar.store.database import Tx
from inforadar.store.jobs import JobEvent, JobView

HEADERS = ("ID", "KIND", "ABOUT", "STATUS", "TRIES", "AGE", "WORKER", "NOTE")
STUCK = "STUCK"
ABOUT = {
    "match_id": "match {match_id}",
    "delivery_id": "delivery {delivery_id}",
    "run_id": "run {run_id}",
    "reference": "message in {sink}",
    "text": "{text}",
    "since": "skipped since {since}",
}
"""What jobs are about by what they were given, where that is no match with a title."""
SWEEP_FAILED = "sweep failed: see radar status"
COLOURS = {"running": "cyan", "succeeded": "green", "failed": "red", "retryable": "yellow", STUCK: "red"}
LABEL_WIDTH = 15


def latest_failed(newest_first: Sequence[JobView], failing: Collection[tuple[str, str]]) -> set[JobId]:
    """The latest sweep that ended of each query (watch and key) that fails.

    A sweep job is done however its sweep went, for the next tick tries anew; so the job itself does not tell.
    """
    latest: dict[tuple[str, str], JobId] = {}
    for job in newest_first:
        if job.kind == SWEEP and job.status == "succeeded":
            latest.setdefault((job.args["watch"], job.args["query_key"]), job.id)
    return {job_id for query, job_id in latest.items() if query in failing}


def read_titles(tx: Tx, found: Sequence[JobView]) -> dict[JobId, str]:
    """What the match of each of these jobs is called, where it is about one that is there."""
    of_match = {job.id: job.args["match_id"] for job in found if "match_id" in job.args}
    of_delivery = {job.id: job.args["delivery_id"] for job in found if "delivery_id" in job.args}
    called, sent = matches.titles(tx, of_match.values()), deliveries.titles(tx, of_delivery.values())
    titles = {job_id: called.get(match_id) for job_id, match_id in of_match.items()}
    titles |= {job_id: sent.get(delivery_id) for job_id, delivery_id in of_delivery.items()}
    return {job_id: title for job_id, title in titles.items() if title}


def job_about(job: JobView, titles: Mapping[JobId, str]) -> str:
    """What a job is about: its match by title, else by what it was given: a query, a message; else its unique key."""
    if title := titles.get(job.id):
        return title
    if query_key := job.args.get("query_key"):
        return f"{job.args['watch']} / {query_key.rpartition('-')[0]}"
    for name, words in ABOUT.items():
        if name in job.args:
            return words.format(**job.args)
    key = job.unique_key or ""
    return key.removeprefix(f"{job.kind}:") if key != job.kind else ""


def job_row(job: JobView, titles: Mapping[JobId, str], *, is_stuck: bool, has_failed: bool, now: datetime) -> list[str]:
    """One job in a table; of a sweep that `has_failed` its query tells why."""
    return [
        str(job.id),
        job.kind,
        job_about(job, titles),
        STUCK if is_stuck else job.status,
        f"{job.attempts}/{job.max_attempts}",
        span((now - job.created_at).total_seconds()),
        _worker(job.locked_by),
        SWEEP_FAILED if has_failed else _note(job, is_stuck=is_stuck, now=now),
    ]


def show_job(job: JobView, history: Sequence[JobEvent], *, is_stuck: bool, now: datetime) -> None:
    """One job with its history, line by line."""
    for name, value in job_json(job, is_stuck=is_stuck).items():
        if value is None:
            continue
        text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
        first, *rest = wrapped(printable(text), LABEL_WIDTH + 1)
        show(f"{name:{LABEL_WIDTH}} {first}")
        for line in rest:
            show(f"{'':{LABEL_WIDTH}} {line}")
    for event in history:
        told = f"attempt {event.attempt}: {event.event} ({event.who}) {event.message}"
        first, *rest = wrapped(printable(told), LABEL_WIDTH + 1)
        show(f"{span((now - event.at).total_seconds()) + ' ago':{LABEL_WIDTH}} {first}")
        for line in rest:
            show(f"{'':{LABEL_WIDTH}} {line}")


def _worker(name: str | None) -> str:
    """A worker's name as far as people need it to find the process: host and process id."""
    place, _, pid = (name or "").partition("@")[2].rpartition(":")[0].rpartition(":")
    return f"{place.partition('/')[0]}:{pid}" if pid else ""


def _note(job: JobView, *, is_stuck: bool, now: datetime) -> str:
    ahead_s = (job.run_at - now).total_seconds()
    notes = [
        f"no sign of life for {span((now - job.heartbeat_at).total_seconds())}"
        if is_stuck and job.heartbeat_at
        else "",
        f"again in {span(ahead_s)}" if job.status in ("pending", "retryable") and ahead_s >= 1 else "",
        job.error_message or "",
    ]
    return "; ".join(note for note in notes if note)
