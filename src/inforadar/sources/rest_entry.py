"""One entry of any JSON list as a draft, by the paths the user gave."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal
from urllib.parse import quote, urljoin

from inforadar.domain.errors import Unreadable
from inforadar.domain.item import FETCHED, FULL_TEXT, FULL_TEXT_STATE, Draft
from inforadar.domain.paging import Page
from inforadar.domain.price_flaws import PRICE_TEXT
from inforadar.sources.reading import (
    EARLIEST_YEAR,
    ENTRIES_TO_JUDGE_A_PAGE,
    LATEST_YEAR,
    UNDATED,
    read_time,
    without_empty,
)
from inforadar.sources.rest_money import read_money
from inforadar.sources.rest_paths import find
from inforadar.sources.rest_plan import Plan
from inforadar.sources.text import clean_line, clean_lines, plain_text, unmarked

LONGEST_ID, LONGEST_TITLE, LONGEST_TEXT = 200, 500, 100_000
LARGEST_NUMBER, DEEPEST = 2**53, 4
COMPANY, PRICE, TEXT = "company", "price", "text"


@dataclass(frozen=True, slots=True, kw_only=True)
class Loose:
    """An entry without a date in a list that is sorted by dates."""

    draft: Draft


Shown = Draft | Loose | Literal["unreadable"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """Reads the entries of one list."""

    plan: Plan

    def entries(self, entries: Sequence[Any]) -> list[Shown]:
        """The entries in their order; raises Unreadable when not one of several could be read."""
        shown = [self._entry(entry) for entry in entries]
        if len(shown) >= ENTRIES_TO_JUDGE_A_PAGE and all(one == "unreadable" for one in shown):
            raise Unreadable(f"none of the {len(shown)} entries has the id and title that the query's paths name")
        return shown

    def _entry(self, entry: Any) -> Shown:
        entry_id = _id(find(entry, self.plan.id))
        title = unmarked(_words(find(entry, self.plan.title)))[:LONGEST_TITLE]
        if not entry_id or not title:
            return "unreadable"
        rank = UNDATED if self.plan.date is None else read_date(find(entry, self.plan.date), self.plan.date_format)
        fields = {name: find(entry, steps) for name, steps in self.plan.fields.items()}
        company = clean_line(_words(fields.pop(COMPANY, None))) or None
        draft = Draft(
            key=self.plan.key(entry_id),
            rank=rank or UNDATED,
            url=self._url(entry, entry_id),
            title=title,
            company=company,
            data=_data(fields),
            is_dated=self.plan.date is not None and rank is not None,
        )
        return Loose(draft=draft) if rank is None else draft

    def _url(self, entry: Any, entry_id: str) -> str:
        """The entry's own page; without one the list's address, told apart by the id."""
        link, told_id = self.plan.link, quote(entry_id, safe="", errors="replace")
        named = f"{self.plan.address}#{told_id}"
        if isinstance(link, str):
            return link.replace("{id}", told_id)
        told = clean_line(_words(find(entry, link))) if link is not None else ""
        with suppress(ValueError):
            url = urljoin(self.plan.address, told)
            return url if told and url.startswith(("https://", "http://")) and " " not in url else named
        return named


def page_of(shown: Sequence[Shown], *, total: int | None = None, is_last: bool | None = None) -> Page:
    """A page of entries, the broken ones counted."""
    loose = tuple(one.draft for one in shown if isinstance(one, Loose))
    return Page(
        drafts=tuple(one for one in shown if isinstance(one, Draft)),
        total=total,
        is_last=is_last,
        unreadable=sum(one == "unreadable" for one in shown),
        undated=len(loose),
        loose=loose,
    )


def read_date(value: Any, written: str) -> datetime | None:
    """A moment in UTC as the list writes it: ISO 8601, seconds or milliseconds since 1970, or a pattern."""
    if written in ("unix", "unix_ms"):
        return _since_1970(value, 1000 if written == "unix_ms" else 1)
    if written == "iso" or not isinstance(value, str):
        return read_time(value)
    try:
        moment = datetime.strptime(value.strip(), written)  # noqa: DTZ007 - a missing zone is UTC, below
        return _sensible(moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC))
    except (ValueError, OverflowError):
        return None


def _since_1970(value: Any, parts: int) -> datetime | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        return _sensible(datetime.fromtimestamp(float(value) / parts, UTC))
    except (ValueError, OverflowError, OSError):
        return None


def _sensible(moment: datetime) -> datetime | None:
    return moment if EARLIEST_YEAR <= moment.year <= LATEST_YEAR else None


def _data(fields: dict[str, Any]) -> dict[str, Any]:
    """The fields the user named; a `price` becomes cents and their currency, a `text` the full text of the item."""
    price = _price(fields.pop(PRICE, None))
    text = plain_text(_words(fields.pop(TEXT, None)))[:LONGEST_TEXT]
    data = price | without_empty({name: plain(value) for name, value in fields.items()})
    # there is no page of its own that a full text could still come from
    return without_empty(data | {FULL_TEXT: text}) | {FULL_TEXT_STATE: FETCHED}


def _price(told: Any) -> dict[str, Any]:
    """What a price says; one that cannot be read for sure is kept as it was written."""
    money = read_money(told)
    if money is None:
        return {PRICE_TEXT: clean_line(str(told))[:LONGEST_ID]} if isinstance(told, str | int | float) else {}
    cents, currency = money
    return {"price_type": "ask", "price_cents": cents, "currency": currency}


def plain(value: Any, depth: int = 0) -> Any:
    """A JSON value as it may be kept: clean texts, sensible numbers, not nested without end."""
    if isinstance(value, str):
        return clean_lines(value)[:LONGEST_TEXT]
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value if abs(value) <= LARGEST_NUMBER else str(value)[:LONGEST_ID]
    if depth >= DEEPEST:
        return None
    if isinstance(value, list):
        return [kept for kept in (plain(one, depth + 1) for one in value) if kept not in (None, "")]
    if isinstance(value, dict):
        return without_empty({clean_line(str(name)): plain(one, depth + 1) for name, one in value.items()})
    return value


def _id(value: Any) -> str:
    """An id, whether it came as text or as a number."""
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**30:
        return str(value)
    text = clean_line(_words(value))
    return text if len(text) <= LONGEST_ID else ""


def _words(value: Any) -> str:
    return value if isinstance(value, str) else ""
