"""`radar show`: everything known of one match: the item, its history, its verdicts, deliveries and status changes."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from itertools import chain
from typing import Any

import click

from inforadar.domain.errors import RadarError
from inforadar.domain.health import moment
from inforadar.domain.item import FULL_TEXT
from inforadar.interfaces.cli.field_words import change_words, field_words, shown_fields
from inforadar.interfaces.cli.output import print_json
from inforadar.interfaces.cli.output import show as show_line
from inforadar.interfaces.cli.parameters import WHOLE
from inforadar.interfaces.cli.session import Session
from inforadar.interfaces.cli.table import shorten, wrapped
from inforadar.interfaces.shapes import history_json, item_json, work_json
from inforadar.observe.printable import printable
from inforadar.service.story_words import delivery_sentence, event_words, sibling_words, verdict_words
from inforadar.store import analyses, deliveries, item_changes, matches
from inforadar.store.analyses import Analysis
from inforadar.store.deliveries import Delivery
from inforadar.store.item_changes import PastChange
from inforadar.store.matches import MatchEvent, MatchView

WIDEST_VALUE = 300
WIDEST_TEXT = 1200
INDENT = 4


@click.command(
    "show",
    help="""Show one match: its item, the history of its fields, its verdicts, deliveries and status changes.

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
        verdicts = analyses.of_match(tx, match_id)
        sent = deliveries.of_match(tx, match_id)
        now = app.clock.now()
    if as_json:
        print_json(item_json(match) | {"note": match.note} | history_json(changes, events) | work_json(verdicts, sent))
        return
    show_line(click.style(printable(match.title), bold=True))
    lines = (
        _item_lines(match),
        _change_lines(changes, match.data),
        _verdict_lines(verdicts),
        _delivery_lines(sent, now),
    )
    for line in chain(*lines, _event_lines(match, events, now)):
        show_line(printable(line))


def _item_lines(match: MatchView) -> Iterator[str]:
    yield match.url
    told = [match.company, match.source, f"published {moment(match.published_at)}", match.watch, match.status]
    yield " · ".join(part for part in told if part)
    for sibling in match.also_shown:
        yield f"Also on {sibling_words(sibling)}"
    if match.others > len(match.also_shown):
        yield f"Also on {match.others} postings in all"
    yield ""
    yield from _fields({name: value for name, value in match.data.items() if name != FULL_TEXT})
    text = " ".join(str(match.data.get(FULL_TEXT, "")).split())
    yield from ["", shorten(text, WIDEST_TEXT)] if text else []


def _change_lines(changes: list[PastChange], data: Mapping[str, Any]) -> Iterator[str]:
    yield from ["", "Changes:"] if changes else ["", "No changes since it was found."]
    for past in changes:
        yield from _told(f"{moment(past.changed_at)}  {change_words(past.change, data, WIDEST_VALUE)}")


def _verdict_lines(verdicts: list[Analysis]) -> Iterator[str]:
    yield from ["", "Verdicts:"] if verdicts else []
    for one in verdicts:
        yield from _told(f"{moment(one.at)}  {verdict_words(one)}")
        yield from _told(f"skills: {', '.join(one.skills)}") if one.skills else []


def _delivery_lines(sent: list[Delivery], now: datetime) -> Iterator[str]:
    yield from ["", "Deliveries:"] if sent else []
    for delivery in sent:
        yield from _told(delivery_sentence(delivery, None, None, now))


def _event_lines(match: MatchView, events: list[MatchEvent], now: datetime) -> Iterator[str]:
    yield from ["", "Status:"]
    for event in events:
        yield from _told(f"{moment(event.at)}  {event_words(event)}")
    if match.later_until and match.later_until > now:
        yield from _told(f"put off until {moment(match.later_until)}")
    if match.note:
        yield from ["", "Note:"]
        yield from _told(match.note)


def _told(text: str) -> Iterator[str]:
    first, *rest = wrapped(printable(text), INDENT)
    yield f"  {first}"
    yield from (" " * INDENT + line for line in rest)


def _fields(data: Mapping[str, Any]) -> Iterator[str]:
    told = {name: value for name, value in shown_fields(data).items() if value not in (None, "", [], {})}
    widest = max(map(len, told), default=0)
    for name, value in told.items():
        first, *more = wrapped(field_words(value, WIDEST_VALUE), widest + INDENT)
        yield f"  {name.ljust(widest)}  {first}"
        yield from (" " * (widest + INDENT) + line for line in more)
