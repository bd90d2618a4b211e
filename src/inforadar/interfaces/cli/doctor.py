"""`radar doctor`: what is wrong, each with the command that mends it; changes nothing."""

import os
import tempfile
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from inforadar.bootstrap import App, open_over, plugins
from inforadar.config import Config
from inforadar.config.loading import LARGEST_FILE, read_text
from inforadar.config.store_url import SQLITE
from inforadar.domain.errors import ConfigError, StoreError
from inforadar.interfaces.cli.output import print_json, show
from inforadar.interfaces.cli.session import Session
from inforadar.interfaces.cli.table import tell, wrapped
from inforadar.interfaces.cli.wording import counted
from inforadar.observe.clock import NOW_VARIABLE
from inforadar.observe.printable import printable
from inforadar.observe.secrets import Secrets
from inforadar.service import doctoring
from inforadar.service.doctoring import Finding
from inforadar.service.doctoring_store import (
    check_clock,
    check_contents,
    check_new,
    check_refused,
    check_rights,
    check_schema,
)
from inforadar.sinks.telegram_connecting import Connecting
from inforadar.store.database import Database, open_database

COLOURS = {"ok": "green", "warning": "yellow", "failure": "red"}
WORDS = {"ok": "ok", "warning": "look", "failure": "MEND"}
WAL_MARK = slice(18, 20)
WAL = b"\x02\x02"
INDENT = 18


@click.command(
    "doctor",
    help="""Look at everything: configuration, database, clock, sources, judge, Telegram, sinks, windows, secret files,
    disk, jobs. Each failure comes with the command that mends it. Nothing is changed.

    \b
    Examples:
      radar doctor
      radar doctor --json
    """,
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.pass_obj
def command(session: Session, as_json: bool) -> int:
    """Print findings; 1 if anything must be mended."""
    findings = list(_findings(session))
    failures = [one for one in findings if one.state == "failure"]
    if as_json:
        print_json({"ok": not failures, "findings": [asdict(one) for one in findings]})
    else:
        _show(findings)
    return 1 if failures else 0


def _findings(session: Session) -> Iterator[Finding]:
    """Everything there is to find, scrubbed of every secret."""
    yield from doctoring.check_plugins((one.name, one.package, one.flaw) for one in plugins())
    try:
        config = session.config()
    except ConfigError as error:
        remedy = "radar init" if "There is no radar.toml" in str(error) else "edit the file; every line is named"
        yield Finding(area="config", state="failure", what=str(error), remedy=remedy)
        return
    secrets = Secrets(config.secrets())
    for one in _examined(session, config):
        yield Finding(area=one.area, state=one.state, what=secrets.scrub(one.what), remedy=secrets.scrub(one.remedy))


def _examined(session: Session, config: Config) -> Iterator[Finding]:
    yield from doctoring.check_config(config)
    assert config.path is not None
    raw = tomllib.loads(read_text(config.path, LARGEST_FILE))
    yield from doctoring.check_files(config, raw)
    yield doctoring.check_disk(config)
    database, found = _opened(config)
    yield from found
    try:
        with _parts(session, config, database) as app:
            yield from _asked(app, database, raw)
    finally:
        if database is not None:
            database.close()


def _opened(config: Config) -> tuple[Database | None, list[Finding]]:
    """The database as it is, if it can be opened without changing anything."""
    path = Path(config.store.url.removeprefix(SQLITE)) if config.store.url.startswith(SQLITE) else None
    if path is not None and not path.exists():
        return None, [check_new(path)]
    if path is not None and not _is_ours(path):
        what = f"{path} is no database of Info Radar"
        return None, [Finding(area="database", state="failure", what=what, remedy="name another file in [store] url")]
    if path is not None and (forbidden := check_rights(path)):
        return None, [forbidden]
    try:
        database = open_database(config.store.url)
    except StoreError as error:
        return None, [check_refused(config.store.url, error)]
    try:
        found = check_schema(database)
    except StoreError as error:
        found = check_refused(config.store.url, error)
    if found.state == "failure":
        database.close()
        return None, [found]
    return database, [found]


def _is_ours(path: Path) -> bool:
    """Whether a file is an SQLite database in the mode we use: opening another one would switch it."""
    try:
        with path.open("rb") as file:
            head = file.read(WAL_MARK.stop)
    except OSError:
        return True  # opening it tells why it cannot be read
    return not head or head[WAL_MARK] == WAL


@contextmanager
def _parts(session: Session, config: Config, database: Database | None) -> Iterator[App]:
    """The parts of this process; where the database is of no use, over an empty one that is thrown away."""
    if database is not None:
        with open_over(database, config, session.clock) as app:
            yield app
        return
    with tempfile.TemporaryDirectory(prefix="radar-doctor-") as folder:
        empty = open_database(f"{SQLITE}{folder}/empty.db")
        try:
            with open_over(empty, config, session.clock) as app:
                yield app
        finally:
            empty.close()


def _asked(app: App, database: Database | None, raw: Mapping[str, Any]) -> Iterator[Finding]:
    now = app.clock.now()
    if database is not None:
        yield check_clock(database, now, is_told=bool(os.environ.get(NOW_VARIABLE)))
        yield from check_contents(database, app.config, app.ways.gate_names(), now)
    yield doctoring.check_judge(app.config, app.judge())
    api = app.telegram_api()
    ask = Connecting(api=api, clock=app.clock, wait=app.stop.wait).bot_name if api else None
    yield from doctoring.check_telegram(app.config, raw, ask)
    yield from doctoring.check_sinks(app.config)
    yield from doctoring.check_windows(app.config, now)


def _show(findings: list[Finding]) -> None:
    for one in findings:
        lines = [line for part in one.what.split("\n") for line in wrapped(printable(part), INDENT)]
        mark = click.style(f"{WORDS[one.state]:<4}", fg=COLOURS[one.state], bold=one.state == "failure")
        show(f"{mark}  {printable(one.area):<10}  {lines[0]}")
        for line in lines[1:]:
            show(f"{'':{INDENT}}{line}")
        for number, line in enumerate(wrapped(printable(one.remedy), INDENT + 3) if one.remedy else []):
            show(f"{'':{INDENT}}{'   ' if number else '-> '}{line}")
    _tell_end(findings)


def _tell_end(findings: list[Finding]) -> None:
    failures = sum(one.state == "failure" for one in findings)
    warnings = sum(one.state == "warning" for one in findings)
    if failures:
        tell(f"{counted(failures, 'thing')} to mend, {warnings} to look at.")
    else:
        tell(f"All is well{f', {warnings} to look at' if warnings else ''}.")
