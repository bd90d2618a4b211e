"""The table `sessions`: who is signed in at the web page. Only a digest of the secret that a visitor shows is kept."""

import hashlib
from datetime import datetime

from inforadar.store.database import Tx


def add(tx: Tx, secret: str, *, now: datetime, ends_at: datetime) -> None:
    """Let whoever shows this secret in until a moment; sessions that have ended are forgotten."""
    tx.run("session_prune", now=now)
    tx.run("session_add", digest=_digest(secret), now=now, ends_at=ends_at)


def is_live(tx: Tx, secret: str, now: datetime) -> bool:
    """Whether whoever shows this secret is signed in."""
    return tx.row("session_find", digest=_digest(secret), now=now) is not None


def revoke(tx: Tx, secret: str) -> None:
    """Let nobody in with this secret any more."""
    tx.run("session_revoke", digest=_digest(secret))


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
