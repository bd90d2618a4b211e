"""`radar init`: a commented configuration to start from."""

import os
from pathlib import Path

import click

from inforadar.config import sample_config
from inforadar.domain.errors import ConfigError
from inforadar.interfaces.cli.output import say


@click.command(
    "init",
    help="""Write a commented radar.toml with sources that need no key.

    \b
    Examples:
      radar init
      radar init ~/radar/radar.toml
    """,
)
@click.argument("path", metavar="[FILE]", default="radar.toml", type=click.Path(dir_okay=False, path_type=Path))
def command(path: Path) -> None:
    """Write the sample; never over an existing file, readable by its owner alone."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError as error:
        raise ConfigError(f"{path} is there already. Edit it, or name another file: radar init OTHER.toml") from error
    except OSError as error:
        raise ConfigError(f"{path} cannot be written ({error.strerror}). Name a file in a folder of yours.") from error
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(sample_config())
    say(f"Wrote {path}. Edit its watches, then run: radar fetch")
