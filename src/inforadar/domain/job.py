"""Jobs: their statuses and moves, what a step may decide, and what that makes of the job.

    pending ───claim──> running ──success──> succeeded
       ^                 │ │ └────failure──> failed
       ├── snooze ───────┤ └─────retry─────> retryable ──claim (from next_retry_at on)──> running
       ├── give back ────┤
       └── worker lost ──┘          A person may cancel what is unfinished and retry what failed.

Attempts are counted at the claim and never fall: the attempt is the fencing token of a claim, so a number must not
come twice. An attempt is refunded (snooze, given back unstarted) by allowing one more, not by counting back.
Invariant: attempts <= max_attempts; a job whose worker is lost on its last attempt ends in failed.
A job that has lost two workers in a row is suspect until an attempt comes to an end: it is run alone for a while, so
that a job that kills workers does not take the attempts of its neighbours with it. One loss proves nothing: machines
are switched off.
Nothing waits for longer than LONGEST_WAIT: what seems to was put off by a clock that was wrong, and may run at once.
Invariant: only the current attempt settles a job; succeeded and failed are final but for a person.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Literal, NewType, Protocol

from inforadar.domain.errors import LeaseLost, NoVerdict, RateLimited, Stopped, StoreError, Unavailable

HEARTBEAT_S = 20.0
LOCK_TIMEOUT_S = 300.0
RECLAIM_EVERY_S = 60.0
MAX_ATTEMPTS = 5
SUSPECT_LOSSES = 2
BASE_MINUTES = 1.0
LONGEST_MINUTES = 1440.0
JITTER = 0.2
RATE_LIMIT_PAUSE = timedelta(hours=6)
SHORTEST_SNOOZE = timedelta(seconds=1)
LONGEST_WAIT = timedelta(days=30)

JobId = NewType("JobId", int)
JobStatus = Literal["pending", "running", "retryable", "succeeded", "failed"]
Move = Literal["claim", "success", "retry", "snooze", "failure", "give back", "loss", "cancel", "retry by hand"]

WAITING: frozenset[JobStatus] = frozenset({"pending", "retryable"})
RUNNING: frozenset[JobStatus] = frozenset({"running"})
UNFINISHED: frozenset[JobStatus] = WAITING | RUNNING
MOVES: Mapping[Move, tuple[frozenset[JobStatus], frozenset[JobStatus]]] = {
    "claim": (WAITING, RUNNING),
    "success": (RUNNING, frozenset({"succeeded"})),
    "retry": (RUNNING, frozenset({"retryable"})),
    "snooze": (RUNNING, frozenset({"pending"})),
    "failure": (RUNNING, frozenset({"failed"})),
    "give back": (RUNNING, frozenset({"pending"})),
    "loss": (RUNNING, frozenset({"pending", "failed"})),
    "cancel": (UNFINISHED, frozenset({"failed"})),
    "retry by hand": (WAITING | {"failed"}, frozenset({"pending"})),
}
"""Every move of a job: the statuses it may begin in, and those it may end in."""

_TRANSIENT = (Unavailable, StoreError, NoVerdict, LeaseLost, TimeoutError, ConnectionError)


class Chance(Protocol):
    """Where jitter comes from."""

    def random(self) -> float:
        """A number from 0 up to 1."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A job as its worker holds it: `attempt` is the number of this claim, `max_attempts` the last one allowed.

    `losses` is how many workers in a row were lost over it.
    """

    id: JobId
    kind: str
    args: Mapping[str, Any]
    source: str | None = None
    attempt: int
    max_attempts: int
    retry_count: int
    losses: int = 0

    @property
    def is_suspect(self) -> bool:
        """Whether its last attempts ended with their workers, so that it had better be run alone."""
        return self.losses >= SUSPECT_LOSSES

    @property
    def is_last_attempt(self) -> bool:
        """Whether there is no attempt after this one."""
        return self.attempt >= self.max_attempts


def nothing(_tx: Any) -> None:
    """The effects of a step that has none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """The work is done; `effects` write it down, in the transaction that settles the job.

    `order`: effects of one transaction run by it, so that rows are locked in the same order by all.
    """

    effects: Callable[[Any], None] = nothing
    order: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Retry:
    """A transient error: try again after the usual backoff, or after `delay`."""

    error: str
    delay: timedelta | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Snooze:
    """Not now: come back at `until`. This is no error and costs no attempt."""

    until: datetime
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Fail:
    """A permanent error: trying again would not help."""

    error: str


Outcome = Done | Retry | Snooze | Fail


@dataclass(frozen=True, slots=True, kw_only=True)
class Settlement:
    """What becomes of a running job: its next status, when it may run again, what is remembered."""

    move: Move
    status: JobStatus
    delay: timedelta | None = None
    error: str | None = None
    more_attempts: int = 0


SUCCESS = Settlement(move="success", status="succeeded")


@dataclass(frozen=True, slots=True, kw_only=True)
class NewJob:
    """A job to put: it may run from `run_at` on (None = at once), higher priorities first, then older ones."""

    kind: str
    args: Mapping[str, Any] = field(default_factory=dict)
    source: str | None = None
    unique_key: str | None = None
    priority: int = 0
    run_at: datetime | None = None


def may_move(move: Move, old: JobStatus, new: JobStatus) -> bool:
    """Whether a job may go from `old` to `new` by this move."""
    begins, ends = MOVES[move]
    return old in begins and new in ends


def backoff(base_minutes: float, retry_count: int, chance: Chance) -> timedelta:
    """How long to wait before the next try: doubling, at most a day, a little less by chance so that jobs spread."""
    minutes = min(base_minutes * 2.0 ** min(retry_count, 60), LONGEST_MINUTES)
    return timedelta(minutes=minutes * (1 - JITTER * chance.random()))


def outcome_of(error: BaseException, now: datetime) -> Outcome:
    """What an error means for its job: come back when the source allows it, try again, or give up."""
    if isinstance(error, Stopped):
        return Snooze(until=now, reason=_told(error))
    if isinstance(error, RateLimited):
        return Snooze(until=error.retry_at or now + RATE_LIMIT_PAUSE, reason=_told(error))
    if isinstance(error, _TRANSIENT):
        return Retry(error=_told(error))
    return Fail(error=_told(error))


def settlement(
    outcome: Outcome, job: Job, now: datetime, chance: Chance, base_minutes: float = BASE_MINUTES
) -> Settlement:
    """What an outcome makes of its job; a retry of the last attempt is a failure."""
    match outcome:
        case Done():
            return SUCCESS
        case Snooze(until=until, reason=reason):
            delay = min(max(until - now, SHORTEST_SNOOZE), LONGEST_WAIT)
            return Settlement(move="snooze", status="pending", delay=delay, error=reason, more_attempts=1)
        case Retry(error=error) if job.is_last_attempt:
            return Settlement(move="failure", status="failed", error=f"gave up at attempt {job.attempt}: {error}")
        case Retry(error=error, delay=chosen):
            delay = backoff(base_minutes, job.retry_count, chance) if chosen is None else chosen
            return Settlement(move="retry", status="retryable", delay=delay, error=error)
        case Fail(error=error):
            return Settlement(move="failure", status="failed", error=error)


def given_back(job: Job, *, was_started: bool, why: str) -> Settlement:
    """An unfinished job at shutdown: unstarted it costs nothing; started it does, but a shutdown fails no job."""
    more = 1 if not was_started or job.is_last_attempt else 0
    return Settlement(move="give back", status="pending", delay=timedelta(), error=why, more_attempts=more)


def after_loss(job: Job, worker: str) -> Settlement:
    """A job whose worker gave no sign of life: once more, or failed when this was its last attempt."""
    if job.is_last_attempt:
        times = f"{job.losses + 1} times" if job.losses else "once"
        return Settlement(move="loss", status="failed", error=f"worker lost {times}, the last was {worker}")
    return Settlement(move="loss", status="pending", delay=timedelta(), error=f"worker lost: {worker}")


def _told(error: BaseException) -> str:
    """The error as a sentence; errors that are not ours are named by their type."""
    words = str(error) or "no message"
    return words if type(error).__module__.startswith("inforadar.") else f"{type(error).__name__}: {words}"
