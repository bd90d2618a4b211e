"""The table `tombstones`: entries a watch left out, with the reason; the first reason stays."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import datetime

from inforadar.domain.filters import Loosened
from inforadar.store.database import Row, Tx
from inforadar.store.encoding import containing, key_set, storable


@dataclass(frozen=True, slots=True, kw_only=True)
class Tombstone:
    """One entry that a watch left out: the rule, and the word and field that it struck, where there is one."""

    watch: str
    source: str
    key: str
    reason: str
    word: str | None = None
    field: str | None = None
    title: str
    url: str
    at: datetime


def add(tx: Tx, rows: Iterable[Tombstone]) -> int:
    """Remember what was left out; the number that was not known before."""
    cleaned = [{name: storable(value) for name, value in asdict(row).items()} for row in rows]
    return tx.many("tombstone_insert", cleaned)


def lift(tx: Tx, watch: str, source: str, loosened: Loosened) -> int:
    """Forget what was left out for a reason that does not hold any more; how many."""
    words = key_set(loosened.words)
    return tx.run("tombstone_lift", watch=watch, source=source, words=words, experience=int(loosened.experience))


def search(
    tx: Tx, *, watch: str | None = None, source: str | None = None, text: str | None = None, limit: int = 50
) -> list[Tombstone]:
    """What was left out, newest first; `text` is looked for in the title."""
    return _search(tx, watch=watch, source=source, text=containing(text) if text else None, limit=limit)


def find(tx: Tx, *, source: str, key: str, watch: str | None = None) -> list[Tombstone]:
    """The tombstones of one entry, of all watches or of one."""
    return _search(tx, watch=watch, source=source, key=key, limit=1000)


def _search(tx: Tx, *, limit: int, **wanted: str | None) -> list[Tombstone]:
    filters = dict.fromkeys(("watch", "source", "key", "text")) | wanted
    return [_tombstone(row) for row in tx.rows("tombstone_search", limit=limit, **filters)]


def _tombstone(row: Row) -> Tombstone:
    return Tombstone(**{name: value for name, value in row.items() if name != "id"})
