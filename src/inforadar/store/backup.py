"""Verified copies of an SQLite database; PostgreSQL has a tool of its own."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from inforadar.domain.errors import StoreError
from inforadar.store.database import Database
from inforadar.store.sqlite import SqliteConnection, SqliteDriver, open_copy


def backup(db: Database, path: Path) -> None:
    """Write a verified copy to a new file that only its owner may read; an existing file is never touched."""
    driver = db.driver
    if not isinstance(driver, SqliteDriver):
        raise StoreError(
            f"A PostgreSQL database is backed up by its own tool: pg_dump --format=custom --file={path} {db.name}"
        )
    if not _claim(path):
        raise StoreError(f"{path} exists already and is left alone. Name another file for the backup.")
    _write(driver, path)


def backup_before(db: Database, step: str) -> Path | None:
    """Back up an SQLite database that holds anything, beside itself; the path of the copy.

    There is one copy for each step: a whole one takes the place of that of an upgrade that came to nothing. None:
    there is nothing to copy, or another process took the step meanwhile, after a copy of its own.
    """
    driver = db.driver
    if not isinstance(driver, SqliteDriver) or not _holds_anything(driver):
        return None
    path = Path(f"{driver.path}.before-{step}")
    with _part_of(path) as part:
        _write(driver, part)
        if _has_taken(part, step):
            part.unlink()
            return None
        part.replace(path)
    return path


def _holds_anything(driver: SqliteDriver) -> bool:
    """Whether there is a row but those that tell of migrations; a new file two processes make at once has none."""
    connection = driver.connect()
    try:
        return any(number for table, number in _row_counts(connection).items() if table != "schema_migrations")
    finally:
        connection.close()


@contextmanager
def _part_of(path: Path) -> Iterator[Path]:
    """An empty file beside the path, for one process at a time; what one that was killed left in it is gone."""
    part = path.with_name(f"{path.name}.part")
    while True:
        try:
            descriptor = os.open(part, os.O_CREAT | os.O_RDWR, 0o600)
        except OSError as error:
            raise StoreError(f"The backup {part} cannot be written ({error.strerror}).") from error
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            # whoever had the lock before has renamed or removed the file
            if part.exists() and os.path.samestat(part.stat(), os.fstat(descriptor)):
                os.ftruncate(descriptor, 0)
                yield part
                return
        finally:
            os.close(descriptor)


def _has_taken(copy: Path, step: str) -> bool:
    connection = open_copy(copy)
    try:
        return "schema_migrations" in _row_counts(connection) and bool(
            connection.rows("SELECT name FROM schema_migrations WHERE name = :step", {"step": step})
        )
    finally:
        connection.close()


def _claim(path: Path) -> bool:
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError:
        return False
    except OSError as error:
        raise StoreError(f"The backup {path} cannot be written ({error.strerror}). Name another file.") from error
    return True


def _write(driver: SqliteDriver, path: Path) -> None:
    source = driver.connect()
    try:
        before = _row_counts(source)
        source.run("VACUUM INTO :path", {"path": str(path)})
        _verify(path, before, _row_counts(source))
    except BaseException:
        path.unlink()
        raise
    finally:
        source.close()


def _verify(path: Path, before: dict[str, int], after: dict[str, int]) -> None:
    # Other processes may write during the copy, so each count must lie between those before and after.
    copy = open_copy(path)
    try:
        counts = _row_counts(copy)
        problems = [row["integrity_check"] for row in copy.rows("PRAGMA integrity_check", {})]
    finally:
        copy.close()
    bounds = {name: sorted((n, after.get(name, n))) for name, n in before.items()}
    wrong = [name for name, (low, high) in bounds.items() if not low <= counts.get(name, -1) <= high]
    if problems != ["ok"] or wrong:
        raise StoreError(f"The copy {path} is not like the original ({', '.join(wrong or problems)}). Try once more.")


def _row_counts(connection: SqliteConnection) -> dict[str, int]:
    # not the parts of a full-text table, which SQLite splits and joins as it likes
    own = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'item!_texts!_%' ESCAPE '!'"
    tables = connection.rows(own, {})
    return {
        table["name"]: connection.rows(f'SELECT count(*) AS n FROM "{table["name"]}"', {})[0]["n"] for table in tables
    }
