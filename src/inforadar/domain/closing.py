"""Closing: when an opening that its company's list does not show any more is over.

    shown ──not on a complete list──> missed ──not on a later complete list──> closed
      ^────────────shown again───────────┘

One look may be a glitch, and two looks a moment apart are one look. So a query confirms only what its own last reading
missed as well, and only some time later; longer where most of the list is gone at once, for an outage looks like that.
Invariant: an incomplete list, or one with an entry nobody can tell, closes nothing; no list closes anything by itself.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

CONFIRM_AFTER = timedelta(minutes=10)
CONFIRM_MANY_AFTER = timedelta(hours=6)
MANY = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Absence:
    """An item that a complete list does not show; `since`: when that was first seen."""

    id: int
    since: datetime | None


def to_close(
    absent: Sequence[Absence], *, shown: int, read_at: datetime | None, now: datetime
) -> tuple[list[int], list[int]]:
    """Which of the absent items are missed for the first time, and which are closed because they were missed before.

    `shown`: how many entries the list shows; `read_at`: when the same query read it whole the last time.
    """
    is_most = len(absent) >= MANY and len(absent) > shown
    wait = CONFIRM_MANY_AFTER if is_most else CONFIRM_AFTER
    # a clock that was put back must not make an item wait for ever
    missed = [one.id for one in absent if one.since is None or one.since > now]
    closed = [
        one.id
        for one in absent
        if one.since is not None and read_at is not None and one.since <= min(read_at, now - wait)
    ]
    return missed, closed
