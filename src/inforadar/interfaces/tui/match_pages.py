"""Pages of matches from the store, as narrowed: never more than a page or two in hand, whatever the store holds."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from heapq import merge
from itertools import islice

from inforadar.domain.finding import haystack, needle
from inforadar.domain.money import place_of, price_of
from inforadar.domain.watch import Watch
from inforadar.interfaces.tui.narrowing import Narrowing
from inforadar.observe.printable import printable
from inforadar.store import inbox, matches
from inforadar.store.database import Tx
from inforadar.store.inbox import MOST_WALKED
from inforadar.store.matches import MatchView

PAGE = 100
SMALLEST_CHUNK, LARGEST_CHUNK = 100, 5000
Place = tuple[datetime, int]
"""Where a match stands in the list: its publication and its id."""
BOTTOM: Place = (datetime.min.replace(tzinfo=UTC), 0)
"""A place that stands below every match."""
ABOVE_ALL = 2**62
"""An id above that of every match."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchRow:
    """What the list shows of one match, safe to show.

    `version`: as which it was seen, for a decision on it. `others`: how many other postings of the same job there are.
    """

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
    version: int
    others: int = 0
    price: str = ""

    @property
    def place(self) -> Place:
        """Where it stands in the list."""
        return self.published_at, self.id


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """Whole pages around a place: how many matches there are, which of them stands there, and the rows."""

    total: int
    number: int
    page: int
    rows: list[MatchRow]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What the list asks for; `topics`: the keys of the queries of each topic.

    Matches that are put off are left out, unless a status is asked for that does not wait for a decision.
    """

    narrowing: Narrowing
    topics: Mapping[str, Collection[str]]
    now: datetime

    @property
    def may_be_rare(self) -> bool:
        """Whether so few may fit that a walk for them would not end; a text is looked up by its index."""
        return self.narrowing.is_active and not self.narrowing.text

    @property
    def parts(self) -> list[dict[str, object]]:
        """The filters of the store, one set for each watch and source; no match fits two of them.

        The store tells of a topic only what may be on it.
        """
        one = self.narrowing
        shared: dict[str, object] = {
            "statuses": one.statuses,
            "text": one.text or None,
            "due_at": self.now if one.hides_put_off else None,
        }
        if one.topics:
            found_by = {key for topic in one.topics for key in self.topics.get(topic, ())}
            shared |= {"topics": one.topics, "query_keys": found_by}
        return [
            {"watch": watch, "source": source, **shared}
            for watch in one.watches or (None,)
            for source in one.sources or (None,)
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """What a walk down the list has found; `walked_to`: it was broken off there; None = it came to its end."""

    rows: list[MatchRow]
    walked_to: Place | None = None


def read_page(tx: Tx, asked: Asked, below: Place | None, limit: int) -> list[MatchRow]:
    """The next matches below a place, newest publication first, however far the walk for them is."""
    return [row_of(match) for match in islice(_downward(tx, asked, below, limit), limit)]


def read_part(tx: Tx, asked: Asked, below: Place | None, limit: int, places: int = MOST_WALKED) -> Part:
    """As `read_page`, by a walk over so many places at most: it takes no longer the more there is."""
    floor = inbox.floor(tx, below, places) if asked.may_be_rare else None
    rows = [row_of(match) for match in islice(_downward(tx, asked, below, limit, floor), limit)]
    return Part(rows=rows, walked_to=(floor, ABOVE_ALL) if floor and len(rows) < limit else None)


def read_above(tx: Tx, asked: Asked, above: Place, limit: int) -> list[MatchRow]:
    """The nearest matches above a place, newest publication first."""
    return _upward(tx, asked, (above[0], above[1] + 1), limit)


def read_window(tx: Tx, asked: Asked, at: Place | None) -> Window:
    """The page that holds a match and the one before it; None = the last match of all.

    Not for topics: what is on one only its rows tell for sure, and a `WindowFinder` is shown them.
    """
    total = _count(tx, asked, None)
    number = max(0, (total if at is None else _count(tx, asked, at)) - 1)
    page = max(0, number // PAGE - 1)
    up_to_here = _upward(tx, asked, at or BOTTOM, number - page * PAGE + 1) if total else []
    below = up_to_here[-1].place if up_to_here else None
    missing = min((number // PAGE + 1) * PAGE, total) - number - 1
    rest = read_page(tx, asked, below, missing) if missing > 0 else []
    return Window(total=total, number=number, page=page, rows=up_to_here + rest)


def fits(match: MatchView, asked: Asked) -> bool:
    """Whether the list would show a match."""
    one = asked.narrowing
    return (
        (not one.watches or match.watch in one.watches)
        and (not one.sources or match.source in one.sources)
        and (not one.statuses or match.status in one.statuses)
        and not (one.hides_put_off and _is_put_off(match, asked.now))
        and _holds(match, one.text)
        and _is_on_topic(match, asked)
    )


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
        version=match.version,
        others=match.others,
        price=printable(price_of(match.data)),
    )


def _downward(
    tx: Tx, asked: Asked, below: Place | None, near: int, floor: datetime | None = None
) -> Iterator[MatchView]:
    chunk = max(SMALLEST_CHUNK, min(near, LARGEST_CHUNK))
    streams = [_stream(tx, {**part, "published_after": floor}, below, chunk) for part in asked.parts]
    merged = merge(*streams, key=lambda match: (match.published_at, match.id), reverse=True)
    return (match for match in merged if _is_on_topic(match, asked))


def _upward(tx: Tx, asked: Asked, start: Place, limit: int) -> list[MatchRow]:
    chunk = max(SMALLEST_CHUNK, min(limit, LARGEST_CHUNK))
    streams = [_climb(tx, part, start, chunk) for part in asked.parts]
    merged = merge(*streams, key=lambda match: (match.published_at, match.id))
    found = islice((match for match in merged if _is_on_topic(match, asked)), limit)
    return [row_of(match) for match in found][::-1]


def _count(tx: Tx, asked: Asked, down_to: Place | None) -> int:
    """How many matches there are down to a place."""
    count = partial(matches.count, tx, down_to=down_to)
    return sum(count(**part) for part in asked.parts)  # type: ignore[arg-type, misc]


def _stream(tx: Tx, part: Mapping[str, object], below: Place | None, chunk: int) -> Iterator[MatchView]:
    """The matches of one watch and one source below a place, read as they are asked for."""
    search = partial(matches.search, tx, **part, limit=chunk)  # type: ignore[arg-type]
    while found := search(below=below):
        yield from found
        if len(found) < chunk:
            return
        below = (found[-1].published_at, found[-1].id)


def _climb(tx: Tx, part: Mapping[str, object], start: Place, chunk: int) -> Iterator[MatchView]:
    """The matches of one watch and one source from a place upward, read as they are asked for."""
    search = partial(matches.search, tx, **part, limit=chunk)  # type: ignore[arg-type]
    while found := search(upward_from=start):
        yield from found
        if len(found) < chunk:
            return
        start = (found[-1].published_at, found[-1].id + 1)


def _holds(match: MatchView, text: str) -> bool:
    """Whether a text stands in title, company or author, as the store looks for it."""
    wanted = needle(text) if text else None
    return wanted is None or wanted.is_in(haystack(match.title, match.company, str(match.data.get("author") or "")))


def _is_put_off(match: MatchView, now: datetime) -> bool:
    return match.later_until is not None and match.later_until > now


def _is_on_topic(match: MatchView, asked: Asked) -> bool:
    """Whether a query of a wanted topic found it, or the item itself names one."""
    wanted = asked.narrowing.topics
    if not wanted:
        return True
    if any(match.query_key in asked.topics.get(topic, ()) for topic in wanted):
        return True
    named = {word.casefold() for value in match.data.values() for word in _words(value)}
    return not named.isdisjoint(wanted)


def _words(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []
