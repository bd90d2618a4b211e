"""How a waiting worker learns that jobs were put: NOTIFY in PostgreSQL, the change counter of the file in SQLite.

Only a hint that saves waiting: a notification is lost while the connection is away, so whoever waits looks for
himself every few seconds as well.
"""

from collections.abc import Callable
from typing import Protocol, runtime_checkable

from inforadar.store.database import Connection, Database

CHANNEL = "radar_jobs"
LOOK_EVERY_S = 0.02

Wait = Callable[[float], object]
"""Waits so many seconds."""


class Wakeup(Protocol):
    """Tells of new jobs; belongs to the thread that made it."""

    def is_called(self, timeout_s: float) -> bool:
        """Wait until something may have been put; False = nothing in this time. Raises StoreError."""
        ...

    def close(self) -> None:
        """Stop listening."""
        ...


@runtime_checkable
class Notified(Protocol):
    """A connection that is told of what others put, as that of PostgreSQL is; its driver is loaded only where used."""

    def listen(self, channel: str) -> None:
        """Be told from now on."""
        ...

    def has_notification(self, timeout_s: float) -> bool:
        """Wait until something was told; False = nothing in this time."""
        ...

    def close(self) -> None:
        """End the connection."""
        ...


def listen(database: Database, wait: Wait) -> Wakeup:
    """Begin to listen, on a connection of its own; `wait` passes the time between two looks."""
    connection = database.driver.connect()
    try:
        return _Notifications(connection) if isinstance(connection, Notified) else _Changes(connection, wait)
    except BaseException:
        connection.close()
        raise


class _Notifications:
    def __init__(self, connection: Notified) -> None:
        self._connection = connection
        connection.listen(CHANNEL)

    def is_called(self, timeout_s: float) -> bool:
        return self._connection.has_notification(timeout_s)

    def close(self) -> None:
        self._connection.close()


class _Changes:
    def __init__(self, connection: Connection, wait: Wait) -> None:
        self._connection = connection
        self._wait = wait
        self._seen = self._version()

    def is_called(self, timeout_s: float) -> bool:
        for _ in range(max(1, round(timeout_s / LOOK_EVERY_S))):
            seen, self._seen = self._seen, self._version()
            if seen != self._seen:
                return True
            self._wait(LOOK_EVERY_S)
        return False

    def close(self) -> None:
        self._connection.close()

    def _version(self) -> int:
        return int(self._connection.rows("PRAGMA data_version", {})[0]["data_version"])
