"""The two databases on which queues race, each with its contestants; ours and the floor share one table of jobs."""

import os
import sys
import tempfile
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import apsw
import psycopg

from bench.queues.racing import ROOT, Racer

sys.path.append(str(Path(__file__).parents[2] / "tests"))
from postgres_server import running_postgres, with_database

PEERS_PYTHON = ROOT / ".venv-bench" / "bin" / "python"
DURABLE = ("listen_addresses=", "max_wal_size=4GB")
PEERS = {"procrastinate": 0.05, "pgqueuer": 1.0}
FILL = """
WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < {count})
INSERT INTO jobs (kind, args, unique_key, priority, status, attempts, run_at, locked_by, locked_at, heartbeat_at,
                  completed_at)
SELECT 'nothing', '{{"n": 1}}', 'nothing:' || CAST(n AS TEXT), n, 'succeeded', 1, {at}, 'w', {at}, {at}, {at}
FROM numbers
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Course:
    """One database with all who race on it.

    `fill` leaves so many finished jobs in the table of ours and the floor, and nothing else. `analyze` does after a
    bulk put what autovacuum would do within a minute.
    """

    kind: str
    ours: Racer
    floor: Racer
    peers: list[Racer]
    fill: Callable[[int], None]
    analyze: Callable[[Racer], None]


@contextmanager
def sqlite_course() -> Iterator[Course]:
    """Files in one folder."""
    with tempfile.TemporaryDirectory(prefix="radar-bench-") as folder:
        path = f"{folder}/ours.db"

        def run(*statements: str) -> None:
            raw = apsw.Connection(path)
            for statement in (*statements, "PRAGMA wal_checkpoint(TRUNCATE)"):
                raw.execute(statement).fetchall()
            raw.close()

        yield Course(
            kind="SQLite",
            ours=_own("ours", f"sqlite:///{path}"),
            floor=_own("floor", f"sqlite:///{path}"),
            peers=[_peer("huey", f"sqlite:///{folder}/huey.db", share=0.1)],
            fill=lambda count: run("DELETE FROM jobs", *_fill(count, "'2026-01-01T00:00:00.000000Z'")),
            analyze=lambda _racer: None,
        )


@contextmanager
def postgres_course() -> Iterator[Course]:
    """Databases of one server."""
    names = {name: f"radar_bench_{os.getpid()}_{name}" for name in ("ours", *PEERS)}
    with running_postgres(DURABLE) as server, _databases(server, names.values()):
        urls = {name: with_database(server, database) for name, database in names.items()}

        def run(url: str, *statements: str) -> None:
            with psycopg.connect(url, autocommit=True) as raw:
                for statement in statements:
                    raw.execute(statement)

        yield Course(
            kind="PostgreSQL",
            ours=_own("ours", urls["ours"]),
            floor=_own("floor", urls["ours"]),
            peers=[_peer(name, urls[name], share) for name, share in PEERS.items()],
            fill=lambda count: run(
                urls["ours"], "TRUNCATE jobs CASCADE", *_fill(count, "TIMESTAMPTZ '2026-01-01'"), "VACUUM", "CHECKPOINT"
            ),
            analyze=lambda racer: run(racer.url, "ANALYZE"),
        )


def _fill(count: int, at: str) -> list[str]:
    return [FILL.format(count=count, at=at)] if count else []


def _own(name: str, url: str) -> Racer:
    return Racer(name=name, python=sys.executable, module=name, url=url)


def _peer(name: str, url: str, share: float) -> Racer:
    return Racer(name=name, python=str(PEERS_PYTHON), module=f"on_{name}", url=url, share=share)


@contextmanager
def _databases(server: str, names: Collection[str]) -> Iterator[None]:
    with psycopg.connect(server, autocommit=True) as admin:
        for name in names:
            admin.execute(f"CREATE DATABASE {name} TEMPLATE template0 ENCODING 'UTF8'")
        try:
            yield
        finally:
            for name in names:
                admin.execute(f"DROP DATABASE {name} WITH (FORCE)")
