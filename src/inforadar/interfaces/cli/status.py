"""`radar status`: queries, coverage, sources, jobs and deliveries at a glance, and the next step."""

from datetime import datetime

import click

from inforadar.domain.coverage import Coverage
from inforadar.interfaces.cli.output import print_json, say, show
from inforadar.interfaces.cli.session import Session
from inforadar.interfaces.cli.standing import QueryStanding, Standing, read_standing, to_json
from inforadar.interfaces.cli.table import print_table, wrapped
from inforadar.interfaces.cli.wording import ago, counted, listed
from inforadar.observe.printable import printable

HEADERS = ("WATCH", "SOURCE", "STATE", "LAST SUCCESS", "COVERED", "GAPS", "QUERY")
COLOURS = {"SUCCESS": "green", "ERROR": "red", "RUNNING": "cyan", "never run": "yellow", "disabled": "yellow"}


@click.command(
    "status",
    help="""Where everything stands: queries and their coverage, failing sources, jobs, deliveries.

    \b
    Examples:
      radar status
      radar status --json
    """,
)
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object.")
@click.pass_obj
def command(session: Session, as_json: bool = False) -> None:
    """Print the standing of every query, and totals."""
    with session.app() as app:
        standing = read_standing(app)
        now = app.clock.now()
    if as_json:
        print_json(to_json(app, standing))
        return
    rows = [_row(one, now) for one in standing.queries]
    print_table(HEADERS, rows, flexible=(0, 6), colours=COLOURS)
    show(f"{counted(standing.items, 'item')}; matches: {listed(standing.matches)}; jobs: {listed(standing.jobs)}")
    for one in standing.queries:
        if one.is_failing:
            _show_failure(one, now)
    say(_next_step(standing))


def _row(one: QueryStanding, now: datetime) -> list[str]:
    status = one.state.status if one.state else "never run"
    return [
        one.query.watch,
        one.query.source,
        status if one.is_enabled else "disabled",
        ago(one.state.last_success_at if one.state else None, now),
        _span(one.covered),
        str(len(one.gaps)),
        one.query.key,
    ]


def _span(covered: Coverage) -> str:
    lowest, highest = covered.last_complete_sweep_before, covered.last_seen_max
    if lowest is None or highest is None:
        return "nothing yet"
    return f"{lowest:%Y-%m-%d} .. {highest:%Y-%m-%d %H:%M}"


def _show_failure(one: QueryStanding, now: datetime) -> None:
    assert one.state is not None
    failures = one.state.consecutive_failures
    times = f" {failures} times in a row" if failures > 1 else ""
    name = click.style(printable(f"{one.query.watch} / {one.query.source}"), fg="red", bold=True)
    show(f"{name} failed{times}, last success {ago(one.state.last_success_at, now)}:")
    for line in wrapped(printable(one.state.last_error or "no reason is known"), 2):
        show(f"  {line}")


def _next_step(standing: Standing) -> str:
    if not any(one.state for one in standing.queries):
        return "Nothing was collected yet. Next: radar fetch"
    if any(one.is_failing for one in standing.queries):
        return "The next `radar fetch` tries the failing ones again; nothing is given up."
    return "Next: radar items to look, radar fetch to collect what is new."
