"""An upgrade of the database killed before each of its statements: the old schema and every row stay as they were."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from crash.radar_command import LIMIT_S, Radar, write_config
from crash.tables import dump, rows
from inforadar.simulator.server import Simulator
from inforadar.store.migrate import known_migrations

ALL = 120
KILLED_AT = """
import os, signal, sys
from inforadar.store.database import open_database
from inforadar.store.migrate import Migration, known_migrations, upgrade

url, number, text = sys.argv[1], int(sys.argv[2]), sys.argv[3]
steps = iter(range(1, 1000))

def before_statement(_statement):
    if next(steps) == number:
        os.kill(os.getpid(), signal.SIGKILL)

more = [Migration(name="9999_next", text=text)] if text else []
upgrade(open_database(url), [*known_migrations(), *more], before_statement)
"""
NEXT = """\
CREATE TABLE shelves (name TEXT);
ALTER TABLE items ADD COLUMN shelf TEXT;
UPDATE items SET title = 'changed';
DROP TABLE item_changes;
"""
RECORD_AND_COMMIT = 2


def test_a_killed_upgrade_leaves_schema_and_rows_as_they_were(radar: Radar, database_url: str) -> None:
    assert radar.run("fetch", "--limit", "30").code == 0
    before = dump(database_url)
    for number in range(1, NEXT.count(";") + RECORD_AND_COMMIT + 1):
        assert killed_upgrade(database_url, number, NEXT) == -signal.SIGKILL
        assert dump(database_url) == before
    assert radar.run("fetch").code == 0
    assert radar.run("db", "check").code == 0
    assert rows(database_url, "SELECT count(*) FROM items") == [(ALL,)]


@pytest.mark.parametrize("part", [0.0, 0.5, 1.0])
def test_a_first_start_that_is_killed_is_made_good_by_the_next(
    tmp_path: Path, simulator: Simulator, part: float
) -> None:
    url = f"sqlite:///{tmp_path / 'fresh.db'}"
    write_config(tmp_path, url, simulator, linkedin="")
    statements = known_migrations()[0].text.count(";\n") + RECORD_AND_COMMIT
    assert killed_upgrade(url, 1 + round(part * (statements - 1)), "") == -signal.SIGKILL
    assert rows(url, "SELECT name FROM sqlite_master WHERE name IN ('items', 'schema_migrations')") == []

    assert Radar(folder=tmp_path).run("fetch").code == 0
    assert rows(url, "SELECT count(*) FROM items") == [(ALL,)]


def killed_upgrade(url: str, number: int, text: str) -> int:
    """Upgrade in a process that dies before its so-manieth statement; its exit code."""
    command = [sys.executable, "-c", KILLED_AT, url, str(number), text]
    return subprocess.run(command, capture_output=True, timeout=LIMIT_S, check=False).returncode
