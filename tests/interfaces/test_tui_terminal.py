"""The program in a real terminal: `radar` without arguments opens it, at 80x24, in the terminal's own colours."""

import os
import pty
import re
import select
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from inforadar.simulator.faults import Fault
from interfaces.command_line import CommandLine, Ran

ANSWERS_WITHIN_S = 60.0
TRUE_COLOUR = re.compile(r"\x1b\[[0-9;]*[34]8;2;")


class Terminal:
    """The user's side of a terminal: what was written to it, and keys."""

    def __init__(self, ours: int) -> None:
        self._ours = ours
        self.seen = ""

    def press(self, keys: str) -> None:
        os.write(self._ours, keys.encode())

    def until(self, text: str) -> None:
        """Read until a text was written, whatever colours lie in between."""
        end = time.monotonic() + ANSWERS_WITHIN_S
        while text not in re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", self.seen):
            assert time.monotonic() < end, f"{text!r} did not come: {self.seen[-2000:]!r}"
            self._read()

    def ended(self, running: "subprocess.Popen[bytes]") -> int:
        """Read on until a program has ended, as a terminal does: else it might wait for its last words to be read."""
        end = time.monotonic() + ANSWERS_WITHIN_S
        while running.poll() is None:
            assert time.monotonic() < end, f"it did not end: {self.seen[-2000:]!r}"
            self._read()
        return running.returncode

    def _read(self) -> None:
        if not select.select([self._ours], [], [], 0.2)[0]:
            return
        try:
            self.seen += os.read(self._ours, 65536).decode(errors="replace")
        except OSError:  # the program has gone
            time.sleep(0.05)


@contextmanager
def terminal(
    radar: CommandLine, *arguments: str, term: str = "xterm-256color"
) -> Iterator[tuple[Terminal, "subprocess.Popen[bytes]"]]:
    ours, theirs = pty.openpty()
    radar.env |= {"TERM": term, "LINES": "24", "COLUMNS": "80", "LANG": "C.UTF-8"}
    running = radar.start(*arguments, stdin=theirs, stdout=theirs, stderr=theirs)
    os.close(theirs)
    try:
        yield Terminal(ours), running
    finally:
        running.kill()
        running.wait()
        os.close(ours)


def test_radar_without_arguments_opens_the_program_in_a_terminal_and_q_quits_it(radar: CommandLine):
    radar("fetch")
    with terminal(radar) as (seen, running):
        seen.until("Info Radar")
        seen.until("Applied")
        seen.press("q")
        assert seen.ended(running) == 0
    assert not TRUE_COLOUR.search(seen.seen)


def test_what_is_typed_in_one_go_reaches_the_command_line_and_decides_on_nothing(radar: CommandLine):
    radar("fetch")
    with terminal(radar) as (seen, running):
        seen.until("Applied")
        seen.press(":sources\r")
        seen.until("LAST SUCCESS")
        seen.press(":jobs\r")
        seen.until("Try again")
        seen.press(":q\r")
        assert seen.ended(running) == 0
    told = radar("undo", "--list", "--json")
    assert told.json == [], told


def test_warnings_of_the_engine_do_not_spoil_the_screen(radar: CommandLine, simulator):
    simulator.switch(Fault(kind="authwall", source="linkedin"))
    with terminal(radar) as (seen, running):
        seen.until("Nothing found yet")
        seen.press("f")
        seen.until("over")
        seen.press("\x1b")
        seen.until("! linkedin: ")
        seen.press("q")
        assert seen.ended(running) == 0
    assert "[warning" not in seen.seen


@pytest.mark.parametrize("term", ["dumb"])
def test_where_no_screen_can_be_drawn_the_state_is_told(radar: CommandLine, term: str):
    with terminal(radar, term=term) as (seen, running):
        seen.until("Next: radar fetch")
        assert seen.ended(running) == 0


def test_without_a_terminal_the_state_is_told(radar: CommandLine):
    told: Ran = radar()
    assert told.code == 0
    assert "radar fetch" in told.err + told.out
