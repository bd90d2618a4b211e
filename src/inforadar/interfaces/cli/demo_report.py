"""The demo as a report: fetches some simulated hours apart, what is sent, triage, where everything stands."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import click

from inforadar.interfaces.cli.demo_config import write_demo_config
from inforadar.interfaces.cli.fetch import command as fetch
from inforadar.interfaces.cli.items import command as items
from inforadar.interfaces.cli.mark import command as mark
from inforadar.interfaces.cli.output import show
from inforadar.interfaces.cli.own_name import next_steps
from inforadar.interfaces.cli.prices import command as prices
from inforadar.interfaces.cli.session import Session
from inforadar.interfaces.cli.status import command as status
from inforadar.interfaces.cli.undo import command as undo
from inforadar.interfaces.cli.why import command as why
from inforadar.interfaces.cli.wording import counted
from inforadar.interfaces.cli.work import command as work
from inforadar.observe.clock import SystemClock
from inforadar.observe.printable import printable
from inforadar.simulator.faults import Fault
from inforadar.simulator.rules import Rules
from inforadar.simulator.scenarios import demo_world
from inforadar.simulator.server import Simulator
from inforadar.store import matches

BEGIN = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)
LATER = timedelta(hours=6)
LAST = LATER + timedelta(minutes=90)
INTERRUPTED = 130
RULES = Rules(ebay_client="app:demo")
FEWER = ("python-jobs", "habr-python")


def print_demo(seed: int, folder: Path) -> int:
    """Play the scenes; Ctrl-C in a fetch or in the work ends the demo as it ends them."""
    with Simulator(demo_world(seed, BEGIN), rules=RULES) as simulator:
        path = write_demo_config(folder, simulator.base_urls)
        is_over = _collect(path, simulator)
        if not is_over:
            _triage(path)
    if is_over:
        return INTERRUPTED
    _head(next_steps())
    return 0


def _collect(path: Path, simulator: Simulator) -> bool:
    """Three fetches some hours apart, each with the work that follows; whether it was interrupted."""
    _head("Jobs, articles and coins stand on a simulated internet on this machine. Radar asks for the first time:")
    if _call(fetch, path, timedelta()) == INTERRUPTED:
        return True
    _head(
        "A worker looks each vacancy up, judges it by your profile and sends what fits to a simulated Telegram;\n"
        "of a first fetch only the last day is sent, so that nobody is flooded:"
    )
    _call(work, path, timedelta(), ["--until-idle"])
    first = _show_messages(simulator, 0)
    _head("Six simulated hours later: new entries, withdrawn ones, bumps, edits, late arrivals:")
    simulator.advance(LATER.total_seconds())
    if _call(fetch, path, LATER, FEWER) == INTERRUPTED:
        return True
    _call(work, path, LATER, ["--until-idle"])
    _show_messages(simulator, first)
    _head("One source is broken ON PURPOSE: LinkedIn shows its login wall. Radar says so, and the others go on:")
    simulator.switch(Fault(kind="authwall", source="linkedin"))
    simulator.advance((LAST - LATER).total_seconds())
    return _call(fetch, path, LAST, FEWER) == INTERRUPTED


def _triage(path: Path) -> None:
    """What was sent, why, what a decision does and how it is taken back; then where everything stands."""
    _head("What was sent to you, with its score (radar items alone lists everything):")
    _call(items, path, LAST, ["--status", "SENT_TO_USER", "--limit", "8"])
    sent = str(_first_sent(path))
    _head("Why did I get this one? (It answers for any listing, also for one that you did not get.)")
    _call(why, path, LAST, [sent])
    _head("Triage: in Telegram with one tap, or here. Every decision can be taken back:")
    _call(mark, path, LAST, [sent, "applied"])
    _call(undo, path, LAST)
    _head("What the coins of a price watch are worth together:")
    _call(prices, path, LAST, ["morgan-dollars"])
    _head("Where everything stands (LinkedIn is the source we broke):")
    _call(status, path, LAST)


def _first_sent(path: Path) -> int:
    """The newest match that was sent."""
    with _session(path, LAST).app() as app, app.database.reading() as tx:
        return matches.search(tx, status="SENT_TO_USER", limit=1)[0].id


def _show_messages(simulator: Simulator, seen: int) -> int:
    """The latest of the messages that a chat did not have before, as a person reads them; how many it has now."""
    told = [message.as_json() for message in simulator.telegram.messages(None)]
    _head(f"Telegram has {counted(len(told) - seen, 'new message')}; the latest, with its buttons:")
    for message in told[seen:][-1:]:
        rows = message.get("reply_markup", {}).get("inline_keyboard", ())
        buttons = " ".join(f"[{button['text']}]" for row in rows for button in row)
        for line in (*message["text"].splitlines(), buttons):
            show(f"  | {printable(line)}")
    return len(told)


def _call(command: click.Command, path: Path, passed: timedelta, arguments: Sequence[str] = ()) -> object:
    """One command as a user would type it, at a moment of the simulated world; what it returned."""
    show(click.style(" ".join(["$ radar", command.name or "", *arguments]), dim=True))
    session = _session(path, passed)
    return command.main(args=list(arguments), prog_name="radar", obj=session, standalone_mode=False)


def _session(path: Path, passed: timedelta) -> Session:
    return Session(config_path=str(path), log_level="ERROR", clock=SystemClock(BEGIN + passed))


def _head(text: str) -> None:
    show("")
    show(click.style(text, fg="cyan", bold=True))
