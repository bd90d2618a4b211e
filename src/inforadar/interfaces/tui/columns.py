"""Rows under headers that fit a width: what is too wide is taken from the columns that can give."""

from collections.abc import Collection, Sequence

from rich.cells import cell_len, set_cell_size

from inforadar.interfaces.cli.table import shorten
from inforadar.observe.printable import printable

BETWEEN = 2
NARROWEST = 6


def fitted(
    headers: Sequence[str], rows: Sequence[Sequence[str]], width: int, flexible: Collection[int]
) -> tuple[str, list[str]]:
    """The line of headers and a line for each row, safe to show; `flexible` columns give way, the widest first."""
    washed = [[printable(cell) for cell in row] for row in rows]
    widths = [max(map(cell_len, column)) for column in zip(headers, *washed, strict=True)]
    while sum(widths) + BETWEEN * (len(widths) - 1) > width:
        giving = max(flexible, key=lambda column: widths[column], default=None)
        if giving is None or widths[giving] <= NARROWEST:
            break
        widths[giving] -= 1
    return _line(headers, widths), [_line(row, widths) for row in washed]


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    sized = (set_cell_size(shorten(cell, size), size) for cell, size in zip(cells, widths, strict=True))
    return (" " * BETWEEN).join(sized).rstrip()
