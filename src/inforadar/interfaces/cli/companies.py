"""`radar companies`: who offers what was found, one line for each company."""

from collections.abc import Sequence
from datetime import datetime
from itertools import groupby
from typing import Any

import click

from inforadar.collect.report import moment
from inforadar.interfaces.cli.output import print_json
from inforadar.interfaces.cli.parameters import WHOLE
from inforadar.interfaces.cli.session import Session
from inforadar.interfaces.cli.table import print_table, tell
from inforadar.interfaces.cli.wording import age
from inforadar.store import companies
from inforadar.store.companies import CompanyRow

HEADERS = ("COMPANY", "OPEN", "SEEN", "REPOSTS", "FIRST", "LAST", "SOURCES")
NOTHING_YET = "No company has been counted yet: `radar fetch` collects vacancies, `radar run` or `radar work` counts."
NOTHING_FITS = "No company has this in its name."


@click.command(
    "companies",
    help="""List the companies whose vacancies were found, those with most open ones first.

    \b
    Examples:
      radar companies
      radar companies yandex
      radar companies --limit 10 --json
    """,
)
@click.argument("text", metavar="[TEXT]", required=False)
@click.option("--limit", metavar="N", default=50, show_default=True, type=WHOLE, help="At most so many.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON array.")
@click.pass_obj
def command(session: Session, text: str | None, limit: int, as_json: bool) -> None:
    """Print companies as a table or as JSON."""
    with session.app() as app, app.database.reading() as tx:
        found = companies.search(tx, text=text, limit=limit)
        now = app.clock.now()
    named = [list(rows) for _, rows in groupby(found, key=lambda row: row.shown_key)]
    if as_json:
        print_json([_json(rows) for rows in named])
    elif named:
        print_table(HEADERS, [_row(rows, now) for rows in named], flexible=(0, 6), spare=(4, 3))
    else:
        tell(NOTHING_FITS if text else NOTHING_YET)


def _row(rows: Sequence[CompanyRow], now: datetime) -> list[str]:
    return [
        rows[0].name,
        str(sum(row.offers_open for row in rows)),
        str(sum(row.offers_seen for row in rows)),
        str(sum(row.reposts for row in rows)),
        age(min(row.first_seen_at for row in rows), now),
        age(max(row.last_seen_at for row in rows), now),
        ", ".join(sorted({row.source for row in rows})),
    ]


def _json(rows: Sequence[CompanyRow]) -> dict[str, Any]:
    return {
        "name": rows[0].name,
        "offers_seen": sum(row.offers_seen for row in rows),
        "offers_open": sum(row.offers_open for row in rows),
        "reposts": sum(row.reposts for row in rows),
        "first_seen_at": moment(min(row.first_seen_at for row in rows)),
        "last_seen_at": moment(max(row.last_seen_at for row in rows)),
        "sources": [_source_json(row) for row in rows],
    }


def _source_json(row: CompanyRow) -> dict[str, Any]:
    return {
        "source": row.source,
        "name": row.name,
        "offers_seen": row.offers_seen,
        "offers_open": row.offers_open,
        "reposts": row.reposts,
    }
