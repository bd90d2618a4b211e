"""The care of a database: backups, and the search for damage."""

from collections.abc import Iterator
from dataclasses import dataclass

from inforadar.domain.errors import StoreError
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
    """Everything wrong with the database; an empty list is good news. A damaged file is asked nothing more."""
    waiting = pending(db)
    if db.kind == "sqlite" and (damage := _damage(db)):
        return damage
    with db.reading() as tx:
        missing = list(_missing_partners(tx)) if db.kind == "sqlite" else []
        if waiting:
            return [*missing, Finding(check="schema", problem="an upgrade is needed: run `radar db upgrade`")]
        return [*missing, *_broken_invariants(tx)]


def _damage(db: Database) -> list[Finding]:
    problems: list[str] = []
    try:
        with db.reading() as tx:
            problems = [row["integrity_check"] for row in tx.rows("check_integrity")]
    except StoreError as error:
        problems = problems or [str(error)]
    return [Finding(check="check_integrity", problem=problem) for problem in problems if problem != "ok"]


def _missing_partners(tx: Tx) -> Iterator[Finding]:
    for row in tx.rows("check_foreign_keys"):
        problem = f"row {row['rowid']} of {row['table']} names a row of {row['parent']} that is missing"
        yield Finding(check="check_foreign_keys", problem=problem)


def _broken_invariants(tx: Tx) -> Iterator[Finding]:
    for name, sentence in INVARIANTS.items():
        for row in tx.rows(name):
            yield Finding(check=name, problem=sentence.format(**row))
