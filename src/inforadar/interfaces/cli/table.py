"""Tables and lines that fit a terminal, measured in its cells: a Chinese character or an emoji takes two."""

import os
import sys
from collections.abc import Mapping, Sequence

import click
from rich.cells import cell_len, set_cell_size

from inforadar.interfaces.cli.output import show
from inforadar.observe.printable import printable

BETWEEN = 2
NARROWEST = 8
UNBOUNDED = 100_000


def print_table(
    headers: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    flexible: Sequence[int] = (),
    colours: Mapping[str, str] | None = None,
) -> None:
    """Rows under headers; on a terminal too narrow for them the `flexible` columns give way, the widest first."""
    washed = [[printable(cell) for cell in row] for row in rows]
    natural = [max(cell_len(cell) for cell in column) for column in zip(headers, *washed, strict=True)]
    widths = _fitted(natural, flexible, room())
    show(click.style(_line(headers, widths, {}), bold=True))
    for row in washed:
        show(_line(row, widths, colours or {}))


def shorten(text: str, width: int) -> str:
    """The text cut to so many cells, with a sign that it was cut."""
    return text if cell_len(text) <= width else set_cell_size(text, max(0, width - 1)).rstrip() + "…"


def room() -> int:
    """How many cells a line may take: as many as the terminal has; into a file or a pipe nothing is cut."""
    asked_for = os.environ.get("COLUMNS", "")
    if asked_for.isdecimal() and int(asked_for):
        return int(asked_for)
    return os.get_terminal_size(sys.stdout.fileno()).columns or UNBOUNDED if sys.stdout.isatty() else UNBOUNDED


def _fitted(natural: Sequence[int], flexible: Sequence[int], width: int) -> list[int]:
    widths = list(natural)
    while sum(widths) + BETWEEN * (len(widths) - 1) > width:
        widest = max(flexible, key=lambda column: widths[column], default=None)
        if widest is None or widths[widest] <= NARROWEST:
            break
        widths[widest] -= 1
    return widths


def _line(cells: Sequence[str], widths: Sequence[int], colours: Mapping[str, str]) -> str:
    *padded, last = [_cell(cell, width, colours) for cell, width in zip(cells, widths, strict=True)]
    return (" " * BETWEEN).join([*padded, last.rstrip()])


def _cell(text: str, width: int, colours: Mapping[str, str]) -> str:
    fitting = shorten(text, width)
    padding = " " * (width - cell_len(fitting))
    return (click.style(fitting, fg=colours[text]) if text in colours else fitting) + padding
