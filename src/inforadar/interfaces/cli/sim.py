"""`radar sim`: the local internet, and the lines that point radar.toml at it."""

import os
import signal
import tempfile
import threading
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path

import click

from inforadar.config.watch_editing import with_watch
from inforadar.domain.errors import ConfigError, RadarError
from inforadar.interfaces.cli.connect_lines import toml_lines, toml_text
from inforadar.interfaces.cli.output import say, show
from inforadar.observe.clock import SystemClock
from inforadar.simulator.boards import board_of
from inforadar.simulator.control import CHANGE, READ
from inforadar.simulator.doors import told
from inforadar.simulator.faults import KINDS, Fault, parse_fault
from inforadar.simulator.scenarios import serve
from inforadar.simulator.search import Search
from inforadar.simulator.server import Simulator
from inforadar.simulator.sheets.service import SPREADSHEET
from inforadar.simulator.sites import SITES
from inforadar.simulator.vocabulary import COMPANIES

NEED_CLIENT = ("infojobs", "ebay")
BOT_TOKEN = "123456:of-the-simulated-bot"
MODEL = "qwen3:8b"
CHAT = "1"
BOARDS = "greenhouse"


@click.command(
    "sim",
    help=f"""Serve {len(SITES)} sites in their real wire shapes over a world that moves on its own clock:
    {", ".join(SITES)}.

    Telegram's Bot API, an Ollama server and Google Sheets stand beside them, so that nothing leaves the machine.
    The lines for radar.toml are printed, and how to try `radar connect`.

    \b
    Examples:
      radar sim
      (umask 077; radar sim --toml > radar.toml)
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
@click.option("--toml", "only_toml", is_flag=True, help="Print nothing but a radar.toml that works on it, then serve.")
def command(
    host: str,
    port: int,
    seed: int,
    factor: float,
    faults: tuple[str, ...],
    move: float,
    hostile: bool,
    only_toml: bool,
) -> None:
    """Serve until interrupted."""
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    start_at = SystemClock.from_env(os.environ).now()

    def announce(simulator: Simulator, key_file: Path) -> None:
        _write_key(simulator, key_file)
        if only_toml:
            show("\n\n".join((*_lines(simulator, key_file), *_watches(simulator))))
        else:
            _announce(simulator, start_at, factor, key_file)

    try:
        with tempfile.TemporaryDirectory(prefix="radar-sim-") as folder:
            serve(
                seed=seed,
                start_at=start_at,
                stop=stop,
                announce=lambda simulator: announce(simulator, Path(folder) / "key.json"),
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


def _announce(simulator: Simulator, start_at: datetime, factor: float, key_file: Path) -> None:
    say(f"The local internet stands at {simulator.url}; its world begins at {start_at:%Y-%m-%d %H:%M} UTC.")
    if factor > 1:
        say(
            f"Its clock runs {factor:g} times as fast as yours, so that its entries are soon dated ahead of your clock;"
        )
        say("Radar shows such an entry as published just now.")
    say("Point radar.toml at it (radar sim --toml prints only these lines and the watches):")
    for lines in _lines(simulator, key_file):
        show(lines)
    say(
        "A feed is asked at the address its watch names, and a board must be there, so those of yours do not work here."
    )
    say("A watch for each that does:")
    for watch in _watches(simulator):
        show(watch)
    for line in _ways_on(simulator, key_file):
        say(line)
    say(f"Steer it at {simulator.url}; POST takes a JSON body with these keys (? = may be left out):")
    for method, doors in (("GET", READ), ("POST", CHANGE)):
        for name in sorted(doors):
            say(f"  {told(method, name)}")
    say(f"  such as: curl -d '{{\"seconds\": 3600}}' {simulator.url}/_sim/advance")
    say("Ctrl-C ends it.")


def _write_key(simulator: Simulator, path: Path) -> None:
    """The key of the simulated service account, for its owner alone from the first moment on."""
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        file.write(simulator.sheets_key_file)


def _lines(simulator: Simulator, key_file: Path) -> Iterable[str]:
    """What to paste into radar.toml, table by table."""
    client = {"client_id": toml_text("simulated"), "client_secret": toml_text("simulated")}
    for name, url in simulator.source_urls.items():
        yield toml_lines(f"sources.{name}", {"base_url": toml_text(url), **(client if name in NEED_CLIENT else {})})
    services = {name: {"base_url": toml_text(url)} for name, url in simulator.service_urls.items()}
    judge = {"kind": toml_text("ollama"), **services["ollama"], "model": toml_text(MODEL)}
    yield toml_lines("judge", judge)
    yield toml_lines("telegram", {**services["telegram"], "token": toml_text(BOT_TOKEN), "chat_id": CHAT})
    key = f"{{ file = {toml_text(key_file)} }}"
    yield toml_lines("sheets", {**services["sheets"], "spreadsheet_id": toml_text(SPREADSHEET), "credentials": key})


def _watches(simulator: Simulator) -> Iterable[str]:
    """A watch of a feed and one of a company's board, as radar.toml has them, that find something here."""
    feed = {"source": "feed", "params": {"url": f"{simulator.source_urls['feed']}/news.rss"}}
    board = {"source": BOARDS, "params": {"board": _board(simulator)}}
    for name, kind, query in (("sim-feed", "article", feed), ("sim-board", "vacancy", board)):
        yield (with_watch("", {"name": name, "kind": kind, "query": [query]}) or "").rstrip("\n")


def _board(simulator: Simulator) -> str:
    """The board of a company that has openings now."""
    with simulator.internet.lock:
        for company in COMPANIES:
            if simulator.world.listing(Search(source=BOARDS, employers=frozenset((company.id,)))):
                return board_of(company)
    return board_of(COMPANIES[0])


def _ways_on(simulator: Simulator, key_file: Path) -> Iterable[str]:
    """How each `radar connect` is tried on it; somebody must press Start in the simulated chat."""
    yield "With these lines in radar.toml, try:"
    yield f'  curl -d \'{{"text": "/start"}}\' {simulator.url}/_sim/telegram/say && radar connect telegram'
    yield f"  radar connect sheets {key_file} {SPREADSHEET}"
    yield f"  radar connect ollama --url {simulator.service_urls['ollama']}"
