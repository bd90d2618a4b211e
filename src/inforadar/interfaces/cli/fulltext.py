"""`radar fulltext`: the full text of articles, apart from sweeps."""

from dataclasses import asdict

import click

from inforadar.interfaces.cli.choosing import require_known
from inforadar.interfaces.cli.output import print_json, say, show
from inforadar.interfaces.cli.parameters import WHOLE
from inforadar.interfaces.cli.session import Session
from inforadar.interfaces.cli.wording import counted


@click.command(
    "fulltext",
    help="""Get the full text of articles that have none yet, newest first.

    \b
    Examples:
      radar fulltext
      radar fulltext habr-python --limit 200
    """,
)
@click.argument("watch", required=False)
@click.option("--limit", metavar="N", default=50, show_default=True, type=WHOLE, help="At most so many texts.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object.")
@click.pass_obj
def command(session: Session, watch: str | None, limit: int, as_json: bool) -> int:
    """Fetch and report; exit code 3 if some texts could not be fetched."""
    with session.app() as app:
        require_known([watch] if watch else [], [one.name for one in app.config.watches], "watch")
        report = app.full_texts().get(watch=watch, limit=limit)
    if as_json:
        print_json(asdict(report))
    else:
        show(f"{counted(report.fetched, 'text')} fetched, {counted(report.gone, 'article')} gone, {report.left} left")
        for error in report.errors:
            say(error)
    return 3 if report.errors else 0
