"""`radar items`: what was found, the newest publication first."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import click

from inforadar.config import Config
from inforadar.domain.grouping import also_names
from inforadar.domain.money import price_of
from inforadar.domain.status import Status
from inforadar.interfaces.cli.choosing import require_known
from inforadar.interfaces.cli.output import print_json
from inforadar.interfaces.cli.parameters import WHOLE, OneOf
from inforadar.interfaces.cli.session import Session
from inforadar.interfaces.cli.table import print_table, shorten, tell
from inforadar.interfaces.cli.wording import age, published_age
from inforadar.interfaces.shapes import item_json, tombstone_json
from inforadar.observe.printable import printable
from inforadar.service.story_words import rule
from inforadar.store import matches, query_states, tombstones
from inforadar.store.matches import MatchView
from inforadar.store.query_states import QueryState
from inforadar.store.tombstones import Tombstone

NOTHING_YET = "Nothing found yet. `radar fetch` collects; `radar status` shows what was collected."
NOTHING_FITS = "Nothing fits these filters."
STATUSES = [status.value for status in Status]
STATUS_HELP = f"Only matches of this status, put off or not: {', '.join(STATUSES)}."
HEADERS = ("ID", "AGE", "STATUS", "SCORE", "PRICE", "TITLE", "COMPANY/AUTHOR", "SOURCE", "ALSO ON", "WATCH")
SCORE, PRICE, TITLE, COMPANY, SOURCE, ALSO_ON, WATCH = range(3, 10)
FILTERED_HEADERS = ("AGE", "LEFT OUT BY", "TITLE", "SOURCE", "WATCH", "KEY")
WIDEST_REASON = 30


@click.command(
    "items",
    help="""List matches, the newest publication first; those you put off are left out until their time has come.

    \b
    Examples:
      radar items
      radar items --watch python-madrid --status QUEUED
      radar items --source habr --topic python --text postgres --json
      radar items --later
      radar items --filtered --watch python-madrid
    """,
)
@click.option("--watch", metavar="NAME", help="Only this watch.")
@click.option("--source", metavar="NAME", help="Only this source.")
@click.option("--topic", metavar="NAME", help="Only items of this hub, tag or topic.")
@click.option("--status", metavar="S", type=OneOf(STATUSES), help=STATUS_HELP)
@click.option("--text", metavar="WORDS", help="Only items whose title, company or author contains this.")
@click.option("--later", is_flag=True, help="Only matches you put off, with until when.")
@click.option("--all", "is_all", is_flag=True, help="Also matches you put off.")
@click.option("--filtered", is_flag=True, help="What ban words and experience left out, with the word and the field.")
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
    later: bool,
    is_all: bool,
    filtered: bool,
    limit: int,
    before: int | None,
    as_json: bool,
) -> None:
    """Print matches, or what was left out, as a table or as JSON."""
    if filtered and any((topic, status, later, is_all, before)):
        raise click.UsageError("--filtered goes with --watch, --source, --text, --limit and --json alone.")
    if later and is_all:
        raise click.UsageError("--later shows those you put off, --all these and the others: not both.")
    narrow: dict[str, Any] = {"watch": watch, "source": source, "text": text}
    with session.app() as app, app.database.reading() as tx:
        _require_known(app.config, query_states.all(tx), watch, source)
        now = app.clock.now()
        if filtered:
            _show_filtered(
                tombstones.search(tx, **narrow, limit=limit), now, as_json=as_json, is_narrowed=any(narrow.values())
            )
            return
        narrow |= {"topic": topic, "status": status, "before_id": before}
        is_hiding = not (later or is_all or status)
        found = matches.search(
            tx, **narrow, limit=limit, put_off_at=now if later else None, due_at=now if is_hiding else None
        )
        is_some_hidden = is_hiding and bool(matches.search(tx, **narrow, limit=1, put_off_at=now))
    if as_json:
        print_json([item_json(match) for match in found])
        return
    _show_items(found, now, is_later=later)
    if len(found) == limit:
        tell(f"Older ones: the same with --before {found[-1].id}")
    if not found and not is_some_hidden:
        tell(NOTHING_FITS if later or any(narrow.values()) else NOTHING_YET)
    if is_some_hidden:
        tell("Some more are put off: --later shows them.")


def _require_known(config: Config, states: list[QueryState], watch: str | None, source: str | None) -> None:
    """Names are those of the configuration, and those the store has from earlier ones."""
    watches = dict.fromkeys((*(one.name for one in config.watches), *(state.watch for state in states)))
    sources = dict.fromkeys((*config.sources, *(state.source for state in states)))
    require_known([watch] if watch is not None else [], watches, "watch")
    require_known([source] if source is not None else [], sources, "source")


def _show_items(found: Sequence[MatchView], now: datetime, *, is_later: bool) -> None:
    """A table; scores, or how long they are put off, prices and other postings have a column when there are any."""
    if not found:
        return
    headers = tuple("PUT OFF" if name == "SCORE" and is_later else name for name in HEADERS)
    rows = [_row(match, now, is_later=is_later) for match in found]
    kept = [one for one in range(len(headers)) if one not in (SCORE, PRICE, ALSO_ON) or any(row[one] for row in rows)]
    print_table(
        [headers[one] for one in kept],
        [[row[one] for one in kept] for row in rows],
        flexible=[kept.index(one) for one in (TITLE, COMPANY, WATCH)],
        spare=[kept.index(one) for one in (WATCH, ALSO_ON, SOURCE, COMPANY) if one in kept],
    )


def _row(match: MatchView, now: datetime, *, is_later: bool) -> list[str]:
    score = "" if match.score is None else f"{match.score:.2f}"
    return [
        str(match.id),
        published_age(match.published_at, now),
        match.status,
        age(match.later_until, now) if is_later and match.later_until else score,
        price_of(match.data),
        match.title,
        match.company or str(match.data.get("author") or ""),
        match.source,
        ", ".join(also_names(match.source, match.also_on)),
        match.watch,
    ]


def _show_filtered(found: Sequence[Tombstone], now: datetime, *, as_json: bool, is_narrowed: bool) -> None:
    if as_json:
        print_json([tombstone_json(stone) for stone in found])
        return
    if not found:
        tell(NOTHING_FITS if is_narrowed else "Nothing was left out yet.")
        return
    rows = [
        [
            age(stone.at, now),
            shorten(printable(rule(stone)), WIDEST_REASON),
            stone.title,
            stone.source,
            stone.watch,
            stone.key,
        ]
        for stone in found
    ]
    print_table(FILTERED_HEADERS, rows, flexible=(2, 4), spare=(5, 0, 4))
