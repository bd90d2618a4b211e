"""A disk that gets full in the middle of a sweep: a clear sentence, nothing lost, and the next sweep completes."""

from pathlib import Path

import pytest

from crash.invariants import broken_promises, holding
from crash.radar_command import Radar
from crash.tables import rows

ALL = 120


@pytest.mark.parametrize("kib", [8, 80, 300])
def test_a_full_disk_is_told_in_a_sentence_and_loses_nothing(sqlite_radar: Radar, sqlite_url: str, kib: int) -> None:
    assert sqlite_radar.run("fetch", "--limit", "15").code == 0
    before = holding(sqlite_url)

    full = sqlite_radar.run("fetch", prefix=with_files_up_to(kib))

    assert full.code == 1
    assert "Check the disk and its free space" in full.err
    assert "Traceback" not in full.err
    after = holding(sqlite_url)
    assert broken_promises(sqlite_url, before, after) == []
    assert sqlite_radar.run("items", "--json").code == 0

    assert sqlite_radar.run("fetch").code == 0
    assert len(holding(sqlite_url).items) == ALL
    assert broken_promises(sqlite_url, after, holding(sqlite_url)) == []
    assert rows(sqlite_url, "SELECT 1 FROM ingestion_runs WHERE finished_at IS NULL") == []


def test_a_first_start_on_a_full_disk_is_told_in_a_sentence(sqlite_radar: Radar, tmp_path: Path) -> None:
    (tmp_path / "radar.db").unlink()
    full = sqlite_radar.run("fetch", prefix=with_files_up_to(20))
    assert full.code == 1
    assert "Check the disk and its free space" in full.err
    assert "Traceback" not in full.err
    assert sqlite_radar.run("fetch").code == 0


def test_a_backup_that_finds_no_room_leaves_no_file_behind(sqlite_radar: Radar, tmp_path: Path) -> None:
    assert sqlite_radar.run("fetch").code == 0
    full = sqlite_radar.run("db", "backup", "copy.db", prefix=with_files_up_to(60))
    assert full.code == 1
    assert "Traceback" not in full.err
    assert not (tmp_path / "copy.db").exists()


def with_files_up_to(kib: int) -> tuple[str, ...]:
    """A program's prefix that lets no file of it grow beyond so much: what lies beyond the limit cannot be written."""
    return ("sh", "-c", f'ulimit -f {kib * 2}; exec "$@"', "sh")
