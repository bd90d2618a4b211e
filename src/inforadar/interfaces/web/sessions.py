"""Visitors of the pages: the cookie that names one, the word that proves a form is ours, and who is signed in.

The cookie holds a random secret. Where a token is configured it opens the pages only while the store has its session,
so that signing out ends it everywhere and a restart ends nothing, and while the token is the one it was opened with:
whoever changes the token shuts everybody out. Where none is, everybody who reaches the server may
come in, and the secret serves the forms alone. The proof in a form is made of the secret: a foreign page has neither.
"""

import hashlib
import hmac
import re
import secrets
from dataclasses import dataclass
from datetime import timedelta

from inforadar.domain.ports import Clock
from inforadar.interfaces.web.guard import API, HARMLESS, Visit
from inforadar.store import sessions
from inforadar.store.database import Database, Tx

LASTS = timedelta(days=30)

_SECRET = re.compile(r"[A-Za-z0-9_-]{43}")
_PORT = re.compile(r":(\d{1,5})$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Visitor:
    """Who asks for a page; `is_signed_in`: the visitor has shown the token before."""

    secret: str
    is_new: bool
    is_signed_in: bool = False

    @property
    def proof(self) -> str:
        """What a form of ours carries, and no other page can know."""
        return hmac.new(self.secret.encode(), b"form", hashlib.sha256).hexdigest()

    def has_proof(self, given: str) -> bool:
        """Whether a form is one of ours."""
        return not self.is_new and hmac.compare_digest(given.encode("utf-8", "replace"), self.proof.encode())


@dataclass(frozen=True, slots=True)
class Sessions:
    """Who is signed in, as the store has it; `token`: what is to be shown, None = nothing is."""

    database: Database
    clock: Clock
    token: bytes | None

    def visitor(self, visit: Visit) -> Visitor:
        """Who this is; a visitor without a cookie of ours gets a new secret."""
        secret = secret_of(visit)
        if secret is None:
            return Visitor(secret=secrets.token_urlsafe(32), is_new=True)
        if self.token is None:
            return Visitor(secret=secret, is_new=False)
        with self.database.reading() as tx:
            is_live = self.is_live(tx, secret)
        return Visitor(secret=secret, is_new=False, is_signed_in=is_live)

    def is_live(self, tx: Tx, secret: str) -> bool:
        """Whether whoever shows this secret is signed in now."""
        return sessions.is_live(tx, self._key(secret), self.clock.now())

    def sign_in(self) -> Visitor:
        """A new session, under a new secret."""
        secret, now = secrets.token_urlsafe(32), self.clock.now()
        with self.database.transaction() as tx:
            sessions.add(tx, self._key(secret), now=now, ends_at=now + LASTS)
        return Visitor(secret=secret, is_new=False, is_signed_in=True)

    def sign_out(self, visitor: Visitor) -> None:
        """End a session for good."""
        with self.database.transaction() as tx:
            sessions.revoke(tx, self._key(visitor.secret))

    def _key(self, secret: str) -> str:
        """What the store knows a session by: made of the secret and of the token that opened it."""
        return hmac.new(hashlib.sha256(self.token or b"").digest(), secret.encode(), hashlib.sha256).hexdigest()


def may_use_session(visit: Visit) -> bool:
    """The cookie opens pages; what changes something over the REST API needs the token itself."""
    return visit.method in HARMLESS or not visit.path.startswith(API)


def cookie_name(host: str) -> str:
    """Browsers do not tell the ports of a machine apart; two servers on one machine must not share a cookie."""
    port = _PORT.search(host)
    return f"radar_session_{port[1] if port else 80}"


def secret_of(visit: Visit) -> str | None:
    """The secret in the cookie of a visit, if it looks like one; what others set on this machine is passed over."""
    ours = cookie_name(visit.text(b"host") or "")
    pairs = [one.strip().partition("=") for one in (visit.text(b"cookie") or "").split(";")]
    found = [value for name, _, value in pairs if name == ours and _SECRET.fullmatch(value)]
    return found[0] if found else None


def cookie_header(host: str, visitor: Visitor, *, origin: str = "") -> str:
    """The Set-Cookie header that gives a visitor the secret.

    `origin`: that of the form, as the browser tells it; one that came by https, through a proxy, keeps it there.
    """
    secure = "; Secure" if origin.lower().startswith("https://") else ""
    return f"{_cookie(host, visitor.secret)}; Max-Age={int(LASTS.total_seconds())}{secure}"


def forget_header(host: str) -> str:
    """The Set-Cookie header that takes the secret away."""
    return f"{_cookie(host, '')}; Max-Age=0"


def _cookie(host: str, value: str) -> str:
    return f"{cookie_name(host)}={value}; Path=/; HttpOnly; SameSite=Lax"
