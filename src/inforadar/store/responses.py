"""The response cache: answers of sources in an SQLite file of their own, for a while and up to a size.

Whatever is wrong with the file (damaged, foreign, read-only), the cache says so once and then behaves as if it were
empty; while it is merely busy or the disk is full, it does so for that one time. A fetch never fails for it.
"""

from collections.abc import Callable
from datetime import timedelta
from typing import TypeVar

import apsw

from inforadar.domain.errors import StoreError
from inforadar.domain.ports import Answer, Clock
from inforadar.observe.log import get_log
from inforadar.store.database import Database, Tx, open_database
from inforadar.store.encoding import json_of

BUSY_TIMEOUT_S = 1.0
PASSING = (
    apsw.BusyError,
    apsw.LockedError,
    apsw.ProtocolError,
    apsw.SchemaChangeError,
    apsw.FullError,
    apsw.NoMemError,
)

log = get_log("store")
T = TypeVar("T")


class ResponseCache:
    """Answers by key; opened at the first use."""

    def __init__(self, path: str, clock: Clock, *, ttl_s: float, max_bytes: int) -> None:
        self._path = path
        self._clock = clock
        self._ttl = timedelta(seconds=ttl_s)
        self._max_bytes = max_bytes
        self._database: Database | None = None
        self._is_broken = False

    def get(self, key: str) -> Answer | None:
        """The answer kept under a key, unless it is too old."""
        now = self._clock.now()
        row = self._safely(lambda tx: tx.row("response_get", key=key, now=now, oldest=now - self._ttl))
        return Answer(**row) if row else None

    def put(self, key: str, answer: Answer) -> None:
        """Keep an answer; what is too old or too much goes, oldest first."""
        if len(answer.body) <= self._max_bytes:
            self._safely(lambda tx: self._put(tx, key, answer))

    def close(self) -> None:
        """Close the file."""
        if self._database:
            self._database.close()

    def _put(self, tx: Tx, key: str, answer: Answer) -> None:
        now = self._clock.now()
        tx.run(
            "response_put",
            key=key,
            now=now,
            status=answer.status,
            headers=json_of(answer.headers),
            url=answer.url,
            body=answer.body,
        )
        tx.run("response_prune", oldest=now - self._ttl, max_bytes=self._max_bytes)

    def _safely(self, work: Callable[[Tx], T]) -> T | None:
        if self._is_broken:
            return None
        try:
            with self._opened().transaction() as tx:
                return work(tx)
        except (StoreError, apsw.Error, OSError, ValueError) as error:
            self._note(error)
            return None

    def _note(self, error: Exception) -> None:
        if isinstance(error, PASSING) or isinstance(error.__cause__, PASSING):
            log.info("the response cache cannot be used this time", path=self._path, error=str(error))
            return
        self._is_broken = True
        log.warning("the response cache cannot be used; delete it or name another", path=self._path, error=str(error))

    def _opened(self) -> Database:
        if self._database is None:
            self._database = open_database(f"sqlite:///{self._path}", busy_timeout_s=BUSY_TIMEOUT_S)
            with self._database.transaction() as tx:
                tx.run("response_table_create")
        return self._database
