"""`radar init`: a commented configuration to start from."""

from pathlib import Path

import click

from inforadar.config import sample_config
from inforadar.config.editing import create_file
from inforadar.interfaces.cli.output import say
from inforadar.interfaces.cli.table import tell

NEXT = {
    "radar fetch": "collect now, and see what came",
    "radar": "look at it, decide on it: the terminal program",
    "radar work --until-idle": "judge what was collected by your profiles",
    "radar connect telegram": "have what fits sent to you",
    "radar run": "all of that by itself, every 15 minutes, with a web page",
}


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
    tell(f"Wrote {path}: three watches that need no key. Edit it, or add your own: radar add URL")
    for command, does in NEXT.items():
        say(f"  {command:<26}{does}")
