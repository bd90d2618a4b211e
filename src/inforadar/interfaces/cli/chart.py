"""A step line in plain characters: what something was worth, from its first moment to now."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

HEIGHT = 9
NARROWEST = 10
LEAST_SPREAD = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class Pen:
    """The characters a line is drawn with."""

    level: str
    upright: str
    leaves_up: str
    arrives_up: str
    leaves_down: str
    arrives_down: str
    corner: str


FINE = Pen(level="─", upright="│", leaves_up="┘", arrives_up="┌", leaves_down="┐", arrives_down="└", corner="└")
ASCII = Pen(level="-", upright="|", leaves_up="+", arrives_up="+", leaves_down="+", arrives_down="+", corner="+")


def pen_for(encoding: str | None) -> Pen:
    """The finest characters that a stream can show."""
    try:
        "".join((FINE.level, FINE.upright, FINE.corner)).encode(encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return ASCII
    return FINE


def went(currency: str | None) -> str:
    """What stands above the chart of a median."""
    return f"How the median went, in {currency}"


def step_chart(steps: Sequence[tuple[datetime, int]], now: datetime, *, width: int, pen: Pen) -> list[str]:
    """The lines of a chart; each step is a moment and the cents from it on, oldest first."""
    if not steps:
        return []
    lowest, highest = _scale([cents for _, cents in steps])
    height = HEIGHT if highest > lowest else 1
    labels = _labels(lowest, highest, height)
    margin = max(map(len, labels))
    columns = _columns(steps, now, max(NARROWEST, width - margin - 2))
    rows = [_row(cents, lowest, highest, height) for cents in columns]
    drawn = _drawn(rows, height, pen)
    lines = [f"{label:>{margin}} {pen.upright}{line}".rstrip() for label, line in zip(labels, drawn, strict=True)]
    axis = f"{'':>{margin}} {pen.corner}{pen.level * len(columns)}"
    return [*lines, axis, _dates(steps[0][0], max(now, steps[-1][0]), margin + 2, len(columns))]


def _scale(values: Sequence[int]) -> tuple[int, int]:
    """The lowest and the highest amount drawn; a movement of a hair must not look like a crash."""
    lowest, highest = min(values), max(values)
    lacking = (highest * LEAST_SPREAD - (highest - lowest)) / 2
    if lowest == highest or lacking <= 0:
        return lowest, highest
    return max(0, round(lowest - lacking)), round(highest + lacking)


def _labels(lowest: int, highest: int, height: int) -> list[str]:
    """An amount for the highest, the middle and the lowest line; the others are bare."""
    told = {0: highest, height // 2: (lowest + highest) // 2, height - 1: lowest}
    return [f"{told[line] / 100:,.2f}" if line in told else "" for line in range(height)]


def _columns(steps: Sequence[tuple[datetime, int]], now: datetime, count: int) -> list[int]:
    """The value at the end of each column's time."""
    moments = [at.timestamp() for at, _ in steps]
    start, end = moments[0], max(now.timestamp(), moments[-1])
    places = (start + (end - start) * (column + 1) / count for column in range(count))
    return [steps[max(0, bisect_right(moments, place + 1e-6) - 1)][1] for place in places]


def _row(cents: int, lowest: int, highest: int, height: int) -> int:
    return round((cents - lowest) / (highest - lowest) * (height - 1)) if highest > lowest else 0


def _drawn(rows: Sequence[int], height: int, pen: Pen) -> list[str]:
    """The lines from the highest down."""
    cells = [[" "] * len(rows) for _ in range(height)]
    before = rows[0]
    for column, row in enumerate(rows):
        for place in range(min(before, row), max(before, row) + 1):
            cells[place][column] = _mark(place, before, row, pen)
        before = row
    return ["".join(line) for line in reversed(cells)]


def _mark(place: int, before: int, row: int, pen: Pen) -> str:
    if before == row:
        return pen.level
    if place == before:
        return pen.leaves_up if row > before else pen.leaves_down
    if place == row:
        return pen.arrives_up if row > before else pen.arrives_down
    return pen.upright


def _dates(start: datetime, end: datetime, margin: int, width: int) -> str:
    first, last = f"{start:%Y-%m-%d}", f"{end:%Y-%m-%d}"
    between = width - len(first) - len(last)
    return " " * margin + (first if between < 1 or first == last else first + " " * between + last)
