"""What a person sees when an SQLite file cannot be used, and that nothing saved is lost by it."""

import os
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw
import pytest

from inforadar.domain.errors import StoreError
from inforadar.store import items
from inforadar.store.database import Database, open_database
from inforadar.store.filesystem import filesystem_type, is_read_only
from inforadar.store.maintenance import check
from inforadar.store.migrate import upgrade
from inforadar.store.sqlite import refuse_old_library, remedy
from store.samples_of_rows import an_item

OPEN_AND_WRITE = """
import sys
from inforadar.store.database import open_database
from inforadar.store.migrate import upgrade
db = open_database(sys.argv[1])
upgrade(db)
db.close()
"""


@contextmanager
def unprivileged() -> Iterator[None]:
    """Root may write any file, so be nobody for a while."""
    if os.getuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


def save(db: Database, *keys: str) -> None:
    """Save items that fill the disk sooner or later."""
    with db.transaction() as tx:
        items.insert(tx, [an_item(key, data={"text": "x" * 5000}) for key in keys])


def fill(db: Database) -> None:
    """Save items until the disk is full."""
    for number in range(100):
        save(db, str(number), f"{number} too")


def pragma(db: Database, name: str) -> object:
    """What this thread's connection says of a pragma."""
    with db.reading() as tx:
        (row,) = tx._connection.rows(f"PRAGMA {name}", {})
    return next(iter(row.values()))


def test_a_full_disk_is_told_and_keeps_what_was_saved(sqlite_db: Database) -> None:
    save(sqlite_db, "first")
    pages = pragma(sqlite_db, "page_count")
    pragma(sqlite_db, f"max_page_count = {pages + 40}")  # type: ignore[operator]
    with pytest.raises(StoreError, match="The disk is full"):
        fill(sqlite_db)
    with sqlite_db.reading() as tx:
        full_at = items.count(tx)
        assert full_at % 2 == 1
        assert set(items.find(tx, "hh", ["first"])) == {"first"}
    pragma(sqlite_db, "max_page_count = 1000000")
    save(sqlite_db, "after")
    with sqlite_db.reading() as tx:
        assert items.count(tx) == full_at + 1
    assert [finding.check for finding in check(sqlite_db) if finding.check == "check_integrity"] == []


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that everybody may enter and only its owner may write; pytest's own folders are closed."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)
        Path(name).chmod(0o755)


@pytest.mark.parametrize("mode", [0o444, 0o000])
def test_a_file_that_may_not_be_written_is_told(open_folder: Path, sqlite_url: str, mode: int) -> None:
    path = open_folder / "radar.db"
    shutil.copy(sqlite_url.removeprefix("sqlite:///"), path)
    path.chmod(mode)
    open_folder.chmod(0o555)
    with (
        unprivileged(),
        pytest.raises(StoreError, match=r"radar\.db (may only be read|cannot be opened)\. .*this user"),
    ):
        open_and_save(f"sqlite:///{path}")


def open_and_save(url: str) -> None:
    """Open a database and write to it."""
    db = open_database(url)
    try:
        save(db, "1")
    finally:
        db.close()


@pytest.mark.parametrize("content", [b"this is a text, not a database " * 200, b"\x89PNG" + bytes(5000)])
def test_a_file_that_is_no_database_is_told_and_left_alone(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "notes.txt"
    path.write_bytes(content)
    with pytest.raises(StoreError, match="is not an SQLite database"):
        open_database(f"sqlite:///{path}")
    assert path.read_bytes() == content


def test_a_folder_that_is_missing_is_told(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="Check that its folder exists"):
        open_database(f"sqlite:///{tmp_path}/missing/radar.db")


def test_a_locked_file_is_told_after_the_busy_timeout(sqlite_db: Database, sqlite_url: str) -> None:
    impatient = open_database(sqlite_url, busy_timeout_s=0.02)
    with sqlite_db.transaction(), pytest.raises(StoreError, match="locked by another program"):
        save(impatient, "1")
    save(impatient, "1")
    impatient.close()


def test_a_writer_waits_for_the_one_before(sqlite_db: Database) -> None:
    writer = threading.Thread(target=save, args=(sqlite_db, "second"))
    with sqlite_db.transaction() as tx:
        writer.start()
        writer.join(0.2)
        assert writer.is_alive()
        items.insert(tx, [an_item("first")])
    writer.join()
    with sqlite_db.reading() as tx:
        assert items.count(tx) == 2


def test_processes_that_open_a_new_file_at_once_all_succeed(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/new.db"
    processes = [subprocess.Popen([sys.executable, "-c", OPEN_AND_WRITE, url]) for _ in range(4)]
    assert [process.wait() for process in processes] == [0, 0, 0, 0]


def test_opening_a_file_that_is_not_yet_in_wal_mode_waits_for_its_writer(tmp_path: Path) -> None:
    writer = apsw.Connection(str(tmp_path / "old.db"))
    writer.execute("CREATE TABLE t (x); BEGIN IMMEDIATE; INSERT INTO t VALUES (1)")
    opened: list[Database] = []

    def open_it() -> None:
        opened.append(open_database(f"sqlite:///{tmp_path}/old.db"))
        opened[0].close()

    opener = threading.Thread(target=open_it)
    opener.start()
    opener.join(0.2)
    assert opener.is_alive()
    writer.execute("COMMIT")
    opener.join()
    assert len(opened) == 1
    writer.close()


def test_every_commit_is_synced_and_foreign_keys_are_checked(sqlite_db: Database) -> None:
    settings = {name: pragma(sqlite_db, name) for name in ("journal_mode", "synchronous", "foreign_keys", "mmap_size")}
    assert settings == {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1, "mmap_size": 0}


def test_a_relative_path_is_relative_to_where_radar_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    db = open_database("sqlite:///mine.db")
    upgrade(db)
    db.close()
    assert (tmp_path / "mine.db").exists()


@pytest.mark.parametrize("version", ["3.40.1", "3.51.2", "3.9.0"])
def test_an_sqlite_that_can_damage_files_is_refused(version: str) -> None:
    with pytest.raises(StoreError, match="pip install --upgrade apsw"):
        refuse_old_library(version)


@pytest.mark.parametrize("version", ["3.51.3", "3.52.0", "3.54.1", "4.0.0"])
def test_a_newer_sqlite_is_taken(version: str) -> None:
    refuse_old_library(version)


def test_the_innermost_mount_tells_the_file_system() -> None:
    mounts = "\n".join(
        [
            "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw",
            "30 22 0:40 / /home/ann\\040b/share rw - nfs4 server:/x rw",
            "31 22 0:41 / /data rw - tmpfs none rw",
            "broken line",
        ]
    )
    assert filesystem_type(Path("/home/ann b/share/radar.db"), mounts) == "nfs4"
    assert filesystem_type(Path("/home/ann b/radar.db"), mounts) == "ext4"
    assert filesystem_type(Path("/database/radar.db"), mounts) == "ext4"


def test_a_new_file_is_for_its_owner_alone(tmp_path: Path) -> None:
    database = open_database(f"sqlite:///{tmp_path / 'own.db'}")
    upgrade(database)
    modes = {path.name: path.stat().st_mode & 0o777 for path in tmp_path.glob("own.db*")}
    database.close()
    assert set(modes.values()) == {0o600}, modes


@pytest.mark.parametrize("error", [apsw.ReadOnlyError(), apsw.CantOpenError()])
def test_rights_are_not_blamed_where_nobody_may_write(error):
    assert "file system that may only be read" in remedy(error, is_fixed=True)
    assert "file system" not in remedy(error, is_fixed=False)
    assert "The disk is full" in remedy(apsw.FullError(), is_fixed=True)


def test_a_folder_that_is_written_lies_on_no_read_only_file_system(tmp_path):
    assert not is_read_only(tmp_path)
    assert not is_read_only(tmp_path / "not-there-yet.db")
    assert not is_read_only(tmp_path / "no" / "such" / "folder.db")
