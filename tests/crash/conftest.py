"""A local internet that stands still, and a `radar` in a folder of its own that watches it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from crash.radar_command import NOON, Radar, write_config
from inforadar.simulator.scenarios import still_world
from inforadar.simulator.server import Simulator


@pytest.fixture
def simulator() -> Iterator[Simulator]:
    """The local internet; nothing in it moves by itself. LinkedIn shows ten entries a page."""
    with Simulator(still_world(5, NOON, {"linkedin": 120, "habr": 45, "hh": 30})) as running:
        yield running


@pytest.fixture
def radar(tmp_path: Path, simulator: Simulator, database_url: str) -> Radar:
    """A `radar` that watches LinkedIn, on each kind of database in turn."""
    write_config(tmp_path, database_url, simulator, linkedin="")
    return Radar(folder=tmp_path)


@pytest.fixture
def sqlite_radar(tmp_path: Path, simulator: Simulator, sqlite_url: str) -> Radar:
    """A `radar` that watches LinkedIn, on SQLite."""
    write_config(tmp_path, sqlite_url, simulator, linkedin="")
    return Radar(folder=tmp_path)
