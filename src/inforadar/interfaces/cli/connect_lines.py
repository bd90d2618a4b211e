"""What `radar connect` found out, as lines of radar.toml: to paste, or written there."""

import json
import os
import tomllib
from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path

from inforadar.bootstrap import has_config, known_sources
from inforadar.config import Config, parse
from inforadar.config.editing import write_settings
from inforadar.config.loading import LARGEST_FILE, read_text
from inforadar.interfaces.cli.output import say, show
from inforadar.interfaces.cli.session import Session

# no configuration is read without a watch; this one is taken out again
ANY_WATCH = """[[watch]]
name = "any"
kind = "article"
query = [{ source = "feed", params = { url = "https://example.org/feed" } }]
"""
NO_FILE = "There is no radar.toml yet, so nothing was written: `radar init` or `radar add URL` makes one."
INTO_TABLE = "Put into the [{table}] table of {path}, in the place of what has the same name there:"


def config_so_far(session: Session) -> Config:
    """The user's configuration; where there is none yet the defaults, without a path and without a watch."""
    if has_config(session.config_path):
        return session.config()
    config = parse(ANY_WATCH, known_sources(), os.environ, lambda name: read_text(Path(name), LARGEST_FILE))
    return replace(config, watches=())


def toml_lines(table: str, settings: Mapping[str, str]) -> str:
    """A table with values as TOML writes them."""
    return "\n".join([f"[{table}]", *_pairs(settings)])


def toml_text(value: str | Path) -> str:
    """A text as TOML writes it."""
    return json.dumps(str(value), ensure_ascii=False)


def show_lines(config: Config, table: str, settings: Mapping[str, str], *, writes: bool) -> None:
    """The lines, to paste unless they are written: a whole table, or what goes into the one that is there, for TOML
    takes no second one."""
    if config.path is None or writes or not _has_table(config.path, table):
        show(toml_lines(table, settings))
        return
    say(INTO_TABLE.format(table=table, path=config.path))
    show("\n".join(_pairs(settings)))


def write_lines(config: Config, table: str, settings: Mapping[str, str], keep: Collection[str] = ()) -> bool:
    """Write settings into the configuration file, those in `keep` only where it has none; False = there is no file."""
    if config.path is None:
        say(NO_FILE)
        return False
    write_settings(config.path, table, settings, keep=keep)
    say(f"Wrote {', '.join(name for name in settings if name not in keep)} of [{table}] into {config.path}.")
    return True


def _pairs(settings: Mapping[str, str]) -> list[str]:
    return [f"{name} = {value}" for name, value in settings.items()]


def _has_table(path: Path, table: str) -> bool:
    return table in tomllib.loads(read_text(path, LARGEST_FILE))
