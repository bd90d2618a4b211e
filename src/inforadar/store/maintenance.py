"""The care of a database: backups, and the search for damage."""

from collections.abc import Iterator
from dataclasses import dataclass

from inforadar.store.backup import backup
from inforadar.store.database import Database, Tx
from inforadar.store.migrate import pending

__all__ = ["Finding", "backup", "check"]

INVARIANTS = {
    "check_double_items": "I1, one row per source and key: {source} {key} is stored {n} times",
    "check_items_without_match": "I3, no item without its first job: no watch deals with item {id}",
    "check_matches_without_job": "I3, no item without its first job: match {id} is queued but has no job",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Something wrong with a database: which check found it, and what it found."""

    check: str
    problem: str


def check(db: Database) -> list[Finding]:
    """Everything wrong with the database; an empty list is good news."""
    waiting = pending(db)
    with db.reading() as tx:
        damage = list(_damage(tx)) if db.kind == "sqlite" else []
        if waiting:
            return [*damage, Finding(check="schema", problem="an upgrade is needed: run `radar db upgrade`")]
        return damage + list(_broken_invariants(tx))


def _damage(tx: Tx) -> Iterator[Finding]:
    for row in tx.rows("check_integrity"):
        if row["integrity_check"] != "ok":
            yield Finding(check="check_integrity", problem=row["integrity_check"])
    for row in tx.rows("check_foreign_keys"):
        problem = f"row {row['rowid']} of {row['table']} names a row of {row['parent']} that is missing"
        yield Finding(check="check_foreign_keys", problem=problem)


def _broken_invariants(tx: Tx) -> Iterator[Finding]:
    for name, sentence in INVARIANTS.items():
        for row in tx.rows(name):
            yield Finding(check=name, problem=sentence.format(**row))
