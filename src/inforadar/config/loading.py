"""Finds the configuration file, reads it, and turns it into a Config or a list of all its mistakes."""

import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from inforadar.config import lines
from inforadar.config.dates import date_flaw
from inforadar.config.model import Config
from inforadar.config.reading import Reading
from inforadar.config.sections import read_config
from inforadar.config.watches import Sources
from inforadar.domain.errors import ConfigError, Mistake

FILE_NAME = "radar.toml"
CONFIG_VARIABLE = "RADAR_CONFIG"
LARGEST_FILE = 1024 * 1024
LARGEST_SECRET_FILE = 64 * 1024
OTHERS_MAY_READ = 0o077
EXPOSED = "{path} holds secrets and others can read it. Close it: chmod 600 {path}"

_SYNTAX_PLACE = re.compile(r"\s*\(at (?:line (\d+), column \d+|end of document)\)$")


def find_config(explicit: str | Path | None, env: Mapping[str, str], cwd: Path) -> Path | None:
    """The file to read: the one asked for, whether it exists or not, else the first that exists."""
    asked_for = explicit or env.get(CONFIG_VARIABLE)
    if asked_for:
        return cwd / Path(asked_for).expanduser()
    home = env.get("XDG_CONFIG_HOME") or (f"{env['HOME']}/.config" if env.get("HOME") else None)
    candidates = [cwd / FILE_NAME] + ([Path(home) / "inforadar" / FILE_NAME] if home else [])
    return next((path for path in candidates if path.is_file()), None)


def load(path: Path, sources: Sources, env: Mapping[str, str]) -> Config:
    """The configuration in a file; raises ConfigError with every mistake. Relative paths start at the file."""
    folder = path.resolve().parent

    def read_secret(name: str) -> str:
        return read_text(folder / Path(name).expanduser(), LARGEST_SECRET_FILE)

    config = parse(read_text(path, LARGEST_FILE), sources, env, read_secret, folder=folder, name=str(path))
    warnings = config.warnings + _exposure(path, config)
    return replace(config, path=path, warnings=warnings)


def parse(
    text: str,
    sources: Sources,
    env: Mapping[str, str],
    read_file: Callable[[str], str],
    *,
    folder: Path = Path(),
    name: str = FILE_NAME,
) -> Config:
    """The configuration in a text; raises ConfigError with every mistake in the order of the lines."""
    raw, places = _toml(text.removeprefix("\ufeff"), name)
    reading = Reading(lines=places, env=env, read_file=read_file)
    config = read_config(reading, raw, sources, folder)
    if reading.mistakes:
        ordered = sorted(reading.mistakes, key=lambda mistake: mistake.line or 0)
        raise ConfigError(_headline(name, len(ordered)), ordered)
    return config


def read_text(path: Path, largest: int) -> str:
    """The text of a file; raises ConfigError with a sentence for anything that is not one."""
    try:
        with path.open("rb") as file:
            content = file.read(largest + 1)
    except FileNotFoundError as error:
        raise ConfigError(f"{path} does not exist. Write a first one with `radar init {path}`.") from error
    except IsADirectoryError as error:
        raise ConfigError(f"{path} is a folder. Name the file in it.") from error
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path} cannot be read: {error}.") from error
    if len(content) > largest:
        raise ConfigError(f"{path} is larger than {largest // 1024} KiB. This is not a file for Info Radar.")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ConfigError(f"{path}, line {line}: this is not UTF-8. Save the file as UTF-8.") from error


def _headline(name: str, count: int) -> str:
    return f"{name} has {'a mistake' if count == 1 else f'{count} mistakes'}:"


def _toml(text: str, name: str) -> tuple[dict[str, Any], dict[lines.Path, int]]:
    try:
        raw = tomllib.loads(text)
        return raw, lines.key_lines(text)
    except RecursionError as error:
        raise ConfigError(f"{name} is nested too deeply.") from error
    except ValueError as error:
        mistake = _syntax_mistake(str(error), text)
        raise ConfigError(_headline(name, 1), [mistake]) from error


def _syntax_mistake(message: str, text: str) -> Mistake:
    found = _SYNTAX_PLACE.search(message)
    line = int(found[1]) if found and found[1] else text.rstrip().count("\n") + 1
    missing = " (a quote may be missing at its end)" if r"character '\n'" in message else ""
    remedy = f"Mend this line{missing}; the rest is read after that"
    written = text.split("\n")[line - 1]
    if flaw := date_flaw(written):
        return Mistake(where=written.partition("=")[0].strip(), problem=flaw, remedy=remedy, line=line)
    return Mistake(where="TOML", problem=_SYNTAX_PLACE.sub("", message), remedy=remedy, line=line)


def _exposure(path: Path, config: Config) -> tuple[str, ...]:
    """A warning where others on this machine can read secrets that are written into the file."""
    if not config.holds_secrets or not path.stat().st_mode & OTHERS_MAY_READ:
        return ()
    return (EXPOSED.format(path=path),)
