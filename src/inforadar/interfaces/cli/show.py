"""`radar show`: everything known of one match: the item, its history, its status changes."""

from collections.abc import Iterator, Mapping
from typing import Any

import click

from inforadar.collect.report import moment
from inforadar.domain.errors import RadarError
from inforadar.domain.item import FULL_TEXT
from inforadar.interfaces.cli.output import print_json
from inforadar.interfaces.cli.output import show as show_line
from inforadar.interfaces.cli.parameters import WHOLE
from inforadar.interfaces.cli.session import Session
from inforadar.interfaces.cli.table import shorten, wrapped
from inforadar.interfaces.shapes import history_json, item_json
from inforadar.observe.printable import printable
from inforadar.store import item_changes, matches
from inforadar.store.item_changes import PastChange
from inforadar.store.matches import MatchEvent, MatchView

WIDEST_VALUE = 300
WIDEST_TEXT = 1200
INDENT = 4


@click.command(
    "show",
    help="""Show one match: its item, the history of its fields, its status changes.

    \b
    Examples:
      radar show 42
      radar show 42 --json
    """,
)
@click.argument("match_id", metavar="ID", type=WHOLE)
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object.")
@click.pass_obj
def command(session: Session, match_id: int, as_json: bool) -> None:
    """Print one match as text or as JSON."""
    with session.app() as app, app.database.reading() as tx:
        match = matches.get(tx, match_id)
        if match is None:
            raise RadarError(f"There is no match {match_id}. `radar items` lists them with their ids.")
        changes = item_changes.of_item(tx, match.item_id)
        events = matches.events(tx, match_id)
    if as_json:
        print_json(item_json(match) | history_json(changes, events))
        return
    show_line(click.style(printable(match.title), bold=True))
    for line in _lines(match, changes, events):
        show_line(printable(line))


def _lines(match: MatchView, changes: list[PastChange], events: list[MatchEvent]) -> Iterator[str]:
    yield match.url
    told = [match.company, match.source, f"published {moment(match.published_at)}", match.watch, match.status]
    yield " · ".join(part for part in told if part)
    yield ""
    yield from _fields({name: value for name, value in match.data.items() if name != FULL_TEXT})
    text = " ".join(str(match.data.get(FULL_TEXT, "")).split())
    yield from ["", shorten(text, WIDEST_TEXT)] if text else []
    yield from ["", "Changes:"] if changes else ["", "No changes since it was found."]
    for past in changes:
        change = past.change
        yield f"  {moment(past.changed_at)}  {change.field}: {_value(change.old)} -> {_value(change.new)}"
    yield from ["", "Status:"]
    for event in events:
        yield f"  {moment(event.at)}  {event.from_status or 'created'} -> {event.to_status}  {event.why}"


def _fields(data: Mapping[str, Any]) -> Iterator[str]:
    told = {name.replace("_", " "): value for name, value in data.items() if value not in (None, "", [], {})}
    widest = max(map(len, told), default=0)
    for name, value in told.items():
        first, *more = wrapped(_value(value), widest + INDENT)
        yield f"  {name.ljust(widest)}  {first}"
        yield from (" " * (widest + INDENT) + line for line in more)


def _value(value: Any) -> str:
    if value in (None, "", [], {}):
        return "nothing"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_value(inner)}" for name, inner in value.items() if inner is not None)
    return shorten(", ".join(map(str, value)) if isinstance(value, list) else str(value), WIDEST_VALUE)
