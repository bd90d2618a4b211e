"""What eBay's refusals mean: its error ids, the warnings that hide in good answers, and the daily quota."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Any
from zoneinfo import ZoneInfo

from inforadar.domain.errors import BadQuery, RateLimited, Refused, SourceError, Unavailable, Unreadable
from inforadar.domain.ports import Answer
from inforadar.net.statuses import header
from inforadar.sources.reading import as_int, as_list, as_mapping, as_text, failure, read_json
from inforadar.sources.text import clean_line

PACIFIC = ZoneInfo("America/Los_Angeles")
INVALID_TOKEN, NO_PERMISSION, QUOTA, PAST_DEPTH = 1001, 1100, 2001, 12029
SETTINGS = "`[sources.ebay] client_id` and `client_secret`"
NO_INSIGHTS = (
    "eBay shows sold prices (Marketplace Insights) only to keys it has approved, and yours is not: "
    "ask eBay for access, or remove `sold` from the query; asking prices work with every key."
)


def refusal(answer: Answer, *, is_sold: bool = False) -> SourceError:
    """The error behind an answer whose status is not 200."""
    errors = _errors(answer, "errors")
    ids = {as_int(error.get("errorId")) for error in errors}
    if answer.status == 429 and QUOTA in ids:
        return RateLimited("eBay's daily quota is used up (error 2001)", _quota_reset(answer))
    if NO_PERMISSION in ids or (answer.status == 403 and is_sold):
        return BadQuery(NO_INSIGHTS) if is_sold else Refused(f"eBay refuses this key (error 1100): check {SETTINGS}.")
    if INVALID_TOKEN in ids or answer.status == 401:
        return Refused(f"eBay does not accept our token, not even a new one: check {SETTINGS}.")
    if answer.status in (400, 409) and errors:
        return BadQuery(f"eBay does not accept the query ({described(errors)}): correct its params.")
    if answer.status >= 500 and errors:
        return Unavailable(f"eBay is out of order (HTTP {answer.status}, {described(errors)})")
    return failure(answer)


def is_past_depth(answer: Answer) -> bool:
    """Whether a 400 is about the place in the list that was asked for."""
    return any(as_int(error.get("errorId")) == PAST_DEPTH for error in _errors(answer, "errors"))


def raise_on_warnings(envelope: Mapping[str, Any]) -> None:
    """eBay answers a wrong sort, filter or category with another list and a warning: that list must not be used."""
    warnings = [as_mapping(warning) for warning in as_list(envelope.get("warnings"))]
    if warnings:
        raise BadQuery(f"eBay ignored a part of the query ({described(warnings)}): correct its params.")


def described(errors: list[Mapping[str, Any]]) -> str:
    """Errors or warnings in a few words: number and message of each."""
    said = (
        f"{as_int(error.get('errorId')) or '?'} {clean_line(as_text(error.get('message')))[:150]}".strip()
        for error in errors[:3]
    )
    return "; ".join(said)


def _quota_reset(answer: Answer) -> datetime | None:
    """The next midnight in California by the answer's own date; None where eBay itself says when."""
    if header(answer, "retry-after"):
        return None
    try:
        asked_at = parsedate_to_datetime(header(answer, "date") or "").astimezone(PACIFIC)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    return (asked_at + timedelta(days=1)).replace(hour=0, minute=0, second=0, microsecond=0)


def _errors(answer: Answer, name: str) -> list[Mapping[str, Any]]:
    try:
        body = as_mapping(read_json(answer.body))
    except Unreadable:
        return []
    return [as_mapping(error) for error in as_list(body.get(name))]
