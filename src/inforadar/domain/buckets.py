"""Buckets: lists that a source cuts at an age, such as "the last seven days", counted from each request.

A list in a bucket is the upper part of the whole list, so that an entry's place in it is its place in the whole one.
Invariant: the end of a bucket is not the end of the feed; a walk that has not read enough there goes on without it.
"""

from datetime import datetime, timedelta

from inforadar.domain.coverage import Coverage
from inforadar.domain.paging import Paging
from inforadar.domain.watch import Bounds

MARGIN = timedelta(hours=1)


def bucket_for(coverage: Coverage, paging: Paging, bounds: Bounds, now: datetime) -> timedelta | None:
    """The smallest bucket that holds all since the last complete sweep, and the look-back; None = the whole list.

    Only a query whose sweeps have come to their end has one: seeding, and gaps left open, need the whole list. It
    is counted from the newest entry collected, which no clock can move; the margin is for clocks that differ.
    """
    # a bucket may be empty, which would be all that a sweep of one page sees
    if coverage.top is None or any(coverage.gaps(bounds.floor)) or bounds.max_pages == 1:
        return None
    again = max(lookback(paging, bounds), timedelta(days=bounds.window_days or 0))
    reach = max(now - coverage.top.upto, timedelta(0)) + again + paging.slack + MARGIN
    return min((bucket for bucket in paging.buckets if bucket >= reach), default=None)


def lookback(paging: Paging, bounds: Bounds) -> timedelta:
    """How old a late arrival may be: what the user says, else what is usual for the source."""
    return timedelta(days=paging.lookback_days if bounds.lookback_days is None else bounds.lookback_days)
