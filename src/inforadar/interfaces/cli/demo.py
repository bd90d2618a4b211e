"""`radar demo`: the local internet, a ready configuration in a temporary place, two fetches, the report."""

import os
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

import click

from inforadar.bootstrap import open_app, read_config
from inforadar.interfaces.cli.fetch import choose
from inforadar.interfaces.cli.items import command as items_command
from inforadar.interfaces.cli.report import print_report
from inforadar.interfaces.cli.session import Session
from inforadar.interfaces.cli.status import command as status_command
from inforadar.observe.clock import FakeClock
from inforadar.simulator.faults import Fault
from inforadar.simulator.scenarios import demo_world
from inforadar.simulator.server import Simulator

BEGIN = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)
HOURS_BETWEEN = 6

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
    help="""See the product at work, offline: a simulated internet, two fetches some simulated hours apart, the report.

    \b
    Examples:
      radar demo
      radar demo --seed 7 --keep ./my-demo
    """
)
@click.option("--seed", default=1, show_default=True, help="The same seed gives the same demo.")
@click.option("--keep", metavar="DIR", type=click.Path(file_okay=False, path_type=Path), help="Keep its files here.")
@click.pass_obj
def command(session: Session, seed: int, keep: Path | None) -> None:
    """Run the demo; everything it makes is thrown away unless kept."""
    session.set_up_log(level="ERROR")
    if keep:
        keep.mkdir(parents=True, exist_ok=True)
        _run(seed, keep)
        return
    with tempfile.TemporaryDirectory(prefix="radar-demo-") as folder:
        _run(seed, Path(folder))


def _run(seed: int, folder: Path) -> None:
    with Simulator(demo_world(seed, BEGIN)) as simulator:
        _write_config(folder, simulator)
        _heading("A world of jobs and articles stands on this machine; radar asks it for the first time:")
        _fetch(folder, BEGIN)
        _heading(f"{HOURS_BETWEEN} simulated hours later: new entries, withdrawn ones, bumps, edits, late arrivals:")
        simulator.advance(HOURS_BETWEEN * 3600)
        later = BEGIN + timedelta(hours=HOURS_BETWEEN)
        _fetch(folder, later)
        _heading("LinkedIn now turns visitors away; the others go on:")
        simulator.switch(Fault(kind="authwall", source="linkedin"))
        simulator.advance(3600)
        _fetch(folder, later + timedelta(hours=1))
    _heading("The newest matches (radar items):")
    _call(items_command, folder, ["--limit", "12"])
    _heading("Where everything stands (radar status):")
    _call(status_command, folder, [])
    _heading("Now your own: radar init, edit radar.toml, radar fetch.")


def _write_config(folder: Path, simulator: Simulator) -> None:
    path = folder / "radar.toml"
    path.write_text(DEMO_CONFIG.format(**simulator.base_urls), encoding="utf-8")
    path.chmod(0o600)


def _fetch(folder: Path, now: datetime) -> None:
    config = read_config(str(folder / "radar.toml"), env={})
    with open_app(config, FakeClock(now)) as app:
        print_report(app.fetcher().fetch(choose(config, (), (), (), None)))


def _call(command: click.Command, folder: Path, arguments: list[str]) -> None:
    os.environ["RADAR_NOW"] = (BEGIN + timedelta(hours=HOURS_BETWEEN + 1)).isoformat()
    session = Session(config_path=str(folder / "radar.toml"), log_level="ERROR", is_log_json=False)
    command.main(args=arguments, obj=session, standalone_mode=False)


def _heading(text: str) -> None:
    click.echo()
    click.echo(click.style(text, fg="cyan", bold=True))
