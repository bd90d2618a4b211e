"""`radar demo`: the local internet, a ready configuration in a temporary place, three fetches, the report."""

import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import click

from inforadar.interfaces.cli.fetch import command as fetch
from inforadar.interfaces.cli.items import command as items
from inforadar.interfaces.cli.output import show
from inforadar.interfaces.cli.session import Session
from inforadar.interfaces.cli.status import command as status
from inforadar.observe.clock import SystemClock
from inforadar.simulator.faults import Fault
from inforadar.simulator.scenarios import demo_world
from inforadar.simulator.server import Simulator

BEGIN = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)
LATER = timedelta(hours=6)
LAST = LATER + timedelta(minutes=90)
INTERRUPTED = 130

DEMO_CONFIG = """\
[store]
url = "sqlite:///radar.db"

[sources.hh]
base_url = "{hh}"
rate_limit_per_minute = 6000
token = "demo"
[sources.linkedin]
base_url = "{linkedin}"
rate_limit_per_minute = 6000
[sources.habr]
base_url = "{habr}"
rate_limit_per_minute = 6000

[[watch]]
name = "python-jobs"
kind = "vacancy"
ban_words = ["junior", "1С", "стажёр"]
  [[watch.query]]
  source = "hh"
  params = {{ text = "python" }}
  limit = 60
  [[watch.query]]
  source = "linkedin"
  params = {{ keywords = "python" }}

[[watch]]
name = "habr-python"
kind = "article"
  [[watch.query]]
  source = "habr"
  params = {{ hub = "python" }}
"""


@click.command(
    "demo",
    help="""See the product at work, offline: a simulated internet, fetches some simulated hours apart, the report.

    \b
    Examples:
      radar demo
      radar demo --seed 7 --keep ./my-demo
    """,
)
@click.option("--seed", metavar="N", default=1, show_default=True, help="The same seed gives the same demo.")
@click.option("--keep", metavar="DIR", type=click.Path(file_okay=False, path_type=Path), help="Keep its files here.")
def command(seed: int, keep: Path | None) -> int:
    """Run the demo; everything it makes is thrown away unless kept."""
    if keep:
        keep.mkdir(parents=True, exist_ok=True)
        return _run(seed, keep)
    with tempfile.TemporaryDirectory(prefix="radar-demo-") as folder:
        return _run(seed, Path(folder))


def _run(seed: int, folder: Path) -> int:
    """Play the scenes; Ctrl-C in a fetch ends the demo as it ends a fetch."""
    with Simulator(demo_world(seed, BEGIN)) as simulator:
        path = _write_config(folder, simulator)
        _head("Jobs and articles stand on a simulated internet on this machine. Radar asks for the first time:")
        if _call(fetch, path, timedelta()) == INTERRUPTED:
            return INTERRUPTED
        _head("Six simulated hours later: new entries, withdrawn ones, bumps, edits, late arrivals:")
        simulator.advance(LATER.total_seconds())
        if _call(fetch, path, LATER) == INTERRUPTED:
            return INTERRUPTED
        _head("One source is broken ON PURPOSE: LinkedIn shows its login wall. Radar says so, and the others go on:")
        simulator.switch(Fault(kind="authwall", source="linkedin"))
        simulator.advance((LAST - LATER).total_seconds())
        if _call(fetch, path, LAST) == INTERRUPTED:
            return INTERRUPTED
    _head("What was found:")
    _call(items, path, LAST, ["--limit", "12"])
    _head("Where everything stands (LinkedIn is the source we broke):")
    _call(status, path, LAST)
    _head("Now your own: radar init, edit radar.toml, radar fetch.")
    return 0


def _write_config(folder: Path, simulator: Simulator) -> Path:
    path = folder / "radar.toml"
    path.write_text(DEMO_CONFIG.format(**simulator.base_urls), encoding="utf-8")
    path.chmod(0o600)
    return path


def _call(command: click.Command, path: Path, passed: timedelta, arguments: Sequence[str] = ()) -> object:
    """One command as a user would type it, at a moment of the simulated world; what it returned."""
    show(click.style(" ".join(["$ radar", command.name or "", *arguments]), dim=True))
    session = Session(config_path=str(path), log_level="ERROR", clock=SystemClock(BEGIN + passed))
    return command.main(args=list(arguments), prog_name="radar", obj=session, standalone_mode=False)


def _head(text: str) -> None:
    show("")
    show(click.style(text, fg="cyan", bold=True))
