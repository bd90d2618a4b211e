"""`radar watch`: watches are listed, edited, paused and removed, and the file around them stays."""

import sys
import tomllib

import pytest

from inforadar.bootstrap import open_app, read_config
from interfaces.typing_user import typed


def watches(radar):
    return tomllib.loads((radar.folder / "radar.toml").read_text(encoding="utf-8"))["watch"]


def editor(radar, code: str) -> None:
    """Let the user's editor be a program that changes the file."""
    script = radar.folder.parent / "editor.py"
    script.write_text(f"import sys, pathlib\nfile = pathlib.Path(sys.argv[-1])\ntext = file.read_text()\n{code}\n")
    radar.env["EDITOR"] = f"{sys.executable} {script}"


def test_the_list_tells_what_each_watch_asks_and_found(radar):
    radar("fetch", "jobs", "--limit", "3")
    told = {one["name"]: one for one in radar("watch", "list", "--json").json}
    assert set(told) == {"jobs", "articles"}
    assert told["jobs"]["matches"] == 6
    assert [one["source"] for one in told["jobs"]["queries"]] == ["hh", "linkedin"]
    assert not told["jobs"]["paused"]
    assert "habr (2 queries)" in radar("watch", "list").out


def test_a_paused_watch_is_asked_by_nobody_and_goes_on_when_it_is_resumed(radar, simulator):
    assert radar("watch", "pause", "jobs").code == 0
    assert watches(radar)[0]["paused"] is True
    radar("fetch")
    assert {line.source for line in simulator.log} == {"habr"}
    ran = radar("fetch", "jobs")
    assert ran.code == 2
    assert "radar watch resume jobs" in ran.err
    assert "paused" in radar("status").out
    assert radar("watch", "resume", "jobs").code == 0
    assert radar("fetch", "jobs", "--limit", "1").code == 0
    assert {line.source for line in simulator.log} == {"habr", "hh", "linkedin"}


def test_a_sweep_that_was_put_before_the_pause_asks_nobody(radar, simulator):
    with open_app(read_config(str(radar.folder / "radar.toml"))) as app:
        assert app.scheduler().once() > 0
    radar("watch", "pause", "jobs")
    radar("watch", "pause", "articles")
    assert radar("work", "--until-idle").code == 0
    assert "sweep" in radar("jobs").out
    assert simulator.log == []


def test_pausing_twice_changes_nothing(radar):
    radar("watch", "pause", "jobs")
    before = (radar.folder / "radar.toml").read_text()
    assert "already" in radar("watch", "pause", "jobs").err
    assert (radar.folder / "radar.toml").read_text() == before


def test_a_removed_watch_leaves_what_it_found(radar):
    radar("fetch", "jobs", "--limit", "2")
    ran = radar("watch", "remove", "jobs", "--yes")
    assert ran.code == 0
    assert [one["name"] for one in watches(radar)] == ["articles"]
    assert len(radar("items", "--watch", "jobs", "--json").json) == 4
    last = radar("watch", "remove", "articles", "--yes")
    assert last.code == 2
    assert "only watch" in last.err


def test_removing_asks_at_a_terminal_and_never_elsewhere(radar):
    ran = radar("watch", "remove", "jobs")
    assert ran.code == 2
    assert "--yes" in ran.err
    code, screen = typed(radar, ["watch", "remove", "jobs"], [("[y/N]", "")])
    assert code == 0, screen
    assert len(watches(radar)) == 2
    code, screen = typed(radar, ["watch", "remove", "jobs"], [("[y/N]", "y")])
    assert code == 0, screen
    assert len(watches(radar)) == 1


def test_what_the_editor_wrote_is_checked(radar):
    editor(radar, "file.write_text(text.replace('name = \"jobs\"', 'name = \"work\"'))")
    assert radar("watch", "edit", "jobs").code == 0
    assert watches(radar)[0]["name"] == "work"
    editor(radar, "file.write_text(text.replace('kind = \"vacancy\"', 'kind = \"vacnacy\"'))")
    ran = radar("watch", "edit", "work")
    assert ran.code == 2
    assert "vacnacy" in ran.err


def test_at_a_terminal_a_broken_file_can_be_opened_again(radar):
    editor(radar, "file.write_text(text + '[' if text[-1] != '[' else text[:-1])")
    code, screen = typed(radar, ["watch", "edit", "jobs"], [("Open it again?", "y")])
    assert code == 0, screen


def test_a_file_that_cannot_be_written_is_told_with_what_to_change_by_hand(radar, monkeypatch):
    def refuse(**_):
        raise PermissionError(13, "Permission denied")

    before = (radar.folder / "radar.toml").read_text()
    line = before.splitlines().index('name = "jobs"') + 1
    with monkeypatch.context() as patch:
        patch.setattr("inforadar.config.editing.tempfile.mkstemp", refuse)
        ran = radar("watch", "pause", "jobs")
        removed = radar("watch", "remove", "articles", "--yes")
    assert ran.code == 2
    assert f"below line {line}:\n  paused = true" in ran.err
    assert "take out lines" in removed.err
    assert (radar.folder / "radar.toml").read_text() == before


def test_an_editor_that_is_not_there_is_named(radar):
    radar.env["EDITOR"] = "no-such-editor"
    ran = radar("watch", "edit", "jobs")
    assert ran.code == 2
    assert "no-such-editor" in ran.err


@pytest.mark.parametrize("act", ["edit", "pause", "resume", "remove"])
def test_an_unknown_watch_is_named_with_the_one_that_was_meant(radar, act):
    ran = radar("watch", act, "jbos")
    assert ran.code == 2
    assert "Did you mean 'jobs'?" in ran.err


def test_without_a_configuration_the_ways_to_begin_are_told(newcomer):
    ran = newcomer("watch", "pause", "jobs")
    assert ran.code == 2
    assert "radar init" in ran.err
