"""The floor: the least a database must do to hand out jobs once and to remember them, in bare statements.

Our table, our batch: one transaction completes a batch and claims the next. No fence, no kinds, no pauses, no limits,
no attempts to count against, no arguments read, no threads, and nothing is run.
"""

import os
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import apsw
import psycopg

from bench.queues.contest import BATCH, CHUNK, Drained, compete

CLAIMABLE = "status IN ('pending', 'retryable') AND run_at <= {now} ORDER BY priority DESC, id"
TAKE = "SET status = 'running', attempts = attempts + 1, locked_by = {me}, locked_at = {now}, heartbeat_at = {now}"
COLUMNS = "kind, args, unique_key, priority, run_at"


class Floor:
    """What both databases' floors have in common: they make no tables, and nobody waits for them."""

    def install(self) -> None:
        """Ours has made the tables."""

    def put_one(self, number: int) -> None:
        """Nobody rings at the floor."""
        raise NotImplementedError

    def listen(self, heard: Callable[[int], None]) -> None:
        """Nobody listens at the floor."""
        raise NotImplementedError

    def put(self, count: int) -> float:
        """Put rows, a chunk a transaction."""
        began = time.perf_counter()
        for first in range(0, count, CHUNK):
            self.put_chunk(range(first, min(first + CHUNK, count)))
        return time.perf_counter() - began

    def work(self, begin: Callable[[], None]) -> Drained:
        """Complete and claim until nothing is left."""
        begin()
        count, ids = 0, self.exchange([])
        while ids:
            count += len(ids)
            ids = self.exchange(ids)
        return Drained(count, time.monotonic())

    def put_chunk(self, numbers: range) -> None:
        """One transaction: put rows."""
        raise NotImplementedError

    def exchange(self, ids: list[Any]) -> list[Any]:
        """One transaction: complete these, claim the next batch."""
        raise NotImplementedError


class SqliteFloor(Floor):
    """apsw, statements prepared and kept by its cache."""

    NOW = "strftime('%Y-%m-%dT%H:%M:%f', 'now') || '000Z'"
    CLAIM = (
        f"UPDATE jobs {TAKE.format(me='?', now=NOW)} WHERE id IN ("
        f"SELECT id FROM jobs INDEXED BY jobs_claimable WHERE {CLAIMABLE.format(now=NOW)} LIMIT {BATCH}) RETURNING id"
    )
    COMPLETE = f"UPDATE jobs SET status = 'succeeded', completed_at = {NOW} WHERE id = ?"
    INSERT = f"INSERT INTO jobs ({COLUMNS}) VALUES ('nothing', ?, ?, ?, {NOW})"

    def __init__(self, url: str) -> None:
        self.raw = apsw.Connection(url.removeprefix("sqlite:///"))
        self.raw.set_busy_timeout(10_000)
        for pragma in ("journal_mode=WAL", "synchronous=FULL", "cache_size=-16000", "wal_autocheckpoint=4000"):
            self.raw.execute(f"PRAGMA {pragma}").fetchall()

    def put_chunk(self, numbers: range) -> None:
        """One transaction: put rows."""
        self.raw.execute("BEGIN IMMEDIATE")
        self.raw.executemany(self.INSERT, [(f'{{"n":{n}}}', f"nothing:{n}", n) for n in numbers])
        self.raw.execute("COMMIT")

    def exchange(self, ids: list[Any]) -> list[Any]:
        """One transaction: complete these, claim the next batch."""
        self.raw.execute("BEGIN IMMEDIATE")
        self.raw.executemany(self.COMPLETE, ids)
        claimed = self.raw.execute(self.CLAIM, (str(os.getpid()),)).fetchall()
        self.raw.execute("COMMIT")
        return claimed


class PostgresFloor(Floor):
    """psycopg, prepared statements, COPY."""

    CLAIM = (
        f"WITH first AS MATERIALIZED (SELECT id FROM jobs WHERE {CLAIMABLE.format(now='now()')} LIMIT {BATCH} "
        f"FOR UPDATE SKIP LOCKED) UPDATE jobs {TAKE.format(me='%s', now='now()')} "
        "FROM first WHERE jobs.id = first.id RETURNING jobs.id"
    )
    COMPLETE = "UPDATE jobs SET status = 'succeeded', completed_at = now() WHERE id = ANY(%s)"

    def __init__(self, url: str) -> None:
        self.raw = psycopg.connect(url, autocommit=True, prepare_threshold=2)

    def put_chunk(self, numbers: range) -> None:
        """One transaction: put rows."""
        now = datetime.now(UTC)
        with self.raw.cursor() as cursor, cursor.copy(f"COPY jobs ({COLUMNS}) FROM STDIN") as copy:
            for n in numbers:
                copy.write_row(("nothing", f'{{"n":{n}}}', f"nothing:{n}", n, now))

    def exchange(self, ids: list[Any]) -> list[Any]:
        """One transaction: complete these, claim the next batch."""
        self.raw.execute("BEGIN")
        if ids:
            self.raw.execute(self.COMPLETE, ([number for (number,) in ids],))
        claimed = self.raw.execute(self.CLAIM, (str(os.getpid()),)).fetchall()
        self.raw.execute("COMMIT")
        return claimed


def floor(url: str) -> Floor:
    """The floor of the database at this url."""
    return SqliteFloor(url) if url.startswith("sqlite:") else PostgresFloor(url)


if __name__ == "__main__":
    compete(floor)
