"""`radar db`: upgrade, back up or check the database."""

from dataclasses import asdict
from pathlib import Path

import click

from inforadar.bootstrap import open_store
from inforadar.domain.errors import RadarError
from inforadar.interfaces.cli.output import print_json, say, show
from inforadar.interfaces.cli.session import Session
from inforadar.interfaces.cli.wording import counted
from inforadar.observe.printable import printable
from inforadar.store.backup import backup
from inforadar.store.database import open_database
from inforadar.store.maintenance import check
from inforadar.store.migrate import upgrade


@click.group(
    "db",
    help="""Look after the database.

    \b
    Examples:
      radar db upgrade
      radar db backup radar-2026-11-15.db
      radar db check
    """,
)
def command() -> None:
    """The group of database commands."""


@command.command(
    "upgrade",
    short_help="Bring the database to the schema of this program.",
    help="""Bring the database to the schema of this program (an SQLite file is backed up first).

    \b
    Example:
      radar db upgrade
    """,
)
@click.pass_obj
def upgrade_command(session: Session) -> None:
    """Apply pending migrations."""
    database = open_database(session.config().store.url)
    applied = upgrade(database)
    say(f"{database.name}: " + (f"applied {', '.join(applied)}" if applied else "is up to date"))
    database.close()


@command.command(
    "backup",
    short_help="Write a verified copy to FILE.",
    help="""Write a verified copy of an SQLite database to FILE; never over an existing file.

    \b
    Example:
      radar db backup radar-2026-11-15.db
    """,
)
@click.argument("path", metavar="FILE", type=click.Path(dir_okay=False, path_type=Path))
@click.pass_obj
def backup_command(session: Session, path: Path) -> None:
    """Copy the database while others may use it."""
    database = open_store(session.config())
    backup(database, path)
    database.close()
    say(f"Wrote {path}, verified.")


@command.command(
    "check",
    short_help="Look for damage and broken promises.",
    help="""Check the database for damage and for anything our promises forbid.

    \b
    Example:
      radar db check
    """,
)
@click.option("--json", "as_json", is_flag=True, help="Print a JSON array of what was found.")
@click.pass_obj
def check_command(session: Session, as_json: bool) -> None:
    """Print findings; exit code 1 if there are any."""
    database = open_database(session.config().store.url)
    findings = check(database)
    database.close()
    if as_json:
        print_json([asdict(finding) for finding in findings])
    for finding in findings if not as_json else []:
        show(printable(f"{finding.check}: {finding.problem}"))
    if findings:
        problems = counted(len(findings), "problem")
        raise RadarError(f"{problems} found. Restore a backup, or report what happened with these lines.")
    say("The database is sound.")
