"""Databases that cannot be used: each a sentence with a remedy and exit code 1 or 2, never a traceback."""

import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from crash.radar_command import Ended, Radar, write_config
from crash.tables import rows
from inforadar.simulator.server import Simulator

ALL = 120
# Root may write anything; without these two rights it is bound by the permissions like everybody.
AS_A_USER = ("setpriv", "--bounding-set", "-dac_override,-dac_read_search")


def garbage(path: Path) -> None:
    path.write_bytes(b"this is not a database\n" * 500)


def half_a_database(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def scribbled_database(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[100:4096] = b"\xff" * 3996
    path.write_bytes(content)


def a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


@pytest.mark.parametrize(
    ("damage", "sentence"),
    [
        (garbage, "is not an SQLite database. Name another file in [store] url"),
        (half_a_database, "is damaged. Put the latest backup in its place"),
        (scribbled_database, "is damaged. Put the latest backup in its place"),
        (a_folder, "cannot be opened. Check that its folder exists"),
    ],
)
@pytest.mark.parametrize("command", [("fetch",), ("db", "check")])
def test_a_file_that_is_no_database_of_ours_is_told_in_a_sentence_and_left_alone(
    sqlite_radar: Radar, tmp_path: Path, damage: Callable[[Path], None], sentence: str, command: tuple[str, ...]
) -> None:
    path = tmp_path / "radar.db"
    damage(path)
    before = path.read_bytes() if path.is_file() else b""
    refused = sqlite_radar.run(*command)
    assert_told(refused, sentence)
    assert (path.read_bytes() if path.is_file() else b"") == before


def test_a_database_of_another_program_is_refused_and_left_alone(sqlite_radar: Radar, tmp_path: Path) -> None:
    path = tmp_path / "radar.db"
    path.unlink()
    with closing(sqlite3.connect(path)) as other:
        other.executescript("CREATE TABLE items (name TEXT); INSERT INTO items VALUES ('theirs');")
    assert_told(sqlite_radar.run("fetch"), "another program")


def test_an_empty_file_becomes_a_database(sqlite_radar: Radar, sqlite_url: str, tmp_path: Path) -> None:
    (tmp_path / "radar.db").write_bytes(b"")
    assert sqlite_radar.run("fetch").code == 0
    assert stored(sqlite_url) == ALL


def test_a_missing_folder_is_told_in_a_sentence(sqlite_radar: Radar, simulator: Simulator, tmp_path: Path) -> None:
    write_config(tmp_path, "sqlite:///no/such/folder/radar.db", simulator, linkedin="")
    assert_told(sqlite_radar.run("fetch"), "Check that its folder exists")


@pytest.mark.skipif(os.getuid() == 0 and not shutil.which("setpriv"), reason="root cannot be bound without setpriv")
@pytest.mark.parametrize("with_file", [True, False])
def test_a_folder_that_may_only_be_read_is_told_in_a_sentence(
    sqlite_radar: Radar, simulator: Simulator, sqlite_url: str, tmp_path: Path, with_file: bool
) -> None:
    closed = tmp_path / "closed"
    closed.mkdir()
    if with_file:
        shutil.copy(tmp_path / "radar.db", closed / "radar.db")
        (closed / "radar.db").chmod(0o400)
    closed.chmod(0o500)
    write_config(tmp_path, f"sqlite:///{closed}/radar.db", simulator, linkedin="")
    try:
        refused = sqlite_radar.run("fetch", prefix=AS_A_USER if os.getuid() == 0 else ())
    finally:
        closed.chmod(0o700)
    assert_told(refused, "writ")
    assert "this user" in refused.err


def test_a_database_of_a_newer_program_is_refused_and_left_alone(radar: Radar, database_url: str) -> None:
    rows(database_url, "INSERT INTO schema_migrations (name) VALUES ('9999_from_the_future')")
    for command in (("fetch",), ("items",), ("db", "upgrade"), ("db", "check")):
        assert_told(radar.run(*command), "was made by a newer Info Radar")
    assert stored(database_url) == 0
    rows(database_url, "DELETE FROM schema_migrations WHERE name = '9999_from_the_future'")
    assert radar.run("fetch").code == 0


@pytest.mark.parametrize(
    ("url", "code"),
    [
        ("postgresql://nobody@127.0.0.1:1/radar", 1),
        ("postgresql://nobody@/radar?host=/no/such/folder", 1),
        ("postgresql://nobody@127.0.0.1:70000/radar", 2),
        ("mysql://nobody@127.0.0.1/radar", 2),
    ],
)
def test_a_server_that_cannot_be_reached_is_told_in_a_sentence(
    sqlite_radar: Radar, simulator: Simulator, tmp_path: Path, url: str, code: int
) -> None:
    write_config(tmp_path, url, simulator, linkedin="")
    refused = sqlite_radar.run("fetch")
    assert refused.code == code
    assert_told(refused, "")


def assert_told(refused: Ended, sentence: str) -> None:
    assert refused.code in (1, 2), refused.said
    assert refused.err.startswith("radar: ")
    assert sentence in refused.err
    assert "Traceback" not in refused.err
    assert refused.out == ""


def stored(url: str) -> int:
    ((count,),) = rows(url, "SELECT count(*) FROM items")
    return int(count)
