"""`radar init`: a commented configuration to start from."""

from pathlib import Path

import click

from inforadar.config import sample_config
from inforadar.config.editing import create_file
from inforadar.interfaces.cli.table import tell


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
    create_file(path, sample_config())
    tell(f"Wrote {path}. Edit its watches, or add one: radar add URL. Then: radar fetch")
