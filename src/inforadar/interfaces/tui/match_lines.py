"""How a match looks as one line of the list, and as the lines of the detail pane."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from rich.cells import set_cell_size

from inforadar.domain.item import FULL_TEXT
from inforadar.domain.money import money_of, place_of, price_of
from inforadar.domain.status import WORDS, Status, status_words
from inforadar.interfaces.cli.field_words import change_words
from inforadar.interfaces.cli.table import shorten
from inforadar.interfaces.cli.wording import age, ago, published_age, published_ago
from inforadar.interfaces.tui.match_pages import MatchRow
from inforadar.interfaces.tui.record import Record, Tone
from inforadar.observe.printable import printable
from inforadar.service.story_words import delivery_sentence, event_words, sibling_words
from inforadar.store.analyses import Analysis
from inforadar.store.deliveries import Delivery
from inforadar.store.item_changes import PastChange
from inforadar.store.matches import MatchEvent, MatchView

LATER = "later"
BESIDE = 2
"""The cells of the list that are left to its scroll bar and to the gap before it."""
HEADERS = ("", "STATUS", "SCORE", "AGE", "TITLE", "COMPANY", "PLACE", "SOURCE")
FIXED = {"": 1, "STATUS": max(map(len, WORDS.values())), "SCORE": 5, "AGE": 6, "SOURCE": 8}
SHARES = {"TITLE": 0.55, "COMPANY": 0.27, "PLACE": 0.18}
SPARE = ("PLACE", "COMPANY", "SOURCE", "SCORE", "AGE")
"""The columns that a narrow screen goes without, the first one first, so that titles can be read."""
NARROWEST_TITLE = 16
MARKED = "●"
WIDEST_VALUE = 200
LONGEST_TEXT = 1500


def list_line(row: MatchRow, now: datetime, width: int, *, is_marked: bool) -> str:
    """One match in so many cells."""
    cells = {
        "": MARKED if is_marked else "",
        "STATUS": status_word(row, now),
        "SCORE": "" if row.score is None else f"{row.score:.2f}",
        "AGE": published_age(row.published_at, now),
        "TITLE": row.title,
        "COMPANY": row.company,
        "PLACE": row.where,
        "SOURCE": _source(row),
    }
    widths = _widths(width)
    if row.price and "COMPANY" in widths:  # a price has no place: it stands before the company, over both columns
        cells["COMPANY"] = " ".join(filter(None, (row.price, row.company)))
        widths["COMPANY"] += widths.pop("PLACE", -1) + 1
    return _line(cells, widths)


def header_line(width: int) -> str:
    """The names of the columns in so many cells."""
    return _line(dict(zip(HEADERS, HEADERS, strict=True)), _widths(width))


def status_word(row: MatchRow, now: datetime) -> str:
    """Where a match stands, in a word."""
    if row.later_until and row.later_until > now and row.status not in (Status.APPLIED, Status.NOT_INTERESTED):
        return LATER
    return status_words(row.status)


def _source(row: MatchRow) -> str:
    """Where a match is from, and in how many other places the same job is."""
    if not row.others:
        return row.source
    more = f" +{row.others}"
    return shorten(row.source, FIXED["SOURCE"] - len(more)) + more


def detail_lines(
    match: MatchView,
    changes: Sequence[PastChange],
    events: Sequence[MatchEvent],
    verdicts: Sequence[Analysis],
    sent: Sequence[Delivery],
    now: datetime,
) -> list[Record]:
    """Everything a person wants to see of one match before deciding."""
    lines = [
        *_about(match, now),
        *_verdict(match, verdicts),
        *(Record(text=f"Also on {sibling_words(one, status_words)}") for one in match.also_shown),
        *_changed(changes, match.data, now),
        *_history(match, events, sent, now),
        *_text(match),
    ]
    return [Record(text=printable(line.text), tone=line.tone) for line in lines]


def _about(match: MatchView, now: datetime) -> Iterator[Record]:
    yield Record(text=match.title, tone="head")
    told = [
        match.company or str(match.data.get("author") or ""),
        place_of(match.data),
        money_of(match.data),
        price_of(match.data),
        match.source,
        published_ago(match.published_at, now),
        match.watch,
        f"id {match.id}",
    ]
    yield Record(text=" · ".join(part for part in told if part))
    yield Record(text=match.url, tone="faint")


def _verdict(match: MatchView, verdicts: Sequence[Analysis]) -> Iterator[Record]:
    if match.score is not None:
        tone: Tone = "good" if verdicts and verdicts[0].is_relevant else "plain"
        yield Record(text=f"Score {match.score:.2f}: {match.reason or 'no reason given'}", tone=tone)
    if verdicts and verdicts[0].skills:
        yield Record(text=f"Skills: {', '.join(verdicts[0].skills)}", tone="good")


def _changed(changes: Sequence[PastChange], data: Mapping[str, Any], now: datetime) -> Iterator[Record]:
    for past in reversed(changes):
        told = change_words(past.change, data, WIDEST_VALUE)
        yield Record(text=f"Changed {ago(past.changed_at, now)}  {told}", tone="warning")


def _history(
    match: MatchView, events: Sequence[MatchEvent], sent: Sequence[Delivery], now: datetime
) -> Iterator[Record]:
    if match.later_until and match.later_until > now:
        yield Record(text=f"Put off: shown again {age(match.later_until, now)}", tone="warning")
    if match.note:
        yield Record(text=f"Note: {match.note}")
    for delivery in sent:
        yield Record(text=f"Delivery: {delivery_sentence(delivery, None, None, now)}", tone="faint")
    for event in reversed(events):
        yield Record(text=f"{ago(event.at, now):>10}  {event_words(event, status_words)}", tone="faint")


def _text(match: MatchView) -> Iterator[Record]:
    text = match.data.get(FULL_TEXT) or match.data.get("snippet") or match.data.get("description")
    if isinstance(text, str) and text.strip():
        yield Record(text="")
        yield Record(text=shorten(" ".join(printable(text).split()), LONGEST_TEXT))


def _line(cells: Mapping[str, str], widths: Mapping[str, int]) -> str:
    """The cells of the columns there are."""
    return " ".join(set_cell_size(shorten(cells[name], size), size) for name, size in widths.items())


def _widths(width: int) -> dict[str, int]:
    """The columns that so many cells have room for, and how wide each of them is."""
    names = list(HEADERS)
    for spare in SPARE:
        if (widths := _shared(names, width))["TITLE"] >= NARROWEST_TITLE:
            return widths
        names.remove(spare)
    return _shared(names, width)


def _shared(names: Sequence[str], width: int) -> dict[str, int]:
    left = max(0, width - sum(FIXED.get(name, 0) for name in names) - len(names) + 1)
    whole = sum(SHARES.get(name, 0) for name in names)
    return {name: FIXED[name] if name in FIXED else int(left * SHARES[name] / whole) for name in names}
