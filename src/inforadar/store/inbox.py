"""What the web page asks of matches: bounded counts, where they stand, and what judges found in them.

Nothing here counts or sorts a table that grows without an end.
"""

from collections.abc import Collection
from dataclasses import asdict, dataclass, replace
from datetime import datetime

from inforadar.domain.finding import needle
from inforadar.store import matches, texts
from inforadar.store.database import Row, Tx
from inforadar.store.encoding import containing, key_set
from inforadar.store.matches import MatchView

MOST_COUNTED = 1000
MOST_WALKED = 15_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which matches to show; `put_off_at` leaves those that are put off at that moment, `due_at` the others."""

    statuses: tuple[str, ...] = ()
    put_off_at: datetime | None = None
    due_at: datetime | None = None
    watch: str | None = None
    source: str | None = None
    topic: str | None = None
    text: str | None = None
    min_score: float | None = None
    published_after: datetime | None = None

    @property
    def is_narrowed(self) -> bool:
        """Whether a filter may leave so few that a walk for them would not end."""
        return any((self.watch, self.source, self.topic, self.text, self.min_score, len(self.statuses) > 0))


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A part of the list; `walked_to`: nothing older was looked at, though there may be more."""

    found: list[MatchView]
    walked_to: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Count:
    """How many there are; `is_more`: at least so many."""

    number: int
    is_more: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a match stands, and the version that a decision on it must name."""

    id: int
    status: str
    version: int
    later_until: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What one verdict found in a match."""

    at: datetime
    skills: tuple[str, ...]
    is_relevant: bool


def count(tx: Tx, statuses: Collection[str], due_at: datetime | None = None) -> Count:
    """How many matches have these statuses; `due_at` leaves out those that are put off at that moment."""
    return _counted([tx.rows("inbox_count", status=one, due_at=due_at, limit=MOST_COUNTED + 1) for one in statuses])


def count_put_off(tx: Tx, now: datetime) -> Count:
    """How many matches are put off."""
    return _counted([tx.rows("inbox_count_put_off", now=now, limit=MOST_COUNTED + 1)])


def page(
    tx: Tx,
    wanted: Wanted,
    *,
    below: tuple[datetime, int] | None = None,
    limit: int = 50,
    is_grouped: bool = True,
) -> Page:
    """A part of the list that takes no longer the more there is: a walk for the last few that fit is broken off.

    Without `is_grouped` nobody asks where else the jobs are.
    """
    if _are_few(tx, wanted):
        return Page(found=_few(tx, wanted, below, limit, is_grouped=is_grouped))
    sought = texts.sought(tx, wanted.text)
    floor = _floor(tx, wanted, below) if wanted.is_narrowed and sought["item_ids"] is None else None
    narrowed = replace(wanted, published_after=floor) if floor else wanted
    found = matches.search(tx, below=below, limit=limit, sought=sought, is_grouped=is_grouped, **asdict(narrowed))
    return Page(found=found, walked_to=floor if floor and len(found) < limit else None)


def search(tx: Tx, wanted: Wanted, *, below: tuple[datetime, int] | None = None, limit: int = 50) -> list[MatchView]:
    """Matches as a tab of the page wants them, newest publication first, below a publication time and a match id.

    Where few matches have the statuses, they are sorted; else the items are walked in their order until enough are
    found.
    """
    if _are_few(tx, wanted):
        return _few(tx, wanted, below, limit)
    return matches.search(tx, below=below, limit=limit, **asdict(wanted))


def floor(tx: Tx, below: tuple[datetime, int] | None, places: int) -> datetime | None:
    """The publication that so many places of the list lead down to; None = to its end."""
    row = tx.row("inbox_floor", below_at=below[0] if below else None, places=places)
    if row is None or (below and row["published_at"] >= below[0]):
        return None
    found: datetime = row["published_at"]
    return found


def skills(tx: Tx, match_ids: Collection[int]) -> dict[int, tuple[str, ...]]:
    """What the newest verdict on each of these matches found in it."""
    if not match_ids:
        return {}
    rows = tx.rows("inbox_skills", ids=key_set(match_ids))
    return {row["match_id"]: tuple(row["skills"]) for row in reversed(rows)}


def places(tx: Tx, match_ids: Collection[int]) -> dict[int, Place]:
    """Where these matches stand."""
    return {row["id"]: Place(**row) for row in tx.rows("inbox_versions", ids=key_set(match_ids))} if match_ids else {}


def last_event(tx: Tx) -> int:
    """The newest change of a status, 0 where there never was one."""
    return int(tx.rows("inbox_last_event")[0]["id"] or 0)


def recent_findings(tx: Tx, *, limit: int) -> list[Found]:
    """What the newest verdicts found, newest first."""
    rows = tx.rows("analysis_recent", limit=limit)
    return [Found(at=row["at"], skills=tuple(row["skills"]), is_relevant=bool(row["is_relevant"])) for row in rows]


def _are_few(tx: Tx, wanted: Wanted) -> bool:
    if wanted.put_off_at is not None:
        return True
    return bool(wanted.statuses) and not count(tx, wanted.statuses).is_more


def _few(
    tx: Tx, wanted: Wanted, below: tuple[datetime, int] | None, limit: int, *, is_grouped: bool = True
) -> list[MatchView]:
    """Where few matches fit, they are sorted; each status is looked up by itself, so that no others are read."""
    narrowed = {name: value for name, value in asdict(wanted).items() if name != "statuses"} | {
        **texts.patterns(needle(wanted.text) if wanted.text else None),
        "topic": containing(f'"{wanted.topic}"') if wanted.topic else None,
        "below_at": below[0] if below else None,
        "below_id": below[1] if below else None,
    }
    statuses = wanted.statuses or (None,)
    rows = [row for status in statuses for row in tx.rows("inbox_few", **narrowed, status=status, limit=limit)]
    rows.sort(key=lambda row: (row["published_at"], row["id"]), reverse=True)
    return matches.several(tx, {row["id"]: row["item_id"] for row in rows[:limit]}, is_grouped=is_grouped)


def _floor(tx: Tx, wanted: Wanted, below: tuple[datetime, int] | None) -> datetime | None:
    """Down to where the list is walked; None = to its end, because that is near."""
    found = floor(tx, below, MOST_WALKED)
    return found if found and (wanted.published_after is None or found > wanted.published_after) else None


def _counted(found: list[list[Row]]) -> Count:
    number = sum(int(rows[0]["n"]) for rows in found)
    return Count(number=min(number, MOST_COUNTED), is_more=number > MOST_COUNTED)
