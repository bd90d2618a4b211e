"""One look at a table in the user's spreadsheet: its header and its keys, read by one request.

The columns to read are those the last look found; the first rows, in one of which the header stands, come in the same
answer, and if they say that it or the columns have moved, the look is taken again. So rows and columns are always those
of one moment.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from inforadar.domain.errors import Refused, Unavailable
from inforadar.domain.sheet_columns import KEY
from inforadar.observe.log import get_log
from inforadar.service.sheets_desk import Plan
from inforadar.sinks.sheets_api import SheetsApi, Tab
from inforadar.sinks.sheets_cells import HEADER_ROW, Header, cell_text, column_range, find_header, rows_range

LOOKS = 3
TOP_ROWS = 20
"""In so many rows the header is looked for: people put empty rows, titles and sums above it."""
MOVING = "the columns of the tab {title!r} are being moved just now"

log = get_log("service")


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenRow:
    """A row as it stands in the sheet: its number, and what the user wrote into it, by column."""

    number: int
    told: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """A table as it stood at one moment; `free_from` is the row from which on nothing is known to stand.

    `doubled`: keys that stand in several rows; the first one counts.
    """

    header: Header
    rows: Mapping[str, SeenRow] = field(default_factory=dict)
    doubled: frozenset[str] = frozenset()
    free_from: int = HEADER_ROW + 1

    @property
    def places(self) -> tuple[Header, Mapping[str, int], int]:
        """Where things are; as long as this is the same, a write finds what it was computed for."""
        return self.header, {key: row.number for key, row in self.rows.items()}, self.free_from


def look_at(api: SheetsApi, plan: Plan, tab: Tab, header: Header, room: range | None = None) -> Look:
    """How a table stands, and whether nothing stands in the rows of `room`; `header` is where the columns were.

    Raises Refused where the tab is not one of ours, and Unavailable while its columns do not stand still.
    """
    for _ in range(LOOKS):
        single = header.unmistakable()
        names = [name for name in (KEY, *plan.user_columns) if name in single]
        ranges = [top_range(tab), *(column_range(tab.title, header.places[name], header.row + 1) for name in names)]
        below = [rows_range(tab.title, room.start, room.stop - 1)] if room else []
        top, *found = api.read([*ranges, *below], by="COLUMNS")
        shown = header_of(plan, tab, _turned(top))
        if shown == header:
            return _look(header, dict(zip(names, found, strict=False)), room, found[len(names) :])
        header = shown
    raise Unavailable(MOVING.format(title=tab.title))


def top_range(tab: Tab) -> str:
    """The rows among which the header is."""
    return rows_range(tab.title, 1, min(TOP_ROWS, tab.rows))


def header_of(plan: Plan, tab: Tab, top: Sequence[Sequence[Any]]) -> Header:
    """The header of our table among its first rows; raises Refused where the rows cannot be known by it."""
    header = find_header(top, plan.names, KEY)
    if header is None:
        raise Refused(
            f"the tab {tab.title!r} of the spreadsheet has no column {KEY!r} in its first {TOP_ROWS} rows: give its "
            "column back that name and delete empty rows above the header; if the header row is gone, insert one that "
            f"says {', '.join(plan.names)}; if the tab is not one of radar's, give it another title, then a new one "
            "is made"
        )
    if KEY in header.doubled:
        raise Refused(
            f"the tab {tab.title!r} of the spreadsheet has two columns called {KEY!r}, and the rows go by it: "
            "give the one that is yours another name"
        )
    return header


def _look(
    header: Header, columns: Mapping[str, list[list[Any]]], room: range | None, below: Sequence[list[list[Any]]]
) -> Look:
    """What was read, as rows: `below` holds the cells of `room`, column by column."""
    cells = {name: lines[0] if lines else [] for name, lines in columns.items()}
    keys = [cell_text(cell) for cell in cells.pop(KEY)]
    rows: dict[str, SeenRow] = {}
    doubled = set()
    for place, key in enumerate(keys):
        if key in rows:
            doubled.add(key)
        elif key:
            own = {name: cell_text(told[place]) if place < len(told) else "" for name, told in cells.items()}
            rows[key] = SeenRow(number=header.row + 1 + place, told=own)
    free_from = header.row + 1 + len(keys)
    if room:
        taken = max((len(line) for line in below[0]), default=0) if below else 0
        free_from = max(free_from, room.start + taken)
    return Look(header=header, rows=rows, doubled=frozenset(doubled), free_from=free_from)


def _turned(columns: Sequence[Sequence[Any]]) -> list[list[Any]]:
    """Rows out of columns, as wide as all of them."""
    height = max(map(len, columns), default=0)
    return [[column[place] if place < len(column) else "" for column in columns] for place in range(height)]
