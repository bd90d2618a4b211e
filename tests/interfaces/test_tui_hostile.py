"""Titles that attack a terminal, in the real program on a real terminal: every cell stands where it belongs (X28)."""

import unicodedata
from functools import partial
from pathlib import Path

import pytest

from inforadar.simulator.scenarios import still_world
from inforadar.simulator.server import Simulator
from interfaces.command_line import RADAR
from interfaces.real_terminal import RealTerminal, real_terminal
from interfaces.stored_matches import fill
from interfaces.tui_rig import NOON, engine

SHOWN = {
    "\x1b[31mred\x1b[0m text": "red text",
    "\x1b]0;owned\x07 title": " title",
    "\x1b[2J\x1b[H cleared": " cleared",
    "\x1b[10;10Hmoved": "moved",
    "\x1bc reset": " reset",
    "\x1b[?1049l left": " left",
    "\x9b31m C1": " C1",
    "\x07\x08\x0b\x0c\x7f bell": "   bell",
    "back\x08\x08\x08\x08space": "backspace",
    "two\r\nlines\tand tab": "two  lines and tab",
    "\u202egnp.exe": "gnp.exe",
    "\u2066iso\u2069lated": "isolated",
    "\u200bzero\u200dwidth\ufeff": "zerowidth",
    "\u2028line\u2029paragraph": " line paragraph",
    "漢字とカナ": "漢字とカナ",
    "한국어 제목": "한국어 제목",
    "ｆｕｌｌ ｗｉｄｔｈ": "ｆｕｌｌ ｗｉｄｔｈ",
    "🦆 duck": "🦆 duck",
    "e\u0301\u0301 marks": "e\u0301\u0301 marks",
    "[bold]markup[/bold]": "[bold]markup[/bold]",
    "שלום עולם": "שלום עולם",
    "漢" * 60: "漢" * 6,
    "x" * 300: "x" * 12,
    "\x1bP1$r0m\x1b\\ device": " device",
    "\x1b[6n asks": " asks",
    "<b>html</b>": "<b>html</b>",
}
SIZE = (80, 40)


@pytest.fixture
def program(tmp_path: Path):
    """The program over a store of hostile titles, and an internet with hostile ones to come."""
    world = still_world(1, NOON)
    for number, title in enumerate(SHOWN):
        world.add("linkedin", id=str(900_000 + number), title=title, published_at=NOON)
    with Simulator(world) as internet, engine(tmp_path, internet) as app:
        fill(app, len(SHOWN))
        with app.database.transaction() as tx:
            for number, title in enumerate(SHOWN, 1):
                tx._connection.run("UPDATE items SET title = :title WHERE id = :id", {"title": title, "id": number})
        env = {"HOME": str(tmp_path), "RADAR_NOW": NOON.isoformat()}
        with real_terminal(RADAR, tmp_path, env, SIZE) as terminal:
            yield terminal


def composed(text: str) -> str:
    """The text as a terminal keeps it: marks joined with the letter before."""
    return unicodedata.normalize("NFC", text)


def is_told(terminal: RealTerminal, begin: str) -> bool:
    """Whether a line of the details begins so."""
    return any(composed(line.strip()).startswith(begin) for line in terminal.lines[25:])


def column_of(terminal: RealTerminal, name: str) -> int:
    names = next(line for line in terminal.lines if "STATUS" in line)
    return names.index(name)


def rows(terminal: RealTerminal) -> list[int]:
    return [y for y in range(SIZE[1]) if terminal.cells(y, 2, 6) == "queued"]


def astray(terminal: RealTerminal) -> list[str]:
    """The rows in which something does not stand where it belongs."""
    title, source = column_of(terminal, "TITLE"), column_of(terminal, "SOURCE")
    return [
        terminal.lines[y]
        for y in rows(terminal)
        if terminal.cells(y, source, 3) != "hh " or terminal.cells(y, title - 1, 1) != " "
    ]


def misspelt(terminal: RealTerminal) -> list[str]:
    """The titles that are not shown as they should be, in a list from the first one on."""
    title, source = column_of(terminal, "TITLE"), column_of(terminal, "SOURCE")
    shown = [composed(terminal.cells(y, title, source - title)) for y in rows(terminal)]
    wanted = (composed(text) for text in SHOWN.values())
    return [text for text, begin in zip(shown, wanted, strict=False) if not text.startswith(begin)]


def test_every_row_keeps_its_columns_and_shows_the_title_without_its_weapons(program: RealTerminal):
    program.until(lambda: "STATUS" in program.text and "Applied" in program.lines[-1] and len(rows(program)) > 12)
    program.until(lambda: not astray(program) and not misspelt(program))
    program.until(lambda: program.lines[0].startswith(" Info Radar"))
    assert "owned" not in program.screen.title


def test_the_lower_rows_and_the_details_stand_as_well(program: RealTerminal):
    program.until(lambda: "STATUS" in program.text and "Applied" in program.lines[-1])
    program.press("G")
    program.until(f"{len(SHOWN)} of {len(SHOWN)}")
    program.until(lambda: len(rows(program)) > 12 and not astray(program))
    titles = list(SHOWN.values())
    for begin in [composed(title.strip()[:12]) for title in reversed(titles[-8:])]:
        program.until(partial(is_told, program, begin))
        program.press("k")
    program.until(lambda: program.lines[0].startswith(" Info Radar") and "Applied" in program.lines[-1])


def is_framed(terminal: RealTerminal) -> bool:
    """Whether every line of the log has both sides of its frame."""
    framed = [y for y in range(SIZE[1]) if terminal.cells(y, 0, 1) == "│"]
    return len(framed) > 20 and all(terminal.cells(y, SIZE[0] - 1, 1) in "│▁▂▃▄▅▆▇█ " for y in framed)


def test_the_frame_of_the_fetch_log_stays_whole_whatever_titles_come(program: RealTerminal):
    program.until("Applied")
    program.press("f")
    program.until(lambda: ", over" in program.lines[1])
    program.until("zerowidth")
    program.until(lambda: is_framed(program) and program.lines[0].startswith(" Fetch"))
    program.press("\x1b")
    program.until("Info Radar")
    program.press("q")
    assert program.ended() == 0
