"""`radar show`: everything known of one match: the item, its history, its status changes."""

from typing import Any

import click

from inforadar.collect.report import moment
from inforadar.domain.errors import RadarError
from inforadar.domain.item import FULL_TEXT
from inforadar.interfaces.cli.items import item_json
from inforadar.interfaces.cli.output import print_json, shorten
from inforadar.interfaces.cli.session import Session
from inforadar.observe.printable import printable
from inforadar.store import item_changes, matches
from inforadar.store.item_changes import PastChange
from inforadar.store.matches import MatchEvent, MatchView

WIDEST_VALUE = 300


@click.command(
    help="""Show one match: its item, the history of its fields, its status changes.

    \b
    Examples:
      radar show 42
      radar show 42 --json
    """
)
@click.argument("match_id", metavar="ID", type=int)
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
        print_json({**item_json(match), "changes": [_change(one) for one in changes], "events": _events(events)})
        return
    for line in _lines(match, changes, events):
        click.echo(printable(line))


def _lines(match: MatchView, changes: list[PastChange], events: list[MatchEvent]) -> list[str]:
    head = [
        match.title,
        match.url,
        f"{match.company or '-'}   {match.source}   published {moment(match.published_at)}   {match.status}",
        "",
    ]
    fields = [
        f"  {name}: {shorten(str(value), WIDEST_VALUE)}" for name, value in match.data.items() if name != FULL_TEXT
    ]
    text = str(match.data.get(FULL_TEXT, ""))
    body = ["", shorten(" ".join(text.split()), 4 * WIDEST_VALUE)] if text else []
    history = [
        f"  {moment(one.changed_at)}  {one.change.field}: {_short(one.change.old)} -> {_short(one.change.new)}"
        for one in changes
    ]
    story = [
        f"  {moment(event.at)}  {event.from_status or 'created'} -> {event.to_status}  {event.why}" for event in events
    ]
    return [*head, *fields, *body, "", "Changes:", *(history or ["  none"]), "", "Status:", *story]


def _short(value: Any) -> str:
    return shorten(str(value), WIDEST_VALUE)


def _change(past: PastChange) -> dict[str, Any]:
    return {
        "at": moment(past.changed_at),
        "field": past.change.field,
        "old": past.change.old,
        "new": past.change.new,
        "run_id": past.run_id,
    }


def _events(events: list[MatchEvent]) -> list[dict[str, Any]]:
    return [
        {"at": moment(event.at), "who": event.who, "from": event.from_status, "to": event.to_status, "why": event.why}
        for event in events
    ]
