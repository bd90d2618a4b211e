"""The coverage of a query as a bar over time: what is completely collected, and what is known to be left."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from inforadar.domain.coverage import Coverage

WIDTH = 600.0
LEAST = 2.0
MARGIN = 0.06


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A stretch or a gap, from left to right; `count` entries are in a stretch, None in a gap."""

    x: float
    width: float
    since: datetime
    until: datetime
    count: int | None
    is_ended: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CoverageBar:
    """The picture: time runs from `since` on the left to now on the right; what is dated ahead ends there too."""

    since: datetime
    parts: tuple[Part, ...]
    gaps: tuple[Part, ...]
    count: int
    is_open_below: bool
    cap_x: float | None = None


def coverage_bar(
    covered: Coverage, floor: datetime | None, now: datetime, *, is_capped: bool = False
) -> CoverageBar | None:
    """The bar of a coverage up to now; None = nothing is covered. `is_capped`: the source shows nothing older."""
    lowest = covered.last_complete_sweep_before
    if lowest is None:
        return None
    begin = min(lowest, floor or now, now)
    scale = _Scale(since=begin - max((now - begin) * MARGIN, timedelta(hours=1)), until=now)
    stretches = [
        scale.part(one.after, one.upto, one.count, is_ended=one.is_ended) for one in reversed(covered.stretches)
    ]
    gaps = [
        scale.part(gap.below.upto if gap.below else floor or scale.since, gap.above.after)
        for gap in covered.gaps(floor)
    ]
    return CoverageBar(
        since=scale.since,
        parts=tuple(stretches),
        gaps=tuple(gaps),
        count=covered.count,
        is_open_below=any(gap.below is None for gap in covered.gaps(floor)),
        cap_x=stretches[0].x if is_capped else None,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Scale:
    since: datetime
    until: datetime

    def part(self, since: datetime, until: datetime, count: int | None = None, *, is_ended: bool = False) -> Part:
        left, right = self._x(min(since, until)), self._x(until)
        width = max(right - left, LEAST)
        return Part(
            x=round(min(left, WIDTH - width), 1),
            width=round(width, 1),
            since=since,
            until=until,
            count=count,
            is_ended=is_ended,
        )

    def _x(self, at: datetime) -> float:
        whole = (self.until - self.since).total_seconds() or 1.0
        return min(max((at - self.since).total_seconds() / whole, 0.0), 1.0) * WIDTH
