"""A row of bars, one for each number."""

from collections.abc import Sequence
from dataclasses import dataclass

WIDTH = 300.0
HEIGHT = 48.0
LEAST = 1.0
WIDEST = 16.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """One bar in a picture of `WIDTH` by `HEIGHT`; `value` is the number it stands for."""

    x: float
    y: float
    width: float
    height: float
    value: int


def bars(numbers: Sequence[int]) -> list[Bar]:
    """The bars of these numbers, the highest as high as the picture; nothing is no bar but a line."""
    if not numbers:
        return []
    step, highest = min(WIDTH / len(numbers), WIDEST), max(*numbers, 1)
    return [_bar(place * step, step * 0.8, number, highest) for place, number in enumerate(numbers)]


def _bar(x: float, width: float, number: int, highest: int) -> Bar:
    height = max(LEAST, HEIGHT * number / highest)
    return Bar(x=round(x, 1), y=round(HEIGHT - height, 1), width=round(width, 1), height=round(height, 1), value=number)
