"""`radar jobs`: look at the queue, and mend it by hand."""

from collections.abc import Callable
from datetime import datetime
from typing import get_args

import click

from inforadar.domain.errors import RadarError
from inforadar.domain.job import JobId, JobStatus
from inforadar.interfaces.cli.job_lines import COLOURS, HEADERS, event_json, job_json, job_row, show_job
from inforadar.interfaces.cli.output import print_json, say
from inforadar.interfaces.cli.session import Session
from inforadar.interfaces.cli.table import print_table
from inforadar.service.steps import KINDS
from inforadar.store import jobs
from inforadar.store.database import Tx
from inforadar.store.jobs import JobView, PausedKind

STATUSES = get_args(JobStatus)
ALL_KINDS = (*KINDS, "process")
WHO = "user"

# What a database takes as a number.
WHOLE = click.IntRange(1, 2**63 - 1)


@click.group(
    "jobs",
    invoke_without_command=True,
    help="""Look at the queue, and mend it by hand.

    \b
    Examples:
      radar jobs
      radar jobs list --status failed
      radar jobs show 42
      radar jobs retry 42
      radar jobs pause sweep
    """,
)
@click.pass_context
def command(ctx: click.Context) -> None:
    """Without a subcommand: the list."""
    if ctx.invoked_subcommand is None:
        ctx.invoke(list_command)


@command.command(
    "list",
    help="""Jobs, the latest put first; running ones without a sign of life are marked as stuck.

    \b
    Examples:
      radar jobs list --status failed
      radar jobs list --stuck --json
    """,
)
@click.option("--status", metavar="S", type=click.Choice(STATUSES), help=f"Only this status: {', '.join(STATUSES)}.")
@click.option("--kind", metavar="KIND", help="Only jobs of this kind.")
@click.option("--stuck", is_flag=True, help="Only running jobs without a sign of life.")
@click.option("--limit", metavar="N", default=20, show_default=True, type=WHOLE, help="At most so many.")
@click.option("--before", metavar="ID", type=WHOLE, help="Go on below the job with this id.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON array.")
@click.pass_obj
def list_command(
    session: Session,
    status: JobStatus | None = None,
    kind: str | None = None,
    stuck: bool = False,
    limit: int = 20,
    before: int | None = None,
    as_json: bool = False,
) -> None:
    """Print jobs as a table or as JSON."""
    with session.app() as app, app.database.reading() as tx:
        lost = jobs.stuck(tx, lock_timeout_s=app.config.work.job_lock_timeout_s, limit=limit)
        found = lost if stuck else jobs.search(tx, status=status, kind=kind, before_id=before, limit=limit)
        paused, counts, now = jobs.paused_kinds(tx), jobs.counts(tx), tx.store_now()
    stuck_ids = {job.id for job in lost}
    if as_json:
        print_json([job_json(job, is_stuck=job.id in stuck_ids) for job in found])
        return
    _say_paused(paused)
    _print_jobs(found, stuck_ids, now)
    if not found:
        say("No such jobs." if counts else "No jobs yet. `radar run` puts them when they are due.")
    elif len(found) == limit and not stuck:
        say(f"Older ones: the same with --before {found[-1].id}")


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
        print_json({**job_json(job, is_stuck=is_stuck), "history": [event_json(event) for event in history]})
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
    say("They run as soon as a worker is free.")


@command.command(
    "cancel",
    help="""End unfinished jobs; all of them or, if one cannot, none. What a running one still does is not settled any
    more; a sweep goes on to its end and keeps what it saved.

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
@click.argument("kind", metavar="KIND", type=click.Choice(ALL_KINDS))
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
@click.argument("kind", metavar="KIND", type=click.Choice(ALL_KINDS))
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
        say(f"Jobs of kind {one.kind} are paused ({one.reason}); `radar jobs resume {one.kind}` lets them go on.")


def _print_jobs(found: list[JobView], stuck_ids: set[JobId], now: datetime) -> None:
    if found:
        rows = [job_row(job, is_stuck=job.id in stuck_ids, now=now) for job in found]
        print_table(HEADERS, rows, flexible=(2, 7), colours=COLOURS)
