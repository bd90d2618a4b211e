"""How a bench prints: aligned tables, and aims that were met or not."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Aim:
    """What the project promises itself, and what this run measured."""

    what: str
    wanted: str
    measured: str
    is_met: bool


def print_title(text: str) -> None:
    """A heading."""
    print(f"\n== {text}")


def print_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Rows under their heads, the first column to the left, numbers to the right."""
    lines = [head, *rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
    for line in lines:
        first, *others = (
            cell.ljust(width) if not n else cell.rjust(width)
            for n, (cell, width) in enumerate(zip(line, widths, strict=True))
        )
        print("  " + "  ".join([first, *others]).rstrip())


def print_aims(aims: Sequence[Aim]) -> None:
    """The summary at the end of a run."""
    print_title("aims")
    rows = [[aim.what, aim.wanted, aim.measured, "met" if aim.is_met else "NOT MET"] for aim in aims]
    print_table(["aim", "wanted", "measured", ""], rows)
