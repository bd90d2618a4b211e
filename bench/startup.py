"""How long a command takes before it does anything, and how long one that reads a full store takes."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median

import apsw

from bench.table import Aim, print_table, print_title
from inforadar.store.database import open_database
from inforadar.store.migrate import upgrade

MATCHES = 100_000
RUNS = 9
MOST_TIMES_BARE = 8.0
RADAR = str(Path(sys.executable).with_name("radar"))
CONFIG = """\
[store]
url = "sqlite:///{path}"
[[watch]]
name = "bench"
kind = "vacancy"
  [[watch.query]]
  source = "hh"
  params = {{ text = "python" }}
"""
NUMBERS = "WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < :count)"
FILL = (
    f"""{NUMBERS} INSERT INTO items
    (id, source, key, kind, url, title, published_at, first_seen_at, last_seen_at, data)
    SELECT n, 'hh', CAST(n AS TEXT), 'vacancy', 'https://hh.ru/vacancy/' || n, 'Title ' || n, :at, :at, :at,
    '{{"snippet": "' || hex(zeroblob(400)) || '"}}' FROM numbers""",
    f"""{NUMBERS} INSERT INTO matches (id, watch, item_id, query_key, status, created_at, updated_at)
    SELECT n, 'bench', n, 'hh:1', 'QUEUED', :at, :at FROM numbers""",
    f"""{NUMBERS} INSERT INTO jobs (kind, args, unique_key, priority, run_at)
    SELECT 'process', '{{"match_id": ' || n || '}}', 'process:' || n, n, :at FROM numbers""",
)


def measure(*, matches: int | None = None, runs: int = RUNS) -> list[Aim]:
    """Time the commands in turn, print the medians, and say whether the aim was met."""
    matches = matches or int(os.environ.get("RADAR_BENCH_ITEMS", MATCHES))
    print_title(f"startup: median of {runs} runs each, taken in turn")
    with tempfile.TemporaryDirectory(prefix="radar-bench-") as folder:
        config = _full_store(Path(folder), matches)
        names = ("python -c pass", "radar --help", f"radar status, {matches} matches")
        commands = ([sys.executable, "-c", "pass"], [RADAR, "--help"], [RADAR, "--config", config, "status"])
        bare, *others = _medians_s(commands, runs)
    rows = [[name, f"{s * 1000:.0f}", f"{s / bare:.1f}"] for name, s in zip(names, (bare, *others), strict=True)]
    print_table(["", "ms", "x bare"], rows)
    times = others[0] / bare
    return [
        Aim(
            what="startup: radar --help, of bare Python",
            wanted=f"<= {MOST_TIMES_BARE:.0f}",
            measured=f"{times:.1f}",
            is_met=times <= MOST_TIMES_BARE,
        )
    ]


def _medians_s(commands: Sequence[Sequence[str]], runs: int) -> list[float]:
    timed: list[list[float]] = [[] for _ in commands]
    for _ in range(runs):
        for spent_s, command in zip(timed, commands, strict=True):
            began = time.perf_counter()
            subprocess.run(command, check=True, capture_output=True)
            spent_s.append(time.perf_counter() - began)
    return [median(spent_s) for spent_s in timed]


def _full_store(folder: Path, matches: int) -> str:
    path, config = folder / "radar.db", folder / "radar.toml"
    config.write_text(CONFIG.format(path=path), encoding="utf-8")
    config.chmod(0o600)
    database = open_database(f"sqlite:///{path}")
    upgrade(database)
    database.close()
    raw = apsw.Connection(str(path))
    with raw:
        for statement in FILL:
            raw.execute(statement, {"count": matches, "at": "2026-01-01T00:00:00.000000Z"})
    raw.close()
    return str(config)
