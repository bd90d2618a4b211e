"""`radar export`: matches as CSV, JSON or a feed, to a file or to stdout."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import click

from inforadar.bootstrap import App
from inforadar.config import Config
from inforadar.domain.status import Status
from inforadar.interfaces.cli.choosing import require_known_watches
from inforadar.interfaces.cli.output import print_bytes, say
from inforadar.interfaces.cli.parameters import WHOLE, OneOf
from inforadar.interfaces.cli.session import Session
from inforadar.interfaces.cli.wording import counted
from inforadar.interfaces.export.feeds import NEWEST, RENDERERS, SHOWN, Feed, FeedKind
from inforadar.interfaces.export.files import write_whole
from inforadar.interfaces.export.reading import every_match
from inforadar.interfaces.export.records import json_lines, json_text
from inforadar.interfaces.export.tables import csv_text
from inforadar.store.matches import MatchView

STDOUT = "-"
STATUSES = [status.value for status in Status]
FORMAT_HELP = "csv, json (one array), jsonl (one object a line), rss or atom."

NOTHING_JUDGED = (
    "A feed holds what fits, and nothing has been judged to fit yet. To judge what waits: radar work --until-idle"
)
NOTHING_FITS = "A feed holds what fits and waits for you, and nothing does. To have others in it: --status STATUS"
NOTHING_FOUND = "Nothing was found yet. To look: radar fetch"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What the user wants of an export."""

    watches: tuple[str, ...]
    is_raw: bool
    has_mark: bool
    address: str


Renderer = Callable[[Wanted, Iterator[MatchView]], Iterator[str]]


def _feed(kind: FeedKind) -> Renderer:
    def rendered(wanted: Wanted, found: Iterator[MatchView]) -> Iterator[str]:
        name = ", ".join(wanted.watches) or "all watches"
        return RENDERERS[kind](Feed(name=name, address=wanted.address), found)

    return rendered


FORMATS: Mapping[str, Renderer] = {
    "csv": lambda wanted, found: csv_text(found, is_raw=wanted.is_raw, has_mark=wanted.has_mark),
    "json": lambda _wanted, found: json_text(found),
    "jsonl": lambda _wanted, found: json_lines(found),
    "rss": _feed("rss"),
    "atom": _feed("atom"),
}


@click.command(
    "export",
    help="""Write matches as CSV, JSON or a feed, the newest publication first; all, or those of the watches named.

    \b
    Examples:
      radar export --format csv --output matches.csv
      radar export python-madrid --status APPLIED --format csv --bom -o applied.csv
      radar export --format jsonl | jq .title
      radar export python-madrid --format rss --output feed.xml
    """,
)
@click.argument("watches", metavar="[WATCH]...", nargs=-1)
@click.option(
    "--format", "form", metavar="F", type=OneOf(list(FORMATS)), default="csv", show_default=True, help=FORMAT_HELP
)
@click.option("--status", "statuses", metavar="S", multiple=True, type=OneOf(STATUSES), help="Only these statuses.")
@click.option("--limit", metavar="N", type=WHOLE, help=f"At most so many; of a feed {NEWEST}, else all.")
@click.option("-o", "--output", metavar="FILE", default=STDOUT, help="Where to write; - is stdout, the default.")
@click.option("--raw", is_flag=True, help="CSV: leave texts that a spreadsheet would take for formulas as they are.")
@click.option("--bom", is_flag=True, help="CSV: begin with a byte order mark, so that Excel reads it as UTF-8.")
@click.pass_obj
def command(
    session: Session,
    watches: tuple[str, ...],
    form: str,
    statuses: tuple[str, ...],
    limit: int | None,
    output: str,
    raw: bool,
    bom: bool,
) -> None:
    """Write matches piece by piece."""
    if (raw or bom) and form != "csv":
        raise click.UsageError("--raw and --bom go with --format csv.")
    is_feed = form in RENDERERS
    with session.app() as app:
        require_known_watches(app, watches)
        tally = Tally()
        found = every_match(
            app.database,
            watches,
            statuses=statuses or (SHOWN if is_feed else ()),
            limit=limit or (NEWEST if is_feed else None),
        )
        wanted = Wanted(watches=watches, is_raw=raw, has_mark=bom, address=_address(app.config, watches, form))
        _write(output, (chunk.encode() for chunk in FORMATS[form](wanted, tally.of(found))))
        why_empty = _why_empty(app, watches) if is_feed and not statuses and not tally.count else ""
    if output != STDOUT:
        say(f"Wrote {counted(tally.count, 'match', 'matches')} to {output}.")
    if why_empty:
        say(why_empty)


@dataclass(slots=True)
class Tally:
    """How many matches went by."""

    count: int = 0

    def of(self, found: Iterator[MatchView]) -> Iterator[MatchView]:
        """The same matches, counted."""
        for match in found:
            self.count += 1
            yield match


def _write(output: str, chunks: Iterator[bytes]) -> None:
    if output == STDOUT:
        print_bytes(chunks)
    else:
        write_whole(Path(output), chunks)


def _why_empty(app: App, watches: tuple[str, ...]) -> str:
    """Why a feed, which holds what fits, holds nothing."""
    if any(every_match(app.database, watches, statuses=(Status.QUEUED.value,), limit=1)):
        return NOTHING_JUDGED
    return NOTHING_FITS if any(every_match(app.database, watches, limit=1)) else NOTHING_FOUND


def _address(config: Config, watches: tuple[str, ...], form: str) -> str:
    """Where the same feed is served."""
    home = f"http://{config.web.host}:{config.web.port}/"
    return f"{home}feeds/{quote(watches[0], safe='')}.{form}" if len(watches) == 1 else home
