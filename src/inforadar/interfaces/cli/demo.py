"""`radar demo`: the whole product on a simulated internet, in the terminal program or as a report."""

import tempfile
from contextlib import nullcontext
from pathlib import Path

import click

from inforadar.interfaces.cli.demo_config import DEMO_CONFIG as DEMO_CONFIG
from inforadar.interfaces.cli.terminals import is_at_a_terminal


@click.command(
    "demo",
    help="""See the product at work, offline: a simulated internet with every source, items judged and sent to a
    simulated Telegram, prices, a source that is broken on purpose, triage and undo. In a terminal it opens the terminal
    program and serves the web page, and an hour passes in three seconds; elsewhere it prints a report and ends.

    \b
    Examples:
      radar demo
      radar demo --report
      radar demo --seed 7 --keep ./my-demo
    """,
)
@click.option("--report", is_flag=True, help="Print the report, also in a terminal.")
@click.option("--seed", metavar="N", default=1, show_default=True, help="The same seed gives the same world.")
@click.option("--keep", metavar="DIR", type=click.Path(file_okay=False, path_type=Path), help="Keep its files here.")
def command(report: bool, seed: int, keep: Path | None) -> int:
    """Run the demo; everything it makes is thrown away unless kept."""
    if keep:
        keep.mkdir(parents=True, exist_ok=True)
    with nullcontext(str(keep)) if keep else tempfile.TemporaryDirectory(prefix="radar-demo-") as folder:
        if report or not is_at_a_terminal():
            from inforadar.interfaces.cli.demo_report import print_demo

            return print_demo(seed, Path(folder))
        from inforadar.interfaces.cli.demo_live import open_demo

        return open_demo(seed, Path(folder))
