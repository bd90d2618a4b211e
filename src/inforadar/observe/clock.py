"""Clocks: the real one, and one that moves only when told."""

import time
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

from inforadar.domain.errors import ConfigError

NOW_VARIABLE = "RADAR_NOW"


class SystemClock:
    """The machine's clock, or one that believes the process began at `started_at` and runs on from there."""

    def __init__(self, started_at: datetime | None = None) -> None:
        self._started_at = started_at
        self._started_mono = time.monotonic()

    @classmethod
    def from_env(cls, env: Mapping[str, str]) -> "SystemClock":
        """The clock the environment asks for by RADAR_NOW; raises ConfigError if that is no moment."""
        text = env.get(NOW_VARIABLE, "").strip()
        return cls(_moment(text) if text else None)

    def now(self) -> datetime:
        """The present moment, aware, in UTC."""
        if self._started_at is None:
            return datetime.now(UTC)
        return self._started_at + timedelta(seconds=time.monotonic() - self._started_mono)

    def mono(self) -> float:
        """Seconds on a clock that never jumps."""
        return time.monotonic()


class FastClock:
    """A clock for demonstrations: it began at a moment and runs so many times as fast as the machine's."""

    def __init__(self, started_at: datetime, factor: float) -> None:
        self._started_at = started_at
        self._factor = factor
        self._started_mono = time.monotonic()

    def now(self) -> datetime:
        """The moment it has come to."""
        return self._started_at + timedelta(seconds=(time.monotonic() - self._started_mono) * self._factor)

    def mono(self) -> float:
        """Seconds of the machine on a clock that never jumps: requests and waits take their real time."""
        return time.monotonic()


class FakeClock:
    """A clock for tests and simulations: time stands still until `advance`."""

    def __init__(self, now: datetime) -> None:
        self._now = now.astimezone(UTC)
        self._mono = 0.0

    def now(self) -> datetime:
        """The moment this clock was brought to."""
        return self._now

    def mono(self) -> float:
        """Seconds since this clock was made."""
        return self._mono

    def advance(self, seconds: float) -> None:
        """Let time pass."""
        self._now += timedelta(seconds=seconds)
        self._mono += seconds


def _moment(text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError) as error:
        message = f"{NOW_VARIABLE}={text!r} is not a moment. Write it like 2026-01-05T12:00:00Z."
        raise ConfigError(message) from error
