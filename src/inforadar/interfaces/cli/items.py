"""`radar items`: what was found, the newest publication first."""

from datetime import datetime

import click

from inforadar.config import Config
from inforadar.domain.status import Status
from inforadar.interfaces.cli.choosing import require_known
from inforadar.interfaces.cli.output import print_json
from inforadar.interfaces.cli.parameters import WHOLE, OneOf
from inforadar.interfaces.cli.session import Session
from inforadar.interfaces.cli.table import print_table, tell
from inforadar.interfaces.cli.wording import age
from inforadar.interfaces.shapes import item_json
from inforadar.store import matches, query_states
from inforadar.store.matches import MatchView
from inforadar.store.query_states import QueryState

NOTHING_YET = "Nothing found yet. `radar fetch` collects; `radar status` shows what was collected."
STATUSES = [status.value for status in Status]
STATUS_HELP = f"Only matches of this status: {', '.join(STATUSES)}."
HEADERS = ("ID", "AGE", "STATUS", "TITLE", "COMPANY/AUTHOR", "SOURCE", "WATCH")


@click.command(
    "items",
    help="""List matches, the newest publication first.

    \b
    Examples:
      radar items
      radar items --watch python-madrid --status QUEUED
      radar items --source habr --topic python --text postgres --json
    """,
)
@click.option("--watch", metavar="NAME", help="Only this watch.")
@click.option("--source", metavar="NAME", help="Only this source.")
@click.option("--topic", metavar="NAME", help="Only items of this hub, tag or topic.")
@click.option("--status", metavar="S", type=OneOf(STATUSES), help=STATUS_HELP)
@click.option("--text", metavar="WORDS", help="Only items whose title, company or author contains this.")
@click.option("--limit", metavar="N", default=50, show_default=True, type=WHOLE, help="At most so many.")
@click.option("--before", metavar="ID", type=WHOLE, help="Go on below the match with this id.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON array.")
@click.pass_obj
def command(
    session: Session,
    watch: str | None,
    source: str | None,
    topic: str | None,
    status: str | None,
    text: str | None,
    limit: int,
    before: int | None,
    as_json: bool,
) -> None:
    """Print matches as a table or as JSON."""
    with session.app() as app, app.database.reading() as tx:
        _require_known(app.config, query_states.all(tx), watch, source)
        found = matches.search(
            tx, watch=watch, source=source, status=status, text=text, topic=topic, limit=limit, before_id=before
        )
        now = app.clock.now()
    if as_json:
        print_json([item_json(match) for match in found])
        return
    if found:
        _print_items(found, now)
    if len(found) == limit:
        tell(f"Older ones: the same with --before {found[-1].id}")
    if not found:
        is_narrowed = any((watch, source, topic, status, text, before))
        tell("Nothing fits these filters." if is_narrowed else NOTHING_YET)


def _require_known(config: Config, states: list[QueryState], watch: str | None, source: str | None) -> None:
    """Names are those of the configuration, and those the store has from earlier ones."""
    watches = dict.fromkeys((*(one.name for one in config.watches), *(state.watch for state in states)))
    sources = dict.fromkeys((*config.sources, *(state.source for state in states)))
    require_known([watch] if watch is not None else [], watches, "watch")
    require_known([source] if source is not None else [], sources, "source")


def _print_items(found: list[MatchView], now: datetime) -> None:
    print_table(
        HEADERS,
        [
            [
                str(match.id),
                age(match.published_at, now),
                match.status,
                match.title,
                match.company or str(match.data.get("author") or ""),
                match.source,
                match.watch,
            ]
            for match in found
        ],
        flexible=(3, 4, 6),
        spare=(6, 4),
    )
