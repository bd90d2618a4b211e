"""Who may come in: decided on the head of a request alone, before anything else looks at it.

In this order, and for every path, known or not: the name the visitor calls us by (a foreign one is a web page that had
its own name point here: DNS rebinding), the token, where the request comes from (a foreign page may link here and do
nothing else: CSRF), and, for what changes state, how its body is declared. Headers that speak for the
visitor (X-Forwarded-*) let nobody in.
"""

import hmac
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urlsplit

from inforadar.config.model import WebSettings

OWN_NAMES = ("localhost", "127.0.0.1", "::1")
HARMLESS = frozenset({"GET", "HEAD", "OPTIONS"})
API = "/api/"
LARGEST_BODY = 64 * 1024
MOST_DIGITS = 9
JSON = "application/json"
BEARER = {"WWW-Authenticate": 'Bearer realm="radar"'}

Headers = Sequence[tuple[bytes, bytes]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """The head of one request; names of headers are in lower case, as they come from the server."""

    method: str
    path: str
    headers: Headers

    def all(self, name: bytes) -> list[bytes]:
        """Every value of a header."""
        return [value for key, value in self.headers if key == name]

    def text(self, name: bytes) -> str | None:
        """The value of a header that comes once; None = it is absent, or nobody knows which one counts."""
        values = self.all(name)
        return values[0].decode("latin-1").strip() if len(values) == 1 else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """Why a visit is turned away: the status, a sentence, and headers that belong to it."""

    status: int
    detail: str
    headers: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Guard:
    """Stands at the door of one server; `token` None: whoever reaches it may come in."""

    names: frozenset[str]
    token: bytes | None = None

    def refusal(self, visit: Visit, *, is_signed_in: bool = False) -> Refusal | None:
        """Why this visit may not come in, or None; whoever is signed in need not show the token."""
        unknown = () if is_signed_in else (self._unknown,)
        checks = (self._misdirected, *unknown, _foreign, _undeclared, _oversized)
        return next((refusal for check in checks if (refusal := check(visit))), None)

    def is_token(self, given: str) -> bool:
        """Whether this is the token; takes as long for any text."""
        return self.token is not None and hmac.compare_digest(given.encode("utf-8", "replace"), self.token)

    def is_tried(self, visit: Visit) -> bool:
        """Whether this visit shows a token, right or wrong, where one is needed."""
        return self.token is not None and bearer_of(visit) is not None

    def _misdirected(self, visit: Visit) -> Refusal | None:
        name = host_name(visit.text(b"host") or "")
        if name in self.names:
            return None
        detail = "This server does not go by that name. Add the name to allowed_hosts in the [web] table."
        return Refusal(status=421, detail=detail)

    def _unknown(self, visit: Visit) -> Refusal | None:
        if self.token is None:
            return None
        if hmac.compare_digest(bearer_of(visit) or b"", self.token):
            return None
        detail = "Send the token of the [web] table with the request: Authorization: Bearer TOKEN."
        return Refusal(status=401, detail=detail, headers=tuple(BEARER.items()))


def bearer_of(visit: Visit) -> bytes | None:
    """The token a visit shows; None = it shows none, or more than one."""
    values = visit.all(b"authorization")
    scheme, _, given = (values[0] if len(values) == 1 else b"").partition(b" ")
    return given.strip() or None if scheme.lower() == b"bearer" else None


def guard_of(settings: WebSettings) -> Guard:
    """The guard that the user's settings ask for."""
    names = frozenset(_names((*OWN_NAMES, settings.host, *settings.allowed_hosts)))
    return Guard(names, settings.token.reveal().encode() if settings.token else None)


def host_name(host: str) -> str | None:
    """The name in a Host header or in a setting, without its port and in one spelling; None = it is none."""
    try:
        parts = urlsplit(f"//{host}")
        name, _port = parts.hostname, parts.port
    except ValueError:
        return None
    if not name or parts.netloc != host or parts.username is not None or parts.password is not None:
        return None
    return _canonical(name)


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a server that listens there."""
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def _names(hosts: Iterable[str]) -> Iterable[str]:
    for host in hosts:
        # an IPv6 address in a setting may come without its brackets
        name = host_name(f"[{host}]" if host.count(":") > 1 and not host.startswith("[") else host)
        if name:
            yield name


def _canonical(name: str) -> str:
    try:
        return str(ip_address(name))
    except ValueError:
        return name.lower()


def _foreign(visit: Visit) -> Refusal | None:
    """A browser says where a request comes from; whoever says nothing is no browser."""
    if visit.method in HARMLESS:
        return _drawn_from_afar(visit)
    is_foreign_site = any(value not in (b"same-origin", b"none") for value in visit.all(b"sec-fetch-site"))
    host = (visit.text(b"host") or "").lower()
    is_foreign_origin = any(_netloc(value) != host for value in visit.all(b"origin"))
    if not is_foreign_site and not is_foreign_origin:
        return None
    return Refusal(status=403, detail="A page of another site may not change anything here.")


def _drawn_from_afar(visit: Visit) -> Refusal | None:
    """A page of another site may link here, but not make the browsers of its visitors ask here unseen."""
    is_foreign_site = b"cross-site" in visit.all(b"sec-fetch-site")
    is_link = visit.all(b"sec-fetch-mode") == [b"navigate"] and visit.all(b"sec-fetch-dest") in ([b"document"], [])
    if not is_foreign_site or is_link:
        return None
    return Refusal(status=403, detail="A page of another site may link here, but not read or embed what is here.")


def _netloc(origin: bytes) -> str | None:
    scheme, separator, netloc = origin.decode("latin-1").lower().partition("://")
    return netloc if separator and scheme in ("http", "https") else None


def _undeclared(visit: Visit) -> Refusal | None:
    """A form of a foreign page can send JSON as text/plain, but not as JSON."""
    if visit.method in HARMLESS or not visit.path.startswith(API) or not _has_body(visit):
        return None
    media_type = (visit.text(b"content-type") or "").partition(";")[0].strip().lower()
    if media_type == JSON:
        return None
    return Refusal(status=415, detail=f"The body must be declared as what it is: Content-Type: {JSON}.")


def _has_body(visit: Visit) -> bool:
    return bool(visit.all(b"transfer-encoding")) or any(value != b"0" for value in visit.all(b"content-length"))


def _oversized(visit: Visit) -> Refusal | None:
    is_oversized = any(len(value) > MOST_DIGITS or int(value) > LARGEST_BODY for value in visit.all(b"content-length"))
    return too_large() if is_oversized else None


def too_many(wait_s: float) -> Refusal:
    """What is said to an address that showed too many wrong tokens; to the right one too, else guessing would go on."""
    seconds = int(wait_s) + 1
    detail = f"Too many wrong tokens came from this address. Wait {seconds} seconds."
    return Refusal(status=429, detail=detail, headers=(("Retry-After", str(seconds)),))


def too_large() -> Refusal:
    """What is said of a body above the limit."""
    return Refusal(status=413, detail=f"The body has more than {LARGEST_BODY} bytes.")
