"""OAuth client credentials around a transport: a bearer is put on every request, renewed before it ends and once when
it is refused, and kept in a file that only its owner can read, since fetching one is limited as well.

The token and the credentials are never part of a text that could be logged or shown.
"""

import base64
import hashlib
import json
import os
import tempfile
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from inforadar.domain.errors import BadQuery, RateLimited, Refused, SourceError, Unavailable, Unreadable
from inforadar.domain.ports import Answer, Clock, Request, Transport
from inforadar.net.statuses import status_error
from inforadar.sources.reading import as_int, as_mapping, as_text, read_json, read_time
from inforadar.sources.text import clean_line

RENEW_BEFORE = timedelta(minutes=5)
SHARE_UNUSED = 4
"""A short-lived token is renewed when this part of its life is left, so that it still serves many requests."""
SHORTEST_LIFE_S, LONGEST_LIFE_S = 60, 7 * 86_400
LARGEST_FILE = 64 * 1024
UNAUTHORIZED = 401
PASSING = frozenset({"temporarily_unavailable", "server_error"})
"""What a server of tokens says of itself, not of us."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """A bearer, when it ends, and when it is time for the next one."""

    value: str = field(repr=False)
    expires_at: datetime
    renew_at: datetime

    def is_good(self, now: datetime) -> bool:
        """Whether it can still be used for a while; one that ends impossibly late was written under another clock."""
        return now < self.renew_at and self.expires_at <= now + timedelta(seconds=LONGEST_LIFE_S)


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """Who asks for tokens, where, and what for.

    `service`, `settings` and `scope_refused` (it may not ask for this) are for the sentences a person reads.
    """

    service: str
    settings: str
    client_id: str
    client_secret: str = field(repr=False)
    token_path: str
    scope_of: Callable[[Request], str]
    scope_refused: str


class Authorized:
    """A transport that puts a client's bearer on every request; `kept_at` is the file tokens are kept in."""

    def __init__(self, *, transport: Transport, client: Client, clock: Clock, kept_at: Path | None = None) -> None:
        self._transport = transport
        self._client = client
        self._clock = clock
        self._kept_at = kept_at
        self._tokens: dict[str, Token] = {}
        self._lock = threading.Lock()

    def send(self, base_url: str, request: Request) -> Answer:
        """The answer to a request; a refused bearer is replaced once. Raises SourceError where none can be had."""
        bearer = self._bearer(base_url, self._client.scope_of(request))
        answer = self._transport.send(base_url, _with_bearer(request, bearer))
        if answer.status != UNAUTHORIZED:
            return answer
        bearer = self._bearer(base_url, self._client.scope_of(request), refused=bearer)
        return self._transport.send(base_url, _with_bearer(request, bearer))

    def _bearer(self, base_url: str, scope: str, refused: str | None = None) -> str:
        """A good token: remembered, kept by another process, or new."""
        name = _fingerprint(base_url, self._client, scope)
        now = self._clock.now()
        with self._lock:
            for token in (self._tokens.get(name), self._kept().get(name)):
                if token and token.is_good(now) and token.value != refused:
                    self._tokens[name] = token
                    return token.value
            token = self._fetched(base_url, scope, now)
            self._tokens[name] = token
            self._keep(name, token)
            return token.value

    def _fetched(self, base_url: str, scope: str, now: datetime) -> Token:
        client = self._client
        if not client.client_id or not client.client_secret:
            raise Refused(f"{client.service} needs the credentials of an application: set {client.settings}.")
        pair = base64.b64encode(f"{client.client_id}:{client.client_secret}".encode()).decode()
        headers = {"Authorization": f"Basic {pair}", "Content-Type": "application/x-www-form-urlencoded"}
        form = urlencode({"grant_type": "client_credentials", "scope": scope}).encode()
        request = Request(path=client.token_path, headers=headers, method="POST", body=form)
        return self._read(self._transport.send(base_url, request), now)

    def _read(self, answer: Answer, now: datetime) -> Token:
        body = _body(answer)
        if answer.status != 200:
            raise self._refusal(answer, body, now)
        value, life_s = as_text(body.get("access_token")), as_int(body.get("expires_in"))
        if not value or not value.isprintable() or life_s is None:
            raise Unreadable(f"{self._client.service} answered with no token where one was asked for")
        life = timedelta(seconds=min(max(life_s, SHORTEST_LIFE_S), LONGEST_LIFE_S))
        return Token(value=value, expires_at=now + life, renew_at=now + life - min(RENEW_BEFORE, life / SHARE_UNUSED))

    def _refusal(self, answer: Answer, body: Mapping[str, Any], now: datetime) -> SourceError:
        service, settings = self._client.service, self._client.settings
        code = clean_line(as_text(body.get("error")))[:40]
        told = status_error(answer, now)
        if isinstance(told, (Unavailable, RateLimited)):  # whatever the body says: it may be well in a moment
            return told
        if code in PASSING:
            return Unavailable(f"{service} gives no token now ({code})")
        if code == "invalid_scope":
            return BadQuery(self._client.scope_refused)
        if code or answer.status in (400, 401, 403):
            return Refused(f"{service} gives us no token ({code or f'HTTP {answer.status}'}): check {settings}.")
        return told or Unreadable(f"{service} answered with no token")

    def _kept(self) -> dict[str, Token]:
        """The tokens in the file; one that cannot be read holds none."""
        try:
            with (self._kept_at or Path(os.devnull)).open("rb") as file:
                kept = as_mapping(read_json(file.read(LARGEST_FILE)))
        except (OSError, Unreadable):
            return {}
        found = {name: _token(as_mapping(one)) for name, one in kept.items()}
        return {name: token for name, token in found.items() if token}

    def _keep(self, name: str, token: Token) -> None:
        """Write the file anew, readable by its owner alone from its first moment on; without it all still works."""
        if self._kept_at is None:
            return
        kept = {**self._kept(), name: token}
        good = {name: one for name, one in kept.items() if one.is_good(self._clock.now())}
        text = json.dumps({name: _kept_form(one) for name, one in good.items()})
        with suppress(OSError):
            _write_private(self._kept_at, text)


def _with_bearer(request: Request, bearer: str) -> Request:
    return replace(request, headers={**request.headers, "Authorization": f"Bearer {bearer}"})


def _fingerprint(base_url: str, client: Client, scope: str) -> str:
    """Which token serves whom: other credentials, another server or another scope never get it."""
    parts = (base_url, client.client_id, client.client_secret, scope)
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:32]


def _body(answer: Answer) -> Mapping[str, Any]:
    try:
        return as_mapping(read_json(answer.body))
    except Unreadable:
        return {}


def _kept_form(token: Token) -> dict[str, str]:
    times = {"expires_at": token.expires_at, "renew_at": token.renew_at}
    return {"token": token.value, **{name: at.isoformat() for name, at in times.items()}}


def _token(kept: Mapping[str, Any]) -> Token | None:
    value, expires_at, renew_at = (
        as_text(kept.get("token")),
        read_time(kept.get("expires_at")),
        read_time(kept.get("renew_at")),
    )
    return Token(value=value, expires_at=expires_at, renew_at=renew_at) if value and expires_at and renew_at else None


def _write_private(path: Path, text: str) -> None:
    """Replace a file in one step; `mkstemp` makes it with mode 0600."""
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
        Path(name).replace(path)
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise
