"""Migrations: whole or not at all, one process at a time, never under an older program; on both databases."""

import subprocess
import sys
from itertools import count
from pathlib import Path

import pytest

from inforadar.domain.errors import StoreError
from inforadar.store import items
from inforadar.store.backup import backup_before
from inforadar.store.database import Database, open_database
from inforadar.store.maintenance import check
from inforadar.store.migrate import Migration, known_migrations, pending, require_current, upgrade
from store.samples_of_rows import an_item

NEXT = Migration(
    name="9999_next",
    text="-- A step that tests take.\nCREATE TABLE more (id {id}, at {timestamp});\nDROP TABLE tombstones;\n",
)
UPGRADE = """
import sys
from inforadar.store.database import open_database
from inforadar.store.migrate import upgrade
db = open_database(sys.argv[1])
upgrade(db)
db.close()
"""
KILLED_UPGRADE = """
import os, sys
from inforadar.store.database import open_database
from inforadar.store.migrate import upgrade
left = int(sys.argv[2])
def before(statement):
    global left
    left -= 1
    if left < 0:
        os.kill(os.getpid(), 9)
upgrade(open_database(sys.argv[1]), before_statement=before)
"""


class Interrupted(Exception):
    """Stands for the death of a process between two statements."""


def upgrade_until(db: Database, step: int, migrations: tuple[Migration, ...]) -> None:
    """Upgrade and break off before statement number `step`."""
    left = count(step, -1)

    def before(_statement: str) -> None:
        if next(left) == 0:
            raise Interrupted

    upgrade(db, migrations, before)


def tables(db: Database) -> set[str]:
    """Names of all tables and views."""
    text = (
        "SELECT name FROM sqlite_master WHERE type IN ('table', 'view')"
        if db.kind == "sqlite"
        else "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'"
    )
    connection = db.driver.connect()
    names = {row["name"] for row in connection.rows(text, {})}
    connection.close()
    return names


def test_a_fresh_database_becomes_current_once(empty_url: str) -> None:
    db = open_database(empty_url)
    names = [migration.name for migration in known_migrations()]
    assert pending(db) == names
    with pytest.raises(StoreError, match="radar db upgrade"):
        require_current(db)
    assert [finding.check for finding in check(db)] == ["schema"]
    assert upgrade(db) == names
    assert upgrade(db) == []
    require_current(db)
    assert check(db) == []
    db.close()


def test_a_migration_interrupted_at_any_statement_leaves_the_old_schema(empty_url: str) -> None:
    db = open_database(empty_url)
    for number in range(1, len(known_migrations()) + 1):
        before = tables(db) | {"sqlite_sequence"}
        for step in count():
            try:
                upgrade_until(db, step, known_migrations()[:number])
            except Interrupted:
                assert tables(db) | {"sqlite_sequence"} == before
                continue
            break
        assert step > 2
    require_current(db)
    db.close()


def test_an_upgrade_interrupted_at_any_statement_keeps_schema_and_rows(db: Database) -> None:
    with db.transaction() as tx:
        items.insert(tx, [an_item("1")])
    before = tables(db)
    steps = (*known_migrations(), NEXT)
    for step in range(4):
        with pytest.raises(Interrupted):
            upgrade_until(db, step, steps)
        assert tables(db) == before
        require_current(db)
    assert upgrade(db, steps) == ["9999_next"]
    assert tables(db) == before - {"tombstones"} | {"more"}
    with db.reading() as tx:
        assert items.count(tx) == 1


def test_a_process_killed_in_a_migration_leaves_a_file_that_can_be_upgraded(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/radar.db"
    for step in (0, 5, 15, 20):
        assert subprocess.run([sys.executable, "-c", KILLED_UPGRADE, url, str(step)], check=False).returncode == -9
        db = open_database(url)
        assert tables(db) == set()
        db.close()
    db = open_database(url)
    upgrade(db)
    assert check(db) == []
    db.close()


def test_a_database_of_a_newer_program_is_refused_and_left_alone(db: Database) -> None:
    upgrade(db, (*known_migrations(), NEXT))
    before = tables(db)
    for use in (pending, require_current, upgrade, check):
        with pytest.raises(StoreError, match=r"newer Info Radar .*9999_next"):
            use(db)
    assert tables(db) == before


def test_processes_that_upgrade_at_once_take_turns(empty_url: str) -> None:
    processes = [subprocess.Popen([sys.executable, "-c", UPGRADE, empty_url]) for _ in range(3)]
    assert [process.wait() for process in processes] == [0, 0, 0]
    db = open_database(empty_url)
    require_current(db)
    db.close()


def test_an_upgrade_of_a_file_with_rows_is_backed_up_first(sqlite_db: Database, tmp_path: Path) -> None:
    with sqlite_db.transaction() as tx:
        items.insert(tx, [an_item("1")])
    assert list(tmp_path.glob("*.before-*")) == []
    upgrade(sqlite_db, (*known_migrations(), NEXT))
    copy = open_database(f"sqlite:///{tmp_path}/radar.db.before-9999_next")
    require_current(copy)
    with copy.reading() as tx:
        assert items.count(tx) == 1
    copy.close()


def test_an_upgrade_of_a_file_without_rows_leaves_no_copy(sqlite_db: Database, tmp_path: Path) -> None:
    upgrade(sqlite_db, (*known_migrations(), NEXT))
    assert list(tmp_path.glob("*.before-*")) == []


def item_count(path: Path) -> int:
    copy = open_database(f"sqlite:///{path}")
    with copy.reading() as tx:
        number = items.count(tx)
    copy.close()
    return number


def test_upgrades_that_come_to_nothing_leave_one_copy_of_how_it_was_before_the_last(
    sqlite_db: Database, tmp_path: Path
) -> None:
    for number in range(3):
        with sqlite_db.transaction() as tx:
            items.insert(tx, [an_item(str(number))])
        with pytest.raises(Interrupted):
            upgrade_until(sqlite_db, 1, (*known_migrations(), NEXT))
    assert [path.name for path in tmp_path.glob("*.before-*")] == ["radar.db.before-9999_next"]
    assert item_count(tmp_path / "radar.db.before-9999_next") == 3


def test_what_a_killed_copy_left_is_written_over_and_the_whole_one_before_it_is_kept_until_then(
    sqlite_db: Database, tmp_path: Path
) -> None:
    with sqlite_db.transaction() as tx:
        items.insert(tx, [an_item("1")])
    whole, part = tmp_path / "radar.db.before-0002_x", tmp_path / "radar.db.before-0002_x.part"
    assert backup_before(sqlite_db, "0002_x") == whole
    part.write_bytes(b"half of a copy" * 1000)
    assert backup_before(sqlite_db, "0002_x") == whole
    assert (item_count(whole), part.exists()) == (1, False)


def test_a_copy_of_what_another_process_upgraded_meanwhile_takes_the_place_of_none(
    sqlite_db: Database, tmp_path: Path
) -> None:
    with sqlite_db.transaction() as tx:
        items.insert(tx, [an_item("1")])
    upgrade(sqlite_db, (*known_migrations(), NEXT))
    before = tmp_path / "radar.db.before-9999_next"
    was = before.read_bytes()
    assert backup_before(sqlite_db, "9999_next") is None
    assert [*tmp_path.glob("*.before-*")] == [before]
    assert before.read_bytes() == was
