"""A changed radar.toml is read while the process goes on: what was found good is used, and nothing ends for it."""

import json
import os
import socket
from dataclasses import replace

import pytest

from inforadar.interfaces.cli.reloading import AWAY, GONE, KEPT, READ_ANEW, run_until_told
from inforadar.interfaces.cli.session import Session

SEARCH = '[[watch]]\nname = "{name}"\nkind = "article"\n  [[watch.query]]\n  source = "habr"\n'


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "store").mkdir()
    return tmp_path


@pytest.fixture
def write(folder):
    """Writes a configuration with one watch of a name."""

    def write(name, more=""):
        url = f'[store]\nurl = "sqlite:///{folder}/store/radar.db"\n'
        (folder / "radar.toml").write_text(f"{url}[cache]\nenabled = false\n{SEARCH.format(name=name)}{more}")

    write("a")
    os.chmod(folder / "radar.toml", 0o600)
    return write


def own_page(config):
    """What `radar run` serves."""
    return config.web if config.web.enabled else None


def rounds(folder, *todo, rest=lambda _s: None, page=own_page, **options):
    """Run rounds, each of which does something with the app and its watch over the file; the watch each had."""
    seen, todo = [], list(todo)

    def run(app, configuration):
        seen.append(app.config.watches[0].name)
        todo.pop(0)(configuration)

    run_until_told(Session(config_path=str(folder / "radar.toml"), **options), "Stopping.", run, page=page, rest=rest)
    return seen


def look_twice(configuration):
    """A change counts when it was seen twice."""
    configuration.once()
    configuration.once()


def nothing(_configuration):
    """Nothing is changed, so that the run ends."""


def test_a_file_broken_while_the_last_change_takes_hold_is_told_and_ends_nothing(folder, write, capsys):
    def change_then_break(configuration):
        write("b")
        look_twice(configuration)
        write("c", more="[[watch]\n")

    assert rounds(folder, change_then_break, look_twice) == ["a", "b"]
    assert capsys.readouterr().err.count(KEPT) == 1


def test_a_file_changed_again_while_the_last_change_takes_hold_is_read_too(folder, write):
    def change_twice(configuration):
        write("b")
        look_twice(configuration)
        write("c")

    assert rounds(folder, change_twice, look_twice, nothing) == ["a", "b", "c"]


def test_a_store_that_is_away_while_a_change_takes_hold_is_waited_for(folder, write, capsys):
    def change_while_away(configuration):
        write("b")
        look_twice(configuration)
        (folder / "store").rename(folder / "away")

    rests = []

    def come_back(seconds):
        rests.append(seconds)
        if len(rests) == 3:
            (folder / "away").rename(folder / "store")

    assert rounds(folder, change_while_away, nothing, rest=come_back) == ["a", "b"]
    assert len(rests) == 3
    assert capsys.readouterr().err.count(AWAY) == 1


def test_a_file_that_is_mended_while_its_store_is_waited_for_is_read(folder, write):
    def change_while_away(configuration):
        write("b")
        look_twice(configuration)
        (folder / "store").rename(folder / "away")

    def mend(_seconds):
        text = (folder / "radar.toml").read_text()
        (folder / "radar.toml").write_text(text.replace("/store/radar.db", "/away/radar.db").replace('"b"', '"c"'))

    assert rounds(folder, change_while_away, nothing, rest=mend) == ["a", "c"]


def test_a_port_that_somebody_else_listens_on_is_told_and_the_old_one_goes_on(folder, write, capsys):
    with socket.create_server(("127.0.0.1", 0)) as taken:

        def change(configuration):
            write("b", more=f"[web]\nport = {taken.getsockname()[1]}\n")
            look_twice(configuration)

        assert rounds(folder, change) == ["a"]
    told = capsys.readouterr().err
    assert KEPT in told
    assert "Nothing can listen on" in told


def test_a_process_without_a_page_takes_a_port_that_another_one_has_moved_to(folder, write):
    with socket.create_server(("127.0.0.1", 0)) as taken:

        def change(configuration):
            write("b", more=f"[web]\nport = {taken.getsockname()[1]}\n")
            look_twice(configuration)

        assert rounds(folder, change, nothing, page=lambda _config: None) == ["a", "b"]


def test_the_page_goes_on_to_another_host_on_the_port_that_it_holds_itself(folder, write):
    with socket.create_server(("127.0.0.1", 0)) as own:
        at_port = f"[web]\nport = {own.getsockname()[1]}\n"
        write("a", more=f'{at_port}host = "127.0.0.1"\n')

        def change(configuration):
            write("b", more=f'{at_port}host = "0.0.0.0"\ntoken = "{"t" * 40}"\n')
            look_twice(configuration)

        assert rounds(folder, change, nothing) == ["a", "b"]


def test_a_host_that_is_not_this_machines_is_told_though_the_port_stays(folder, write, capsys):
    def change(configuration):
        write("b", more=f'[web]\nhost = "192.0.2.1"\ntoken = "{"t" * 40}"\n')
        look_twice(configuration)

    assert rounds(folder, change) == ["a"]
    assert "Nothing can listen on" in capsys.readouterr().err


def test_a_token_that_the_host_on_the_command_line_needs_cannot_be_taken_away(folder, write, capsys):
    token = f'[web]\ntoken = "{"t" * 40}"\n'
    write("a", more=token)

    def change(configuration):
        write("b")
        look_twice(configuration)

    assert rounds(folder, change, page=lambda config: replace(config.web, host="0.0.0.0")) == ["a"]
    assert "no token is set" in capsys.readouterr().err


def test_a_file_that_nobody_could_serve_is_not_begun_with_when_its_store_comes_back(folder, write):
    def change_while_away(configuration):
        write("b")
        look_twice(configuration)
        (folder / "store").rename(folder / "away")

    def come_back_with_no_token(_seconds):
        write("c", more='[web]\nhost = "0.0.0.0"\n')
        (folder / "away").rename(folder / "store")

    assert rounds(folder, change_while_away, nothing, rest=come_back_with_no_token) == ["a", "b"]


def test_a_file_that_goes_back_to_the_port_held_meanwhile_is_read_while_a_store_is_waited_for(folder, write):
    with socket.create_server(("127.0.0.1", 0)) as doorstep:
        own = f"[web]\nport = {doorstep.getsockname()[1]}\n"
        write("a", more=own)

        def change_while_away(configuration):
            write("b", more="[web]\nenabled = false\n")
            look_twice(configuration)
            (folder / "store").rename(folder / "away")

        def go_back(_seconds):
            write("c", more=own)
            (folder / "away").rename(folder / "store")

        assert rounds(folder, change_while_away, nothing, rest=go_back) == ["a", "c"]


def test_a_file_that_is_deleted_ends_nothing_and_is_told_as_gone(folder, write, capsys):
    def delete(configuration):
        (folder / "radar.toml").unlink()
        look_twice(configuration)
        look_twice(configuration)

    assert rounds(folder, delete) == ["a"]
    told = capsys.readouterr().err
    assert told.count(GONE.format(path=folder / "radar.toml")) == 1
    assert "Three ways to begin" not in told


def test_a_file_that_comes_back_is_read(folder, write):
    def delete_and_write(configuration):
        (folder / "radar.toml").unlink()
        look_twice(configuration)
        write("b")
        look_twice(configuration)

    assert rounds(folder, delete_and_write, nothing) == ["a", "b"]


LOG_FILE = '[log]\nfile = "radar.log"\nlevel = "{level}"\n'


def break_then_mend(write, more):
    """A mistake that comes and goes, as a round does it."""

    def change(configuration):
        write("b", more=f"{more}[[watch]\n")
        look_twice(configuration)
        write("c", more=more)
        look_twice(configuration)

    return change


def test_a_mistake_and_its_end_are_lines_of_a_log_in_json_and_of_its_file(folder, write, capsys):
    more = LOG_FILE.format(level="INFO")
    write("a", more)
    assert rounds(folder, break_then_mend(write, more), nothing, is_log_json=True) == ["a", "c"]
    for told in (capsys.readouterr().err, (folder / "radar.log").read_text()):
        kept, anew = (json.loads(line) for line in told.splitlines())
        assert (kept["level"], anew["level"]) == ("warning", "info")
        assert kept["event"].startswith(f"{KEPT} ")
        assert "line " in kept["event"]
        assert anew["event"] == READ_ANEW


@pytest.mark.parametrize("odd", ["\x9b", "\x9d", "\x1b]0;", "\ud800", "\u202e"])
def test_a_sentence_with_an_escape_sequence_is_still_a_line_of_json(odd, capsys):
    Session(config_path=None, is_log_json=True).say(f"The watch 'a{odd}'")
    assert json.loads(capsys.readouterr().err)["event"].startswith("The watch 'a")


def test_a_person_at_a_terminal_is_told_of_a_mistake_once_and_in_lines(folder, write, capsys, monkeypatch):
    more = LOG_FILE.format(level="WARNING")
    write("a", more)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setenv("NO_COLOR", "1")
    assert rounds(folder, break_then_mend(write, more), nothing) == ["a", "c"]
    told = capsys.readouterr().err
    assert told.startswith(f"radar: {KEPT}\n")
    assert (told.count(KEPT), told.count(READ_ANEW)) == (1, 1)
    logged = (folder / "radar.log").read_text()
    assert (logged.count(KEPT), logged.count(READ_ANEW)) == (1, 0)
    assert "is_said" not in logged
