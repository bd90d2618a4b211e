"""Fixtures of the interfaces: a user at a command line, and an internet to ask."""

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
import structlog

from inforadar.bootstrap import App
from inforadar.simulator.scenarios import still_world
from inforadar.simulator.server import Simulator
from interfaces.api_server import Api, running_api
from interfaces.command_line import COUNTS, NOON, CommandLine
from interfaces.tui_rig import engine


@pytest.fixture
def simulator() -> Iterator[Simulator]:
    """A local internet in which nothing happens by itself."""
    with Simulator(still_world(1, NOON, COUNTS)) as simulator:
        yield simulator


@pytest.fixture
def empty(tmp_path: Path, internet: Simulator) -> Iterator[App]:
    """The parts of a radar that has collected nothing, over the internet that the tests of a file share."""
    internet.switch()
    with engine(tmp_path, internet) as app:
        yield app


@pytest.fixture
def newcomer(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Iterator[CommandLine]:
    """A user in an empty folder, without a configuration anywhere."""
    for name in ("RADAR_CONFIG", "RADAR_SEED", "RADAR_NOW", "NO_COLOR", "COLUMNS", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    folder = tmp_path / "here"
    folder.mkdir()
    home = tmp_path / "home"
    return CommandLine(folder, capsys, monkeypatch, {"HOME": str(home), "RADAR_NOW": NOON.isoformat()})


@pytest.fixture
def radar(newcomer: CommandLine, simulator: Simulator) -> CommandLine:
    """A user with a radar.toml that points at the simulator."""
    newcomer.configure(simulator)
    return newcomer


@pytest.fixture(autouse=True)
def _quiet_log() -> None:
    """Servers in this process tell every request at DEBUG."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))


@pytest.fixture
def api(sqlite_url: str) -> Iterator[Api]:
    """A running REST API over an empty SQLite store, with a token."""
    with running_api(sqlite_url) as running:
        yield running


@pytest.fixture
def api_on_both(database_url: str) -> Iterator[Api]:
    """A running REST API over an empty store of each kind in turn."""
    with running_api(database_url) as running:
        yield running
