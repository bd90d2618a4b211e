"""Watching the sinks: one that was changed in the configuration begins anew, and what waited for it goes at once.

A wrong token or chat holds messages back for a while after each refusal; once a person has mended it, neither the
refusals nor those waits are the new one's. What the one before did not take at all goes to the new one, unless it is
older than anybody waits for. What a sink is, is kept as a short one-way number: no token can be read off it.
"""

import hashlib
import hmac
from collections.abc import Mapping
from datetime import datetime, timedelta

from inforadar.config import AppriseSettings, TelegramSettings, WebhookSettings
from inforadar.domain.health import News
from inforadar.observe.secrets import Secret
from inforadar.pipeline.routes import deliver_job
from inforadar.store import cursors, deliveries, events, jobs, sources
from inforadar.store.database import Tx

FAILED_LATELY = timedelta(days=7)
LABEL = b"inforadar: which sink this is"

SinkSettings = TelegramSettings | AppriseSettings | WebhookSettings


def welcome_sinks(tx: Tx, sinks: Mapping[str, SinkSettings], now: datetime) -> list[str]:
    """Let sinks that are not those of last time begin anew, with what waited for them; their names.

    One that lacks something says nothing about the one that another process has.
    """
    identities = {name: _identity(settings) for name, settings in sorted(sinks.items())}
    return [name for name, identity in identities.items() if identity and _is_another(tx, name, identity, now)]


def _is_another(tx: Tx, name: str, identity: int, now: datetime) -> bool:
    cursor = f"sink identity: {name}"
    known = cursors.get(tx, cursor)
    if known == identity:
        return False
    cursors.put(tx, cursor, identity)
    if known is not None:
        _begin_anew(tx, name, now)
    deliveries.release(tx, name, now)
    jobs.wake(tx, name)
    return True


def _begin_anew(tx: Tx, name: str, now: datetime) -> None:
    if sources.begin_anew(tx, name).outage:
        changed = f"{name} was changed in the configuration; what waited for it is tried again"
        events.add(tx, News(kind="recovery", message=changed), name, now)
    failed = deliveries.try_again(tx, name, since=now - FAILED_LATELY, now=now)
    jobs.put(tx, [deliver_job(delivery_id, name) for delivery_id in failed])


def _identity(settings: SinkSettings) -> int | None:
    """A number that tells sinks of one kind apart; None where something is not set up yet."""
    parts = _parts(settings)
    if not parts or not all(parts):
        return None
    words = "\n".join(part.reveal() if isinstance(part, Secret) else str(part) for part in parts)
    return int.from_bytes(hmac.digest(LABEL, words.encode(), hashlib.sha256)[:6])


def _parts(settings: SinkSettings) -> tuple[str | Secret | None, ...]:
    if isinstance(settings, TelegramSettings):
        return settings.base_url, settings.chat_id, settings.token
    return settings.urls if isinstance(settings, AppriseSettings) else (settings.url, settings.secret)
