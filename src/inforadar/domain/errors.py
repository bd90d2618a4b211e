"""The one tree of errors, split by what the caller can do about each.

RadarError
├── SourceError          something went wrong while asking a source
│   ├── Unavailable      try later: outage, timeout, connection lost
│   ├── RateLimited      try at `retry_at`: the source asked us to slow down
│   ├── Refused          a person must act: token, captcha, block
│   │   └── BadQuery     the question is wrong, the source is well: other queries of it go on
│   ├── Gone             a definite "not there any more"
│   ├── NoVerdict        the answer says nothing about the item
│   └── Unreadable       the parser does not know this page
├── ConfigError          the user's file or flags are wrong; every mistake at once
├── StoreError           the database cannot be used: full, newer, locked, damaged
├── LeaseLost            somebody else holds the lease; this process must write nothing
└── Stopped              the work was asked to stop while it waited; nothing is known yet
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime


class RadarError(Exception):
    """Anything Info Radar reports to its user: a short sentence that names the remedy."""

    exit_code = 1


class SourceError(RadarError):
    """Something went wrong while asking a source."""


class Unavailable(SourceError):
    """The source does not answer properly now; the same request may succeed later."""


class RateLimited(SourceError):
    """The source asked us to slow down; `retry_at` is when it allows the next request, if it said so."""

    def __init__(self, message: str, retry_at: datetime | None = None) -> None:
        super().__init__(message)
        self.retry_at = retry_at


class Refused(SourceError):
    """The source will not serve us until a person acts: token, captcha, block."""


class BadQuery(Refused):
    """The source answers well that it cannot serve this question: its parameters must be corrected."""


class Gone(SourceError):
    """A definite answer that the thing asked for is not there any more."""


class NoVerdict(SourceError):
    """The answer says nothing about the item: it is neither alive nor gone."""


class Unreadable(SourceError):
    """The body is not a page this parser knows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mistake:
    """One thing wrong in a configuration file: where, what, and what to do."""

    where: str
    problem: str
    remedy: str
    line: int | None = None

    def __str__(self) -> str:
        place = f"line {self.line}, {self.where}" if self.line else self.where
        return f"{place}: {self.problem}. {self.remedy}"


class ConfigError(RadarError):
    """The user's file or flags are wrong; carries every mistake at once."""

    exit_code = 2

    def __init__(self, message: str, mistakes: Sequence[Mistake] = ()) -> None:
        super().__init__("\n".join([message, *(f"  {mistake}" for mistake in mistakes)]))
        self.mistakes = tuple(mistakes)


class StoreError(RadarError):
    """The database cannot be used now: full, newer than this program, locked, damaged."""


class LeaseLost(RadarError):
    """Somebody else holds the lease now; this process must write nothing more."""


class Stopped(RadarError):
    """The work was asked to stop while it waited: nothing was found out, so nothing is concluded."""
