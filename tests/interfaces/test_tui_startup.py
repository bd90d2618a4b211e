"""How soon the program shows its list: beside a store of three matches, and beside what Textual alone takes."""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from inforadar.simulator.scenarios import still_world
from inforadar.simulator.server import Simulator
from interfaces.command_line import RADAR, spent
from interfaces.real_terminal import real_terminal
from interfaces.stored_matches import fill
from interfaces.tui_rig import NOON, engine

MANY = 100_000
TIMES, MOST_TIMES = 3, 10
UNUSED = ("psycopg", "apprise", "google.auth", "fastapi", "uvicorn", "feedparser", "inforadar.simulator")


def showing_takes(folder: Path) -> float:
    """What it takes from the start of `radar` until its first match stands on the screen, and to quit."""
    begun = spent()
    with real_terminal(RADAR, folder, {"HOME": str(folder), "RADAR_NOW": NOON.isoformat()}) as terminal:
        terminal.until("Title 1 ")
        terminal.press("q")
        terminal.ended()
    return spent() - begun


def textual_takes() -> float:
    begun = spent()
    subprocess.run([sys.executable, "-c", "import textual.app, textual.widgets"], check=True)
    return spent() - begun


@pytest.fixture
def stores(tmp_path: Path) -> dict[int, Path]:
    """A store of three matches, and one of very many."""
    folders = {count: tmp_path / str(count) for count in (3, MANY)}
    for count, folder in folders.items():
        folder.mkdir()
        with Simulator(still_world(1, NOON)) as internet, engine(folder, internet) as app:
            fill(app, count)
    return folders


def test_a_hundred_thousand_matches_are_shown_as_soon_as_three(stores: dict[int, Path]):
    took: list[tuple[float, float, float]] = []
    while len(took) < TIMES or (len(took) < MOST_TIMES and not is_quick(*best(took))):
        few, many = (showing_takes(folder) for folder in stores.values())
        took.append((few, many, textual_takes()))
    assert is_quick(*best(took)), took


def best(took: Sequence[Sequence[float]]) -> list[float]:
    """The shortest of all measurements of each: what it takes where nothing else disturbs."""
    return [min(times) for times in zip(*took, strict=True)]


def is_quick(few: float, many: float, textual: float) -> bool:
    return many < 1.3 * few and many < 5 * textual


def test_the_main_screen_loads_nothing_it_does_not_show():
    probe = "import sys, inforadar.interfaces.tui.program; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, check=True, text=True, timeout=60)
    loaded = set(done.stdout.split())
    assert not loaded & set(UNUSED)
    assert "inforadar.interfaces.tui.fetch_screen" not in loaded
    assert "inforadar.interfaces.tui.command_screens" not in loaded
