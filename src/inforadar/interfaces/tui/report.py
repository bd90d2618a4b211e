"""What a screen of rows shows: a line of headers, rows with their details, and what to say when there are none."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from inforadar.bootstrap import App
from inforadar.interfaces.tui.columns import fitted
from inforadar.interfaces.tui.record import Record, Tone


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """Rows at one moment; `details` has the lines of each row, `ids` what each row is of."""

    headers: str
    rows: Sequence[Record]
    details: Sequence[Sequence[Record]]
    ids: Sequence[int | None] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One row before it is fitted, and its details."""

    cells: Sequence[str]
    details: Sequence[Record]
    tone: Tone = "plain"
    id: int | None = None


ReadReport = Callable[[App, int], Report]
"""Reads a report for a screen of so many cells."""


def report_of(headers: Sequence[str], entries: Sequence[Entry], width: int, flexible: Collection[int]) -> Report:
    """Entries fitted to a width."""
    head, lines = fitted(headers, [entry.cells for entry in entries], width, flexible)
    rows = [Record(text=line, tone=entry.tone) for line, entry in zip(lines, entries, strict=True)]
    details, ids = [entry.details for entry in entries], [entry.id for entry in entries]
    return Report(headers=head, rows=rows, details=details, ids=ids)
