"""How commands speak: data on stdout, everything else on stderr, nothing from outside unwashed."""

import os
import sys
from collections.abc import Sequence
from datetime import datetime
from typing import Any

import click
import msgspec

from inforadar.observe.printable import printable

WIDEST = 120


def print_json(value: Any) -> None:
    """One JSON value on stdout, indented."""
    click.echo(msgspec.json.format(msgspec.json.encode(value), indent=2).decode())


def complain(sentence: str) -> None:
    """One sentence on stderr."""
    click.echo(click.style("radar: ", fg="red", bold=True) + printable(sentence, keep="\n"), err=True)


def say(line: str) -> None:
    """One line on stderr that is not data."""
    click.echo(printable(line, keep="\n"), err=True)


def print_table(headers: Sequence[str], rows: Sequence[Sequence[str]], *, flexible: int) -> None:
    """Rows under headers, as wide as the terminal; the `flexible` column gives way."""
    washed = [[printable(cell) for cell in row] for row in rows]
    widths = [max(len(cell) for cell in column) for column in zip(headers, *washed, strict=True)]
    room = _terminal_width() - sum(widths) + widths[flexible] - 2 * (len(headers) - 1)
    widths[flexible] = max(12, min(widths[flexible], room))
    click.echo(click.style(_line(headers, widths), bold=True))
    for row in washed:
        click.echo(_line(row, widths))


def shorten(text: str, width: int) -> str:
    """The text cut to a width, with a sign that it was cut."""
    return text if len(text) <= width else text[: max(0, width - 1)] + "…"


def ago(at: datetime | None, now: datetime) -> str:
    """How long ago something was, in the largest fitting unit."""
    if at is None:
        return "never"
    seconds = int((now - at).total_seconds())
    for unit, size in (("d", 86_400), ("h", 3_600), ("min", 60)):
        if abs(seconds) >= size:
            return f"{seconds // size} {unit}"
    return "now" if abs(seconds) < 60 else f"{seconds} s"


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    padded = [shorten(cell, width).ljust(width) for cell, width in zip(cells, widths, strict=True)]
    return "  ".join(padded).rstrip()


def _terminal_width() -> int:
    if not sys.stdout.isatty():
        return WIDEST
    return min(os.get_terminal_size(sys.stdout.fileno()).columns or WIDEST, 200)
