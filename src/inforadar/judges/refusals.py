"""What the error answers of a model server mean, on Ollama and on every compatible server."""

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import msgspec

from inforadar.domain.errors import RateLimited, Refused, SourceError, Unavailable, Unreadable
from inforadar.domain.ports import Answer
from inforadar.net.statuses import header, retry_at

LONGEST_SENTENCE = 200
SHORTEST_SECRET = 4
CANCELED = 499

_TOO_LONG = re.compile(
    r"context[ _](?:length|size|window)|max(?:imum)? context|too long|reduce the length", re.IGNORECASE
)
_NO_MONEY = re.compile(r"insufficient[_ ](?:quota|balance|credits)|exceeded your current quota", re.IGNORECASE)
_FILTERED = re.compile(r"content[_ ](?:filter|policy)", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Complaint:
    """What a server says is wrong: its sentence, and everything it said as one text to search in."""

    sentence: str = ""
    whole: str = ""

    @property
    def is_too_long(self) -> bool:
        """Whether the prompt does not fit into the model's context."""
        return _TOO_LONG.search(self.whole) is not None


def read_complaint(answer: Answer, token: str | None) -> Complaint:
    """The complaint in an answer's body, empty if there is none; it never holds the token."""
    try:
        error = msgspec.json.decode(answer.body)
    except (msgspec.MsgspecError, RecursionError, ValueError):
        return Complaint()
    return complaint_of(error, token)


def complaint_of(body: Any, token: str | None) -> Complaint:
    """The complaint in a decoded body: `error` as a text or an object, or a bare `message` or `detail`."""
    if not isinstance(body, dict):
        return Complaint()
    error = body.get("error") or {name: body[name] for name in ("message", "detail", "code") if name in body}
    told = error.get("message") or error.get("detail") if isinstance(error, dict) else error
    parts = [value for value in error.values() if isinstance(value, str)] if isinstance(error, dict) else [error]
    return Complaint(
        sentence=_plain(told, token)[:LONGEST_SENTENCE] if isinstance(told, str) else "",
        whole=" ".join(_plain(part, token) for part in parts if isinstance(part, str)),
    )


def refusal(answer: Answer, complaint: Complaint, now: datetime) -> SourceError:
    """The error an unsuccessful answer stands for, whatever the server; a missing model is the caller's to name."""
    status, told = answer.status, f": {complaint.sentence}" if complaint.sentence else ""
    if status == 402 or (status == 429 and _NO_MONEY.search(complaint.whole)):
        return Refused(f"the judge's account is used up (HTTP {status}){told}. Top it up, or choose another judge")
    if status == 429:
        moment = retry_at(header(answer, "retry-after"), now)
        return RateLimited(f"the judge asks us to slow down (HTTP {status}){told}", moment)
    if status in (401, 403):
        return Refused(f"the judge refuses us (HTTP {status}){told}. Check `[judge] token`")
    if status in (408, 409, 425, CANCELED) or status >= 500:
        return Unavailable(f"the judge is out of order (HTTP {status}){told}")
    if status == 400 and _FILTERED.search(complaint.whole):
        return Unreadable(f"the judge's filter refuses this item (HTTP {status}){told}")
    return Refused(f"the judge does not take our request (HTTP {status}){told}. Check `[judge] model` and `base_url`")


def _plain(text: str, token: str | None) -> str:
    masked = text.replace(token, "***") if token and len(token) >= SHORTEST_SECRET else text
    return " ".join("".join(char if char.isprintable() else " " for char in masked).split())
