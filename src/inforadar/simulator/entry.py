"""One posting or article as its site holds it, and what its counters show at a moment."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from inforadar.simulator.vocabulary import Company, Place

EntryKind = Literal["vacancy", "article", "news", "listing"]
Closing = Literal["open", "archived", "deleted"]
HALF_GROWN_HOURS = 36.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Salary:
    """What a posting pays; `mode` and `frequency` are hh's own ids."""

    low: int | None
    high: int | None
    currency: str
    gross: bool
    mode: str = "MONTH"
    frequency: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One thing a site lists; `words` decide what finds it and never change, whatever is edited.

    `published_at` is what the site shows and sorts by and moves when it is bumped; `created_at` never moves.
    `notes` are paragraphs of the full text alone, which no list shows and no search finds.
    """

    source: str
    id: str
    kind: EntryKind
    published_at: datetime
    created_at: datetime
    title: str
    snippet: tuple[str, str]
    lang: str
    words: frozenset[str]
    place: Place
    company: Company
    tags: tuple[str, ...]
    salary: Salary | None = None
    experience: str = "between1And3"
    work_format: str = "REMOTE"
    is_anonymous: bool = False
    is_promoted: bool = False
    author: str = ""
    hubs: tuple[str, ...] = ()
    popularity: int = 0
    liking: float = 0.0
    notes: tuple[str, ...] = ()
    closing: Closing = "open"


@dataclass(frozen=True, slots=True, kw_only=True)
class Counters:
    """What readers did with an entry so far."""

    views: int
    reach: int
    comments: int
    rating: int
    bookmarks: int


def counters_at(entry: Entry, now: datetime) -> Counters:
    """The counters of an entry at a moment: they only grow in size, ever slower."""
    age_hours = max(0.0, (now - entry.created_at).total_seconds() / 3600)
    views = int(entry.popularity * age_hours / (age_hours + HALF_GROWN_HOURS))
    return Counters(
        views=views,
        reach=views * 2 + views // 3,
        comments=views // (40 + entry.popularity % 60),
        rating=int(views * entry.liking),
        bookmarks=views // (25 + entry.popularity % 90),
    )
