"""How a match looks as one line of the list, and as the lines of the detail pane."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from rich.cells import set_cell_size

from inforadar.domain.item import FULL_TEXT
from inforadar.domain.money import money_of, place_of, price_of
from inforadar.domain.status import Status
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

STATUS_WORDS = {
    Status.NEW: "new",
    Status.QUEUED: "queued",
    Status.ANALYZED: "judged",
    Status.SENT_TO_USER: "sent",
    Status.SKIPPED: "skipped",
    Status.NOT_SUITABLE: "unsuited",
    Status.IN_ARCHIVE: "archived",
    Status.APPLIED: "applied",
    Status.NOT_INTERESTED: "declined",
}
LATER = "later"
BESIDE = 2
"""The cells of the list that are left to its scroll bar and to the gap before it."""
HEADERS = ("", "STATUS", "SCORE", "AGE", "TITLE", "COMPANY", "PLACE", "SOURCE")
COMPANY, PLACE = 5, 6
FIXED = {"": 1, "STATUS": 8, "SCORE": 5, "AGE": 6, "SOURCE": 8}
SHARES = {"TITLE": 0.55, "COMPANY": 0.27, "PLACE": 0.18}
MARKED = "●"
WIDEST_VALUE = 200
LONGEST_TEXT = 1500


def list_line(row: MatchRow, now: datetime, width: int, *, is_marked: bool) -> str:
    """One match in so many cells."""
    cells = (
        MARKED if is_marked else "",
        status_word(row, now),
        "" if row.score is None else f"{row.score:.2f}",
        published_age(row.published_at, now),
        row.title,
        row.company,
        row.where,
        _source(row),
    )
    return _line(cells, width, joined=" ".join(filter(None, (row.price, row.company))) if row.price else "")


def header_line(width: int) -> str:
    """The names of the columns in so many cells."""
    return _line(HEADERS, width)


def status_word(row: MatchRow, now: datetime) -> str:
    """Where a match stands, in a word."""
    if row.later_until and row.later_until > now and row.status not in (Status.APPLIED, Status.NOT_INTERESTED):
        return LATER
    return STATUS_WORDS.get(Status(row.status), row.status.lower())


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
        *(Record(text=f"Also on {sibling_words(one)}") for one in match.also_shown),
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
        yield Record(text=f"Matched words: {', '.join(verdicts[0].skills)}", tone="good")


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
        yield Record(text=f"{ago(event.at, now):>10}  {event_words(event)}", tone="faint")


def _text(match: MatchView) -> Iterator[Record]:
    text = match.data.get(FULL_TEXT) or match.data.get("snippet") or match.data.get("description")
    if isinstance(text, str) and text.strip():
        yield Record(text="")
        yield Record(text=shorten(" ".join(printable(text).split()), LONGEST_TEXT))


def _line(cells: Sequence[str], width: int, joined: str = "") -> str:
    """The cells under their headers; what is `joined` stands in those of company and place, as one."""
    spare = max(0, width - sum(FIXED.values()) - len(HEADERS) + 1)
    widths = [FIXED.get(name) or int(spare * SHARES[name]) for name in HEADERS]
    if joined:
        cells = (*cells[:COMPANY], joined, *cells[PLACE + 1 :])
        widths = [*widths[:COMPANY], widths[COMPANY] + 1 + widths[PLACE], *widths[PLACE + 1 :]]
    return " ".join(set_cell_size(shorten(cell, size), size) for cell, size in zip(cells, widths, strict=True))
