"""The spreadsheet: tabs and their cells, each with the option it was entered by.

Entered as a person types (`USER_ENTERED`), a text that begins like a formula becomes one; `RAW` stays what it is.
Nothing here knows of HTTP; whoever calls holds the internet's lock.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from inforadar.simulator.sheets.problems import SheetsError, invalid
from inforadar.simulator.sheets.ranges import Area, write_range

MOST_SIGNS = 50_000
FORMULA_SIGNS = ("=", "+", "-", "@")
MOST_CELLS = 10_000_000
FULL = "This action would increase the number of cells in the workbook above the limit of {limit} cells."

Value = str | float | bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """What a cell holds and how it got there: by a call, with its option, or by a person (`typed`)."""

    value: Value
    option: str

    @property
    def is_formula(self) -> bool:
        """Whether the cell computes something."""
        is_evaluated = self.option != "RAW"
        return is_evaluated and isinstance(self.value, str) and self.value.startswith(FORMULA_SIGNS)

    @property
    def shown(self) -> str:
        """What a reader sees."""
        if self.is_formula:
            return "#REF!"
        return str(self.value).upper() if isinstance(self.value, bool) else _number_or_text(self.value)


@dataclass(slots=True, kw_only=True)
class Tab:
    """One sheet; `cells` by row and column, from 1."""

    id: int
    title: str
    rows: int = 1000
    columns: int = 26
    cells: dict[tuple[int, int], Cell] = field(default_factory=dict)

    def bounded(self, area: Area) -> Area:
        """The area as far as the grid goes; one that begins outside is refused."""
        bottom, right = area.bottom or self.rows, area.right or self.columns
        if area.top > self.rows or area.left > self.columns or bottom > self.rows or right > self.columns:
            name = write_range(Area(tab=area.tab, top=area.top, left=area.left, bottom=bottom, right=right))
            raise invalid(f"Range ({name}) exceeds grid limits. Max rows: {self.rows}, max columns: {self.columns}")
        return Area(tab=self.title, top=area.top, left=area.left, bottom=bottom, right=right)

    def lines(self, area: Area, *, by_columns: bool) -> list[list[str]]:
        """The shown cells of a bounded area, without the empty ones at the end of each line and at the end of all."""
        rows, columns = range(area.top, (area.bottom or 0) + 1), range(area.left, (area.right or 0) + 1)
        if by_columns:
            lines = [_cut([self._shown(row, column) for row in rows]) for column in columns]
        else:
            lines = [_cut([self._shown(row, column) for column in columns]) for row in rows]
        while lines and not lines[-1]:
            lines.pop()
        return lines

    def fill(self, area: Area, values: list[list[Any]], option: str) -> Area:
        """Write values from the corner of an area on; null leaves a cell alone, an empty text empties it."""
        width = max(map(len, values), default=0)
        area = self.bounded(_written(area, len(values), width))
        for down, line in enumerate(values):
            for across, value in enumerate(line):
                if value is not None:
                    self._put(area.top + down, area.left + across, value, option)
        return area

    def last_row(self) -> int:
        """The last row with anything in it."""
        return max((row for row, _ in self.cells), default=0)

    def texts(self) -> list[list[str]]:
        """Everything a reader sees, row by row."""
        width = max((column for _, column in self.cells), default=0)
        area = Area(tab=self.title, bottom=self.last_row(), right=width)
        return self.lines(area, by_columns=False) if width else []

    def _put(self, row: int, column: int, value: Any, option: str) -> None:
        if not isinstance(value, (str, int, float, bool)):
            raise invalid("Invalid values: list_value")
        if isinstance(value, str) and len(value) > MOST_SIGNS:
            raise invalid(f"Your input contains more than the maximum of {MOST_SIGNS} characters in a single cell.")
        if value == "":
            self.cells.pop((row, column), None)
        else:
            self.cells[row, column] = Cell(value=value, option=option)

    def _shown(self, row: int, column: int) -> str:
        cell = self.cells.get((row, column))
        return cell.shown if cell else ""


class Book:
    """One spreadsheet; it begins with one empty tab. `most_cells`: how many it may hold, empty ones included."""

    def __init__(self, spreadsheet_id: str) -> None:
        self.id = spreadsheet_id
        self.most_cells = MOST_CELLS
        self.tabs: list[Tab] = [Tab(id=0, title="Sheet1")]

    def tab(self, title: str) -> Tab:
        """A tab by its title; a 400 where there is none."""
        for tab in self.tabs:
            if tab.title == title:
                return tab
        raise invalid(f"Unable to parse range: {title}")

    def tab_by_id(self, tab_id: int) -> Tab:
        """A tab by its id."""
        for tab in self.tabs:
            if tab.id == tab_id:
                return tab
        raise invalid(f"No grid with id: {tab_id}")

    def add(self, title: str, rows: int, columns: int) -> Tab:
        """A new tab; titles are there once."""
        if any(tab.title.lower() == title.lower() for tab in self.tabs):
            message = f"Invalid requests[0].addSheet: A sheet with the name \u201c{title}\u201d already exists."
            raise SheetsError(400, "INVALID_ARGUMENT", f"{message} Please enter another name.")
        self._check_room(rows * columns)
        tab = Tab(id=1_000_000 + 7919 * len(self.tabs), title=title, rows=rows, columns=columns)
        self.tabs.append(tab)
        return tab

    def grow(self, tab: Tab, *, rows: int = 0, columns: int = 0) -> None:
        """More rows and columns at the end of a tab; a 400 where the spreadsheet is full."""
        self._check_room((tab.rows + rows) * (tab.columns + columns) - tab.rows * tab.columns)
        tab.rows += rows
        tab.columns += columns

    def _check_room(self, more: int) -> None:
        if sum(tab.rows * tab.columns for tab in self.tabs) + more > self.most_cells:
            raise invalid(FULL.format(limit=self.most_cells))

    def cells(self) -> Iterator[tuple[str, int, int, Cell]]:
        """Every cell there is: tab, row, column, content."""
        for tab in self.tabs:
            for (row, column), cell in sorted(tab.cells.items()):
                yield tab.title, row, column, cell


def _written(area: Area, height: int, width: int) -> Area:
    """The area that values take; more of them than the range has room for is refused."""
    bottom, right = area.top + height - 1, area.left + width - 1
    if (area.bottom and area.bottom < bottom) or (area.right and area.right < right):
        raise invalid(f"Requested writing within range [{write_range(area)}], but tried writing to row [{bottom}]")
    return Area(tab=area.tab, top=area.top, left=area.left, bottom=max(bottom, area.top), right=max(right, area.left))


def _cut(line: list[str]) -> list[str]:
    while line and not line[-1]:
        line.pop()
    return line


def _number_or_text(value: Value) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
