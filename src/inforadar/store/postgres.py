"""The PostgreSQL driver (psycopg 3): explicit transactions, prepared statements, a batch is one JSON parameter."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from typing import Any, cast

import msgspec
import psycopg
from psycopg import errors
from psycopg.adapt import Buffer, Dumper
from psycopg.conninfo import conninfo_to_dict
from psycopg.rows import dict_row
from psycopg.types.json import set_json_loads

from inforadar.domain.errors import ConfigError, StoreError
from inforadar.store.database import Params, Row
from inforadar.store.encoding import Json, json_of
from inforadar.store.statements import DatabaseKind

CONNECT_TIMEOUT_S = 10
PREPARE_AFTER = 2

# Planned anew each time: a plan kept from when the tables were empty reads them whole for as long as we are connected.
_SETTINGS = """
SET plan_cache_mode = force_custom_plan;
SET TIME ZONE 'UTC';
SET idle_in_transaction_session_timeout = '60s';
SET lock_timeout = '30s';
SET statement_timeout = '5min';
"""
_TYPES: Mapping[str, str] = {
    "id": "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY",
    "timestamp": "TIMESTAMPTZ",
    "date": "DATE",
    "json": "JSONB",
    "now": "clock_timestamp()",
    # Room for new versions of a row beside the old ones, and a cleaning that does not wait for a share of the table.
    "busy_table": (
        "WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, "
        "autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 5000)"
    ),
    "text_table": (
        "TABLE item_texts (rowid BIGINT PRIMARY KEY REFERENCES items (id) ON DELETE CASCADE, text TEXT NOT NULL)"
    ),
    "any_time": "SET LOCAL statement_timeout = 0",
    # every three characters in a row, without an extension that somebody would have to install
    "text_index": (
        "CREATE INDEX item_texts_by_gram ON item_texts USING gin (("
        r"string_to_array(regexp_replace(text, '(.{3})', E'\\1\n', 'g'), E'\n')"
        r" || string_to_array(regexp_replace(substr(text, 2), '(.{3})', E'\\1\n', 'g'), E'\n')"
        r" || string_to_array(regexp_replace(substr(text, 3), '(.{3})', E'\\1\n', 'g'), E'\n')"
        "))"
    ),
}
_REMEDIES: tuple[tuple[type[psycopg.Error], str], ...] = (
    (errors.DiskFull, "The disk of {name} is full. Free some space there and run the command again"),
    (errors.ReadOnlySqlTransaction, "{name} may only be read; it may be a standby. Name the primary in [store] url"),
    (errors.InsufficientPrivilege, "This user lacks a right in {name}. Grant it, or use the owner's name"),
    (errors.LockNotAvailable, "{name} is locked by another program. Wait for it to end, then run the command again"),
    (errors.QueryCanceled, "{name} took too long over a question. Look what else it is busy with, then try again"),
    (errors.DeadlockDetected, "Two programs waited for each other in {name}. Run the command again"),
    (errors.SerializationFailure, "Two programs changed the same rows of {name}. Run the command again"),
    (errors.IdleInTransactionSessionTimeout, "{name} ended a transaction that stood idle. Run the command again"),
    (errors.FeatureNotSupported, "{name} was changed by another program meanwhile. Run the command again"),
    (psycopg.InterfaceError, "The connection to {name} broke. Check that the server runs"),
    (psycopg.InternalError, "{name} reported an error of its own. Look into the server's log"),
    (psycopg.OperationalError, "The connection to {name} failed. Check that the server runs and takes this user"),
)


class PostgresDriver:
    """Opens connections to one PostgreSQL database."""

    kind: DatabaseKind = "postgres"
    types = _TYPES

    def __init__(self, url: str) -> None:
        self._url = url
        try:
            parts = {name: str(value) for name, value in conninfo_to_dict(url).items()}
        except psycopg.Error:
            # The library's words may quote the url, and with it the password.
            raise ConfigError(
                "The store url is not a PostgreSQL url. Write postgresql://user:password@host:5432/database, "
                "with special characters of the password as %XX."
            ) from None
        self.name = _name(parts)
        self._secrets = [parts[key] for key in ("password", "sslpassword") if parts.get(key)]
        self._timeout_s = int(parts.get("connect_timeout") or CONNECT_TIMEOUT_S)

    def connect(self) -> "PostgresConnection":
        """A new connection, with our settings."""
        with _our_errors(self.name, self._secrets):
            raw = psycopg.connect(
                self._url,
                autocommit=True,
                prepare_threshold=PREPARE_AFTER,
                row_factory=dict_row,
                connect_timeout=self._timeout_s,
                client_encoding="UTF8",
                application_name="radar",
                keepalives_idle=10,
                keepalives_interval=5,
                keepalives_count=3,
                tcp_user_timeout=30_000,
            )
            try:
                self._require_utf8(raw)
                raw.execute(_SETTINGS)
            except BaseException:
                raw.close()
                raise
        set_json_loads(msgspec.json.decode, raw)
        raw.adapters.register_dumper(Json, _JsonDumper)
        return PostgresConnection(raw, self.name, self._secrets)

    def _require_utf8(self, raw: psycopg.Connection[Row]) -> None:
        encoding = raw.info.parameter_status("server_encoding")
        if encoding != "UTF8":
            raise StoreError(
                f"{self.name} has the encoding {encoding}, which cannot hold every title. "
                "Create the database with ENCODING 'UTF8'."
            )


class PostgresConnection:
    """One connection; see `database.Connection`."""

    def __init__(self, raw: psycopg.Connection[Row], name: str, secrets: list[str]) -> None:
        self._raw = raw
        self._name = name
        self._secrets = secrets

    @property
    def is_usable(self) -> bool:
        """False once the server or the network has closed it."""
        return not self._raw.closed

    @property
    def in_transaction(self) -> bool:
        """Whether a transaction is open."""
        return self._raw.info.transaction_status != psycopg.pq.TransactionStatus.IDLE

    def begin(self, *, write: bool) -> None:
        """Read committed for a writer, one snapshot for a reader."""
        self.run("BEGIN" if write else "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", {})

    def commit(self) -> None:
        """COMMIT; when the connection breaks here, nobody knows whether it was done."""
        self.run("COMMIT", {})

    def rollback(self) -> None:
        """ROLLBACK; a broken connection has done it already."""
        if self._raw.closed:
            return
        try:
            self._raw.execute("ROLLBACK")
        except psycopg.Error:
            self._raw.close()

    def run(self, text: str, params: Params) -> int:
        """Execute a statement that returns no rows; the number of rows it changed."""
        with _our_errors(self._name, self._secrets):
            return self._execute(text, params).rowcount

    def rows(self, text: str, params: Params) -> list[Row]:
        """Execute a statement and fetch every row."""
        with _our_errors(self._name, self._secrets):
            return self._execute(text, params).fetchall()

    def many(self, text: str, rows: list[Row]) -> int:
        """Execute a batch statement once, with all rows as the JSON parameter `rows`."""
        return self.run(text, {"rows": json_of(rows)})

    def many_rows(self, text: str, rows: list[Row]) -> list[Row]:
        """Execute a batch statement once, with all rows as the JSON parameter `rows`, and fetch what it returns."""
        return self.rows(text, {"rows": json_of(rows)})

    def now(self) -> datetime:
        """The server's clock."""
        with _our_errors(self._name, self._secrets):
            row = self._raw.execute("SELECT clock_timestamp() AS now").fetchone()
        return cast(datetime, cast(Row, row)["now"])

    def listen(self, channel: str) -> None:
        """Have notifications of a channel delivered to this connection."""
        self.run(f"LISTEN {channel}", {})

    def has_notification(self, timeout_s: float) -> bool:
        """Wait for a notification; False = none came in time."""
        with _our_errors(self._name, self._secrets):
            return any(True for _ in self._raw.notifies(timeout=timeout_s, stop_after=1))

    def close(self) -> None:
        """Close the connection."""
        self._raw.close()

    def _execute(self, text: str, params: Params) -> psycopg.Cursor[Row]:
        return self._raw.execute(text, params)


class _JsonDumper(Dumper):
    def dump(self, obj: Any) -> Buffer | None:
        return cast(Json, obj).encoded


def _name(parts: dict[str, str]) -> str:
    user = f"{parts['user']}@" if parts.get("user") else ""
    port = f":{parts['port']}" if parts.get("port") else ""
    return f"postgresql://{user}{parts.get('host', '')}{port}/{parts.get('dbname', '')}"


@contextmanager
def _our_errors(name: str, secrets: list[str]) -> Iterator[None]:
    try:
        yield
    except psycopg.Error as error:
        for kind, sentence in _REMEDIES:
            if isinstance(error, kind):
                message = f"{sentence.format(name=name)}. ({' '.join(str(error).split())})"
                for secret in secrets:
                    message = message.replace(secret, "***")
                raise StoreError(message) from error
        raise
