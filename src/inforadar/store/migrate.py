"""Brings a database to the schema of this program: numbered `.sql` files, each one transaction, each by name.

A migration happens as a whole or not at all, whenever the process dies. What SQL cannot make of the rows there are is
filled in by the statement `FILL table`. Two processes that upgrade at once take
turns. A database with a migration this program does not know belongs to a newer program and is left alone.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from inforadar.domain.errors import StoreError
from inforadar.store import texts
from inforadar.store.backup import backup_before
from inforadar.store.database import Database, Tx

FILL = "FILL "
FILLS: Mapping[str, Callable[[Tx], None]] = {"item_texts": texts.fill}


@dataclass(frozen=True, slots=True, kw_only=True)
class Migration:
    """One step of the schema; the text may use the names of `Driver.types` in braces."""

    name: str
    text: str


@cache
def known_migrations() -> tuple[Migration, ...]:
    """Every migration this program knows, in order."""
    folder = files(__package__) / "sql" / "migrations"
    found = [file for file in folder.iterdir() if file.name.endswith(".sql")]
    return tuple(
        Migration(name=file.name.removesuffix(".sql"), text=file.read_text(encoding="utf-8"))
        for file in sorted(found, key=lambda file: file.name)
    )


def upgrade(
    db: Database,
    migrations: Sequence[Migration] | None = None,
    before_statement: Callable[[str], None] = lambda _statement: None,
) -> list[str]:
    """Apply what is pending; its names. An SQLite database that holds anything is backed up first."""
    migrations = known_migrations() if migrations is None else migrations
    waiting = pending(db, migrations)
    if not waiting:
        return []
    backup_before(db, waiting[0])
    return [one.name for one in migrations if one.name in waiting and _apply(db, one, before_statement)]


def pending(db: Database, migrations: Sequence[Migration] | None = None) -> list[str]:
    """Names of the migrations still to apply; raises StoreError when the database is newer than this program."""
    names = [one.name for one in (known_migrations() if migrations is None else migrations)]
    with db.reading() as tx:
        applied = _applied(tx)
        is_foreign = not applied and bool(tx.rows("migration_foreign_tables"))
    if is_foreign:
        raise StoreError(
            f"{db.name} holds the tables of another program and is left alone. Name another database in [store] url."
        )
    unknown = sorted(applied - set(names))
    if unknown:
        raise StoreError(
            f"{db.name} was made by a newer Info Radar (it has {unknown[-1]}). "
            "Update this program, or name another database in [store] url."
        )
    return [name for name in names if name not in applied]


def require_current(db: Database) -> None:
    """Raise StoreError unless the database has exactly the schema of this program."""
    if pending(db):
        raise StoreError(f"{db.name} needs an upgrade. Run `radar db upgrade`.")


def _apply(db: Database, migration: Migration, before_statement: Callable[[str], None]) -> bool:
    with db.transaction() as tx:
        tx.rows("migration_lock")
        tx.run("migration_table_create")
        if migration.name in _applied(tx):
            return False
        for statement in _statements(db, migration):
            before_statement(statement)
            _run(tx, statement)
        before_statement("record")
        tx.run("migration_record", name=migration.name)
        before_statement("commit")
        return True


def _run(tx: Tx, statement: str) -> None:
    if statement.startswith(FILL):
        FILLS[statement.removeprefix(FILL)](tx)
    else:
        tx.run_text(statement)


def _applied(tx: Tx) -> set[str]:
    if not tx.rows("migration_table_count")[0]["n"]:
        return set()
    return {row["name"] for row in tx.rows("migration_names")}


def _statements(db: Database, migration: Migration) -> list[str]:
    text = migration.text
    for name, native in db.driver.types.items():
        text = text.replace(f"{{{name}}}", native)
    lines = (line for line in text.splitlines() if not line.startswith("--"))
    parts = "\n".join(lines).split(";\n")
    return [part.strip().removesuffix(";") for part in parts if part.strip()]
