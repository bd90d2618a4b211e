"""`radar paths`, `radar log` and `radar completion`: where things are, what happened, what the shell completes."""

import os
import signal
import threading

import pytest

from inforadar.interfaces.cli.log import lines_of
from inforadar.observe.log_file import LogFile
from interfaces.command_line import RADAR, environment, process


def test_the_places_are_told_before_and_after_they_are_there(radar):
    told = {one["what"]: one for one in radar("paths", "--json").json}
    assert told["config"] == {"what": "config", "where": str(radar.folder / "radar.toml"), "state": "there"}
    assert told["database"]["state"] == "not yet"
    radar("fetch", "--limit", "1")
    told = {one["what"]: one for one in radar("paths", "--json").json}
    assert told["database"] == {"what": "database", "where": str(radar.folder / "radar.db"), "state": "there"}
    assert told["log"]["state"] == "not set"


def test_without_a_configuration_the_place_it_would_have_is_told(newcomer):
    ran = newcomer("paths")
    assert ran.code == 0
    assert str(newcomer.folder / "radar.toml") in ran.out


def test_a_password_of_a_server_is_not_shown(radar):
    path = radar.folder / "radar.toml"
    path.write_text('[store]\nurl = "postgresql://me:canary-pass@host/db"\n' + path.read_text())
    ran = radar("paths")
    assert "canary" not in ran.out
    assert "postgresql://me:***@host/db" in ran.out


def test_a_log_is_kept_and_shown_once_a_file_is_named(radar):
    ran = radar("log")
    assert ran.code == 2
    assert 'file = "radar.log"' in ran.err
    path = radar.folder / "radar.toml"
    path.write_text('[log]\nfile = "radar.log"\n' + path.read_text())
    assert radar("log").code == 1
    radar("fetch", "--limit", "1")
    assert "sweep ended" in radar("log").out
    assert len(radar("log", "--lines", "1").out.splitlines()) == 1


def test_following_ends_well_with_an_interrupt(radar):
    path = radar.folder / "radar.toml"
    path.write_text('[log]\nfile = "radar.log"\n' + path.read_text())
    radar("fetch", "--limit", "1")
    following = radar.start("log", "-f", "--lines", "1")
    assert following.stdout.readline()
    following.send_signal(signal.SIGINT)
    _, err = following.communicate(timeout=60)
    assert (following.returncode, err) == (0, b"")


def test_a_followed_log_goes_on_in_the_file_that_comes_after(tmp_path):
    path = tmp_path / "radar.log"
    log = LogFile(path, max_bytes=40, keep=3)
    log.write("before one\nbefore two\n")
    steps = [
        lambda: log.write("while it is followed, and a long line\n"),
        lambda: log.write("in the next file\n"),
        lambda: path.write_text(path.read_text() + "half a line"),
        lambda: path.write_text(path.read_text() + " made whole\n"),
    ]

    def wait(_seconds):
        if not steps:
            return True
        steps.pop(0)()
        return False

    told = list(lines_of(path, 1, follows=True, wait=wait))
    assert told == [
        "before two",
        "while it is followed, and a long line",
        "in the next file",
        "half a line made whole",
    ]


def test_a_log_that_is_not_there_yet_can_be_followed(tmp_path):
    path, begun = tmp_path / "radar.log", threading.Event()

    def wait(_seconds):
        if begun.is_set():
            return True
        path.write_text("at last\n")
        begun.set()
        return False

    assert list(lines_of(path, 5, follows=True, wait=wait)) == ["at last"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_of_each_shell_is_printed(newcomer, shell):
    ran = newcomer("completion", shell)
    assert ran.code == 0
    assert "_RADAR_COMPLETE" in ran.out


def test_an_unknown_shell_is_refused(newcomer):
    assert newcomer("completion", "powershell").code == 2


def test_bash_completes_a_command_and_an_option(newcomer, tmp_path):
    script = tmp_path / "radar.bash"
    script.write_text(newcomer("completion", "bash").out)
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "radar").write_text(f'#!/bin/sh\nexec {RADAR[0]} -m inforadar "$@"\n')
    (folder / "radar").chmod(0o755)
    ask = (
        f"source {script}; COMP_WORDS=(radar ban test --); COMP_CWORD=3; _radar_completion radar; "
        "printf '%s\\n' ${COMPREPLY[@]}; COMP_WORDS=(radar doc); COMP_CWORD=1; _radar_completion radar; "
        "printf '%s\\n' ${COMPREPLY[@]}"
    )
    ran = process(["bash", "-c", ask], env=environment(PATH=f"{folder}:{os.environ['PATH']}"))
    assert {"--show", "--watch", "doctor"} <= set(ran.out.split()), ran
