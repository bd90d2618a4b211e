"""`radar sheets`: the spreadsheet by hand, outside of its nightly hours too."""

from dataclasses import asdict
from datetime import datetime, timedelta

import click

from inforadar.bootstrap import App
from inforadar.collect.report import moment
from inforadar.domain.errors import RadarError, Stopped
from inforadar.domain.schedule import DailyWindow
from inforadar.interfaces.cli.output import print_json, say, show
from inforadar.interfaces.cli.session import Session
from inforadar.interfaces.cli.stopping import STOPPING, hurry, stopped_by_signals
from inforadar.interfaces.cli.table import tell
from inforadar.interfaces.cli.wording import counted
from inforadar.observe.printable import printable
from inforadar.service.sheets import SHEETS, SheetsSync, SyncReport, TableReport
from inforadar.sinks.sheets_api import REQUEST_S

NAMED_NOWHERE = 'No watch is written there. Name it in one: deliver = ["sheets"] (radar watch edit NAME)'
NOTHING_NEW = (
    'No offer is due. Written are matches that are found relevant while their watch has deliver = ["sheets"]; those '
    "found before that are not written later. To have them as a table: radar export --format csv -o matches.csv"
)


@click.group(
    "sheets",
    help="""Bring your Google spreadsheet up to date, or look whether it can be.

    \b
    Examples:
      radar sheets check
      radar sheets sync --now
    """,
)
def command() -> None:
    """The group of commands for the spreadsheet."""


@command.command(
    "sync",
    short_help="Hear what you wrote into the spreadsheet and write what is due.",
    help="""Hear what you wrote into the spreadsheet, then write what is due. `radar run` does this every night.

    \b
    Examples:
      radar sheets sync --now
      radar sheets sync --now --json
    """,
)
@click.option("--now", "at_once", is_flag=True, help="Also outside of [sheets] window, and all that waits for it.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.pass_obj
def sync_command(session: Session, at_once: bool, as_json: bool) -> None:
    """Sync once, in this process."""
    with session.app() as app, stopped_by_signals(app, STOPPING, session.say, hurry):
        sync = app.sheets_sync()
        is_named = any(SHEETS in watch.deliver for watch in app.config.watches)
        if not at_once:
            _require_night(app, sync)
        report = sync.run(
            lambda: _pulse(app, sync, at_once=at_once),
            lambda tx, told: app.alarms().sound(tx, SHEETS, told),
            takes_all=at_once,
        )
    if as_json:
        print_json(asdict(report))
        return
    for line in _lines(report):
        show(line)
    if not report.offers.added and not report.offers.updated:
        tell(NOTHING_NEW if is_named else NAMED_NOWHERE)


@command.command(
    "check",
    short_help="Look whether the spreadsheet can be opened.",
    help="""Look whether the spreadsheet can be opened, and say with whom it must be shared. Nothing is written.

    \b
    Examples:
      radar sheets check
      radar sheets check --json
    """,
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.pass_obj
def check_command(session: Session, as_json: bool) -> None:
    """Open the spreadsheet and name its tabs."""
    with session.app() as app:
        api = app.sheets_api()
        say(f"The service account is {api.account.email}.")
        tabs = [printable(tab.title) for tab in api.tabs()]
        window, now = app.config.sheets and app.config.sheets.window, app.clock.now()
        opens_at = _next_opening(app)
    if as_json:
        print_json({"service_account": api.account.email, "tabs": tabs, "opens_at": opens_at})
        return
    show(f"The spreadsheet can be opened. Its tabs: {', '.join(tabs)}.")
    if window:
        hours = f"between {window.start:%H:%M} and {window.end:%H:%M} {window.zone}"
        is_now = _may_begin(window, now)
        show(f"It is written {hours}, {_open_until(window, now) if is_now else f'next from {opens_at}'}.")


def _require_night(app: App, sync: SheetsSync) -> None:
    if not sync.is_night():
        raise RadarError(
            f"The spreadsheet is left alone until {_next_opening(app)}. `radar sheets sync --now` does it at once."
        )


def _next_opening(app: App) -> str | None:
    """When a sync may begin: now, or at the next opening; what is left of a window may be too short for a request."""
    sheets, now = app.config.sheets, app.clock.now()
    if sheets is None:
        return None
    window = sheets.window
    return moment(now if _may_begin(window, now) else window.next_opening(window.next_closing(now)))


def _may_begin(window: DailyWindow, now: datetime) -> bool:
    return window.is_open(now) and window.is_open(now + timedelta(seconds=REQUEST_S))


def _open_until(window: DailyWindow, now: datetime) -> str:
    return f"open now, until {window.next_closing(now):%H:%M} UTC"


def _pulse(app: App, sync: SheetsSync, *, at_once: bool) -> None:
    if app.stop.is_set():
        raise Stopped("Stopped; what was written stays, and the next sync goes on.")
    if not at_once:
        _require_night(app, sync)


def _lines(report: SyncReport) -> list[str]:
    heard = report.feedback
    return [
        f"Offers: {_table(report.offers)}.",
        f"Companies: {_table(report.companies)}.",
        f"Heard: {counted(heard['decided'], 'decision')}, {heard['undone']} taken back, "
        f"{counted(heard['noted'], 'note')}, {heard['conflicts']} decided elsewhere too.",
    ]


def _table(report: TableReport) -> str:
    return f"{report.added} added, {report.updated} updated, {report.deleted_by_user} deleted by you"
