"""When periodic work is due, and when work that may only run at certain hours may run.

A tick that was missed (the machine slept, the process was down) gives one run to catch up, not many. Local hours are
read in their own time zone, so that a window keeps its hours when summer time begins or ends.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from cronsim import CronSim, CronSimError

_INTERVAL = re.compile(r"(\d+)\s*(s|min|m|h|d)")
CRON_FIELDS = 5
LOOKED_AHEAD = 4
DAY_S = 86_400
_SECONDS = {"s": 1, "m": 60, "min": 60, "h": 3600, "d": 86_400}


@dataclass(frozen=True, slots=True, kw_only=True)
class Every:
    """Once in so many seconds."""

    seconds: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Cron:
    """At the times of a cron text, in a time zone."""

    text: str
    zone: str = "UTC"


Rhythm = Every | Cron


@dataclass(frozen=True, slots=True, kw_only=True)
class DailyWindow:
    """A stretch of every day in one time zone; it may reach over midnight; start = end is never."""

    start: time
    end: time
    zone: str

    def is_open(self, now: datetime) -> bool:
        """Whether this moment lies in the window."""
        local = now.astimezone(ZoneInfo(self.zone)).time()
        if self.start <= self.end:
            return self.start <= local < self.end
        return local >= self.start or local < self.end

    def next_opening(self, now: datetime) -> datetime | None:
        """When the window opens next; now if it is open, None if it never does."""
        if self.start == self.end:
            return None
        return now if self.is_open(now) else next(at for at in self._turns(now) if self.is_open(at))

    def next_closing(self, now: datetime) -> datetime:
        """When an open window closes; now if it is not open."""
        return next(at for at in self._turns(now) if not self.is_open(at)) if self.is_open(now) else now

    def _turns(self, now: datetime) -> list[datetime]:
        """Every moment of the next days at which the window may open or close, in order.

        Where an hour comes twice, so do its moments, and where clocks jump, they may jump in or out.
        """
        zone = ZoneInfo(self.zone)
        today = now.astimezone(zone).date()
        ends = (
            datetime.combine(today + timedelta(days=days), at, zone).replace(fold=fold).astimezone(UTC)
            for days in range(LOOKED_AHEAD)
            for at in (self.start, self.end)
            for fold in (0, 1)
        )
        return sorted(at for at in (*ends, *_clock_changes(now, zone)) if at > now)


def read_rhythm(text: str, zone: str = "UTC") -> Rhythm:
    """A rhythm out of `90s`, `15 min`, `6h`, `1d` or a cron text, with its time zone behind it if that is not `zone`.

    Raises ValueError with a sentence.
    """
    interval = _INTERVAL.fullmatch(text.strip())
    if interval:
        seconds = int(interval[1]) * _SECONDS[interval[2]]
        if not seconds:
            raise ValueError("an interval must be longer than nothing")
        return Every(seconds=seconds)
    text, zone = _with_zone(text, zone)
    try:
        CronSim(text, datetime(2026, 1, 1, tzinfo=UTC))
    except CronSimError as error:
        raise ValueError(f"{text!r} is neither an interval like 15m nor a cron text: {error}") from error
    return Cron(text=text, zone=zone)


def next_run(rhythm: Rhythm, last_run_at: datetime) -> datetime:
    """The first time after the last run at which the work is due."""
    if isinstance(rhythm, Every):
        return last_run_at + timedelta(seconds=rhythm.seconds)
    return next(CronSim(rhythm.text, last_run_at.astimezone(ZoneInfo(rhythm.zone)))).astimezone(UTC)


def is_due(rhythm: Rhythm, last_run_at: datetime | None, now: datetime) -> bool:
    """Whether the work should run now.

    A last run that lies further ahead than one turn was written under another clock, or the clock was put back: then
    it is due, and the next one is counted from now on.
    """
    if last_run_at is None:
        return True
    upcoming = next_run(rhythm, last_run_at)
    return upcoming <= now or last_run_at - now > upcoming - last_run_at


def _with_zone(text: str, zone: str) -> tuple[str, str]:
    """A cron text without the name of a time zone behind it, and that zone."""
    *fields, last = text.split() or [""]
    if len(fields) != CRON_FIELDS:
        return text, zone
    try:
        ZoneInfo(last)
    except (ZoneInfoNotFoundError, ValueError) as error:
        raise ValueError(f"{last!r} behind the cron text is no time zone like Europe/Madrid") from error
    return " ".join(fields), last


def _clock_changes(now: datetime, zone: ZoneInfo) -> Iterator[datetime]:
    """The moments of the next days at which the clocks of a zone are put forward or back."""

    def offset(seconds: int) -> timedelta | None:
        return (start + timedelta(seconds=seconds)).astimezone(zone).utcoffset()

    start = now.replace(microsecond=0)
    for day in range(LOOKED_AHEAD):
        before, after = day * DAY_S, (day + 1) * DAY_S
        if offset(before) == offset(after):
            continue
        while after - before > 1:
            middle = (before + after) // 2
            before, after = (middle, after) if offset(middle) == offset(before) else (before, middle)
        yield start + timedelta(seconds=after)
