"""What a watch has found, read in bulk: counts, and the texts that ban words look at."""

from collections.abc import Iterator
from dataclasses import dataclass

from inforadar.domain.item import Draft
from inforadar.store.database import Row, Tx

AT_ONCE = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Watched:
    """One match and its item as the source showed it."""

    id: int
    watch: str
    status: str
    draft: Draft


def counts(tx: Tx) -> dict[str, int]:
    """How many matches each watch has."""
    return {row["watch"]: int(row["n"]) for row in tx.rows("watched_counts")}


def left_out(tx: Tx) -> dict[tuple[str, str], int]:
    """How many entries each ban word of each watch keeps out, by watch and word."""
    return {(row["watch"], row["word"]): int(row["n"]) for row in tx.rows("watched_left_out")}


def walk(tx: Tx, watch: str | None) -> Iterator[Watched]:
    """Every match of a watch, or of all, some at a time."""
    after_id = 0
    while rows := tx.rows("watched_page", after_id=after_id, watch=watch, limit=AT_ONCE):
        yield from map(_watched, rows)
        after_id = rows[-1]["id"]


def newest(tx: Tx, watch: str, *, limit: int) -> list[Watched]:
    """The newest matches of a watch, no more than the limit."""
    return list(map(_watched, tx.rows("watched_newest", watch=watch, limit=limit)))


def _watched(row: Row) -> Watched:
    draft = Draft(
        key=row["key"],
        rank=row["published_at"],
        url=row["url"],
        title=row["title"],
        company=row["company"],
        data=row["data"],
    )
    return Watched(id=row["id"], watch=row["watch"], status=row["status"], draft=draft)
