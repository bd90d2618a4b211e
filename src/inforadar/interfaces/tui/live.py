"""What happens to matches while a list of them is looked at: which moved, and how many more there would be."""

from dataclasses import dataclass
from datetime import datetime

from inforadar.interfaces.tui.match_pages import Asked, MatchRow, fits, row_of
from inforadar.store import matches, moves
from inforadar.store.database import Tx
from inforadar.store.moves import Heard

MOST = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class News:
    """What was heard, since when news count, and the matches that moved.

    `fitting`: those that came since and that the list would show if it were read again.
    """

    heard: Heard
    since: datetime
    moved: tuple[MatchRow, ...] = ()
    fitting: frozenset[int] = frozenset()


def read_news(tx: Tx, asked: Asked, after: News | None) -> News:
    """What has happened since the news before; None = the list is being read, and from now on news count."""
    if after is None:
        return News(heard=Heard(newest=moves.settled(tx, asked.now)), since=asked.now)
    heard, places = moves.hear(tx, after.heard, asked.now, limit=MOST)
    found = [match for place in places if (match := matches.get(tx, place.id))]
    # where a status is asked for, an old match may come to have it; else only new ones can be new to the list
    came = [match for match in found if match.created_at >= after.since or asked.narrowing.statuses]
    return News(
        heard=heard,
        since=after.since,
        moved=tuple(row_of(match) for match in found),
        fitting=frozenset(match.id for match in came if fits(match, asked)),
    )
