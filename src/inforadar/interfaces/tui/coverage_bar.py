"""How much of a query's feed is collected, as a bar in time: full, partly, not at all."""

from collections.abc import Sequence
from datetime import datetime
from itertools import pairwise

from inforadar.domain.coverage import Coverage, Stretch

FULL, PART, NONE = "█", "▒", "░"


def coverage_bar(covered: Coverage, floor: datetime | None, width: int) -> str:
    """The bar from the oldest moment that counts to the newest one seen; empty where nothing is covered."""
    stretches = covered.stretches
    if not stretches:
        return NONE * width
    newest = max(one.upto for one in stretches)
    oldest = min(one.after for one in stretches)
    if floor and not any(one.is_ended for one in stretches):
        oldest = min(oldest, floor)
    edges = [oldest + (newest - oldest) * number / width for number in range(width)] + [newest]
    return "".join(_cell(stretches, start, end) for start, end in pairwise(edges))


def _cell(stretches: Sequence[Stretch], start: datetime, end: datetime) -> str:
    if any(one.after <= start and end <= one.upto for one in stretches):
        return FULL
    return PART if any(one.after < end and start < one.upto for one in stretches) else NONE
