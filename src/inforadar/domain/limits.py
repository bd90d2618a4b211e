"""How fast a source may be asked."""

from dataclasses import dataclass, replace
from datetime import datetime

NEARLY_ONE = 1 - 1e-9
SHORTEST_WAIT_S = 0.001
LONGEST_WAIT_S = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Bucket:
    """A token bucket: `per_minute` requests on average, a minute's worth at once after a rest.

    Invariant: in any stretch of t seconds at most per_minute + t * per_minute / 60 requests are let through.
    """

    per_minute: int
    tokens: float
    filled_at: datetime

    @property
    def longest_wait_s(self) -> float:
        """How long it is worth waiting for a token: half a minute, and always for the next one of a lone asker."""
        return max(LONGEST_WAIT_S, 60 / self.per_minute)


def full(per_minute: int, now: datetime) -> Bucket:
    """A bucket nobody has taken from."""
    return Bucket(per_minute=per_minute, tokens=float(per_minute), filled_at=now)


def refill(bucket: Bucket, now: datetime) -> Bucket:
    """The bucket as it is now. A clock that went back gives nothing, and counting goes on from there."""
    passed_s = max(0.0, (now - bucket.filled_at).total_seconds())
    tokens = min(float(bucket.per_minute), bucket.tokens + passed_s * bucket.per_minute / 60)
    return replace(bucket, tokens=tokens, filled_at=now)


def take(bucket: Bucket, now: datetime) -> tuple[Bucket, float]:
    """Take one token: the bucket after it and 0, or the bucket as it is now and the seconds until there is one."""
    filled = refill(bucket, now)
    if filled.tokens < NEARLY_ONE:
        missing_s = (1 - filled.tokens) * 60 / bucket.per_minute
        return filled, max(SHORTEST_WAIT_S, missing_s)
    return replace(filled, tokens=max(0.0, filled.tokens - 1)), 0.0


def drained(bucket: Bucket, wait_s: float, now: datetime) -> Bucket:
    """The bucket after a request to wait: what was saved up is gone, and the next token comes after the wait."""
    filled = refill(bucket, now)
    return replace(filled, tokens=min(filled.tokens, 1 - wait_s * bucket.per_minute / 60))
