"""How a source hands out its list: what it can do, where we ask, what it answered."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Literal

from inforadar.domain.item import Draft


@dataclass(frozen=True, slots=True, kw_only=True)
class Paging:
    """What a source's list can do and how far its order can be trusted, declared as data.

    `kind`: "offset" sources start anywhere; "page" sources start at multiples of the page size asked for.
    `largest_size`: page sources that take other sizes name the largest (equal to `size` = fixed).
    `depth`: how many entries can be reached from the top of one list; None = all of them.
    `filters_by_date`: whether a date window can be asked for, rounded by the source to `date_grain`.
    `buckets`: the ages at which the list can be cut, counted from the moment of each request (see `buckets`).
    `has_exact_total`: whether every page tells the exact length of the list.
    `slack`: how far down an entry may stand below its rank; `strays`: how many misplaced (promoted, pinned)
    entries may stand side by side; `lookback_days`: how old a late arrival may be by default.
    `is_followed`: whether each page alone tells how the next one is asked for, so that none can be jumped to.
    `absence_closes`: a list that is read whole (see `whole_list`) shows all there is: what left it is closed.
    """

    kind: Literal["offset", "page"]
    size: int
    largest_size: int | None = None
    depth: int | None = None
    filters_by_date: bool = False
    date_grain: timedelta = timedelta(0)
    has_exact_total: bool = False
    slack: timedelta = timedelta(0)
    strays: int = 0
    lookback_days: int = 7
    is_followed: bool = False
    absence_closes: bool = False
    buckets: tuple[timedelta, ...] = ()

    @property
    def can_repeat_its_end(self) -> bool:
        """Whether any number may be asked for: below their end some lists show their last page again."""
        return self.kind == "page" and not self.is_followed


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """A part of a list by date: entries newer than `after`, up to and including `upto`; None = open.

    `age`: one of the source's buckets, entries at most so old when they are asked for.
    """

    after: datetime | None = None
    upto: datetime | None = None
    age: timedelta | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Position:
    """Where one request starts: entry number `offset` of the list (of the window), `size` entries.

    For page sources `offset` is a multiple of `size`.
    """

    offset: int = 0
    size: int
    window: Window | None = None

    @property
    def page_number(self) -> int:
        """The zero-based page this position is, for sources that count in pages."""
        return self.offset // self.size


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One answer of a list: the entries that could be read, in the source's order.

    `total`: entries in the whole list (of the window), where the source tells it exactly.
    `is_last`: True when the source says that nothing follows, False when it says that more follows, None when
    it does not tell. `unreadable` counts entries the parser could not read, `undated` those without a date
    in a list that is sorted by dates, `loose` are the drafts of those: they have no place in its order.
    `unreadable_keys`: the keys of those among them that tell it.
    `is_unchanged`: nothing was sent, because the list is as it was. `memory`: what the source wants to be told when
    this list is asked for again, None = nothing; it is kept only once everything on the list is stored. `lasting`:
    what it must be told whatever happens, None = what it was told before; it is kept with the entries of the page.
    """

    drafts: tuple[Draft, ...]
    total: int | None = None
    is_last: bool | None = None
    unreadable: int = 0
    undated: int = 0
    loose: tuple[Draft, ...] = ()
    unreadable_keys: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    is_unchanged: bool = False
    memory: Mapping[str, Any] | None = None
    lasting: Mapping[str, Any] | None = None

    @property
    def entries(self) -> int:
        """How many entries the source sent, readable or not: positions advance by this."""
        return len(self.drafts) + self.unreadable + self.undated

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys of what could be read, in the source's order."""
        return tuple(draft.key for draft in self.drafts)

    @property
    def tells_end(self) -> bool:
        """Whether it says if anything follows it."""
        return self.total is not None or self.is_last is not None

    def dated(self, now: datetime) -> "Page":
        """The page with entries that show no date dated by this sweep: what has no date cannot be too old."""
        return replace(self, drafts=tuple(one if one.is_dated else replace(one, rank=now) for one in self.drafts))
