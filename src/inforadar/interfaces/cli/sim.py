"""`radar sim`: the local internet."""

import os
import signal
import threading
from datetime import datetime

import click

from inforadar.domain.errors import ConfigError, RadarError
from inforadar.interfaces.cli.output import say, show
from inforadar.observe.clock import SystemClock
from inforadar.simulator.faults import KINDS, Fault, parse_fault
from inforadar.simulator.scenarios import serve
from inforadar.simulator.server import Simulator
from inforadar.simulator.sheets.service import SPREADSHEET


@click.command(
    "sim",
    help=f"""Serve hh, LinkedIn and Habr in their real wire shapes over a world that moves on its own clock.

    Telegram's Bot API, an Ollama server and Google Sheets stand beside them, so that nothing leaves the machine.

    \b
    Examples:
      radar sim
      radar sim --port 8080 --seed 7 --factor 600
      radar sim --fault rate_limited,source=linkedin,after=10,seconds=60

    Faults: {", ".join(sorted(KINDS))}.
    """,
)
@click.option("--host", metavar="ADDRESS", default="127.0.0.1", show_default=True, help="The address to listen at.")
@click.option(
    "--port",
    metavar="N",
    default=8765,
    show_default=True,
    type=click.IntRange(0, 65535),
    help="The port; 0 = any free one.",
)
@click.option("--seed", metavar="N", default=1, show_default=True, help="The same seed gives the same world.")
@click.option(
    "--factor",
    metavar="X",
    default=1.0,
    show_default=True,
    type=click.FloatRange(0),
    help="Simulated seconds a real second; 0 = stands still.",
)
@click.option("--fault", "faults", multiple=True, metavar="KIND[,name=value]...", help="Switch a fault on.")
@click.option(
    "--move",
    default=0.0,
    metavar="SECONDS",
    type=click.FloatRange(0),
    help="Move the world so far before each list request.",
)
@click.option("--hostile", is_flag=True, help="Titles that attack: HTML, control characters, formulas.")
def command(
    host: str, port: int, seed: int, factor: float, faults: tuple[str, ...], move: float, hostile: bool
) -> None:
    """Serve until interrupted."""
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    start_at = SystemClock.from_env(os.environ).now()
    try:
        serve(
            seed=seed,
            start_at=start_at,
            stop=stop,
            announce=lambda simulator: _announce(simulator, start_at),
            host=host,
            port=port,
            factor=factor or None,
            faults=[_fault(text) for text in faults],
            move_seconds_per_request=move,
            hostile=hostile,
        )
    except OSError as error:
        raise RadarError(f"Cannot listen at {host}:{port} ({error.strerror}). Name another: --port 0") from error


def _fault(text: str) -> Fault:
    try:
        return parse_fault(text)
    except ValueError as error:
        raise ConfigError(f"--fault {text!r}: {error}") from error


def _announce(simulator: Simulator, start_at: datetime) -> None:
    say(f"The local internet stands at {simulator.url}; its world begins at {start_at:%Y-%m-%d %H:%M} UTC.")
    say("Point radar.toml at it:")
    for name, url in simulator.source_urls.items():
        show(f'[sources.{name}]\nbase_url = "{url}"')
    say(f"Telegram's Bot API is at {simulator.service_urls['telegram']}, Ollama at {simulator.service_urls['ollama']}.")
    say(f"Google Sheets is at {simulator.service_urls['sheets']}, its spreadsheet_id is {SPREADSHEET}.")
    say(f"Steer it at {simulator.url}/_sim/state. Ctrl-C ends it.")
