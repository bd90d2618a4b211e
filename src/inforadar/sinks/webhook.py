"""A program of the user's as a sink: notices are posted to it as signed JSON.

Signature: `X-Radar-Signature: t=SECONDS,v1=HEX`, HEX the HMAC-SHA256 of "SECONDS.BODY" by the shared secret. A receiver
refuses what is old or signed otherwise. `Idempotency-Key` is the same however often an event is posted; a digest that
is put together anew has another one, and its matches are known by their `sending_id`.
"""

import hashlib
import hmac
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from inforadar.domain.delivery import Card, Notice
from inforadar.domain.errors import BadQuery, RateLimited, Refused, SourceError, Unavailable, Unreadable
from inforadar.domain.ports import Answer, Clock, Request, Transport
from inforadar.net.statuses import header, retry_at
from inforadar.observe.secrets import Secret

Event = Literal["matches", "update"]

VERSION = 1
CHECK_URL = "a person must look at it: check [webhook] url and secret, and the receiver"
LATER = frozenset({408, 409, 425})
PERSON = frozenset({401, 403, 404, 405, 407, 410, 421, 451})


@dataclass(slots=True, kw_only=True)
class WebhookSink:
    """Posts to one address; a reference is `webhook:` and the key of the event."""

    transport: Transport
    clock: Clock
    url: Secret
    secret: Secret
    timeout_s: float = 20.0
    name: str = "webhook"

    def send(self, notice: Notice) -> str:
        """Post the matches; a reference that their updates name."""
        key = digest_of([card.sending_id for card in notice.cards])
        reference = f"webhook:{key}"
        self._post("matches", key, reference, notice)
        return reference

    def edit(self, reference: str, notice: Notice) -> None:
        """Post how the matches of an earlier event stand now."""
        standing = [[card.match_id, card.status, card.act_id, moment(card.later_until)] for card in notice.cards]
        self._post("update", digest_of([reference, standing]), reference, notice)

    def _post(self, event: Event, key: str, reference: str, notice: Notice) -> None:
        body = body_of(event, key, reference, notice)
        headers = {
            "content-type": "application/json",
            "idempotency-key": key,
            "x-radar-event": event,
            "x-radar-signature": signature(self.secret, body, self.clock.now()),
        }
        request = Request(url=self.url.reveal(), method="POST", headers=headers, body=body, timeout_s=self.timeout_s)
        try:
            answer = self.transport.send("", request)
        except Unreadable as error:
            raise Unavailable(f"the webhook's answer cannot be read: {error}") from error
        refusal = read_error(answer, self.clock.now())
        if refusal is not None:
            raise refusal


def signature(secret: Secret, body: bytes, now: datetime) -> str:
    """The header that proves who posted this body, and when."""
    seconds = int(now.timestamp())
    signed = hmac.new(secret.reveal().encode(), f"{seconds}.".encode() + body, hashlib.sha256)
    return f"t={seconds},v1={signed.hexdigest()}"


def body_of(event: Event, key: str, reference: str, notice: Notice) -> bytes:
    """The body of an event: the same bytes as long as its matches stand the same."""
    told = {
        "version": VERSION,
        "event": event,
        "event_id": key,
        "reference": reference,
        "matches": [card_json(card) for card in notice.cards],
    }
    return json.dumps(told, ensure_ascii=True, separators=(",", ":")).encode("ascii")


def card_json(card: Card) -> dict[str, Any]:
    """One match with all its fields, under the names of `radar items --json`."""
    return {
        "id": card.match_id,
        "sending_id": card.sending_id or None,
        "watch": card.watch,
        "kind": card.kind,
        "source": card.source,
        "key": card.key,
        "url": card.url,
        "title": card.title,
        "company": card.company,
        "published_at": moment(card.published_at),
        "status": card.status,
        "score": card.score,
        "reason": card.reason,
        "is_reminder": card.is_reminder,
        "also_on": list(card.also_on),
        "later_until": moment(card.later_until),
        "act_id": card.act_id,
        "data": dict(card.data),
    }


def read_error(answer: Answer, now: datetime) -> SourceError | None:
    """What an answer means for the outbox; None for every 2xx."""
    status = answer.status
    if 200 <= status < 300:
        return None
    told = f"the webhook answered HTTP {status}"
    wait = retry_at(header(answer, "retry-after"), now)
    if status == 429 or (status == 503 and wait is not None):
        return RateLimited(f"{told}: it asks us to slow down", wait)
    if status in PERSON:
        return Refused(f"{told}: {CHECK_URL}")
    if 400 <= status < 500 and status not in LATER:
        return BadQuery(f"{told}: it will not take this event")
    return Unavailable(told)


def digest_of(parts: Sequence[Any]) -> str:
    """A name for what these parts say together."""
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32]


def moment(at: datetime | None) -> str | None:
    """A moment as JSON has it."""
    return None if at is None else at.strftime("%Y-%m-%dT%H:%M:%SZ")
