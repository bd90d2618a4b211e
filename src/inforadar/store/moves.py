"""What moves among the matches, for those who look on: every change of a status is an event with a number.

PostgreSQL numbers an event when it is written, and shows it when its transaction is committed: one that takes long
comes with numbers below those that were read already. So whoever reads remembers the numbers that were left out, and
asks for them again until they are too old to come.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import pairwise

from inforadar.store.database import Row, Tx
from inforadar.store.encoding import key_set
from inforadar.store.inbox import Place

LATEST = timedelta(minutes=2)
"""How long a transaction may take and still be heard of."""
MOST_MISSING = 3000


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """The newest event that was read, and the numbers below it that may yet come, each with when it was missed."""

    newest: int
    missing: Mapping[int, datetime] = field(default_factory=dict)

    @property
    def settled(self) -> int:
        """Up to here nothing is missing: who goes on from here loses nothing."""
        return min(self.missing) - 1 if self.missing else self.newest


def settled(tx: Tx, now: datetime) -> int:
    """The newest event below which none may yet come, 0 where there is none."""
    return int(tx.rows("moves_settled", since=now - LATEST, limit=MOST_MISSING)[0]["id"] or 0)


def hear(tx: Tx, before: Heard, now: datetime, *, limit: int) -> tuple[Heard, tuple[Place, ...]]:
    """What has come since, and the matches that moved, each once and as it stands now."""
    late = tx.rows("moves_named", ids=key_set(before.missing)) if before.missing else []
    fresh = tx.rows("moves_after", after=before.newest, limit=limit)
    came = {row["event_id"] for row in late}
    waited = {one: at for one, at in before.missing.items() if one not in came and at >= now - LATEST}
    missing = waited | dict.fromkeys(_left_out(before.newest, fresh, now - LATEST), now)
    heard = Heard(
        newest=fresh[-1]["event_id"] if fresh else before.newest,
        missing={one: missing[one] for one in sorted(missing)[-MOST_MISSING:]},
    )
    return heard, tuple({row["id"]: _place(row) for row in [*late, *fresh]}.values())


def moved_since(tx: Tx, match_ids: Collection[int], event_id: int) -> set[int]:
    """Those of these matches whose status changed behind an event."""
    return {row["id"] for row in tx.rows("moves_since", ids=key_set(match_ids), after=event_id)} if match_ids else set()


def _left_out(newest: int, rows: Iterable[Row], since: datetime) -> Iterator[int]:
    """The numbers between these events; below old ones nothing comes any more."""
    numbered = [(row["event_id"], row["at"]) for row in rows]
    for (below, _), (above, at) in pairwise([(newest, since), *numbered]):
        if at >= since:
            yield from range(max(below + 1, above - MOST_MISSING), above)


def _place(row: Row) -> Place:
    return Place(**{name: row[name] for name in ("id", "status", "version", "later_until")})
