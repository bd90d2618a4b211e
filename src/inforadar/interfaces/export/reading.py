"""Reads matches page by page, so that a hundred thousand need little more memory than one page.

Where matches stand is read for many at once, and remembered as bare numbers: a list may give thousands of entries one
moment of publication, and whoever asks for the next page among them has the database sort them all.
"""

import heapq
from array import array
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice

from inforadar.domain.item import ItemId
from inforadar.store import matches
from inforadar.store.database import Database, Tx
from inforadar.store.matches import MatchView

PAGE = 500
MOST_PLACES = 20_000


def every_match(
    database: Database,
    watches: Sequence[str] = (),
    *,
    statuses: Collection[str] = (),
    limit: int | None = None,
    page: int = PAGE,
) -> Iterator[MatchView]:
    """Matches of these watches, of all if none is named, the newest publication first.

    Each page is a short transaction of its own. A match comes once; one that is found meanwhile may be absent.
    """
    ahead = min(MOST_PLACES, limit or MOST_PLACES)
    chosen = dict.fromkeys(watches) if watches else [None]
    streams = [
        _stream(database, Places(watch=watch, statuses=statuses, ahead=ahead), statuses, min(page, ahead))
        for watch in chosen
    ]
    return islice(heapq.merge(*streams, key=_place, reverse=True), limit)


@dataclass(slots=True, kw_only=True)
class Places:
    """Where the matches of one watch stand, read some thousand ahead."""

    watch: str | None
    statuses: Collection[str]
    ahead: int
    _ids: "array[int]" = field(default_factory=lambda: array("q"))
    _items: "array[int]" = field(default_factory=lambda: array("q"))
    _next: int = 0
    _below: tuple[datetime, int] | None = None
    _is_last: bool = False

    def take(self, tx: Tx, count: int) -> dict[int, ItemId]:
        """The next matches, each with its item; empty = there are no more."""
        if self._next >= len(self._ids) and not self._is_last:
            self._read_ahead(tx)
        chosen = slice(self._next, self._next + count)
        self._next += count
        return dict(zip(self._ids[chosen], map(ItemId, self._items[chosen]), strict=True))

    @property
    def is_over(self) -> bool:
        """Whether nothing is left to take."""
        return self._is_last and self._next >= len(self._ids)

    def _read_ahead(self, tx: Tx) -> None:
        found = matches.places(tx, watch=self.watch, statuses=self.statuses, below=self._below, limit=self.ahead)
        self._ids, self._items = (array("q", (getattr(one, name) for one in found)) for name in ("id", "item_id"))
        self._next, self._is_last = 0, len(found) < self.ahead
        if found:
            self._below = (found[-1].published_at, found[-1].id)


def _stream(database: Database, places: Places, statuses: Collection[str], page: int) -> Iterator[MatchView]:
    while not places.is_over:
        with database.reading() as tx:
            found = matches.several(tx, places.take(tx, page))
        yield from (match for match in found if not statuses or match.status in statuses)


def _place(match: MatchView) -> tuple[datetime, int]:
    return match.published_at, match.id
