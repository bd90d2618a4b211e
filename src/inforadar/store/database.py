"""Databases and transactions: every write that must hold together is one `with database.transaction() as tx`.

One connection per thread. A writing transaction takes SQLite's write lock at once (a transaction that reads first
and writes later would fail under contention, whatever the busy timeout); in PostgreSQL it is read committed.
A reading transaction sees one moment of the database and cannot write.
"""

import os
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from typing import Any, Protocol

from inforadar.domain.errors import ConfigError, StoreError
from inforadar.store.encoding import storable
from inforadar.store.statements import DatabaseKind, load_statements

Row = dict[str, Any]
Params = Mapping[str, Any]


class Connection(Protocol):
    """One open connection of a driver; raises StoreError for what a person can mend, all else raw."""

    @property
    def is_usable(self) -> bool:
        """Whether the connection still stands; a broken one is replaced at the next transaction."""
        ...

    @property
    def in_transaction(self) -> bool:
        """Whether a transaction is open."""
        ...

    def begin(self, *, write: bool) -> None:
        """Open a transaction."""
        ...

    def commit(self) -> None:
        """Make it durable."""
        ...

    def rollback(self) -> None:
        """Undo it, if there is anything left to undo; never raises."""
        ...

    def run(self, text: str, params: Params) -> int:
        """Execute a statement that returns no rows; the number of rows it changed."""
        ...

    def rows(self, text: str, params: Params) -> list[Row]:
        """Execute a statement and fetch every row."""
        ...

    def many(self, text: str, rows: list[Row]) -> int:
        """Execute a batch statement for all rows; the number of rows it changed."""
        ...

    def many_rows(self, text: str, rows: list[Row]) -> list[Row]:
        """Execute a batch statement for all rows and fetch what it returns for them."""
        ...

    def now(self) -> datetime:
        """The database's own time."""
        ...

    def close(self) -> None:
        """Give the connection back."""
        ...


class Driver(Protocol):
    """Opens connections to one database; `name` tells a person which, without any secret.

    `types` are the column types of this database by the names migrations use.
    """

    kind: DatabaseKind
    name: str
    types: Mapping[str, str]

    def connect(self) -> Connection:
        """A new connection."""
        ...


class Tx:
    """One open transaction: runs statements by their names."""

    def __init__(self, connection: Connection, kind: DatabaseKind) -> None:
        self._connection = connection
        self._statements = load_statements(kind)

    def run(self, name: str, /, **params: Any) -> int:
        """Execute a statement; the number of rows it changed."""
        params = {key: storable(value) for key, value in params.items()}
        return self._connection.run(self._statements[name].text(params), params)

    def rows(self, name: str, /, **params: Any) -> list[Row]:
        """Every row of a statement."""
        params = {key: storable(value) for key, value in params.items()}
        return self._connection.rows(self._statements[name].text(params), params)

    def row(self, name: str, /, **params: Any) -> Row | None:
        """The first row of a statement, or None."""
        rows = self.rows(name, **params)
        return rows[0] if rows else None

    def many(self, name: str, rows: Iterable[Row]) -> int:
        """Execute a statement for each row, in one go; the number of rows it changed.

        Text that comes from outside must have gone through `encoding.storable`.
        """
        batch = list(rows)
        return self._connection.many(self._statements[name].text({}), batch) if batch else 0

    def many_rows(self, name: str, rows: Iterable[Row]) -> list[Row]:
        """Execute a statement for each row, in one go; the rows it returns (RETURNING)."""
        batch = list(rows)
        return self._connection.many_rows(self._statements[name].text({}), batch) if batch else []

    @property
    def is_open(self) -> bool:
        """Whether there is still a transaction: a lost connection or a full disk ends it under our hands."""
        return self._connection.is_usable and self._connection.in_transaction

    @contextmanager
    def savepoint(self) -> Iterator[None]:
        """A part of the transaction that an exception undoes by itself; the rest can go on if `is_open` says so."""
        self._connection.run("SAVEPOINT part", {})
        try:
            yield
        except BaseException:
            if self.is_open:
                self._connection.run("ROLLBACK TO SAVEPOINT part", {})
            raise
        self._connection.run("RELEASE SAVEPOINT part", {})

    def run_text(self, text: str) -> None:
        """Execute SQL that has no name: migrations only."""
        self._connection.run(text, {})

    def store_now(self) -> datetime:
        """The database's own time, the same for every process that shares it."""
        return self._connection.now()


class Database:
    """One database; hands each thread its own connection."""

    def __init__(self, driver: Driver) -> None:
        self.driver = driver
        self._pid = os.getpid()
        self._lock = threading.Lock()
        self._connections: dict[threading.Thread, Connection] = {}

    @property
    def kind(self) -> DatabaseKind:
        """Which of the two databases this is."""
        return self.driver.kind

    @property
    def name(self) -> str:
        """How to name this database to a person; never holds a password."""
        return self.driver.name

    @contextmanager
    def transaction(self) -> Iterator[Tx]:
        """A writing transaction: committed at the end of the block, undone by any exception."""
        with self._transaction(write=True) as tx:
            yield tx

    @contextmanager
    def reading(self) -> Iterator[Tx]:
        """A transaction that cannot write and sees one moment of the database."""
        with self._transaction(write=False) as tx:
            yield tx

    def close(self) -> None:
        """Close the connections of all threads; the next use opens new ones."""
        with self._lock:
            connections, self._connections = self._connections, {}
        for connection in connections.values():
            connection.close()

    @contextmanager
    def _transaction(self, *, write: bool) -> Iterator[Tx]:
        connection = self._begun(write=write)
        try:
            yield Tx(connection, self.kind)
            connection.commit()
        except BaseException:
            connection.rollback()
            raise

    def _begun(self, *, write: bool) -> Connection:
        """A connection with a new transaction; one that the server has ended since its last use is replaced."""
        connection = self._own_connection()
        if connection.in_transaction:
            raise RuntimeError("a transaction is already open in this thread")
        try:
            connection.begin(write=write)
        except StoreError:
            if connection.is_usable:
                raise
            connection = self._own_connection()
            connection.begin(write=write)
        return connection

    def _own_connection(self) -> Connection:
        if os.getpid() != self._pid:
            raise RuntimeError(f"this database was opened by process {self._pid}; open it again after a fork")
        thread = threading.current_thread()
        connection = self._connections.get(thread)
        if connection is None or not connection.is_usable:
            connection = self._replace_connection(thread)
        return connection

    def _replace_connection(self, thread: threading.Thread) -> Connection:
        connection = self.driver.connect()
        with self._lock:
            finished = [other for other in self._connections if other is thread or not other.is_alive()]
            closable = [self._connections.pop(other) for other in finished]
            self._connections[thread] = connection
        for old in closable:
            old.close()
        return connection


def open_database(url: str, *, busy_timeout_s: float = 10.0) -> Database:
    """The database at `sqlite:///path` or `postgresql://...`; checked at once, so that a wrong one fails here."""
    database = Database(_driver(url, busy_timeout_s))
    with database.reading():
        return database


def _driver(url: str, busy_timeout_s: float) -> Driver:
    if url.startswith("sqlite:///") and len(url) > len("sqlite:///"):
        from inforadar.store.sqlite import SqliteDriver

        return SqliteDriver(url.removeprefix("sqlite:///"), busy_timeout_s)
    if url.startswith(("postgresql://", "postgres://")):
        from inforadar.store.postgres import PostgresDriver

        return PostgresDriver(url)
    scheme = url.partition("://")[0] if "://" in url else "no scheme"
    raise ConfigError(
        f"The store url is not understood ({scheme}). "
        "Write sqlite:///radar.db, sqlite:////absolute/path/radar.db or postgresql://user@host/database."
    )
