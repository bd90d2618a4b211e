"""Pages of matches from the store, as narrowed: never more than one page in hand, whatever the store holds."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from heapq import merge
from itertools import islice

from inforadar.domain.money import place_of
from inforadar.domain.watch import Watch
from inforadar.interfaces.tui.narrowing import Narrowing
from inforadar.observe.printable import printable
from inforadar.store import matches
from inforadar.store.database import Tx
from inforadar.store.matches import MatchView

SMALLEST_CHUNK, LARGEST_CHUNK = 100, 5000
Place = tuple[datetime, int]
"""Where a match stands in the list: its publication and its id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchRow:
    """What the list shows of one match, safe to show."""

    id: int
    status: str
    score: float | None
    title: str
    company: str
    where: str
    published_at: datetime
    source: str
    url: str
    later_until: datetime | None

    @property
    def place(self) -> Place:
        """Where it stands in the list."""
        return self.published_at, self.id


def read_page(
    tx: Tx, narrowing: Narrowing, topics: Mapping[str, Collection[str]], now: datetime, below: Place | None, limit: int
) -> list[MatchRow]:
    """The next matches below a place, newest publication first; `topics`: the keys of the queries of each topic.

    Matches that are put off are left out, unless a status is asked for.
    """
    streams = [
        _stream(tx, narrowing, watch, source, now, below, max(SMALLEST_CHUNK, min(limit, LARGEST_CHUNK)))
        for watch in narrowing.watches or (None,)
        for source in narrowing.sources or (None,)
    ]
    merged = merge(*streams, key=lambda match: (match.published_at, match.id), reverse=True)
    fitting = (match for match in merged if _is_on_topic(match, narrowing.topics, topics))
    return [row_of(match) for match in islice(fitting, limit)]


def query_topics(watches: Collection[Watch]) -> dict[str, set[str]]:
    """The topics the queries of a configuration are chosen by, each with the keys of its queries."""
    found: dict[str, set[str]] = {}
    for watch in watches:
        for query in watch.queries:
            for name in (query.topic, query.params.get("hub"), query.params.get("flow")):
                if name:
                    found.setdefault(str(name).casefold(), set()).add(query.key)
    return found


def row_of(match: MatchView) -> MatchRow:
    """What the list shows of a match."""
    return MatchRow(
        id=match.id,
        status=match.status,
        score=match.score,
        title=printable(match.title),
        company=printable(match.company or str(match.data.get("author") or "")),
        where=printable(place_of(match.data)),
        published_at=match.published_at,
        source=printable(match.source),
        url=match.url,
        later_until=match.later_until,
    )


def _stream(
    tx: Tx, narrowing: Narrowing, watch: str | None, source: str | None, now: datetime, below: Place | None, chunk: int
) -> Iterator[MatchView]:
    """The matches of one watch and one source, read as they are asked for."""
    while True:
        found = matches.search(
            tx,
            watch=watch,
            source=source,
            statuses=narrowing.statuses,
            text=narrowing.text or None,
            due_at=None if narrowing.statuses else now,
            limit=chunk,
            below=below,
        )
        yield from found
        if len(found) < chunk:
            return
        below = (found[-1].published_at, found[-1].id)


def _is_on_topic(match: MatchView, wanted: Collection[str], topics: Mapping[str, Collection[str]]) -> bool:
    """Whether a query of a wanted topic found it, or the item itself names one."""
    if not wanted:
        return True
    if any(match.query_key in topics.get(topic, ()) for topic in wanted):
        return True
    named = {word.casefold() for value in match.data.values() for word in _words(value)}
    return not named.isdisjoint(wanted)


def _words(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []
