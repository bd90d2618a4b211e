"""The bench runs from end to end, so that it cannot rot between two looks at its figures."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_every_part_of_the_bench_runs_and_ends_with_its_aims(postgres_template: tuple[str, str]) -> None:
    server, _ = postgres_template
    done = _bench("--quick", env={"RADAR_TEST_PG": server})
    assert done.returncode == 0, done.stderr
    _, aims = done.stdout.split("== aims")
    for what in (
        "sweep: items lost",
        "sweep: items doubled",
        "ingest, SQLite",
        "ingest, PostgreSQL",
        "radar --help",
        "queue, SQLite",
        "queue, PostgreSQL",
        "web, SQLite, inbox",
        "web, PostgreSQL, API list",
        "web, SQLite, inbox, empty tab",
        "web, PostgreSQL, select all matching",
    ):
        assert what in aims


def test_the_bench_names_the_parts_it_has() -> None:
    done = _bench("sweep")
    assert done.returncode == 2
    assert "Choose from sweeps, ingest, startup, queue, web" in done.stderr


def _bench(*arguments: str, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "bench", *arguments]
    return subprocess.run(command, cwd=ROOT, env=os.environ | (env or {}), capture_output=True, text=True, check=False)
