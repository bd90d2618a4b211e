"""How fast a source may be asked."""

from dataclasses import dataclass


@dataclass(slots=True)
class Bucket:
    """A token bucket: `per_minute` requests on average, a minute's worth at once after a rest.

    Invariant: in any stretch of t seconds at most per_minute + t * per_minute / 60 requests are let through.
    """

    per_minute: int
    tokens: float | None = None
    filled_at: float = 0.0

    def take(self, now: float) -> float:
        """Take one token; how many seconds to wait before using it. `now` is a clock that never jumps."""
        rate = self.per_minute / 60
        if self.tokens is None:
            self.tokens, self.filled_at = float(self.per_minute), now
        self.tokens = min(float(self.per_minute), self.tokens + (now - self.filled_at) * rate) - 1
        self.filled_at = now
        return max(0.0, -self.tokens / rate)
