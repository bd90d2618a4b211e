"""`radar jobs`: look at the queue, and mend it by hand."""

from collections.abc import Callable
from typing import get_args

import click

from inforadar.domain.errors import RadarError
from inforadar.domain.job import JobStatus
from inforadar.interfaces.cli.choosing import require_known
from inforadar.interfaces.cli.job_lines import (
    COLOURS,
    HEADERS,
    job_row,
    latest_failed,
    read_titles,
    show_job,
)
from inforadar.interfaces.cli.list_first import ListFirst
from inforadar.interfaces.cli.output import print_json, say
from inforadar.interfaces.cli.parameters import WHOLE, OneOf
from inforadar.interfaces.cli.session import Session
from inforadar.interfaces.cli.table import print_table, tell
from inforadar.interfaces.shapes import job_event_json, job_json
from inforadar.service.steps import KINDS
from inforadar.store import jobs, query_states
from inforadar.store.database import Tx
from inforadar.store.jobs import PausedKind

STATUSES = get_args(JobStatus)
WHO = "user"


@click.group(
    "jobs",
    cls=ListFirst,
    help="""Look at the queue, and mend it by hand.

    \b
    Examples:
      radar jobs
      radar jobs --status failed
      radar jobs show 42
      radar jobs retry 42
      radar jobs pause sweep
    """,
)
def command() -> None:
    """Without a subcommand: the list."""


@command.command(
    "list",
    help="""Jobs, the latest put first; running ones without a sign of life are marked as stuck.

    \b
    Examples:
      radar jobs list --status failed
      radar jobs list --kind process
      radar jobs list --stuck --json
    """,
)
@click.option("--status", metavar="S", type=OneOf(STATUSES), help=f"Only this status: {', '.join(STATUSES)}.")
@click.option("--kind", metavar="KIND", help=f"Only jobs of this kind: {', '.join(KINDS)}.")
@click.option("--stuck", is_flag=True, help="Only running jobs without a sign of life.")
@click.option("--limit", metavar="N", default=20, show_default=True, type=WHOLE, help="At most so many.")
@click.option("--before", metavar="ID", type=WHOLE, help="Go on below the job with this id.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON array.")
@click.pass_obj
def list_command(
    session: Session,
    status: JobStatus | None,
    kind: str | None,
    stuck: bool,
    limit: int,
    before: int | None,
    as_json: bool,
) -> None:
    """Print jobs as a table or as JSON."""
    require_known([kind] if kind is not None else [], KINDS, "kind of job")
    with session.app() as app, app.database.reading() as tx:
        lost = jobs.stuck(tx, lock_timeout_s=app.config.work.job_lock_timeout_s, limit=limit)
        found = lost if stuck else jobs.search(tx, status=status, kind=kind, before_id=before, limit=limit)
        failing = {(one.watch, one.query_key) for one in query_states.all(tx) if one.status == "ERROR"}
        paused, titles, now = jobs.paused_kinds(tx), read_titles(tx, found), tx.store_now()
    stuck_ids = {job.id for job in lost}
    if as_json:
        print_json([job_json(job, is_stuck=job.id in stuck_ids) for job in found])
        return
    _say_paused(paused)
    failed_ids = set() if before else latest_failed(found, failing)
    _print_jobs(
        [job_row(one, titles, is_stuck=one.id in stuck_ids, has_failed=one.id in failed_ids, now=now) for one in found]
    )
    if not found:
        is_narrowed = any((status, kind, stuck, before))
        tell("No such jobs." if is_narrowed else "No jobs yet. `radar run` puts them when they are due.")
    elif len(found) == limit and not stuck:
        tell(f"Older ones: the same with --before {found[-1].id}")


@command.command(
    "show",
    help="""One job with everything that went wrong with it and what people did to it.

    \b
    Examples:
      radar jobs show 42
    """,
)
@click.argument("job_id", metavar="ID", type=WHOLE)
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object.")
@click.pass_obj
def show_command(session: Session, job_id: int, as_json: bool) -> None:
    """Print one job and its history."""
    with session.app() as app, app.database.reading() as tx:
        job = jobs.get(tx, job_id)
        if job is None:
            raise RadarError(f"There is no job {job_id}. `radar jobs list` shows them.")
        timeout_s = app.config.work.job_lock_timeout_s
        is_stuck = any(one.id == job_id for one in jobs.stuck(tx, lock_timeout_s=timeout_s, limit=10_000))
        history, now = jobs.history(tx, job_id), tx.store_now()
    if as_json:
        print_json({**job_json(job, is_stuck=is_stuck), "history": [job_event_json(event) for event in history]})
        return
    show_job(job, history, is_stuck=is_stuck, now=now)


@command.command(
    "retry",
    help="""Let failed or waiting jobs run again at once, with fresh attempts; all of them or, if one cannot, none.

    \b
    Examples:
      radar jobs retry 42 43
    """,
)
@click.argument("job_ids", metavar="ID...", type=WHOLE, nargs=-1, required=True)
@click.pass_obj
def retry_command(session: Session, job_ids: tuple[int, ...]) -> None:
    """Put jobs back."""
    _for_each(session, job_ids, jobs.retry, "runs, has succeeded, or another one is to do the same work")
    tell("They run as soon as a worker is free: in `radar run` or `radar work`.")


@command.command(
    "cancel",
    help="""End unfinished jobs; all of them or, if one cannot, none. What a running one still does is not settled any
    more; a sweep ends after its page and keeps what it saved.

    \b
    Examples:
      radar jobs cancel 42
    """,
)
@click.argument("job_ids", metavar="ID...", type=WHOLE, nargs=-1, required=True)
@click.pass_obj
def cancel_command(session: Session, job_ids: tuple[int, ...]) -> None:
    """Cancel jobs."""
    _for_each(session, job_ids, jobs.cancel, "is finished")
    say("Cancelled.")


@command.command(
    "pause",
    help="""Let nobody claim jobs of a kind until they are resumed; those that run go on.

    \b
    Examples:
      radar jobs pause sweep --reason "moving house"
    """,
)
@click.argument("kind", metavar="KIND", type=click.Choice(KINDS))
@click.option("--reason", metavar="TEXT", default="by hand", show_default=True, help="Why, for whoever looks.")
@click.pass_obj
def pause_command(session: Session, kind: str, reason: str) -> None:
    """Pause a kind."""
    with session.app() as app, app.database.transaction() as tx:
        jobs.pause_kind(tx, kind, who=WHO, reason=reason)
    say(f"Jobs of kind {kind} wait until `radar jobs resume {kind}`.")


@command.command(
    "resume",
    help="""Let jobs of a paused kind be claimed again.

    \b
    Examples:
      radar jobs resume sweep
    """,
)
@click.argument("kind", metavar="KIND", type=click.Choice(KINDS))
@click.pass_obj
def resume_command(session: Session, kind: str) -> None:
    """Resume a kind."""
    with session.app() as app, app.database.transaction() as tx:
        was_paused = jobs.resume_kind(tx, kind)
    say(f"Jobs of kind {kind} go on." if was_paused else f"Jobs of kind {kind} were not paused.")


def _for_each(session: Session, job_ids: tuple[int, ...], change: Callable[..., bool], otherwise: str) -> None:
    with session.app() as app, app.database.transaction() as tx:
        for job_id in job_ids:
            if not change(tx, job_id, who=WHO):
                raise _unfit(tx, job_id, otherwise)


def _unfit(tx: Tx, job_id: int, otherwise: str) -> RadarError:
    job = jobs.get(tx, job_id)
    why = f"Job {job_id} {otherwise}" if job else f"There is no job {job_id}"
    return RadarError(f"{why}; nothing was changed. `radar jobs list` shows them.")


def _say_paused(paused: list[PausedKind]) -> None:
    for one in paused:
        tell(f"Jobs of kind {one.kind} are paused ({one.reason}); `radar jobs resume {one.kind}` lets them go on.")


def _print_jobs(rows: list[list[str]]) -> None:
    if rows:
        print_table(HEADERS, rows, flexible=(2, 7), spare=(6, 4), colours=COLOURS)
