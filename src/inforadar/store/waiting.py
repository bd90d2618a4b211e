"""Matches that wait for the machine: skipped ones, those without a job, and open ones nobody has looked up lately."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from inforadar.store.database import Tx
from inforadar.store.encoding import key_set


@dataclass(frozen=True, slots=True, kw_only=True)
class Skipped:
    """A match that was skipped for a technical reason."""

    id: int
    watch: str
    recoveries: int
    status_at: datetime
    published_at: datetime
    source: str


def give_chance_back(tx: Tx, match_id: int) -> None:
    """A chance that recovery gave was not used."""
    tx.run("match_give_chance_back", id=match_id)


def skipped(tx: Tx, *, since: datetime, most_recoveries: int, limit: int, seen: Collection[int] = ()) -> list[Skipped]:
    """Matches skipped since a moment, newest publication first, without those recovered too often and those `seen`."""
    rows = tx.rows("match_skipped", since=since, most=most_recoveries, seen=key_set(seen), limit=limit)
    return [Skipped(**row) for row in rows]


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """A queued match that nothing works on."""

    id: int
    published_at: datetime
    source: str


def without_job(tx: Tx, *, limit: int) -> list[Waiting]:
    """Queued matches that have no job, neither unfinished nor failed."""
    return [Waiting(**row) for row in tx.rows("match_without_job", limit=limit)]


def given_up(tx: Tx, *, limit: int) -> list[Waiting]:
    """Queued matches whose job failed without anybody having cancelled it."""
    return [Waiting(**row) for row in tx.rows("match_given_up", limit=limit)]


def new(tx: Tx, *, limit: int) -> list[Waiting]:
    """Matches of status NEW."""
    return [Waiting(**row) for row in tx.rows("match_new", limit=limit)]


def unchecked(tx: Tx, *, looked_before: datetime, published_since: datetime, limit: int) -> list[Waiting]:
    """One open match of each item that nobody has looked up since `looked_before`."""
    rows = tx.rows("match_unchecked", looked_before=looked_before, published_since=published_since, limit=limit)
    return [Waiting(**row) for row in rows]
