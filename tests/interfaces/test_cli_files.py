"""The files of a user: where the configuration is found, what `init` writes, how the database is looked after."""

import json
import stat

import apsw
import pytest

from inforadar.store.migrate import known_migrations


def test_the_configuration_is_looked_for_in_the_promised_order(radar, simulator):
    """Each place has a watch of its own name, so that the answer tells which file was read."""
    here = (radar.folder / "radar.toml").read_text()
    (radar.folder / "radar.toml").unlink()

    def put(path: str, name: str) -> str:
        target = radar.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(here.replace('"jobs"', f'"{name}"'))
        return str(target)

    def read(*arguments: str) -> str:
        return radar(*arguments, "status", "--json").json["queries"][0]["watch"]

    put(f"{radar.env['HOME']}/.config/inforadar/radar.toml", "at-home")
    assert read() == "at-home"
    put("xdg/inforadar/radar.toml", "in-xdg")
    radar.env["XDG_CONFIG_HOME"] = str(radar.folder / "xdg")
    assert read() == "in-xdg"
    put("radar.toml", "here")
    assert read() == "here"
    radar.env["RADAR_CONFIG"] = put("other.toml", "by-variable")
    assert read() == "by-variable"
    assert read("--config", put("third.toml", "by-flag")) == "by-flag"


def test_a_broken_configuration_names_every_mistake_with_its_line(newcomer):
    (newcomer.folder / "radar.toml").write_text('[store]\nurl = 5\n[[watch]]\nname = "a"\nkind = "jobb"\n')
    ran = newcomer("fetch")
    assert (ran.code, ran.out) == (2, "")
    assert "line 2" in ran.err
    assert "line 5" in ran.err
    assert "Traceback" not in ran.err


def test_init_writes_a_file_for_its_owner_alone_that_loads_as_it_is(newcomer):
    assert newcomer("init").code == 0
    assert stat.S_IMODE((newcomer.folder / "radar.toml").stat().st_mode) == 0o600
    status = newcomer("status", "--json")
    assert (status.code, status.json["queries"][0]["status"]) == (0, "IDLE")


def test_init_never_overwrites(newcomer):
    (newcomer.folder / "radar.toml").write_text("mine")
    ran = newcomer("init")
    assert ran.code == 2
    assert "there already" in ran.err
    assert (newcomer.folder / "radar.toml").read_text() == "mine"
    assert newcomer("init", "other.toml").code == 0


def test_init_does_not_follow_a_link_to_nowhere(newcomer):
    (newcomer.folder / "radar.toml").symlink_to(newcomer.folder / "elsewhere.toml")
    assert newcomer("init").code == 2
    assert not (newcomer.folder / "elsewhere.toml").exists()


def test_init_says_where_it_cannot_write(newcomer):
    ran = newcomer("init", "no/such/folder/radar.toml")
    assert ran.code == 2
    assert "cannot be written" in ran.err


def test_a_new_database_is_upgraded_once(radar):
    first, second = radar("db", "upgrade"), radar("db", "upgrade")
    assert (first.code, second.code) == (0, 0)
    assert known_migrations()[0].name in first.err
    assert "is up to date" in second.err


def test_a_backup_holds_everything_and_is_never_written_over_a_file(radar):
    radar("fetch", "--source", "hh")
    assert radar("db", "backup", "copy.db").code == 0
    with apsw.Connection(str(radar.folder / "copy.db")) as copy:
        assert copy.execute("SELECT count(*) FROM items").fetchone() == (30,)
    again = radar("db", "backup", "copy.db")
    assert again.code == 1
    assert "left alone" in again.err


def test_a_sound_database_is_called_sound(radar):
    radar("fetch")
    assert "sound" in (ran := radar("db", "check")).err
    assert (ran.code, ran.out) == (0, "")
    assert radar("db", "check", "--json").json == []


def test_a_broken_promise_in_the_database_is_found_and_told(radar):
    radar("fetch", "--source", "hh")
    with apsw.Connection(str(radar.folder / "radar.db")) as database:
        database.execute("DELETE FROM jobs WHERE id = 1")
    ran = radar("db", "check")
    assert ran.code == 1
    assert "is queued but has no job" in ran.out
    assert "1 problem found" in ran.err
    (finding,) = json.loads(radar("db", "check", "--json").out)
    assert set(finding) == {"check", "problem"}


def test_a_database_that_is_none_is_told_in_one_sentence(radar):
    (radar.folder / "radar.db").write_text("this is a letter to my aunt, not a database " * 100)
    ran = radar("status")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith("radar: ")
    assert "Traceback" not in ran.err


@pytest.mark.parametrize("url", ["postgresql://radar:hunter2222@127.0.0.1:1/radar"])
def test_a_password_never_shows_in_a_complaint(radar, url):
    path = radar.folder / "radar.toml"
    path.write_text(f'[store]\nurl = "{url}"\n' + path.read_text())
    ran = radar("status")
    assert (ran.code, ran.out) == (1, "")
    assert "hunter2222" not in ran.err
