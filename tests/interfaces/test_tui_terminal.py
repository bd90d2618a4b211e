"""The program in a real terminal: `radar` without arguments opens it, at 80x24, in the terminal's own colours."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from inforadar.simulator.faults import Fault
from interfaces.command_line import RADAR, CommandLine, Ran
from interfaces.real_terminal import RealTerminal, real_terminal

TRUE_COLOUR = re.compile(rb"\x1b\[[0-9;]*[34]8;2;")


@contextmanager
def opened(radar: CommandLine, term: str = "xterm-256color") -> Iterator[RealTerminal]:
    """`radar` alone in a terminal."""
    with real_terminal(RADAR, radar.folder, {**radar.env, "TERM": term}) as terminal:
        yield terminal


def test_radar_without_arguments_opens_the_program_in_a_terminal_and_q_quits_it(radar: CommandLine):
    radar("fetch")
    with opened(radar) as terminal:
        terminal.until("Info Radar")
        terminal.until("Applied")
        terminal.press("q")
        assert terminal.ended() == 0
    assert not TRUE_COLOUR.search(terminal.written)


def test_what_is_typed_in_one_go_reaches_the_command_line_and_decides_on_nothing(radar: CommandLine):
    radar("fetch")
    with opened(radar) as terminal:
        terminal.until("Applied")
        terminal.press(":sources\r")
        terminal.until("LAST SUCCESS")
        terminal.press(":jobs\r")
        terminal.until("Try again")
        terminal.press(":q\r")
        assert terminal.ended() == 0
    told = radar("undo", "--list", "--json")
    assert told.json == [], told


def test_warnings_of_the_engine_do_not_spoil_the_screen(radar: CommandLine, simulator):
    simulator.switch(Fault(kind="authwall", source="linkedin"))
    with opened(radar) as terminal:
        terminal.until("Nothing found yet")
        terminal.press("f")
        terminal.until(lambda: ", over" in terminal.lines[1])
        terminal.press("\x1b")
        terminal.until("! linkedin: ")
        terminal.press("q")
        assert terminal.ended() == 0
    assert b"[warning" not in terminal.written


@pytest.mark.parametrize("term", ["dumb"])
def test_where_no_screen_can_be_drawn_the_state_is_told(radar: CommandLine, term: str):
    with opened(radar, term) as terminal:
        terminal.until("Next: radar fetch")
        assert terminal.ended() == 0


def test_without_a_terminal_the_state_is_told(radar: CommandLine):
    told: Ran = radar()
    assert told.code == 0
    assert "radar fetch" in told.err + told.out
