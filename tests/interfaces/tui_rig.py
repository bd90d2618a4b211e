"""The terminal program under test: a real engine on an SQLite file, the simulator, and a pilot at the keys."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Collection, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from textual.app import App as TextualApp
from textual.pilot import Pilot

from inforadar.bootstrap import App, open_app, read_config
from inforadar.interfaces.tui.fetching import SweepFetch
from inforadar.interfaces.tui.main_screen import MainScreen
from inforadar.interfaces.tui.narrowing import Narrowing
from inforadar.simulator.server import Simulator
from interfaces.command_line import CONFIG

NOON = datetime(2026, 1, 5, 12, tzinfo=UTC)
PATIENCE_S = 60.0
SMALL = (80, 24)


class NoonClock:
    """A clock whose date stands where the simulator's world stands."""

    def now(self) -> datetime:
        return NOON

    def mono(self) -> float:
        return time.monotonic()


@contextmanager
def engine(folder: Path, simulator: Simulator, config: str = CONFIG) -> Iterator[App]:
    """The parts of Radar over a simulator."""
    path = folder / "radar.toml"
    path.write_text(config.format(**simulator.base_urls), encoding="utf-8")
    path.chmod(0o600)
    settings = read_config(str(path), {"HOME": str(folder)})
    with open_app(settings, NoonClock()) as app:
        yield app


def fetched(app: App, *sources: str) -> SweepFetch:
    """Fetch everything, or of these sources, as the fetch screen does."""
    fetch = SweepFetch(app, Narrowing(sources=sources))
    fetch.start()
    fetch.join(PATIENCE_S)
    assert fetch.is_over
    return fetch


async def until(
    pilot: Pilot[Any], is_so: Callable[[], object], what: str = "it", patience_s: float = PATIENCE_S
) -> None:
    """Wait, as a person would, until something can be seen."""
    loop = asyncio.get_running_loop()
    end = loop.time() + patience_s
    while not is_so():
        assert loop.time() < end, f"{what} did not come"
        await pilot.pause(0.02)


async def until_shown(pilot: Pilot[Any], *texts: str, line: int | None = None, without: Collection[str] = ()) -> None:
    """Wait until all these texts stand on the screen, or in one of its lines, and none of the others, at one time."""

    def is_so() -> bool:
        seen = screen_text(pilot.app)
        seen = seen if line is None else seen.split("\n")[line]
        return all(text in seen for text in texts) and not any(text in seen for text in without)

    try:
        await until(pilot, is_so)
    except AssertionError:
        told = f"{list(texts)} without {list(without)}" if without else f"{list(texts)}"
        pytest.fail(f"{told} did not come:\n{screen_text(pilot.app)}")


async def until_foot(pilot: Pilot[Any], *words: str, without: Collection[str] = ()) -> None:
    """Wait until the line of the keys has these words, and none of the others."""
    await until_shown(pilot, *words, line=-1, without=without)


async def at_rest(pilot: Pilot[Any]) -> None:
    """Wait until no work is under way beside the keys: what is not there then does not come of them any more."""
    await until(pilot, lambda: not [*pilot.app.workers], "the end of all work")
    await pilot.pause()


async def list_shown(pilot: Pilot[Any]) -> MainScreen:
    """The main screen, with its first matches."""
    main: MainScreen = pilot.app.main  # type: ignore[attr-defined]
    await until(pilot, lambda: main.is_mounted and main.matches.row, "the list")
    return main


def played(
    program: TextualApp[Any], play: Callable[[Pilot[Any]], Awaitable[None]], size: tuple[int, int] = SMALL
) -> None:
    """Run a program and play one scene at its keys."""

    async def run() -> None:
        async with program.run_test(size=size) as pilot:
            await play(pilot)

    asyncio.run(run())


def foot(program: TextualApp[Any]) -> str:
    """The line of the keys, the last one on the screen."""
    return screen_text(program).split("\n")[-1]


def screen_text(program: TextualApp[Any]) -> str:
    """What stands on the screen, line by line; empty lines where nothing was drawn yet."""
    height = program.size.height
    lines = [strip.text.rstrip() for strip in program.screen._compositor.render_strips()[:height]]
    return "\n".join(lines + [""] * (height - len(lines)))
