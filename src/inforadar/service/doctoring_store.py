"""What `radar doctor` reads in the database: its version and schema, the clock, jobs, deliveries."""

import os
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path

from inforadar.config import Config
from inforadar.config.store_url import SQLITE
from inforadar.domain.errors import StoreError
from inforadar.domain.health import moment
from inforadar.domain.wording import counted
from inforadar.service.doctoring import Finding
from inforadar.service.doctoring_asked import GateNames, check_asked
from inforadar.store import deliveries, jobs
from inforadar.store.database import Database, Tx
from inforadar.store.filesystem import is_read_only
from inforadar.store.migrate import pending

MOST_SKEW = timedelta(seconds=5)
LONG_UNSENT = timedelta(days=2)
DAMAGED = "is damaged"
NAMES = {"sqlite": "SQLite", "postgres": "PostgreSQL"}


def check_new(
    path: Path, may: Callable[[Path, int], bool] = os.access, is_fixed: Callable[[Path], bool] = is_read_only
) -> Finding:
    """Whether a database that is not there yet can be made; `may`: what this user may do with a path.

    `is_fixed`: whether a path lies on a file system that may only be read.
    """
    if path.parent.is_dir() and not may(path.parent, os.W_OK | os.X_OK):
        what = f"{path} is not there yet, and this user may not make it in {path.parent}"
        return _unwritable(what, path.parent, is_fixed)
    return Finding(area="database", state="ok", what=f"{path} is not there yet", remedy="radar fetch makes it")


def check_rights(
    path: Path, may: Callable[[Path, int], bool] = os.access, is_fixed: Callable[[Path], bool] = is_read_only
) -> Finding | None:
    """That this user may not write a database that is there, or beside it; None where all is well."""
    for place, right in ((path.parent, os.W_OK | os.X_OK), (path, os.R_OK | os.W_OK)):
        if not may(place, right):
            what = f"this user may not write {'into ' if place.is_dir() else ''}{place}"
            return _unwritable(what, place, is_fixed)
    return None


def _unwritable(what: str, place: Path, is_fixed: Callable[[Path], bool]) -> Finding:
    """What may not be written, with who gives the right, unless nobody has it."""
    if is_fixed(place):
        what = f"{place} lies on a file system that may only be read"
        remedy = "mount it for writing, or name a file elsewhere in [store] url"
        return Finding(area="database", state="failure", what=what, remedy=remedy)
    return Finding(area="database", state="failure", what=what, remedy=_right_to(place))


def check_refused(url: str, error: StoreError) -> Finding:
    """A database that cannot be opened, with what opens it again."""
    return Finding(area="database", state="failure", what=str(error), remedy=_opening(url, str(error)))


def _opening(url: str, error: str) -> str:
    if not url.startswith(SQLITE):
        return "check [store] url, that the server runs, and that it lets this user in"
    if DAMAGED in error:
        return "radar db check"
    return "do what it says, or name another file in [store] url"


def _right_to(path: Path) -> str:
    """The command that gives this user the right to write a file or into a folder."""
    rights = "u+rwx" if path.is_dir() else "u+rw"
    own = f"chmod {rights} {path}"
    return own if path.stat().st_uid == os.geteuid() else f"sudo chown {os.geteuid()} {path} && {own}"


def check_schema(database: Database) -> Finding:
    """Whether the database is one of this program's, of its version; raises StoreError where it cannot be read."""
    try:
        waiting = pending(database)
    except StoreError as error:
        if error.__cause__ is not None:
            raise
        return Finding(area="database", state="failure", what=str(error), remedy="name another one in [store] url")
    with database.reading() as tx:
        row = tx.row("store_version")
    told = f"{database.name}, {NAMES[database.kind]} {row['version'] if row else ''}"
    if waiting:
        what = f"{told}: {counted(len(waiting), 'migration')} pending"
        return Finding(area="database", state="failure", what=what, remedy="radar db upgrade")
    return Finding(area="database", state="ok", what=f"{told}, up to date")


def check_clock(database: Database, now: datetime, *, is_told: bool) -> Finding:
    """Whether this process and the database agree on the time; `is_told`: RADAR_NOW says it."""
    with database.reading() as tx:
        skew = now - tx.store_now()
    seconds = abs(skew.total_seconds())
    if is_told:
        what = f"RADAR_NOW is set: this process believes it is {moment(now)}"
        return Finding(area="clock", state="warning", what=what, remedy="unset RADAR_NOW")
    if abs(skew) <= MOST_SKEW:
        return Finding(area="clock", state="ok", what=f"agrees with the database to {seconds:.1f} s")
    ahead = "ahead of" if skew > timedelta(0) else "behind"
    what = f"this machine's clock is {seconds:.0f} s {ahead} the database's"
    return Finding(area="clock", state="failure", what=what, remedy="timedatectl set-ntp true")


def check_contents(database: Database, config: Config, asks: GateNames, now: datetime) -> Iterator[Finding]:
    """Sources by how they answered last, queries that fail, jobs and deliveries that do not get on."""
    with database.reading() as tx:
        found = [*check_asked(tx, config, asks, now), *_jobs(tx, config), *_deliveries(tx, now)]
    yield from found


def _jobs(tx: Tx, config: Config) -> Iterator[Finding]:
    stuck = len(jobs.stuck(tx, lock_timeout_s=config.work.job_lock_timeout_s))
    failed = jobs.counts(tx).get("failed", 0)
    if stuck:
        remedy = "radar run (a worker takes them up), or look: radar jobs list --stuck"
        yield Finding(
            area="jobs", state="failure", what=f"{stuck} stuck: their worker gives no sign of life", remedy=remedy
        )
    if failed:
        remedy = "radar jobs list --status failed, then radar jobs retry ID"
        yield Finding(area="jobs", state="warning", what=f"{failed} failed for good", remedy=remedy)
    for kind in jobs.paused_kinds(tx):
        what = f"those of kind {kind.kind} are paused: {kind.reason}"
        yield Finding(area="jobs", state="warning", what=what, remedy=f"radar jobs resume {kind.kind}")
    if not stuck and not failed:
        yield Finding(area="jobs", state="ok", what="none is stuck, none has failed")


def _deliveries(tx: Tx, now: datetime) -> Iterator[Finding]:
    unsent, failed = deliveries.unsent(tx, now), deliveries.counts(tx).get("failed", 0)
    if unsent and unsent.oldest_at and now - unsent.oldest_at > LONG_UNSENT:
        what = f"something waits to be sent since {moment(unsent.oldest_at)}"
        yield Finding(
            area="deliveries", state="warning", what=what, remedy="radar run sends it; radar status tells why it waits"
        )
    if failed:
        yield Finding(
            area="deliveries", state="warning", what=f"{failed} could not be sent", remedy="radar why ID tells why"
        )
