"""Where cells are: names of columns and ranges, the header of a table, and rows as blocks to write.

Everything goes by the names in the header, so that columns may be moved and others stand between them.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from inforadar.domain.folding import views

LONGEST_CELL = 5000
HEADER_ROW = 1
"""The row in which a header of ours is written; the user may put rows above it."""
Cell = str | float | int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A rectangle of cells to write."""

    range: str
    values: list[list[Cell]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """Which column (from 0) bears which of the names asked for; a name the user took away is not there.

    `doubled`: names that several columns bear; which of them is ours nobody can tell. `row` is where it stands, from 1.
    """

    places: Mapping[str, int]
    doubled: frozenset[str] = frozenset()
    row: int = HEADER_ROW

    def __contains__(self, name: str) -> bool:
        return name in self.places

    def unmistakable(self) -> "Header":
        """The columns whose name no other one bears."""
        single = {name: place for name, place in self.places.items() if name not in self.doubled}
        return Header(places=single, row=self.row)


def find_header(lines: Sequence[Sequence[Any]], names: Sequence[str], key: str) -> Header | None:
    """The header among the first rows of a tab: of those with a column `key` the one that bears most of the names."""
    headers = (read_header(cells, names, row) for row, cells in enumerate(lines, 1))
    return max((header for header in headers if key in header), key=lambda header: len(header.places), default=None)


def read_header(cells: Sequence[Any], names: Sequence[str], row: int = HEADER_ROW) -> Header:
    """The header of a table; case matters only where columns differ in nothing else. The first of a name counts."""
    shown = [cell_text(cell) for cell in cells]
    borne = {name: _bearers(shown, name) for name in names}
    return Header(
        places={name: places[0] for name, places in borne.items() if places},
        doubled=frozenset(name for name, places in borne.items() if len(places) > 1),
        row=row,
    )


def _bearers(shown: Sequence[str], name: str) -> list[int]:
    """The places of a name; if some columns bear it letter for letter, only those."""
    exact = [place for place, text in enumerate(shown) if text == name]
    return exact or [place for place, text in enumerate(shown) if _folded(text) == _folded(name)]


def column_name(place: int) -> str:
    """The name of a column counted from 0: A, B, ... Z, AA."""
    name = ""
    while place >= 0:
        place, letter = place // 26 - 1, place % 26
        name = chr(ord("A") + letter) + name
    return name


def column_range(title: str, place: int, top: int) -> str:
    """All cells of a column from a row on."""
    return f"{_quoted(title)}!{column_name(place)}{top}:{column_name(place)}"


def rows_range(title: str, top: int, bottom: int) -> str:
    """Whole rows, however wide the sheet is."""
    return f"{_quoted(title)}!{top}:{bottom}"


def cell_text(cell: Any) -> str:
    """What a cell shows, without blanks around it."""
    return "" if cell is None else str(cell).strip()


def header_block(title: str, names: Sequence[str]) -> Block:
    """A header to write, from the first column on."""
    cells: list[Cell] = list(names)
    return Block(range=_range(title, 0, len(names) - 1, HEADER_ROW, HEADER_ROW), values=[cells])


def blocks_of(title: str, header: Header, rows: Mapping[int, Mapping[str, Cell]]) -> list[Block]:
    """Rows by their numbers as few blocks: neighbouring columns of ours and rows that follow one another together.

    Columns that are not in the header, and names the rows do not have, are left alone.
    """
    named = sorted((place, name) for name, place in header.places.items() if any(name in row for row in rows.values()))
    return [
        Block(
            range=_range(title, columns[0][0], columns[-1][0], numbers[0], numbers[-1]),
            values=[[safe(rows[number][name]) for _, name in columns] for number in numbers],
        )
        for columns in _runs(named, lambda column: column[0])
        for numbers in _runs(sorted(rows), lambda number: number)
    ]


def safe(cell: Cell) -> Cell:
    """A cell as Google takes it: written over whatever was there, and not too long."""
    if cell is None:
        return ""
    return cell[:LONGEST_CELL] if isinstance(cell, str) else cell


def _runs(values: Sequence[Any], number_of: Any) -> Iterator[list[Any]]:
    """Values whose numbers follow one another, together."""
    for _, run in groupby(enumerate(values), lambda pair: number_of(pair[1]) - pair[0]):
        yield [value for _, value in run]


def _range(title: str, left: int, right: int, top: int, bottom: int) -> str:
    return f"{_quoted(title)}!{column_name(left)}{top}:{column_name(right)}{bottom}"


def _quoted(title: str) -> str:
    return "'" + title.replace("'", "''") + "'"


def _folded(text: str) -> str:
    return views(text)[0]
