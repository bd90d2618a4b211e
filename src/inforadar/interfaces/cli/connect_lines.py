"""What `radar connect` found out, as lines of radar.toml: to paste, or written there."""

import json
from collections.abc import Collection, Mapping
from pathlib import Path

from inforadar.config import Config
from inforadar.config.editing import write_settings
from inforadar.interfaces.cli.output import say


def toml_lines(table: str, settings: Mapping[str, str]) -> str:
    """A table with values as TOML writes them."""
    return "\n".join([f"[{table}]", *(f"{name} = {value}" for name, value in settings.items())])


def toml_text(value: str | Path) -> str:
    """A text as TOML writes it."""
    return json.dumps(str(value), ensure_ascii=False)


def write_lines(config: Config, table: str, settings: Mapping[str, str], keep: Collection[str] = ()) -> bool:
    """Write settings into the configuration file, those in `keep` only where it has none; False = there is no file."""
    if config.path is None:
        return False
    write_settings(config.path, table, settings, keep=keep)
    say(f"Wrote {', '.join(name for name in settings if name not in keep)} of [{table}] into {config.path}.")
    return True
