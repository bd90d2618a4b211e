"""Backups and the search for damage."""

import stat
import threading
from pathlib import Path

import pytest

from inforadar.domain.errors import StoreError
from inforadar.store import items, jobs, matches, tombstones
from inforadar.store.database import Database, open_database
from inforadar.store.maintenance import backup, check
from store.samples_of_rows import NOW, a_tombstone, an_item


def collect(db: Database, *keys: str) -> None:
    """Save items with matches and first jobs, as a sweep does."""
    with db.transaction() as tx:
        ids = items.insert(tx, [an_item(key) for key in keys])
        created = matches.create(tx, "w", "q1", list(ids.values()), NOW, "machine", "found")
        jobs.put(tx, [jobs.process_job(match_id, published_at=NOW, run_at=NOW) for match_id in created.values()])


def test_a_backup_is_complete_private_and_taken_while_others_write(sqlite_db: Database, tmp_path: Path) -> None:
    collect(sqlite_db, *map(str, range(200)))
    stop = threading.Event()

    def go_on() -> None:
        number = 1000
        while not stop.is_set():
            number += 1
            collect(sqlite_db, str(number))

    writer = threading.Thread(target=go_on)
    writer.start()
    try:
        backup(sqlite_db, tmp_path / "copy.db")
    finally:
        stop.set()
        writer.join()
    assert stat.S_IMODE((tmp_path / "copy.db").stat().st_mode) == 0o600
    copy = open_database(f"sqlite:///{tmp_path}/copy.db")
    assert check(copy) == []
    with copy.reading() as tx:
        assert items.count(tx) >= 200
    copy.close()


def test_a_backup_never_overwrites(sqlite_db: Database, tmp_path: Path) -> None:
    (tmp_path / "copy.db").write_text("mine")
    with pytest.raises(StoreError, match="exists already"):
        backup(sqlite_db, tmp_path / "copy.db")
    assert (tmp_path / "copy.db").read_text() == "mine"


def test_a_backup_that_cannot_be_written_is_told_and_leaves_nothing(sqlite_db: Database, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="cannot be written"):
        backup(sqlite_db, tmp_path / "missing" / "copy.db")
    assert not (tmp_path / "missing").exists()


def test_a_backup_of_postgresql_names_the_tool(postgres_url: str, tmp_path: Path) -> None:
    db = open_database(postgres_url)
    with pytest.raises(StoreError, match="pg_dump --format=custom --file="):
        backup(db, tmp_path / "copy.dump")
    db.close()


def test_a_sound_database_has_no_findings(db: Database) -> None:
    collect(db, "1", "2")
    assert check(db) == []


def test_an_item_that_no_watch_deals_with_is_found(db: Database) -> None:
    collect(db, "1")
    with db.transaction() as tx:
        lost = items.insert(tx, [an_item("lost"), an_item("banned later")])["lost"]
        tombstones.add(tx, [a_tombstone("banned later")])
    (finding,) = check(db)
    assert finding.check == "check_items_without_match"
    assert str(lost) in finding.problem


def test_a_queued_match_without_job_is_found(db: Database) -> None:
    collect(db, "1")
    with db.transaction() as tx:
        tx.run_text("DELETE FROM jobs")
    assert [finding.check for finding in check(db)] == ["check_matches_without_job"]
    with db.transaction() as tx:
        tx.run_text("UPDATE matches SET status = 'APPLIED'")
    assert check(db) == []


def test_a_missing_partner_and_a_damaged_page_are_found(sqlite_db: Database, tmp_path: Path) -> None:
    collect(sqlite_db, *map(str, range(300)))
    connection = sqlite_db.driver.connect()
    connection.run("PRAGMA foreign_keys = OFF", {})
    connection.run("DELETE FROM companies", {})
    connection.close()
    assert {finding.check for finding in check(sqlite_db)} == {"check_foreign_keys"}
    sqlite_db.close()
    content = bytearray((tmp_path / "radar.db").read_bytes())
    middle = len(content) // 2 // 4096 * 4096
    content[middle : middle + 4096] = bytes(4096)
    (tmp_path / "radar.db").write_bytes(content)
    assert "check_integrity" in {finding.check for finding in check(sqlite_db)}
