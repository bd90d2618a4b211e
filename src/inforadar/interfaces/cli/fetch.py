"""`radar fetch`: one sweep of each chosen query now, with progress, then the report."""

import sys
from collections.abc import Sequence

import click

from inforadar.collect.report import FetchReport, to_json
from inforadar.interfaces.cli.choosing import choose
from inforadar.interfaces.cli.output import print_json, say, show
from inforadar.interfaces.cli.progress import listener
from inforadar.interfaces.cli.report import held_words, print_report
from inforadar.interfaces.cli.session import Session
from inforadar.interfaces.cli.stopping import stopped_by_signals
from inforadar.interfaces.cli.table import wrapped
from inforadar.interfaces.cli.waiting import unattended_words
from inforadar.store.jobs import AGGREGATE

STOPPING = "Stopping after the page under way; once more to stop at once."


@click.command(
    "fetch",
    help="""One sweep of each chosen query now, one after another; prints what was added, updated, filtered and left.

    \b
    Examples:
      radar fetch
      radar fetch python-madrid --limit 20
      radar fetch --source habr --topic python --topic devops --json
      radar fetch --source hh --now
    """,
)
@click.argument("watches", metavar="[WATCH]...", nargs=-1)
@click.option("--source", "sources", metavar="S", multiple=True, help="Only queries to this source; may be repeated.")
@click.option(
    "--topic", "topics", metavar="T", multiple=True, help="Only queries of this hub, flow or topic; as above."
)
@click.option("--limit", type=click.IntRange(1), metavar="N", help="At most N unseen items a query, this time.")
@click.option("--now", is_flag=True, help="Ask sources that are left alone too: their pause is over, you say so.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as one JSON object.")
@click.pass_obj
def command(
    session: Session,
    watches: Sequence[str],
    sources: Sequence[str],
    topics: Sequence[str],
    limit: int | None,
    now: bool,
    as_json: bool,
) -> int:
    """Sweep and report; the exit code says whether all went well."""
    with session.app() as app, stopped_by_signals(app, STOPPING, session.say):
        chosen = choose(app.config, watches, sources, topics, limit)
        for warning in app.config.warnings:
            say(warning)
        if now:
            app.lift_pauses(sorted({query.source for _, query in chosen}))
        with listener(is_shown=sys.stderr.isatty()) as watcher:
            report = app.fetcher(watcher).fetch(chosen)
        if report.run_id:
            app.worker(kinds=(AGGREGATE,)).run(until_idle=True)
        unattended = unattended_words(app)
    _print(report, unattended, as_json)
    return report.exit_code


def _print(report: FetchReport, unattended: str | None, as_json: bool) -> None:
    if report.held_by:
        say(held_words(report.held_by))
    if as_json:
        print_json(to_json(report))
    elif not report.held_by:
        print_report(report)
        for line in wrapped(unattended, 0) if unattended else []:
            show(line)
