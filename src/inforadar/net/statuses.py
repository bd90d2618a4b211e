"""HTTP statuses as our errors: what a source may conclude from a status alone."""

import re
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

from inforadar.domain.errors import Gone, RateLimited, Refused, SourceError, Unavailable, Unreadable
from inforadar.domain.ports import Answer

LONGEST_RETRY_AFTER = timedelta(days=7)
_SECONDS = re.compile(r"[0-9]+(\.[0-9]*)?", re.ASCII)
_MOST_DIGITS = 9


def status_error(answer: Answer, now: datetime) -> SourceError | None:
    """The error an answer's status stands for, to be raised at a source's door; None for every 2xx."""
    status = answer.status
    if 200 <= status < 300:
        return None
    retry_after = header(answer, "retry-after")
    if status == 429 or (status == 503 and retry_after is not None):
        return RateLimited(f"the source asks us to slow down (HTTP {status})", retry_at(retry_after, now))
    if status in (401, 403):
        return Refused(f"the source refuses us (HTTP {status}): check its token, or open it in a browser")
    if status in (404, 410):
        return Gone(f"the source says this is not there (HTTP {status})")
    if status in (408, 425) or 500 <= status < 600:
        return Unavailable(f"the source is out of order (HTTP {status})")
    return Unreadable(f"the source answered with an unexpected status (HTTP {status})")


def retry_at(retry_after: str | None, now: datetime) -> datetime | None:
    """The moment a Retry-After header names, between `now` and a week later; None if it names none."""
    text = (retry_after or "").strip()
    if match := _SECONDS.fullmatch(text):
        return now + min(_seconds(match[0]), LONGEST_RETRY_AFTER)
    named_at = _http_date(text)
    return None if named_at is None else min(max(named_at, now), now + LONGEST_RETRY_AFTER)


def header(answer: Answer, name: str) -> str | None:
    """One header of an answer, whatever the case of its name."""
    return next((value for key, value in answer.headers.items() if key.lower() == name.lower()), None)


def _seconds(text: str) -> timedelta:
    if len(text.partition(".")[0]) > _MOST_DIGITS:
        return LONGEST_RETRY_AFTER
    return timedelta(seconds=float(text))


def _http_date(text: str) -> datetime | None:
    try:
        named_at = parsedate_to_datetime(text)
        return named_at.replace(tzinfo=UTC) if named_at.tzinfo is None else named_at.astimezone(UTC)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
