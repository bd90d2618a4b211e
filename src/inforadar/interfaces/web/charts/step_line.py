"""A value over time as a step line with a band around it: it stays as it is until it is valued anew."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

LEFT, RIGHT, TOP, BOTTOM = 70.0, 790.0, 20.0, 208.0
SPARE = 0.08
LABELS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What something was worth from a moment on, in cents: the middle and the ends of the band."""

    at: datetime
    low: int
    middle: int
    high: int
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """Where an amount stands on the left edge."""

    y: float
    cents: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StepLine:
    """The picture, 800 by 240: paths of numbers, and where the labels go."""

    line: str
    band: str
    labels: tuple[Label, ...]
    since: datetime
    until: datetime
    last_y: float
    steps: tuple[Step, ...]


def step_line(steps: Sequence[Step], now: datetime) -> StepLine | None:
    """The picture of these steps, oldest first, up to now; None = there are none."""
    if not steps:
        return None
    scale = _scale(steps, now)
    tops = _corners(scale, steps, [one.high for one in steps], now)
    bottoms = _corners(scale, steps, [one.low for one in steps], now)
    middle = _corners(scale, steps, [one.middle for one in steps], now)
    amounts = [scale.low + (scale.high - scale.low) * place / LABELS for place in range(LABELS + 1)]
    return StepLine(
        line=_path(middle),
        band=f"{_path([*tops, *reversed(bottoms)])}Z",
        labels=tuple(Label(y=scale.y(cents), cents=round(cents)) for cents in amounts),
        since=scale.since,
        until=scale.until,
        last_y=scale.y(steps[-1].middle),
        steps=tuple(steps),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Scale:
    since: datetime
    until: datetime
    low: float
    high: float

    def x(self, at: datetime) -> float:
        whole = (self.until - self.since).total_seconds() or 1.0
        share = min(max((at - self.since).total_seconds() / whole, 0.0), 1.0)
        return round(LEFT + (RIGHT - LEFT) * share, 1)

    def y(self, cents: float) -> float:
        return round(BOTTOM - (BOTTOM - TOP) * (cents - self.low) / (self.high - self.low), 1)


def _scale(steps: Sequence[Step], now: datetime) -> _Scale:
    low, high = min(one.low for one in steps), max(one.high for one in steps)
    spare = max((high - low) * SPARE, 1.0)
    return _Scale(since=steps[0].at, until=max(now, steps[-1].at), low=max(0.0, low - spare), high=high + spare)


def _corners(scale: _Scale, steps: Sequence[Step], cents: Sequence[int], now: datetime) -> list[tuple[float, float]]:
    ends = [*(one.at for one in steps[1:]), max(now, steps[-1].at)]
    corners: list[tuple[float, float]] = []
    for one, end, value in zip(steps, ends, cents, strict=True):
        corners += [(scale.x(one.at), scale.y(value)), (scale.x(end), scale.y(value))]
    return corners


def _path(corners: Sequence[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{x} {y}" for x, y in corners)
