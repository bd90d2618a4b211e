"""The configuration file behind the page: read anew for each request, and changed as the command line changes it.

The server itself goes on with what it read when it was started; a page that shows the file says so where they differ.
"""

from collections.abc import Callable
from dataclasses import dataclass

from fastapi import HTTPException

from inforadar.bootstrap import known_sources
from inforadar.config import Config
from inforadar.config.editing import change_file
from inforadar.config.loading import LARGEST_FILE, read_text
from inforadar.config.watch_editing import watch_names
from inforadar.domain.errors import ConfigError
from inforadar.domain.watch import Watch
from inforadar.interfaces.cli.written_config import WrittenConfig
from inforadar.interfaces.web.answers import Parts, nowhere

NO_FILE = "This server was started without a configuration file; there is nothing to change."


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """The watches as the file has them; `is_newer`: the server was started with others; `problem`: it is no use."""

    watches: tuple[Watch, ...]
    is_newer: bool = False
    problem: str = ""


def wanted_watches(radar: Parts) -> Wanted:
    """What the file says now; where it cannot be read, what it said when the server was started."""
    running = tuple(radar.app.config.watches)
    if radar.app.config.path is None:
        return Wanted(watches=running)
    try:
        found = tuple(_written(radar)[1].watches)
    except ConfigError as error:
        return Wanted(watches=running, problem=str(error))
    return Wanted(watches=found, is_newer=found != running)


def written_config(radar: Parts) -> tuple[WrittenConfig, Config]:
    """The file and what it means; raises HTTPException where there is none or it has mistakes."""
    if radar.app.config.path is None:
        raise HTTPException(409, NO_FILE)
    try:
        return _written(radar)
    except ConfigError as error:
        raise HTTPException(409, f"The configuration must be mended first. {error}") from error


def watch_of(config: Config, name: str) -> Watch:
    """The watch of that name; raises HTTPException."""
    found = next((one for one in config.watches if one.name == name), None)
    if found is None:
        raise nowhere(f"watch {name!r}: it may have been renamed or removed")
    return found


def change(written: WrittenConfig, name: str, changed: Callable[[str, int], str | None]) -> None:
    """Write the file with a change of one watch, all of it or nothing; raises HTTPException."""
    try:
        change_file(written.path, lambda text: changed(text, watch_names(text).index(name)), written.parse)
    except (ConfigError, ValueError) as error:
        raise HTTPException(409, str(error)) from error


def _written(radar: Parts) -> tuple[WrittenConfig, Config]:
    path = radar.app.config.path
    assert path is not None
    written = WrittenConfig(path=path, text=read_text(path, LARGEST_FILE), is_new=False, sources=known_sources())
    return written, written.parse(written.text)
