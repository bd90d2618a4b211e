"""Whether an item is still there, decided from what its own page said.

Invariant: archive only on a definite answer: the source's own mark that it is closed, or "not found" seen twice some
time apart. Refusals, timeouts, login walls and empty pages say nothing about the item.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from inforadar.domain.ports import Detail

LOOK_AGAIN_AFTER = timedelta(minutes=10)
FRESH = timedelta(hours=6)


@dataclass(frozen=True, slots=True, kw_only=True)
class Alive:
    """The item is there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Over:
    """The item is definitely gone, and how we know."""

    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LookAgain:
    """The item was not found, since a moment; a second look some time later makes it definite."""

    at: datetime
    gone_seen_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Unknown:
    """Its page says nothing about it."""

    why: str


Sighting = Alive | Over | LookAgain | Unknown


def sighting(detail: Detail, gone_seen_at: datetime | None, now: datetime) -> Sighting:
    """What one look at an item's own page means, given when it was first not found."""
    if detail.availability == "alive":
        return Alive()
    if detail.availability == "no verdict":
        return Unknown(why="its page says nothing about it")
    if detail.is_closed:
        return Over(why="the source says it is closed")
    # a clock that was put back must not make the second look wait for ever
    if gone_seen_at is None or gone_seen_at > now:
        return LookAgain(at=now + LOOK_AGAIN_AFTER, gone_seen_at=now)
    if now - gone_seen_at < LOOK_AGAIN_AFTER:
        return LookAgain(at=gone_seen_at + LOOK_AGAIN_AFTER, gone_seen_at=gone_seen_at)
    return Over(why="not found twice")


def is_fresh(checked_at: datetime | None, now: datetime) -> bool:
    """Whether the last look is recent enough to be believed without another."""
    return checked_at is not None and timedelta(0) <= now - checked_at < FRESH
