"""What a walk adds to the coverage by how it ended, and what the endings of all walks say of their sweep."""

from collections.abc import Set
from datetime import datetime

from inforadar.domain.coverage import JUST_BELOW, Coverage, Stretch
from inforadar.domain.run import StopReason
from inforadar.domain.walk import Ending, Walk

CLOSED = frozenset({Ending.JOINED, Ending.FEED_ENDED, Ending.FLOOR})


def claimed(coverage: Coverage, walk: Walk, ending: Ending, floor: datetime | None, now: datetime) -> Coverage:
    """The coverage with a walk that ended so, or would if it ended now."""
    low = _lowest(walk, ending, floor)
    if low is None:
        return coverage.moved(walk.origin, walk.drift) if walk.origin else coverage
    if walk.origin is None and walk.upto is not None and walk.upto < low:
        return coverage
    joined = None
    if ending is Ending.JOINED:
        joined = below(coverage, walk.origin, floor) if walk.is_ended and not walk.is_in_bucket else walk.ground
    claim = walk.claim(after=low, joined=joined, is_ended=ending is Ending.FEED_ENDED)
    return coverage.claimed(claim, now)


def below(coverage: Coverage, stretch: Stretch | None, floor: datetime | None) -> Stretch | None:
    """The stretch under the gap below this one."""
    return next((gap.below for gap in coverage.gaps(floor) if gap.above is stretch), None)


def conclusion(endings: Set[Ending], *, has_gaps: bool) -> StopReason:
    """Why a sweep is over that nothing cut short."""
    if has_gaps or endings - CLOSED - {Ending.SPENT, Ending.LEFT}:
        return StopReason.DEPTH_CAP if Ending.CAPPED in endings else StopReason.UNREADABLE_PAGE
    if Ending.FLOOR in endings:
        return StopReason.CUTOFF_REACHED
    return StopReason.END_OF_FEED if Ending.FEED_ENDED in endings else StopReason.WINDOW_EXHAUSTED


def _lowest(walk: Walk, ending: Ending, floor: datetime | None) -> datetime | None:
    """Down to where a walk may claim; None = it has read nothing."""
    low = walk.low
    if low is None and walk.origin and ending in CLOSED:
        low = walk.origin.after
    if low is None:
        return None
    if floor and low < floor:
        low = floor
    if ending is Ending.FLOOR and floor:
        low = floor - JUST_BELOW
    return walk.ground.upto if ending is Ending.LEFT and walk.ground else low
