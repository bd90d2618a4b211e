"""`radar runs`: every sweep, newest first: what it added and left, why it stopped, and what it noted."""

import click

from inforadar.interfaces.cli.choosing import require_known_watches
from inforadar.interfaces.cli.output import print_json, show
from inforadar.interfaces.cli.parameters import WHOLE
from inforadar.interfaces.cli.run_lines import HEADERS, run_row
from inforadar.interfaces.cli.session import Session
from inforadar.interfaces.cli.table import print_table, tell, wrapped
from inforadar.interfaces.shapes import run_json
from inforadar.observe.printable import printable
from inforadar.store import runs
from inforadar.store.runs import Run

COLOURS = {"ERROR": "red", "PARTIAL": "yellow", "RUNNING": "cyan"}
NOTHING_YET = "Nothing has been asked yet: `radar fetch` asks now, `radar run` again and again."


@click.command(
    "runs",
    help="""List the latest sweeps, newest first: what each added and left, why it stopped, and what it noted.

    \b
    Examples:
      radar runs
      radar runs python-madrid --limit 5
      radar runs --json
    """,
)
@click.argument("watch", metavar="[WATCH]", required=False)
@click.option("--limit", metavar="N", default=20, show_default=True, type=WHOLE, help="At most so many.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON array.")
@click.pass_obj
def command(session: Session, watch: str | None, limit: int, as_json: bool) -> None:
    """Print runs as a table or as JSON."""
    with session.app() as app:
        require_known_watches(app, [watch] if watch is not None else [])
        with app.database.reading() as tx:
            found = runs.recent(tx, limit=limit, watch=watch)
        now = app.clock.now()
    if as_json:
        print_json([run_json(run) for run in found])
    elif found:
        print_table(HEADERS, [run_row(run, now) for run in found], flexible=(2, 3, 8), spare=(6,), colours=COLOURS)
        for run in found:
            _show_notes(run)
    else:
        tell(NOTHING_YET)


def _show_notes(run: Run) -> None:
    """What a run noted, one sentence after another, each with the number of the run."""
    for note in (*run.notes, *run.warnings):
        first, *more = wrapped(printable(f"run {run.id}: {note}"), 2)
        show(click.style(first, fg="yellow"))
        for line in more:
            show(click.style(f"  {line}", fg="yellow"))
