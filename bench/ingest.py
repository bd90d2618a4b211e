"""How fast pages become rows: parse, merge and commit of 100,000 items, beside bare statements in the same run."""

import os
import sys
import tempfile
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psycopg

from bench.collecting import Collector
from bench.floors import (
    Floor,
    PostgresItems,
    PostgresRows,
    PostgresUpsert,
    SqliteItems,
    SqliteRows,
    SqliteUpsert,
    State,
    rows_of,
)
from bench.pages import CHANGED_EVERY, PAGE, PAGES_PER_SWEEP
from bench.table import Aim, print_table, print_title
from inforadar.observe.clock import SystemClock
from inforadar.observe.log import set_up_log
from inforadar.observe.secrets import Secrets
from inforadar.store.database import Database, open_database
from inforadar.store.migrate import upgrade

sys.path.append(str(Path(__file__).parents[1] / "tests"))
from postgres_server import running_postgres, with_database

ITEMS = 100_000
LEAST_SHARE = 0.5
MOST_GROWTH_MB = 8.0
DURABLE = ("listen_addresses=", "max_wal_size=4GB")
PASSES: tuple[tuple[str, State], ...] = (
    ("empty store", "new"),
    ("full store, all known", "known"),
    ("full store, 10 % changed", "changed"),
)
FLOORS = ("items", "upsert", "rows")
NOTES = """\
  parse           hh page bytes -> drafts
  merge + commit  the real sweeper: lease, known keys, merge, items, companies, matches, match events, jobs, changes,
                  coverage, run counters; one transaction a page
  Floors: bare statements, rows ready-made, one transaction a page (SQLite: executemany; PostgreSQL: COPY into a
  temporary table and INSERT ... SELECT). They screen, compare and read nothing.
  items           INSERT ... ON CONFLICT DO NOTHING into the items table alone; into a full store it writes nothing
  upsert          INSERT ... ON CONFLICT DO UPDATE of the items table alone, as one must who does not know what changed
  rows            every row ours writes in items, matches, match_events and jobs; into a full store: last_seen_at of
                  the known, title, data and item_changes of the changed, told beforehand which is which
  All as durable as in earnest: WAL and synchronous=FULL; fsync and synchronous_commit on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """One database of each contestant."""

    kind: str
    collector: Collector
    floors: dict[str, Floor]


@dataclass(slots=True, kw_only=True)
class Speed:
    """Seconds of one pass, and resident memory along the way."""

    name: str
    items: int
    parse_s: float = 0.0
    save_s: float = 0.0
    floors_s: dict[str, float] = field(default_factory=lambda: dict.fromkeys(FLOORS, 0.0))
    memory_mb: list[float] = field(default_factory=list)

    @property
    def growth_mb(self) -> float:
        """Memory at the end less that after the first tenth."""
        return self.memory_mb[-1] - self.memory_mb[(len(self.memory_mb) - 1) // 10]

    def share(self, floor: str) -> float:
        """How fast merge and commit are, as a share of a floor."""
        return self.floors_s[floor] / self.save_s


def measure(items: int | None = None) -> list[Aim]:
    """Ingest into both databases, print a table for each, and say whether the aims were met."""
    wanted = items or int(os.environ.get("RADAR_BENCH_ITEMS", ITEMS))
    items = max(PAGE, wanted // PAGE * PAGE)
    set_up_log(clock=SystemClock(), secrets=Secrets(), level="ERROR")
    print_title(f"ingest: {items} items of about 1 KB in pages of {PAGE}")
    print(NOTES)
    return [aim for kind in (_sqlite, _postgres) for aim in _measure(kind, items)]


def _measure(open_bench: Callable[[], AbstractContextManager[Bench]], items: int) -> list[Aim]:
    with open_bench() as bench:
        speeds = [_pass(bench, name, state, items) for name, state in PASSES]
    _print_speeds(bench.kind, speeds)
    return [*_shares(bench.kind, speeds), _memory(bench.kind, speeds)]


def _pass(bench: Bench, name: str, state: State, items: int) -> Speed:
    """One pass over all items, in blocks: ours, then the floors, so that a busy machine is busy for all of them."""
    speed, times = Speed(name=name, items=items), bench.collector.times
    parse_s, save_s = times.parse_s, times.save_s
    block = PAGE * max(1, min(PAGES_PER_SWEEP, items // PAGE // 10))
    for first in range(0, items, block):
        size = min(block, items - first)
        done = bench.collector.sweep(first, size, is_changed=state == "changed")
        assert len(bench.collector.pages.drafts) == -(-size // PAGE), f"{name}: a page was asked for twice"
        assert done == _expected(state, first, size), f"{name}: added and updated {done}"
        _write_floors(bench, speed, state, first)
        speed.memory_mb.append(_resident_mb())
    speed.parse_s, speed.save_s = times.parse_s - parse_s, times.save_s - save_s
    return speed


def _expected(state: State, first: int, size: int) -> tuple[int, int]:
    edited = len(range(-first % CHANGED_EVERY, size, CHANGED_EVERY))
    return (size if state == "new" else 0, edited if state == "changed" else 0)


def _write_floors(bench: Bench, speed: Speed, state: State, first: int) -> None:
    for number, drafts in enumerate(bench.collector.pages.drafts):
        rows = rows_of(drafts, state, first + number * PAGE, as_text=bench.kind == "SQLite")
        for name, floor in bench.floors.items():
            began = time.perf_counter()
            floor.write(rows)
            speed.floors_s[name] += time.perf_counter() - began


def _resident_mb() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


@contextmanager
def _sqlite() -> Iterator[Bench]:
    with tempfile.TemporaryDirectory(prefix="radar-bench-") as folder:
        paths = {name: f"{folder}/{name}.db" for name in ("ours", *FLOORS)}
        ours = _migrated({name: f"sqlite:///{path}" for name, path in paths.items()})
        floors = {"items": SqliteItems, "upsert": SqliteUpsert, "rows": SqliteRows}
        with _running("SQLite", ours, {name: floor(paths[name]) for name, floor in floors.items()}) as bench:
            yield bench


@contextmanager
def _postgres() -> Iterator[Bench]:
    names = {name: f"radar_bench_{os.getpid()}_{name}" for name in ("ours", *FLOORS)}
    with running_postgres(DURABLE) as server, _databases(server, names.values()):
        urls = {name: with_database(server, database) for name, database in names.items()}
        ours = _migrated(urls)
        floors = {"items": PostgresItems, "upsert": PostgresUpsert, "rows": PostgresRows}
        with _running("PostgreSQL", ours, {name: floor(urls[name]) for name, floor in floors.items()}) as bench:
            yield bench


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


@contextmanager
def _running(kind: str, ours: Database, floors: dict[str, Floor]) -> Iterator[Bench]:
    try:
        yield Bench(kind=kind, collector=Collector(ours), floors=floors)
    finally:
        ours.close()
        for floor in floors.values():
            floor.close()


def _migrated(urls: dict[str, str]) -> Database:
    """Bring the schema into every database; the one of ours."""
    databases = {name: open_database(url) for name, url in urls.items()}
    for database in databases.values():
        upgrade(database)
        database.close()
    return databases["ours"]


def _print_speeds(kind: str, speeds: list[Speed]) -> None:
    head = ["items/s", "parse", "merge + commit", *FLOORS, *(f"of {name}" for name in FLOORS), "MB at 10 %", "at 100 %"]
    print(f"\n  {kind}")
    print_table(head, [_speed_row(speed) for speed in speeds])


def _speed_row(speed: Speed) -> list[str]:
    seconds = (speed.parse_s, speed.save_s, *speed.floors_s.values())
    memory = (speed.memory_mb[-1] - speed.growth_mb, speed.memory_mb[-1])
    return [
        speed.name,
        *(f"{speed.items / spent_s:,.0f}" for spent_s in seconds),
        *(f"{speed.share(name):.2f}" for name in FLOORS),
        *(f"{size_mb:.1f}" for size_mb in memory),
    ]


def _shares(kind: str, speeds: list[Speed]) -> list[Aim]:
    return [
        Aim(
            what=f"ingest, {kind}, {speed.name}: share of the floor {name!r}",
            wanted=f">= {LEAST_SHARE}",
            measured=f"{speed.share(name):.2f}",
            is_met=speed.share(name) >= LEAST_SHARE,
        )
        for speed in speeds
        for name in FLOORS
    ]


def _memory(kind: str, speeds: list[Speed]) -> Aim:
    growth = max(speed.growth_mb for speed in speeds)
    return Aim(
        what=f"ingest, {kind}: memory grown from 10 % to 100 %",
        wanted=f"<= {MOST_GROWTH_MB:.0f} MB",
        measured=f"{growth:.1f} MB",
        is_met=growth <= MOST_GROWTH_MB,
    )
