"""`radar demo`: the whole product on a simulated internet, in the terminal program or as a report."""

import os
import signal
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from types import FrameType

import click

from inforadar.domain.errors import RadarError
from inforadar.interfaces.cli.demo_config import DEMO_CONFIG as DEMO_CONFIG
from inforadar.interfaces.cli.demo_config import may_hold_demo
from inforadar.interfaces.cli.table import tell
from inforadar.interfaces.cli.terminals import is_at_a_terminal

DATABASE = "radar.db"

ENDING = (signal.SIGHUP, signal.SIGTERM)


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
    # before signals are heard: an exception in the middle of an import comes out of it as another one
    if report or not is_at_a_terminal():
        from inforadar.interfaces.cli.demo_report import print_demo as show
    else:
        from inforadar.interfaces.cli.demo_live import open_demo as show
    if keep:
        _prepare(keep)
    with _ended_in_order(), nullcontext(str(keep)) if keep else _thrown_away() as folder:
        return show(seed, Path(folder))


def _prepare(keep: Path) -> None:
    """Make the folder that is kept; in one that was kept before, the demo goes on, and nobody else's is touched."""
    try:
        keep.mkdir(parents=True, exist_ok=True)
        if not may_hold_demo(keep):
            raise RadarError(f"{keep} holds a radar.toml that is no demo's. Name another folder with --keep.")
    except OSError as error:
        raise RadarError(f"{keep} cannot be used ({error.strerror}). Name another folder with --keep.") from error
    if not os.access(keep, os.W_OK | os.X_OK):
        raise RadarError(f"This user may not write into {keep}. Name another folder with --keep.")
    if (keep / DATABASE).exists():
        tell(f"{keep} holds a demo of before: this one goes on in its database. For a fresh one name another folder.")


def _thrown_away() -> "tempfile.TemporaryDirectory[str]":
    return tempfile.TemporaryDirectory(prefix="radar-demo-", ignore_cleanup_errors=True)


def ignore_signals() -> None:
    """Go on with the end of the demo, whoever asks for it once more."""
    for number in ENDING:
        signal.signal(number, signal.SIG_IGN)


@contextmanager
def _ended_in_order() -> Iterator[None]:
    """A terminal that is closed, or a request to end, unwinds the demo as ctrl-c does, so that nothing is left."""

    def end(number: int, _frame: FrameType | None) -> None:
        ignore_signals()  # what is under way is the end
        raise SystemExit(128 + number)

    before = {number: signal.signal(number, end) for number in ENDING}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
