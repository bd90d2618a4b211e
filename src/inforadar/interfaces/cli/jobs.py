"""`radar jobs`: look at the queue, and mend it by hand."""

from dataclasses import asdict
from datetime import datetime
from typing import Any

import click

from inforadar.collect.report import moment
from inforadar.domain.errors import RadarError
from inforadar.domain.job import JobStatus
from inforadar.interfaces.cli.output import print_json, say, show
from inforadar.interfaces.cli.session import Session
from inforadar.interfaces.cli.table import print_table
from inforadar.interfaces.cli.wording import ago
from inforadar.store import jobs
from inforadar.store.jobs import JobView

STATUSES = ("pending", "running", "retryable", "succeeded", "failed")
WHO = "user"


@click.group(
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


@command.command("list", help="Jobs, newest first; stuck ones are marked.")
@click.option("--status", type=click.Choice(STATUSES), help="Only jobs of this status.")
@click.option("--kind", metavar="KIND", help="Only jobs of this kind.")
@click.option("--stuck", is_flag=True, help="Only running jobs without a sign of life.")
@click.option("--limit", default=20, show_default=True, type=click.IntRange(1), help="At most so many.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON array.")
@click.pass_obj
def list_command(
    session: Session,
    status: JobStatus | None = None,
    kind: str | None = None,
    stuck: bool = False,
    limit: int = 20,
    as_json: bool = False,
) -> None:
    """Print jobs as a table or as JSON."""
    with session.app() as app, app.database.reading() as tx:
        timeout_s = app.config.work.job_lock_timeout_s
        lost = jobs.stuck(tx, lock_timeout_s=timeout_s, limit=limit)
        found = lost if stuck else jobs.search(tx, status=status, kind=kind, limit=limit)
        paused, now = jobs.paused_kinds(tx), tx.store_now()
    stuck_ids = {job.id for job in lost}
    if as_json:
        print_json([job_json(job, is_stuck=job.id in stuck_ids) for job in found])
        return
    for one in paused:
        say(f"Jobs of kind {one.kind} are paused ({one.reason}); `radar jobs resume {one.kind}` lets them go on.")
    if not found:
        say("No jobs. `radar run` puts them when they are due.")
        return
    print_table(
        ["ID", "KIND", "STATUS", "TRIES", "AGE", "WORKER", "NOTE"],
        [_row(job, is_stuck=job.id in stuck_ids, now=now) for job in found],
        flexible=(6, 5),
    )


@command.command("show", help="One job with everything that went wrong with it.")
@click.argument("job_id", metavar="ID", type=int)
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object.")
@click.pass_obj
def show_command(session: Session, job_id: int, as_json: bool) -> None:
    """Print one job and its history."""
    with session.app() as app, app.database.reading() as tx:
        job = jobs.get(tx, job_id)
        if job is None:
            raise _no_job(job_id)
        history = jobs.history(tx, job_id)
    if as_json:
        events = [{**asdict(event), "at": moment(event.at)} for event in history]
        print_json({**job_json(job, is_stuck=False), "history": events})
        return
    for name, value in job_json(job, is_stuck=False).items():
        show(f"{name:15} {value if value is not None else '-'}")
    for event in history:
        show(f"  {moment(event.at)}  attempt {event.attempt}: {event.event} ({event.who}) {event.message}")


@command.command("retry", help="Let failed or waiting jobs run again at once.")
@click.argument("job_ids", metavar="ID...", type=int, nargs=-1, required=True)
@click.pass_obj
def retry_command(session: Session, job_ids: tuple[int, ...]) -> None:
    """Put jobs back, with fresh attempts."""
    with session.app() as app, app.database.transaction() as tx:
        for job_id in job_ids:
            if not jobs.retry(tx, job_id, who=WHO):
                raise _no_job(job_id, "or it runs, has succeeded, or another one does the same work")
    say("They run as soon as a worker is free.")


@command.command("cancel", help="End unfinished jobs; a running one changes nothing any more.")
@click.argument("job_ids", metavar="ID...", type=int, nargs=-1, required=True)
@click.pass_obj
def cancel_command(session: Session, job_ids: tuple[int, ...]) -> None:
    """Cancel jobs."""
    with session.app() as app, app.database.transaction() as tx:
        for job_id in job_ids:
            if not jobs.cancel(tx, job_id, who=WHO):
                raise _no_job(job_id, "or it is finished")
    say("Cancelled.")


@command.command("pause", help="Let nobody claim jobs of a kind until they are resumed.")
@click.argument("kind")
@click.option("--reason", default="by hand", show_default=True, help="Why, for whoever looks.")
@click.pass_obj
def pause_command(session: Session, kind: str, reason: str) -> None:
    """Pause a kind."""
    with session.app() as app, app.database.transaction() as tx:
        jobs.pause_kind(tx, kind, who=WHO, reason=reason)
    say(f"Jobs of kind {kind} wait until `radar jobs resume {kind}`.")


@command.command("resume", help="Let jobs of a paused kind be claimed again.")
@click.argument("kind")
@click.pass_obj
def resume_command(session: Session, kind: str) -> None:
    """Resume a kind."""
    with session.app() as app, app.database.transaction() as tx:
        was_paused = jobs.resume_kind(tx, kind)
    say(f"Jobs of kind {kind} go on." if was_paused else f"Jobs of kind {kind} were not paused.")


def job_json(job: JobView, *, is_stuck: bool) -> dict[str, Any]:
    """One job as plain values, under the names of the table."""
    values = {
        name: moment(value) if isinstance(value, datetime) else value
        for name, value in asdict(job).items()
        if name != "run_at"
    }
    return {**values, "run_at": moment(job.run_at), "next_retry_at": moment(job.next_retry_at), "is_stuck": is_stuck}


def _row(job: JobView, *, is_stuck: bool, now: datetime) -> list[str]:
    wait = f"again {moment(job.run_at)}" if job.status in ("pending", "retryable") and job.run_at > now else ""
    notes = ["STUCK" if is_stuck else "", wait, job.error_message or "", job.unique_key or ""]
    return [
        str(job.id),
        job.kind,
        job.status,
        f"{job.attempts}/{job.max_attempts}",
        ago(job.created_at, now),
        job.locked_by or "",
        "; ".join(note for note in notes if note),
    ]


def _no_job(job_id: int, besides: str = "") -> RadarError:
    return RadarError(f"There is no job {job_id}{', ' + besides if besides else ''}. `radar jobs list` shows them.")
