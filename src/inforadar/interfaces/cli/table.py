"""Tables and lines that fit a terminal, measured in its cells: a Chinese character or an emoji takes two."""

import os
import sys
from collections.abc import Mapping, Sequence
from textwrap import wrap

import click
from rich.cells import cell_len, set_cell_size

from inforadar.interfaces.cli.output import say, show
from inforadar.observe.printable import printable

BETWEEN = 2
NARROWEST = 8
LEGIBLE = 15
UNBOUNDED = 100_000


def print_table(
    headers: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    flexible: Sequence[int] = (),
    spare: Sequence[int] = (),
    colours: Mapping[str, str] | None = None,
) -> None:
    """Rows under headers. Where the terminal is too narrow, the `spare` columns are left out one after another; what
    is still too wide is taken from the `flexible` columns, from the first one least."""
    washed = [[printable(cell) for cell in row] for row in rows]
    natural = [max(cell_len(cell) for cell in column) for column in zip(headers, *washed, strict=True)]
    kept = _kept(natural, flexible, spare, room())
    widths = _fitted([natural[column] for column in kept], [kept.index(one) for one in flexible if one in kept], room())
    show(click.style(_line([headers[column] for column in kept], widths, {}), bold=True))
    for row in washed:
        show(_line([row[column] for column in kept], widths, colours or {}))


def tell(sentence: str) -> None:
    """A sentence on stderr that is not data, wrapped between words."""
    for line in wrapped(sentence, 0):
        say(line)


def shorten(text: str, width: int) -> str:
    """The text cut to so many cells, with a sign that it was cut."""
    return text if cell_len(text) <= width else set_cell_size(text, max(0, width - 1)).rstrip() + "…"


def wrapped(text: str, indent: int) -> list[str]:
    """The lines of a long text that fit beside so much indentation; words stay whole where they can."""
    return wrap(text, max(NARROWEST, room() - indent), break_on_hyphens=False) or [""]


def room() -> int:
    """How many cells a line may take: as many as the terminal has; into a file or a pipe nothing is cut."""
    asked_for = os.environ.get("COLUMNS", "")
    if asked_for.isdecimal() and int(asked_for):
        return int(asked_for)
    return os.get_terminal_size(sys.stdout.fileno()).columns or UNBOUNDED if sys.stdout.isatty() else UNBOUNDED


def _kept(natural: Sequence[int], flexible: Sequence[int], spare: Sequence[int], width: int) -> list[int]:
    """The columns that stay, so that each flexible one can still be read."""
    needed = [
        min(size, LEGIBLE * (2 if column == flexible[0] else 1)) if column in flexible else size
        for column, size in enumerate(natural)
    ]
    kept = list(range(len(natural)))
    for column in spare:
        if sum(needed[one] for one in kept) + BETWEEN * (len(kept) - 1) <= width:
            break
        kept.remove(column)
    return kept


def _fitted(natural: Sequence[int], flexible: Sequence[int], width: int) -> list[int]:
    widths = list(natural)
    while sum(widths) + BETWEEN * (len(widths) - 1) > width:
        wide = [column for column in flexible if widths[column] > NARROWEST]
        if not wide:
            break
        widths[max(wide, key=lambda column: widths[column] / (2 if column == flexible[0] else 1))] -= 1
    return widths


def _line(cells: Sequence[str], widths: Sequence[int], colours: Mapping[str, str]) -> str:
    *padded, last = [_cell(cell, width, colours) for cell, width in zip(cells, widths, strict=True)]
    return (" " * BETWEEN).join([*padded, last.rstrip()])


def _cell(text: str, width: int, colours: Mapping[str, str]) -> str:
    fitting = shorten(text, width)
    padding = " " * (width - cell_len(fitting))
    return (click.style(fitting, fg=colours[text]) if text in colours else fitting) + padding
