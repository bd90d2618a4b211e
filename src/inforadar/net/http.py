"""The one guarded HTTP client: what it asks, whom it trusts, and how its library's errors become ours.

There are two pools of connections. The *home* pool may dial any address and serves only an origin that the
user wrote as base_url; the *open* pool dials the public internet alone and serves everything else: default
base_urls, URLs out of content, and every redirect that leaves home. A connection never changes its pool, so a
URL out of content cannot ride on a connection that the user's base_url opened.
"""

import re
import ssl
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from importlib.metadata import PackageNotFoundError, version
from types import TracebackType
from typing import Self

import httpcore2
import httpx2

from inforadar.domain.errors import Refused, SourceError, Unavailable, Unreadable
from inforadar.domain.offline import NO_CONNECTION
from inforadar.domain.ports import Answer, Clock, Request
from inforadar.net.decoding import ACCEPT_ENCODING, read_body
from inforadar.net.dialling import (
    Allowance,
    Dial,
    GuardedBackend,
    HttpLimits,
    Resolver,
    current_allowance,
    dial_tcp,
    system_resolver,
)
from inforadar.net.statuses import retry_at, status_error
from inforadar.net.urls import origin, parse_url, redirect_url, request_url

__all__ = ["HttpClient", "HttpLimits", "default_user_agent", "retry_at", "status_error"]

MAX_CONNECTIONS = 20
KEEPALIVE_S = 30.0
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_OUR_HEADERS = frozenset({"host", "accept-encoding", "connection", "content-length", "transfer-encoding"})
_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Hop:
    """One request of an exchange: `is_home` while it has never left an origin the user wrote as base_url."""

    url: httpx2.URL
    is_home: bool
    headers: Mapping[str, str] = field(default_factory=dict)
    method: str = "GET"
    body: bytes = b""


class HttpClient:
    """Asks for sources, judges and sinks; may be shared by threads, keeps its connections open, close it at the end.

    `allow` holds the base_urls the user wrote: only their hosts and ports may be in a private network.
    Asking returns an Answer whatever its status, or raises Unavailable (the network), Refused (our rules) or
    Unreadable (too large, a bomb, an unknown coding). No error text holds a path, a query or a header value.
    """

    def __init__(
        self,
        *,
        clock: Clock,
        allow: Collection[str] = (),
        user_agent: str | None = None,
        limits: HttpLimits | None = None,
        resolver: Resolver = system_resolver,
        dial: Dial = dial_tcp,
        ssl_context: ssl.SSLContext | None = None,
    ) -> None:
        self._clock = clock
        self._allowed = frozenset(origin(parse_url(base_url)) for base_url in allow)
        self._user_agent = user_agent or default_user_agent()
        self._limits = limits or HttpLimits()
        context = ssl_context or httpx2.create_ssl_context(trust_env=False)
        self._home, self._open = (
            _pool(GuardedBackend(resolver=resolver, dial=dial, may_dial_closed=is_home), context)
            for is_home in (True, False)
        )

    def send(self, base_url: str, request: Request) -> Answer:
        """Ask under a base_url; redirects of a GET are followed, `Answer.url` says where they ended."""
        url = request_url(base_url, request)
        hop = Hop(
            url=url,
            headers=request.headers,
            is_home=origin(url) in self._allowed and not request.is_from_content,
            method=request.method,
            body=request.body,
        )
        return self._exchange(hop, _limits_of(request, self._limits))

    def close(self) -> None:
        """Close every connection."""
        self._home.close()
        self._open.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _exchange(self, hop: Hop, limits: HttpLimits) -> Answer:
        allowance = Allowance(limits, self._clock)
        token = current_allowance.set(allowance)
        try:
            return self._follow(hop, allowance, limits)
        finally:
            current_allowance.reset(token)

    def _follow(self, hop: Hop, allowance: Allowance, limits: HttpLimits) -> Answer:
        for _ in range(limits.max_redirects + 1):
            with _our_errors(hop, allowance, limits):
                answer = self._ask(hop, allowance, limits)
                if not _is_redirect(answer.status, answer.headers):
                    return answer
                if hop.method != "GET":
                    raise Refused("it sends us elsewhere, which only a GET follows: correct its base_url")
                hop = next_hop(hop, answer.headers["location"])
        raise Refused(f"{_name(hop.url)}: more than {limits.max_redirects} redirects")

    def _ask(self, hop: Hop, allowance: Allowance, limits: HttpLimits) -> Answer:
        allowance.begin_head()
        pool = self._home if hop.is_home else self._open
        response = pool.handle_request(self._wire_request(hop, allowance, limits))
        try:
            allowance.end_head()
            return self._answer(hop, response)
        finally:
            response.close()

    def _wire_request(self, hop: Hop, allowance: Allowance, limits: HttpLimits) -> httpcore2.Request:
        url = hop.url
        timeouts = {
            "connect": limits.connect_s,
            "read": limits.read_s,
            "write": limits.read_s,
            "pool": allowance.timeout_s(),
        }
        return httpcore2.Request(
            hop.method,
            httpcore2.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path),
            headers=wire_headers(hop, self._user_agent),
            content=hop.body if hop.body else None,
            extensions={"timeout": timeouts},
        )

    def _answer(self, hop: Hop, response: httpcore2.Response) -> Answer:
        if len(response.headers) > self._limits.max_headers:
            raise Unreadable(f"the answer has more than {self._limits.max_headers} headers")
        headers = _read_headers(response.headers)
        body = b""
        if not _is_redirect(response.status, headers):
            encoding = headers.get("content-encoding", "")
            body = read_body(response.iter_stream(), encoding, self._limits.max_body_bytes)
        return Answer(status=response.status, headers=headers, body=body, url=str(hop.url))


def default_user_agent() -> str:
    """Who we say we are: the truth."""
    try:
        number = version("inforadar")
    except PackageNotFoundError:  # run from a source tree that was never installed
        number = "source"
    return f"InfoRadar/{number} (+self-hosted; personal use)"


def next_hop(hop: Hop, location: str) -> Hop:
    """The request a redirect asks for; away from the origin, headers and trust are gone for good."""
    url = redirect_url(hop.url, location)
    if origin(url) == origin(hop.url):
        return replace(hop, url=url)
    return Hop(url=url, is_home=False)


def wire_headers(hop: Hop, user_agent: str) -> list[tuple[bytes, bytes]]:
    """The headers as sent; those that frame the message are ours. Raises Refused if HTTP cannot carry one."""
    asked = {"user-agent": user_agent, "accept": "*/*"}
    asked |= {name.lower(): value.strip() for name, value in hop.headers.items()}
    for name, value in asked.items():
        if _HEADER_NAME.fullmatch(name) is None or not value.isprintable():
            raise Refused(f"the request header {name!r} holds characters HTTP cannot carry: check the token")
    return [
        (b"host", hop.url.netloc),
        (b"accept-encoding", ACCEPT_ENCODING.encode()),
        *((name.encode(), value.encode()) for name, value in asked.items() if name not in _OUR_HEADERS),
        *([(b"content-length", str(len(hop.body)).encode())] if hop.method != "GET" else []),
    ]


def _limits_of(request: Request, limits: HttpLimits) -> HttpLimits:
    """The usual limits, or those of a request that names its own time."""
    if request.timeout_s is None:
        return limits
    return replace(limits, read_s=request.timeout_s, deadline_s=request.timeout_s)


@contextmanager
def _our_errors(hop: Hop, allowance: Allowance, limits: HttpLimits) -> Iterator[None]:
    """The client's door: every error leaves as one of ours, beginning with the host it is about."""
    try:
        yield
    except SourceError as error:
        error.args = (f"{_name(hop.url)}: {error}",)
        raise
    except httpcore2.TimeoutException as error:
        raise Unavailable(f"{_name(hop.url)}: {_timeout_sentence(error, allowance, limits)}") from error
    except (httpcore2.NetworkError, httpcore2.ProtocolError) as error:
        raise Unavailable(f"{_name(hop.url)}: {_failure_sentence(error, allowance)}") from error


def _timeout_sentence(error: httpcore2.TimeoutException, allowance: Allowance, limits: HttpLimits) -> str:
    if allowance.is_over():
        return f"the answer was not complete within {limits.deadline_s:g} s"
    if isinstance(error, httpcore2.ConnectTimeout):
        return f"{NO_CONNECTION} within {limits.connect_s:g} s"
    if isinstance(error, httpcore2.PoolTimeout):
        return "no connection became free in time"
    return f"no answer within {limits.read_s:g} s"


def _failure_sentence(error: Exception, allowance: Allowance) -> str:
    if not allowance.is_reading_head:
        return "cut body: the connection ended before the answer did"
    cause = error.args[0] if error.args else None
    if isinstance(cause, ssl.SSLCertVerificationError):
        return f"its certificate is not trusted ({cause.verify_message})"
    if isinstance(cause, ssl.SSLError):
        return "no secure connection (TLS failed)"
    if isinstance(cause, ConnectionRefusedError):
        return "the connection was refused"
    if isinstance(error, httpcore2.ConnectError):
        return NO_CONNECTION
    if isinstance(error, httpcore2.NetworkError):
        return "the connection was lost"
    return "the answer is not valid HTTP, or the connection ended before it"


def _pool(backend: GuardedBackend, context: ssl.SSLContext) -> httpcore2.ConnectionPool:
    return httpcore2.ConnectionPool(
        ssl_context=context,
        max_connections=MAX_CONNECTIONS,
        keepalive_expiry=KEEPALIVE_S,
        network_backend=backend,
    )


def _read_headers(raw: Iterable[tuple[bytes, bytes]]) -> dict[str, str]:
    """Header names in lower case; the values of a repeated one joined by a comma."""
    headers: dict[str, str] = {}
    for raw_name, raw_value in raw:
        name, value = raw_name.decode("ascii").lower(), _text(raw_value)
        headers[name] = f"{headers[name]}, {value}" if name in headers else value
    return headers


def _text(raw: bytes) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("latin-1")


def _is_redirect(status: int, headers: Mapping[str, str]) -> bool:
    return status in _REDIRECTS and "location" in headers


def _name(url: httpx2.URL) -> str:
    return url.netloc.decode("ascii")
