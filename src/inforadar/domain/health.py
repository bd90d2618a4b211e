"""Whether a source may be asked, decided from how it has answered so far.

    well --5 failures in a row--> paused 5 minutes --time--> one probe --answer--> well
    well --asked to slow down---> paused 6 hours   --time--> one probe --failure-> paused again
    well --refused--------------> still asked: only a person can mend it, and the next fetch sees whether one did

Pauses are by the asking process's clock, so that a process that is told another day (RADAR_NOW) finds them over. A
pause that ends further away than any pause can was written under another clock and counts as over.
An outage is announced when it begins or changes its kind, and once more when the source answers again.

Invariant: while paused nobody asks; after it one asks alone, until it has an answer or its time is up.
"""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Literal

from inforadar.domain.errors import BadQuery, Gone, NoVerdict, RateLimited, Refused, SourceError
from inforadar.domain.wording import counted

Outage = Literal["unavailable", "rate limited", "refused"]
NewsKind = Literal["outage", "recovery", "alarm", "gap", "alert"]
"""`gap`: entries of a list may be lost. `alert`: something the user wants to hear of, and no trouble."""

FAILURES_TO_OPEN = 5
COOL_DOWN = timedelta(minutes=5)
PROBE_TIME = timedelta(minutes=2)
RATE_LIMIT_PAUSE = timedelta(hours=6)
JITTER = 0.05
LONGEST_PAUSE = timedelta(days=8)
SUCCESS_GRAIN = timedelta(minutes=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """How a source has answered so far; `outage` is what was announced and lasts since `outage_at`."""

    failure_streak: int = 0
    last_success_at: datetime | None = None
    last_failure_at: datetime | None = None
    last_error: str | None = None
    paused_until: datetime | None = None
    pause_reason: Outage | None = None
    probing_until: datetime | None = None
    outage: Outage | None = None
    outage_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Admitted:
    """One request may be made; a probe is made once, without another try."""

    is_probe: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class MustWait:
    """No request before so many seconds; more than `longest_s` altogether is not worth waiting for."""

    seconds: float
    longest_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Closed:
    """No request until a moment, and why."""

    name: str
    until: datetime
    outage: Outage

    def __str__(self) -> str:
        cause = "it asked us to slow down" if self.outage == "rate limited" else "it did not answer properly"
        return f"{self.name} is left alone until {moment(self.until)}: {cause}"


@dataclass(frozen=True, slots=True, kw_only=True)
class News:
    """What a person should be told, once."""

    kind: NewsKind
    message: str


def may_ask(name: str, health: Health, now: datetime) -> Admitted | Closed:
    """Whether the source may be asked now; rates are another matter."""
    if health.paused_until is None or (health.outage is None and not is_paused(health, now)):
        return Admitted()  # a wait we were asked for is over: that was no outage, and nobody need probe
    for until, longest in ((health.paused_until, LONGEST_PAUSE), (health.probing_until, PROBE_TIME)):
        if until and is_ahead(until, now, longest):
            return Closed(name=name, until=until, outage=health.pause_reason or "unavailable")
    return Admitted(is_probe=True)


def probing(health: Health, now: datetime) -> Health:
    """One asker goes ahead alone."""
    return replace(health, probing_until=now + PROBE_TIME)


def after_success(health: Health, now: datetime) -> Health:
    """The source answered. An answer to a question from before the pause does not end the pause."""
    if is_paused(health, now):
        return replace(health, last_success_at=now)
    seen_at = health.last_success_at
    is_news = seen_at is None or abs(now - seen_at) >= SUCCESS_GRAIN or health.last_error is not None
    return Health(last_success_at=now if is_news else seen_at, last_failure_at=health.last_failure_at)


def after_failure(health: Health, error: SourceError, now: datetime, luck: float) -> Health:
    """The source could not be asked or read, all tries included; `luck` (0 to 1) spreads the ends of pauses."""
    if isinstance(error, (Gone, NoVerdict, BadQuery)):
        return after_success(health, now)
    failed = replace(health, last_failure_at=now, last_error=str(error), probing_until=None)
    if isinstance(error, RateLimited):
        until = max(now + RATE_LIMIT_PAUSE * (1 + JITTER * luck), error.retry_at or now)
        return _paused(failed, "rate limited", min(until, now + LONGEST_PAUSE), now)
    if isinstance(error, Refused):
        return failed if is_paused(health, now) else _out(lifted(failed), "refused", now)
    failed = replace(failed, failure_streak=health.failure_streak + 1)
    if failed.failure_streak < FAILURES_TO_OPEN and (health.paused_until is None or health.outage is None):
        return failed if is_paused(health, now) else _rested(failed)
    return _paused(failed, "unavailable", now + COOL_DOWN, now)


def resting(health: Health, until: datetime, now: datetime) -> Health:
    """Nobody asks before a moment, because we were told so; a short wait is no outage, and a longer pause stays."""
    until = min(until, now + LONGEST_PAUSE)
    if until <= now or (is_paused(health, now) and health.paused_until and health.paused_until >= until):
        return health
    return replace(health, paused_until=until, pause_reason="rate limited", probing_until=None)


def _rested(health: Health) -> Health:
    """A wait we were asked for, which is no outage, is over."""
    return replace(health, paused_until=None, pause_reason=None)


def lifted(health: Health) -> Health:
    """The user ends a pause: the next request goes out, and the next answer ends the outage."""
    return replace(health, failure_streak=0, paused_until=None, pause_reason=None, probing_until=None)


def news(name: str, before: Health, after: Health, now: datetime) -> News | None:
    """What a person should be told of a change; nothing while a state lasts."""
    if before.outage == after.outage:
        return None
    if after.outage is None:
        return News(kind="recovery", message=f"{name} answers again after {_lasted(before.outage_at, now)}")
    return News(kind="outage", message=_outage_sentence(name, after))


def news_of_list(name: str, *, had: int, shown: int, is_told: bool) -> News | None:
    """What to tell of a list that suddenly shows nothing, or shows something again; `is_told`: it was told empty."""
    if shown and is_told:
        return News(kind="recovery", message=f"{name} shows entries again")
    if had and not shown and not is_told:
        held = f"{counted(had, 'entry', 'entries')} {'was' if had == 1 else 'were'} collected from it"
        message = f"{name} suddenly shows nothing, though {held}: look at it in a browser"
        return News(kind="outage", message=message)
    return None


def is_paused(health: Health, now: datetime) -> bool:
    """Whether a pause is running."""
    return is_ahead(health.paused_until, now, LONGEST_PAUSE)


def is_ahead(until: datetime | None, now: datetime, longest: timedelta) -> bool:
    """Whether a moment lies ahead, and not so far that another clock must have set it."""
    return until is not None and now < until <= now + longest


def moment(at: datetime) -> str:
    """A moment as a sentence has it."""
    return at.strftime("%Y-%m-%d %H:%M UTC")


def _paused(health: Health, outage: Outage, until: datetime, now: datetime) -> Health:
    """Paused at least until a moment; a longer pause that runs already stays, with its reason."""
    if is_paused(health, now) and health.paused_until and health.paused_until > until:
        return health
    return _out(replace(health, paused_until=until, pause_reason=outage), outage, now)


def _out(health: Health, outage: Outage, now: datetime) -> Health:
    return replace(health, outage=outage, outage_at=health.outage_at or now)


def _outage_sentence(name: str, health: Health) -> str:
    if health.outage == "refused" or health.paused_until is None:
        return f"{name} turns us away ({health.last_error}); a person must act"
    until = moment(health.paused_until)
    if health.outage == "rate limited":
        return f"{name} asks us to slow down ({health.last_error}); it is left alone until {until}, other sources go on"
    return f"{name} does not answer properly ({health.last_error}); it is left alone until {until}, then tried again"


def _lasted(since: datetime | None, now: datetime) -> str:
    minutes = int((now - (since or now)).total_seconds() // 60)
    hours, minutes = divmod(max(0, minutes), 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"
