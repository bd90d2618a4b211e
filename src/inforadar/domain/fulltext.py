"""When to ask again for a full text that could not be had."""

from datetime import datetime, timedelta

UNAVAILABLE = "unavailable"
MOST_TRIES = 6
FIRST_PAUSE = timedelta(hours=1)


def next_try(tries: int, now: datetime) -> datetime | None:
    """When to ask again after so many tries in vain: later each time; None = give up."""
    return None if tries >= MOST_TRIES else now + FIRST_PAUSE * 2 ** (tries - 1)
