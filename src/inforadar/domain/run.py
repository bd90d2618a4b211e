"""The record of one sweep: its counters and why it stopped."""

from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Literal

RunStatus = Literal["RUNNING", "SUCCESS", "PARTIAL", "ERROR"]


class StopReason(StrEnum):
    """Why a sweep ended; everything but the first two and `END_OF_FEED` may leave a gap open."""

    WINDOW_EXHAUSTED = "window exhausted"
    CUTOFF_REACHED = "cutoff reached"
    LIMIT_REACHED = "limit reached"
    MAX_PAGES = "max pages"
    MAX_ITEMS = "max items"
    RATE_LIMITED = "rate limited"
    REFUSED = "refused"
    END_OF_FEED = "end of feed"
    UNREADABLE_PAGE = "unreadable page"
    STOPPED_BY_USER = "stopped by user"
    DEPTH_CAP = "depth cap"
    UNAVAILABLE = "unavailable"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True, kw_only=True)
class Counters:
    """What one sweep, or one page of it, did; pages add up to runs, runs to reports."""

    pages: int = 0
    requests: int = 0
    seen: int = 0
    unseen: int = 0
    known: int = 0
    added: int = 0
    updated: int = 0
    filtered: int = 0
    errors: int = 0
    http_429: int = 0

    def __add__(self, other: "Counters") -> "Counters":
        return Counters(**{f.name: getattr(self, f.name) + getattr(other, f.name) for f in fields(self)})
