"""Deliveries: what is sent to a sink, when it may go, and what a sink is asked to do.

waiting ──> sending ──> sent          at least once: `sending` without an answer is sent again
   │  ^        └──────> failed        the sink will never take this one; shown, tried again by hand
   v  │
  held                                quiet hours, the night of a table, or put off by the user: until `due_at`
left out                              never to be sent: the first run's backlog, or decided before it went out
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, time, timedelta
from typing import Any, Literal, Protocol

from inforadar.domain.item import Kind
from inforadar.domain.watch import FirstRun

DeliveryState = Literal["waiting", "held", "sending", "sent", "failed", "left out"]
WAITING: frozenset[DeliveryState] = frozenset({"waiting", "held"})
"""Not begun yet; what is being sent is told how things stand once it is out."""
TABLES = frozenset({"sheets"})
"""Sinks that keep a table instead of taking messages: one job a night writes all that is due there."""
PUT_OFF = "put off by the user"
QUIET = "quiet hours"
ALONE = "goes by itself: a digest with it was not taken"
MARKS = (PUT_OFF, QUIET, ALONE)
"""Reasons that say how a delivery goes; a try that comes to nothing does not take them away."""
DECIDED = "decided before it was sent"
NOT_OPEN = "decided or closed before it was sent"
DIGEST_ABOVE = 10
DIGEST_SIZE = 10
FIRST_RETRY_S = 30.0
LONGEST_RETRY = timedelta(hours=1)
LATELY = timedelta(minutes=10)
GATHER_FOR = timedelta(minutes=5)
DAY = timedelta(days=1)
FIRST_HOUR = timedelta(hours=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """One match as a person sees it in a message.

    `act_id` is the user's last decision that can be undone; `is_reminder`: the user asked to see it again;
    `also_on`: where else the same job is.
    `sending_id` names one sending of one match to one sink: the same however often it is tried, another for a reminder.
    """

    match_id: int
    source: str
    key: str
    kind: Kind
    watch: str
    url: str
    title: str
    company: str | None
    published_at: datetime
    status: str
    score: float | None = None
    reason: str | None = None
    act_id: int | None = None
    later_until: datetime | None = None
    is_reminder: bool = False
    also_on: tuple[str, ...] = ()
    sending_id: str = ""
    data: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """One message: a single card, or several as a digest."""

    cards: tuple[Card, ...]
    now: datetime

    @property
    def is_digest(self) -> bool:
        """Whether it shows several matches."""
        return len(self.cards) > 1


class Sink(Protocol):
    """Where notices go. Raises RateLimited and Unavailable (later), Refused (a person must act), BadQuery (this
    notice will never be taken), Gone (the message to edit is not there any more)."""

    name: str

    def send(self, notice: Notice) -> str:
        """Send it; a reference by which it can be edited."""
        ...

    def edit(self, reference: str, notice: Notice) -> None:
        """Make an earlier message show how things stand now; showing the same again is no error."""
        ...


def left_out(
    first_run: FirstRun, *, published_at: datetime, found_at: datetime, first_run_at: datetime | None
) -> str | None:
    """Why a match of the first run is not sent, or None. What was there before the user asked is no news.

    Some sources tell days only: there, of the day of the first run, what was found in its first hour was there before.
    """
    if first_run == "all" or first_run_at is None:
        return None
    if first_run == "24h":
        is_old = published_at < first_run_at - DAY
        return "first run: published more than a day before the query was first asked" if is_old else None
    is_old = published_at < first_run_at
    if published_at.time() == time() and published_at.date() == first_run_at.date():
        is_old = found_at < first_run_at + FIRST_HOUR
    return "first run: published before the query was first asked" if is_old else None


def mark_of(why: str | None) -> str | None:
    """The mark in a delivery's reason, whatever came after it."""
    return next((mark for mark in MARKS if why == mark or (why or "").startswith(f"{mark}; ")), None)


def why_not_sent(why: str | None, error: str) -> str:
    """The reason of a delivery after a try that came to nothing."""
    mark = mark_of(why)
    return f"{mark}; {error}" if mark else error


def retry_delay(tries: int) -> timedelta:
    """How long a delivery waits after `tries` tries that came to nothing."""
    return min(timedelta(seconds=FIRST_RETRY_S * 2.0 ** min(tries, 20)), LONGEST_RETRY)


@dataclass(frozen=True, slots=True, kw_only=True)
class Single:
    """It goes by itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Digest:
    """It goes together with others that are due."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gather:
    """It waits for company until a moment."""

    until: datetime


def way_of(
    *, due: int, sent_lately: int, were_held: bool, oldest_due_at: datetime, gather_for: timedelta, now: datetime
) -> Single | Digest | Gather:
    """How one of `due` notices goes: many at once as digests, and so do those that follow many in a short while."""
    if due > DIGEST_ABOVE or (were_held and due > 1):
        return Digest()
    if sent_lately < DIGEST_ABOVE:
        return Single()
    until = oldest_due_at + gather_for
    return Gather(until=until) if now < until and due < DIGEST_SIZE else Digest()
