"""What the owner of the spreadsheet does in it, played by tests."""

import threading

from inforadar.simulator.sheets.book import Book, Cell, Tab

TYPED = "typed"


class Owner:
    """The owner of the spreadsheet; safe to use from any thread."""

    def __init__(self, book: Book, condition: threading.Condition) -> None:
        self._book = book
        self._condition = condition
        self.is_shared = True

    def rows(self, tab: str) -> list[dict[str, str]]:
        """The rows of a tab by the names in its header; what stands under no name is left out."""
        with self._condition:
            header, *rows = self._book.tab(tab).texts() or [[]]
        return [{name: row[at] if at < len(row) else "" for at, name in enumerate(header) if name} for row in rows]

    def header(self, tab: str) -> list[str]:
        """The header of a tab."""
        with self._condition:
            return (self._book.tab(tab).texts() or [[]])[0]

    def cells(self) -> list[tuple[str, int, int, Cell]]:
        """Every cell: tab, row, column, content."""
        with self._condition:
            return list(self._book.cells())

    def titles(self) -> list[str]:
        """The titles of all tabs."""
        with self._condition:
            return [tab.title for tab in self._book.tabs]

    def fill(self, tab: str, key: str, column: str, text: str) -> None:
        """Write into the row of a key, under a name of the header; an empty text clears the cell."""
        with self._condition:
            sheet = self._book.tab(tab)
            self._type(sheet, _row_of(sheet, key), _column_of(sheet, column), text)

    def type(self, tab: str, row: int, column: int, text: str) -> None:
        """Write into any cell."""
        with self._condition:
            self._type(self._book.tab(tab), row, column, text)

    def move_column(self, tab: str, name: str, to: int) -> None:
        """Move a column so that it is the `to`-th, from 1."""
        with self._condition:
            sheet = self._book.tab(tab)
            order = list(range(1, sheet.columns + 1))
            order.remove(moved := _column_of(sheet, name))
            order.insert(to - 1, moved)
            places = {old: new for new, old in enumerate(order, 1)}
            sheet.cells = {(row, places[column]): cell for (row, column), cell in sheet.cells.items()}

    def add_column(self, tab: str, name: str, at: int) -> None:
        """Insert a column of the owner's own; an empty name gives it none."""
        with self._condition:
            sheet = self._book.tab(tab)
            moved = {(row, column + (column >= at)): cell for (row, column), cell in sheet.cells.items()}
            sheet.cells, sheet.columns = moved, sheet.columns + 1
            self._type(sheet, 1, at, name)

    def delete_column(self, tab: str, name: str) -> None:
        """Delete a column."""
        with self._condition:
            sheet = self._book.tab(tab)
            at = _column_of(sheet, name)
            kept = {place: cell for place, cell in sheet.cells.items() if place[1] != at}
            sheet.cells = {(row, column - (column > at)): cell for (row, column), cell in kept.items()}
            sheet.columns -= 1

    def delete_row(self, tab: str, key: str) -> None:
        """Delete the row of a key."""
        with self._condition:
            sheet = self._book.tab(tab)
            at = _row_of(sheet, key)
            kept = {place: cell for place, cell in sheet.cells.items() if place[0] != at}
            sheet.cells = {(row - (row > at), column): cell for (row, column), cell in kept.items()}
            sheet.rows -= 1

    def reverse_rows(self, tab: str) -> None:
        """Turn the order of all rows below the header."""
        with self._condition:
            sheet = self._book.tab(tab)
            turned = {1: 1} | {row: sheet.last_row() + 2 - row for row in range(2, sheet.last_row() + 1)}
            sheet.cells = {(turned[row], column): cell for (row, column), cell in sheet.cells.items()}

    def rename_tab(self, tab: str, title: str) -> None:
        """Give a tab another title."""
        with self._condition:
            self._book.tab(tab).title = title

    def delete_tab(self, tab: str) -> None:
        """Delete a tab."""
        with self._condition:
            self._book.tabs.remove(self._book.tab(tab))

    def share(self, is_shared: bool) -> None:
        """Let the service account open the spreadsheet, or not any more."""
        with self._condition:
            self.is_shared = is_shared

    def _type(self, sheet: Tab, row: int, column: int, text: str) -> None:
        sheet.cells.pop((row, column), None)
        if text:
            sheet.rows, sheet.columns = max(sheet.rows, row), max(sheet.columns, column)
            sheet.cells[row, column] = Cell(value=text, option=TYPED)


def _row_of(sheet: Tab, key: str) -> int:
    at = _column_of(sheet, "key")
    return next(row for (row, column), cell in sheet.cells.items() if column == at and row > 1 and cell.value == key)


def _column_of(sheet: Tab, name: str) -> int:
    return next(column for (row, column), cell in sheet.cells.items() if row == 1 and cell.value == name)
