"""How a query that is about to be added is shown: what was understood, what was left out, its newest entries."""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import click

from inforadar.collect.report import moment
from inforadar.config.toml_text import toml_text
from inforadar.domain.errors import SourceError
from inforadar.domain.money import price_of
from inforadar.domain.screening import Exclusion
from inforadar.domain.watch import Query, Watch
from inforadar.interfaces.cli.output import complain, show
from inforadar.interfaces.cli.table import print_table, shorten, wrapped
from inforadar.interfaces.cli.wording import counted, published_age
from inforadar.observe.printable import printable
from inforadar.service.preview import Entry, Looked
from inforadar.sources.search_urls import Asked, LeftOut

LONGEST_WORD = 24
HEADERS = ("AGE", "PRICE", "TITLE", "COMPANY/AUTHOR", "PLACE", "LEFT OUT BY")
TITLE, COMPANY, PLACE = 2, 3, 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A query that was looked at: as it would be written (`text` is the whole configuration), and what it shows.

    `missing`: settings of the source without which it answers hardly anybody.
    """

    asked: Asked
    watch: Watch
    query: Query
    text: str
    is_new: bool
    now: datetime
    looked: Looked | None = None
    error: SourceError | None = None
    missing: tuple[str, ...] = ()


def show_asked(asked: Asked) -> None:
    """What was understood, and what was not."""
    params = ", ".join(f"{name} = {toml_text(value)}" for name, value in asked.params.items())
    _show(f"{asked.source}  {params or 'everything, newest first'}", indent=len(asked.source) + 2)
    for one in asked.left_out:
        if one.is_lost:
            _show(f"Not asked for: {_written(one)}: {one.why}.", indent=2, colour="yellow")
    harmless = [one for one in asked.left_out if not one.is_lost]
    if harmless:
        _show(f"Left out, for it changes nothing here: {', '.join(map(_written, harmless))}", indent=2)


def show_preview(shown: Shown) -> None:
    """The newest entries with what would be left out, or why there are none to show; and what the source lacks."""
    _show_looked(shown)
    for name in shown.missing:
        source = shown.asked.source
        needs = f"{source} answers hardly anybody without a {name}: put one into [sources.{source}] of radar.toml, as "
        _show(f"{needs}docs/sources/{source}.md tells.", indent=2, colour="yellow")


def _show_looked(shown: Shown) -> None:
    if shown.error is not None:
        sentence = f"{shown.asked.source} could not be looked at: {shown.error}"
        complain("\n".join(wrapped(sentence, len("radar: "))))
        return
    looked = shown.looked
    assert looked is not None
    if not looked.entries:
        read = counted(looked.read, "entry", "entries")
        told = f"none of the {read} of the list fits" if looked.read else "the list is empty"
        _show(f"Nothing to collect now: {told}. What comes later is found.", indent=2, colour="yellow")
        return
    rows = [_row(entry, shown.now) for entry in looked.entries]
    kept = [column for column in range(len(HEADERS)) if any(row[column] for row in rows)]
    show("")
    print_table(
        [HEADERS[column] for column in kept],
        [[row[column] for column in kept] for row in rows],
        flexible=[kept.index(column) for column in (TITLE, COMPANY, PLACE) if column in kept],
        spare=[kept.index(PLACE)] if PLACE in kept else [],
    )
    _show(f"{_newest(looked)}; {_left_out(looked)}.", indent=0)
    for note in looked.notes:
        _show(note, indent=2, colour="yellow")


def to_json(shown: Shown, saved_in: str | None) -> dict[str, Any]:
    """The preview for programs."""
    looked = shown.looked
    return {
        "source": shown.asked.source,
        "params": shown.asked.params,
        "left_out": [
            {"name": one.name, "value": one.value, "why": one.why, "is_lost": one.is_lost}
            for one in shown.asked.left_out
        ],
        "query_key": shown.query.key,
        "watch": shown.watch.name,
        "kind": shown.watch.kind,
        "first_run": shown.watch.first_run,
        "is_new_watch": shown.is_new,
        "read": looked.read if looked else 0,
        "total": looked.total if looked else None,
        "excluded": len(looked.excluded) if looked else 0,
        "entries": [_entry_json(entry) for entry in looked.entries] if looked else [],
        "notes": list(looked.notes) if looked else [],
        "error": str(shown.error) if shown.error else None,
        "saved_in": saved_in,
    }


def _row(entry: Entry, now: datetime) -> list[str]:
    draft = entry.draft
    return [
        published_age(draft.rank, now) if draft.is_dated else "",
        price_of(draft.data),
        draft.title,
        draft.company or str(draft.data.get("author") or ""),
        _place(entry),
        shorten(_word(entry.exclusion), LONGEST_WORD) if entry.exclusion else "",
    ]


def _place(entry: Entry) -> str:
    place = entry.draft.data.get("place")
    return place if isinstance(place, str) else ""


def _newest(looked: Looked) -> str:
    shown = len(looked.entries)
    if shown == looked.read and looked.total in (None, shown):
        return f"That is all the first page shows, {counted(shown, 'entry', 'entries')}"
    return f"The newest {shown} of {_length(looked)}"


def _length(looked: Looked) -> str:
    wanted = looked.read - looked.unwanted
    of_all = counted(looked.total, "entry", "entries") if looked.total is not None else None
    if looked.unwanted:
        return f"{counted(wanted, 'entry', 'entries')} that fit, among {looked.read}"
    return of_all or f"{counted(looked.read, 'entry', 'entries')} on the first page"


def _left_out(looked: Looked) -> str:
    if not looked.excluded:
        return "none of these would be left out"
    words = Counter(_word(entry.exclusion) for entry in looked.excluded if entry.exclusion)
    told = ", ".join(f"{number} by {word}" for word, number in words.most_common())
    return f"{len(looked.excluded)} of these would be left out: {told}"


def _word(excluded: Exclusion) -> str:
    return f'"{excluded.word}"' if excluded.reason == "ban word" else "experience"


def _entry_json(entry: Entry) -> dict[str, Any]:
    draft, excluded = entry.draft, entry.exclusion
    told = {"reason": excluded.reason, "word": excluded.word, "field": excluded.field} if excluded else None
    return {
        "key": draft.key,
        "url": draft.url,
        "title": draft.title,
        "company": draft.company,
        "place": _place(entry) or None,
        "published_at": moment(draft.rank) if draft.is_dated else None,
        "excluded": told,
    }


def _written(one: LeftOut) -> str:
    return f"{one.name}={one.value}"


def _show(text: str, *, indent: int, colour: str | None = None) -> None:
    first, *rest = wrapped(printable(text), indent)
    for line in (first, *(" " * indent + line for line in rest)):
        show(click.style(line, fg=colour) if colour else line)
