"""The SQLite driver (apsw): WAL, every commit synced, foreign keys checked, no memory mapping."""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import date, datetime
from functools import cache
from operator import itemgetter
from pathlib import Path
from typing import Any

import apsw

from inforadar.domain.errors import StoreError
from inforadar.store.database import Params, Row
from inforadar.store.encoding import Json, date_of, json_value, time_of, time_text
from inforadar.store.filesystem import is_read_only, network_filesystem
from inforadar.store.statements import PARAMETER, DatabaseKind

OLDEST_LIBRARY = (3, 51, 3)
BEGIN_TRIES = 3
WAL_TRIES = 20

# The declared type of a column tells the driver how to read it; `TEXT` in the name keeps SQLite from converting.
_TYPES: Mapping[str, str] = {
    "id": "INTEGER PRIMARY KEY",
    "timestamp": "TIMESTAMP_TEXT",
    "date": "DATE_TEXT",
    "json": "JSON_TEXT",
    "now": "(strftime('%Y-%m-%dT%H:%M:%f', 'now') || '000Z')",
    "busy_table": "",
    "text_table": "VIRTUAL TABLE item_texts USING fts5 (text, tokenize = 'trigram', detail = none, columnsize = 0)",
    "text_index": "",
    "any_time": "",
}
_READERS: dict[str | None, Callable[[str], Any]] = {
    "TIMESTAMP_TEXT": time_of,
    "DATE_TEXT": date_of,
    "JSON_TEXT": json_value,
}
_WRITERS: dict[type, Callable[[Any], str]] = {
    datetime: time_text,
    date: date.isoformat,
    Json: lambda value: value.encoded.decode(),
}
_FIXED = (
    "{name} lies on a file system that may only be read, and without files beside it SQLite does not even read it. "
    "Mount it for writing, or copy the file elsewhere and name it in [store] url"
)
_REMEDIES: tuple[tuple[type[apsw.Error], str], ...] = (
    (apsw.FullError, "The disk is full, so {name} could not be written. Free some space and run the command again"),
    (apsw.ReadOnlyError, "{name} may only be read. Give this user the right to write the file and its folder"),
    (apsw.NotADBError, "{name} is not an SQLite database. Name another file in [store] url"),
    (apsw.CorruptError, "{name} is damaged. Put the latest backup in its place; `radar db check` tells what is wrong"),
    (apsw.BusyError, "{name} is locked by another program. Wait for it to end, then run the command again"),
    (apsw.LockedError, "{name} is locked by another program. Wait for it to end, then run the command again"),
    (apsw.CantOpenError, "{name} cannot be opened. Check that its folder exists and that this user may write there"),
    (apsw.PermissionsError, "{name} may not be opened. Give this user the right to write the file and its folder"),
    (apsw.ProtocolError, "{name} is used by too many programs at once. Run the command again"),
    (apsw.SchemaChangeError, "{name} was changed by another program meanwhile. Run the command again"),
    (apsw.NoMemError, "There is too little memory to use {name}. Free some and run the command again"),
    (apsw.InterruptError, "Work on {name} was interrupted. Run the command again"),
    (apsw.IOError, "Reading or writing {name} failed. Check the disk and its free space, then run the command again"),
)


class SqliteDriver:
    """Opens connections to one SQLite file."""

    kind: DatabaseKind = "sqlite"
    types = _TYPES

    def __init__(self, path: str, busy_timeout_s: float) -> None:
        refuse_old_library(apsw.sqlite_lib_version())
        self.path = Path(path).expanduser()
        self.name = str(self.path)
        self._busy_timeout_ms = int(busy_timeout_s * 1000)
        filesystem = network_filesystem(self.path)
        if filesystem:
            raise StoreError(
                f"{self.name} lies on a network file system ({filesystem}), where SQLite cannot lock safely. "
                "Use a local folder, or PostgreSQL."
            )

    def connect(self) -> "SqliteConnection":
        """A new connection in WAL mode; makes the file if there is none, for its owner alone to read."""
        with suppress(OSError):  # it is there, or cannot be made: then SQLite says why
            os.close(os.open(self.path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        with _our_errors(self.name):
            raw = apsw.Connection(self.name)
            try:
                raw.set_busy_timeout(self._busy_timeout_ms)
                _switch_to_wal(raw)
                raw.execute("PRAGMA synchronous = FULL")
                raw.execute("PRAGMA foreign_keys = ON")
                raw.execute("PRAGMA mmap_size = 0")
                raw.execute("PRAGMA cache_size = -16000")
                raw.execute("PRAGMA wal_autocheckpoint = 4000")
            except BaseException:
                raw.close()
                raise
        return SqliteConnection(raw, self.name)


class SqliteConnection:
    """One connection; see `database.Connection`."""

    def __init__(self, raw: apsw.Connection, name: str) -> None:
        self._raw = raw
        self._name = name
        self._is_query_only = False
        raw.convert_binding = _to_sqlite
        # SQLite's own lower() knows ASCII alone; searching must find a Cyrillic title in any letter case.
        raw.create_scalar_function("lower", _lower, 1, deterministic=True)

    @property
    def is_usable(self) -> bool:
        """A file does not go away like a server does."""
        return True

    @property
    def in_transaction(self) -> bool:
        """Whether a transaction is open; SQLite itself may have undone it (disk full)."""
        return self._raw.in_transaction

    def begin(self, *, write: bool) -> None:
        """BEGIN IMMEDIATE for a writer, tried again when another process is recovering the log."""
        with _our_errors(self._name):
            if self._is_query_only == write:
                self._raw.execute(f"PRAGMA query_only = {int(not write)}")
                self._is_query_only = not write
            self._begin_in_turn("BEGIN IMMEDIATE" if write else "BEGIN")

    def commit(self) -> None:
        """COMMIT, synced to the disk."""
        with _our_errors(self._name):
            self._raw.execute("COMMIT")

    def rollback(self) -> None:
        """ROLLBACK unless SQLite has done it already."""
        if self._raw.in_transaction:
            self._raw.execute("ROLLBACK")

    def run(self, text: str, params: Params) -> int:
        """Execute a statement that returns no rows; the number of rows it changed."""
        with _our_errors(self._name):
            before = self._raw.total_changes()
            self._raw.execute(text, params)
            return self._raw.total_changes() - before

    def rows(self, text: str, params: Params) -> list[Row]:
        """Execute a statement and fetch every row."""
        with _our_errors(self._name):
            return _fetch(self._raw.execute(text, params))

    def many(self, text: str, rows: list[Row]) -> int:
        """Execute a prepared statement once per row; the number of rows changed."""
        with _our_errors(self._name):
            before = self._raw.total_changes()
            self._raw.executemany(text, map(_binding_order(text), rows))
            return self._raw.total_changes() - before

    def many_rows(self, text: str, rows: list[Row]) -> list[Row]:
        """Execute a prepared statement once per row and fetch what it returns."""
        with _our_errors(self._name):
            return _fetch(self._raw.executemany(text, map(_binding_order(text), rows)))

    def now(self) -> datetime:
        """The system's time as SQLite tells it."""
        ((text,),) = self._raw.execute(f"SELECT {_TYPES['now']}").fetchall()
        return time_of(str(text))

    def close(self) -> None:
        """Close the file; one that another thread is busy with is closed by the end of the process."""
        with suppress(apsw.ThreadingViolationError):
            self._raw.close()

    def _begin_in_turn(self, begin: str) -> None:
        for tries_left in reversed(range(BEGIN_TRIES)):
            try:
                self._raw.execute(begin)
            except apsw.BusyError:
                if not tries_left:
                    raise
            else:
                return


def refuse_old_library(version: str) -> None:
    """Raise for an SQLite whose log can be reset under a second writer, which damages the file."""
    if tuple(map(int, version.split("."))) < OLDEST_LIBRARY:
        raise StoreError(
            f"SQLite {version} can damage a database that two processes write to. "
            f"Install apsw with SQLite {'.'.join(map(str, OLDEST_LIBRARY))} or newer: pip install --upgrade apsw."
        )


def open_copy(path: Path) -> SqliteConnection:
    """A connection that only reads a file nobody writes to, and leaves its journal mode alone."""
    with _our_errors(str(path)):
        return SqliteConnection(apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY), str(path))


def _switch_to_wal(raw: apsw.Connection) -> None:
    # The switch fails at once while another process reads or writes: wait in line by the busy timeout, try again.
    for tries_left in reversed(range(WAL_TRIES)):
        try:
            raw.execute("PRAGMA journal_mode = WAL").fetchall()
        except apsw.BusyError:
            if not tries_left:
                raise
            raw.execute("BEGIN IMMEDIATE; ROLLBACK")
        else:
            return


@cache
def _binding_order(text: str) -> Callable[[Row], tuple[Any, ...]]:
    """Picks the values of a row in the order SQLite numbers the parameters; binding by name costs twice the time."""
    first, *others = dict.fromkeys(PARAMETER.findall(text))
    return itemgetter(first, *others) if others else lambda row: (row[first],)


def _fetch(cursor: apsw.Cursor) -> list[Row]:
    first = cursor.fetchone()
    if first is None:
        return []
    description = cursor.get_description()
    names = [name for name, _declared in description]
    rows = [dict(zip(names, values, strict=True)) for values in [first, *cursor.fetchall()]]
    for name, declared in description:
        if declared in _READERS:
            _read_column(rows, name, _READERS[declared])
    return rows


def _read_column(rows: list[Row], name: str, reader: Callable[[str], Any]) -> None:
    for row in rows:
        if row[name] is not None:
            row[name] = reader(row[name])


def _to_sqlite(_cursor: apsw.Cursor, _number: int, value: object) -> str:
    writer = _WRITERS.get(type(value))
    if writer is None:
        raise TypeError(f"{type(value).__name__} cannot be stored")
    return writer(value)


def _lower(*values: Any) -> Any:
    return values[0].lower() if isinstance(values[0], str) else values[0]


@contextmanager
def _our_errors(name: str) -> Iterator[None]:
    try:
        yield
    except apsw.Error as error:
        sentence = remedy(error, is_fixed=is_read_only(Path(name)))
        if sentence is None:
            raise
        raise StoreError(f"{sentence.format(name=name)}. ({error})") from error


def remedy(error: apsw.Error, *, is_fixed: bool) -> str | None:
    """What to do about an error, of the file {name}; `is_fixed`: its file system may only be read, by anybody."""
    if is_fixed and isinstance(error, (apsw.ReadOnlyError, apsw.CantOpenError, apsw.PermissionsError)):
        return _FIXED
    return next((sentence for kind, sentence in _REMEDIES if isinstance(error, kind)), None)
