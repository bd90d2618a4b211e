"""Makes the pictures of the terminal program in docs/images and the samples in docs/terminal.md, from the real program
over the simulated internet (`make screenshots`)."""

import asyncio
import re
import tempfile
import time
from collections.abc import Awaitable, Callable
from datetime import timedelta
from pathlib import Path

from textual.pilot import Pilot

from inforadar.bootstrap import App
from inforadar.interfaces.cli.demo_config import write_demo_config
from inforadar.interfaces.cli.demo_report import BEGIN, RULES
from inforadar.interfaces.cli.session import Session
from inforadar.interfaces.tui.narrowing import Narrowing
from inforadar.interfaces.tui.program import Program
from inforadar.observe.clock import FakeClock
from inforadar.simulator.faults import Fault
from inforadar.simulator.scenarios import demo_world
from inforadar.simulator.server import Simulator

DOCS = Path(__file__).parent
SIZE = (120, 34)
SMALL = (80, 24)
ROUNDS = 3
BETWEEN = timedelta(hours=30)
Scene = Callable[[Pilot[None]], Awaitable[None]]


class SetClock(FakeClock):
    """A clock whose date is set by hand; waits are as long as they are."""

    def mono(self) -> float:
        """Seconds for measuring."""
        return time.monotonic()


def main() -> None:
    """Fill a store round by round, then look at its screens."""
    clock = SetClock(BEGIN)
    with (
        tempfile.TemporaryDirectory() as folder,
        Simulator(demo_world(1, BEGIN), rules=RULES) as simulator,
        Session(
            config_path=str(write_demo_config(Path(folder), simulator.base_urls)), log_level="CRITICAL", clock=clock
        ).app() as app,
    ):
        for number in range(ROUNDS):
            if number == ROUNDS - 1:
                simulator.switch(Fault(kind="authwall", source="linkedin"))
            app.fetcher().fetch([(watch, query) for watch in app.config.watches for query in watch.queries])
            app.scheduler().once()
            app.worker(kinds=("process", "deliver", "value")).run(until_idle=True)
            clock.advance(BETWEEN.total_seconds())
            simulator.advance(BETWEEN.total_seconds())
        clock.advance(-BETWEEN.total_seconds() + 1200)
        _photograph(app)


def _photograph(app: App) -> None:
    pictures: dict[str, Scene] = {
        "terminal-matches": _matches,
        "terminal-fetch": _fetch,
        "terminal-sources": lambda pilot: _command(pilot, "sources", "j"),
        "terminal-prices": lambda pilot: _command(pilot, "prices"),
        "terminal-why": lambda pilot: _command(pilot, "why"),
    }
    for name, play in pictures.items():
        asyncio.run(_shoot(app, name, play))
    samples = {"matches": _narrowed, "fetch": _fetch}
    for name, play in samples.items():
        _write_sample(name, asyncio.run(_drawn(app, play)))


async def _shoot(app: App, name: str, play: Scene) -> None:
    program = Program(app)
    async with program.run_test(size=SIZE) as pilot:
        await play(pilot)
        (DOCS / "images" / f"{name}.svg").write_text(program.export_screenshot(title="radar"), encoding="utf-8")


async def _drawn(app: App, play: Scene) -> str:
    program = Program(app)
    async with program.run_test(size=SMALL) as pilot:
        await play(pilot)
        strips = program.screen._compositor.render_strips()
        return "\n".join(strip.text.rstrip() for strip in strips[: SMALL[1]])


def _write_sample(name: str, screen: str) -> None:
    """Put a screen into docs/terminal.md, between the marks of its name."""
    path = DOCS / "terminal.md"
    marked = re.compile(rf"(<!-- screen: {name} -->\n```\n).*?(\n```\n)", re.DOTALL)
    path.write_text(marked.sub(lambda found: found[1] + screen + found[2], path.read_text("utf-8")), encoding="utf-8")


async def _matches(pilot: Pilot[None]) -> None:
    """The list, narrowed to jobs, with a decision on one and the cursor on another."""
    main = await _ready(pilot)
    main.narrow(Narrowing(watches=("python-jobs",)))
    await pilot.pause(0.7)
    await pilot.press("j", "j", "a", "j")
    await pilot.pause(0.7)


async def _narrowed(pilot: Pilot[None]) -> None:
    """The list, narrowed by two sources and a status, with a decision."""
    main = await _ready(pilot)
    main.narrow(Narrowing(sources=("hh", "linkedin"), statuses=("SENT_TO_USER",)))
    await pilot.pause(0.7)
    await pilot.press("j", "j", "j", "x")
    await pilot.pause(0.7)


async def _fetch(pilot: Pilot[None]) -> None:
    main = await _ready(pilot)
    main.narrow(Narrowing(sources=("hh", "linkedin", "habr")))
    await pilot.press("f")
    await pilot.pause(2.5)


async def _command(pilot: Pilot[None], line: str, *keys: str) -> None:
    main = await _ready(pilot)
    main.narrow(Narrowing(statuses=("SENT_TO_USER",)))
    await pilot.pause(0.7)
    await pilot.press("colon", *line, "enter")
    await pilot.pause(1.2)
    await pilot.press(*keys)
    await pilot.pause(0.5)


async def _ready(pilot: Pilot[None]):  # type: ignore[no-untyped-def]  # the screen of whichever program it is
    main = pilot.app.main  # type: ignore[attr-defined]
    while not (main.is_mounted and main.matches.row):
        await pilot.pause(0.05)
    return main


if __name__ == "__main__":
    main()
