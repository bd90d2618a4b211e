"""Which matches the inbox shows: read from the address, and written back into links."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from urllib.parse import parse_qsl, urlencode

from fastapi import HTTPException

from inforadar.domain.status import Status
from inforadar.interfaces.web.asked import LONGEST_TEXT
from inforadar.interfaces.web.cursor import NoPlace, Place, from_cursor
from inforadar.store.inbox import Wanted

TEXTS = ("watch", "source", "topic", "text")
MOST_DAYS = 3650
MOST_DIGITS = 9


@dataclass(frozen=True, slots=True, kw_only=True)
class Tab:
    """A part of the inbox: the statuses in it; `is_later`: what is put off instead."""

    name: str
    label: str
    statuses: tuple[Status, ...] = ()
    is_later: bool = False
    hides_put_off: bool = False


TABS = (
    Tab(name="inbox", label="To decide", statuses=(Status.ANALYZED, Status.SENT_TO_USER), hides_put_off=True),
    Tab(name="later", label="Later", is_later=True),
    Tab(name="applied", label="Applied", statuses=(Status.APPLIED,)),
    Tab(name="dismissed", label="Not for me", statuses=(Status.NOT_INTERESTED,)),
    Tab(name="waiting", label="In work", statuses=(Status.NEW, Status.QUEUED, Status.SKIPPED)),
    Tab(name="unsuitable", label="Does not fit", statuses=(Status.NOT_SUITABLE,)),
    Tab(name="archive", label="Archive", statuses=(Status.IN_ARCHIVE,)),
    Tab(name="all", label="All"),
)
BY_NAME = {tab.name: tab for tab in TABS}


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """What the address of the inbox says."""

    tab: Tab = TABS[0]
    watch: str | None = None
    source: str | None = None
    topic: str | None = None
    text: str | None = None
    score: float | None = None
    days: int | None = None

    @property
    def is_narrowed(self) -> bool:
        """Whether any filter is set."""
        return self != Choice(tab=self.tab)

    def wanted(self, now: datetime) -> Wanted:
        """The same for the store."""
        return Wanted(
            statuses=tuple(one.value for one in self.tab.statuses),
            put_off_at=now if self.tab.is_later else None,
            due_at=now if self.tab.hides_put_off else None,
            watch=self.watch,
            source=self.source,
            topic=self.topic,
            text=self.text,
            min_score=self.score,
            published_after=now - timedelta(days=self.days) if self.days else None,
        )

    def query(self, **more: str) -> str:
        """The query part of the address that shows this choice, empty for the first tab without filters."""
        own = {name: getattr(self, name) for name in (*TEXTS, "score", "days")}
        tab = {} if self.tab is TABS[0] else {"tab": self.tab.name}
        set_ones = tab | {name: value for name, value in own.items() if value is not None} | more
        return urlencode(set_ones)

    def on(self, tab: Tab) -> "Choice":
        """The same filters on another tab."""
        return replace(self, tab=tab)


def read_choice(asked: Mapping[str, str]) -> Choice:
    """What an address asks for; raises HTTPException for what nobody can mean."""
    tab = BY_NAME.get(asked.get("tab") or TABS[0].name)
    if tab is None:
        raise HTTPException(422, "There is no such tab.")
    texts = {name: asked.get(name, "").strip() or None for name in TEXTS}
    if any(text and len(text) > LONGEST_TEXT for text in texts.values()):
        raise HTTPException(422, f"A filter takes at most {LONGEST_TEXT} characters.")
    return Choice(tab=tab, **texts, score=_score(asked.get("score", "")), days=_days(asked.get("days", "")))


def read_query(text: str) -> Choice:
    """What the query part of an address asks for."""
    return read_choice(dict(parse_qsl(text.lstrip("/?"))))


def read_place(text: str | None) -> Place | None:
    """The place to go on from."""
    if not text:
        return None
    try:
        return from_cursor(text)
    except NoPlace as error:
        raise HTTPException(422, "There is no such place in the list.") from error


def _score(text: str) -> float | None:
    if not text.strip():
        return None
    try:
        score = float(text)
    except ValueError as error:
        raise HTTPException(422, "The score is a number from 0 to 1.") from error
    if not 0 <= score <= 1:
        raise HTTPException(422, "The score is a number from 0 to 1.")
    return score or None


def _days(text: str) -> int | None:
    if not text.strip():
        return None
    if not (text.isascii() and text.isdigit() and len(text) <= MOST_DIGITS and 1 <= int(text) <= MOST_DAYS):
        raise HTTPException(422, f"The age is a number of days from 1 to {MOST_DAYS}.")
    return int(text)
