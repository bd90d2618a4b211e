"""`radar demo` in a real terminal: the program over a simulation at work, its page, its chat, triage."""

import os
import re
import signal
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from urllib.request import urlopen

import apsw
import pytest

from interfaces.command_line import RADAR
from interfaces.real_terminal import RealTerminal, real_terminal


@pytest.fixture
def demo(tmp_path: Path):
    env = {"HOME": str(tmp_path), "TMPDIR": str(tmp_path)}
    with real_terminal([*RADAR, "demo"], tmp_path, env) as terminal:
        yield terminal


ADDED = "added-later"
WATCH = f"""
[[watch]]
name = "{ADDED}"
kind = "article"
  [[watch.query]]
  source = "habr"
  params = {{ hub = "go" }}
"""
GENEROUS_S = 240.0
ADDRESS = r"http://127\.0\.0\.1:\d+(?=\D)"


def decided(folder: Path) -> int:
    """How many matches of the demo its user has applied to, as its store has it."""
    (path,) = folder.glob("radar-demo-*/radar.db")
    store = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    store.set_busy_timeout(10_000)
    with closing(store):
        ((count,),) = store.execute("SELECT COUNT(*) FROM matches WHERE status = 'APPLIED'")
    return int(count)


def read(address: str) -> str:
    """A page, empty while the server begins anew."""
    try:
        with urlopen(address, timeout=60) as page:
            return page.read().decode()
    except OSError:
        return ""


def add_watch(folder: Path) -> None:
    """Do what the page does when somebody adds a watch there."""
    (path,) = folder.glob("radar-demo-*/radar.toml")
    path.write_text(path.read_text() + WATCH)


def listed(terminal: RealTerminal) -> int:
    """How many matches the list has, as its first line tells."""
    told = re.search(r" of (\d+)", terminal.lines[0])
    return int(told[1]) if told else 0


def row_with(terminal: RealTerminal, *words: str) -> str | None:
    return next((line for line in terminal.lines if all(word in line for word in words)), None)


def test_the_demo_opens_the_program_with_items_verdicts_a_broken_source_a_page_and_a_chat(
    demo: RealTerminal, tmp_path: Path
):
    demo.until("Info Radar", GENEROUS_S)
    demo.until("linkedin: refused", GENEROUS_S)
    demo.until(lambda: row_with(demo, "sent", "0."), GENEROUS_S)
    demo.until(lambda: row_with(demo, "fits", "feed") and row_with(demo, "fits", "ebay"), GENEROUS_S)
    demo.until("broken on purpose")
    demo.until(lambda: re.search(ADDRESS, demo.text))
    address = re.search(ADDRESS, demo.text)
    assert address
    assert "Info Radar" in read(f"{address[0]}/")

    add_watch(tmp_path)
    demo.until(lambda: f"{ADDED} · habr" in read(f"{address[0]}/queries"), GENEROUS_S)

    demo.until("new: r shows them", GENEROUS_S)
    before = listed(demo)
    demo.press("r")
    demo.until(lambda: listed(demo) > before)
    demo.press("a")
    demo.until("applied. z undoes it.")
    demo.press("z")
    demo.until("Taken back: applied")

    demo.press("c")
    demo.until("The simulated Telegram")
    demo.until("[1 Applied]")
    demo.until(lambda: "Press a button" in demo.lines[-1] and "Quit" in demo.lines[-1])
    demo.press("1")
    demo.until(lambda: decided(tmp_path), GENEROUS_S)
    demo.until("✓ Applied", GENEROUS_S)
    demo.until("[1 Undo]", GENEROUS_S)
    demo.press("\x1b")
    demo.until(lambda: "The simulated Telegram" not in demo.text)
    demo.until("Applied")

    demo.press("q")
    assert demo.ended() == 0
    assert "Now your own:" in demo.text
    assert not list(tmp_path.glob("radar-demo-*"))


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGTERM], ids=["closed terminal", "asked to end"])
def test_a_demo_whose_terminal_is_closed_leaves_nothing_behind(demo: RealTerminal, tmp_path: Path, number: int):
    demo.until("linkedin: refused", GENEROUS_S)
    assert list(tmp_path.glob("radar-demo-*"))
    demo.process.send_signal(number)
    assert demo.ended() == 128 + number
    assert not list(tmp_path.glob("radar-demo-*"))


HEARD = """
import signal, sys
from inforadar.interfaces.cli import demo
def hear(number, _handler):
    print("{module}" in sys.modules)
    raise SystemExit
demo.is_at_a_terminal, signal.signal = lambda: True, hear
demo.command({options}, standalone_mode=False)
"""


@pytest.mark.parametrize(
    ("options", "module"),
    [(["--report"], "inforadar.interfaces.cli.demo_report"), ([], "inforadar.interfaces.web.application")],
    ids=["report", "program"],
)
def test_signals_are_heard_only_when_everything_is_imported(tmp_path: Path, options: list[str], module: str):
    code = HEARD.format(options=options, module=module)
    ran = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=os.environ, capture_output=True, text=True, check=False
    )
    assert ran.stdout == "True\n", ran.stderr


HOURS = {"min": 0, "h": 1, "d": 24}


def ages(terminal: RealTerminal) -> dict[str, int]:
    """The id of the match under the cursor, and how old it is in whole hours, as its details tell."""
    told = re.search(r" · (\d+) (min|h|d) ago · .* · id (\d+)", terminal.text)
    return {told[3]: int(told[1]) * HOURS[told[2]]} if told else {}


def test_time_moves_an_hour_in_a_few_seconds(demo: RealTerminal):
    demo.until("linkedin: refused", GENEROUS_S)
    demo.until(lambda: ages(demo), GENEROUS_S)
    ((match_id, first),) = ages(demo).items()
    demo.until(lambda: ages(demo).get(match_id, 0) >= first + 2, GENEROUS_S)
    demo.press("q")
    assert demo.ended() == 0
