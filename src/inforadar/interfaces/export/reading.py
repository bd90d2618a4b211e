"""Reads matches page by page, so that a hundred thousand need no more memory than one page."""

import heapq
from collections.abc import Collection, Iterator, Sequence
from datetime import datetime
from itertools import islice

from inforadar.store import matches
from inforadar.store.database import Database
from inforadar.store.matches import MatchView

PAGE = 500


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
    page = min(page, limit or page)
    streams = [_stream(database, watch, statuses, page) for watch in (dict.fromkeys(watches) if watches else [None])]
    return islice(heapq.merge(*streams, key=_place, reverse=True), limit)


def _stream(database: Database, watch: str | None, statuses: Collection[str], page: int) -> Iterator[MatchView]:
    below = None
    while True:
        with database.reading() as tx:
            found = matches.search(tx, watch=watch, statuses=statuses, below=below, limit=page)
        yield from found
        if len(found) < page:
            return
        below = (found[-1].published_at, found[-1].id)


def _place(match: MatchView) -> tuple[datetime, int]:
    return match.published_at, match.id
