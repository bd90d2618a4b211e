"""The network below the client: addresses are checked where they are dialled, and every read is paid for.

One exchange (a request and its redirects) has one `Allowance`: a deadline and byte budgets. It is kept in a
context variable, because the pool hands its connections from one exchange to the next and knows of neither.
"""

import contextvars
import socket
import ssl
import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

import httpcore2

from inforadar.domain.errors import Refused, Unavailable, Unreadable
from inforadar.domain.offline import NO_NAME_SERVICE, NOT_RESOLVED
from inforadar.domain.ports import Clock
from inforadar.net.addresses import closed_kind, is_literal

MAX_ADDRESSES = 6

Resolver = Callable[[str, int], Sequence[str]]
"""Host and port to IP addresses; raises OSError when there are none."""
Dial = Callable[[str, int, float], httpcore2.NetworkStream]
"""IP address, port and timeout in seconds to a connected stream."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpLimits:
    """What one exchange may cost; `deadline_s` and `max_wire_bytes` hold for all its redirects together."""

    connect_s: float = 10.0
    read_s: float = 20.0
    deadline_s: float = 60.0
    max_redirects: int = 5
    max_headers: int = 200
    max_head_bytes: int = 64 * 1024
    max_wire_bytes: int = 8 * 1024 * 1024
    max_body_bytes: int = 16 * 1024 * 1024


class Allowance:
    """What one running exchange may still use of its limits."""

    def __init__(self, limits: HttpLimits, clock: Clock) -> None:
        self._limits = limits
        self._clock = clock
        self._deadline_at = clock.mono() + limits.deadline_s
        self._wire_bytes = 0
        self._head_bytes = 0
        self.is_reading_head = True

    def begin_head(self) -> None:
        """The next bytes belong to the status line and headers of an answer."""
        self._head_bytes = 0
        self.is_reading_head = True

    def end_head(self) -> None:
        """The headers are complete; what follows is the body."""
        self.is_reading_head = False

    def timeout_s(self, timeout_s: float | None = None) -> float:
        """The time one step may take: its own timeout or what is left; raises Unavailable if nothing is."""
        left_s = self._deadline_at - self._clock.mono()
        if left_s <= 0:
            raise Unavailable(f"the answer was not complete within {self._limits.deadline_s:g} s")
        return left_s if timeout_s is None else min(timeout_s, left_s)

    def is_over(self) -> bool:
        """Whether the deadline has passed."""
        return self._clock.mono() >= self._deadline_at

    def readable_bytes(self, max_bytes: int) -> int:
        """How much the next read may take; raises Unreadable if the headers have used up what they may."""
        if not self.is_reading_head:
            return max_bytes
        left = self._limits.max_head_bytes - self._head_bytes
        if left <= 0:
            raise Unreadable(f"the headers are larger than {self._limits.max_head_bytes} bytes")
        return min(max_bytes, left)

    def spend(self, size: int) -> None:
        """Count bytes off the wire; raises Unreadable above the cap."""
        self._head_bytes += size
        self._wire_bytes += size
        if self._wire_bytes > self._limits.max_wire_bytes:
            raise Unreadable(f"the answer is larger than {self._limits.max_wire_bytes} bytes on the wire")


current_allowance: contextvars.ContextVar[Allowance] = contextvars.ContextVar("current_allowance")


def system_resolver(host: str, port: int) -> Sequence[str]:
    """The operating system's answer, in its order of preference."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return tuple(dict.fromkeys(str(entry[4][0]) for entry in found))


def dial_tcp(address: str, port: int, timeout_s: float) -> httpcore2.NetworkStream:
    """A plain TCP connection."""
    return httpcore2.SyncBackend().connect_tcp(address, port, timeout=timeout_s, socket_options=())


class GuardedBackend(httpcore2.NetworkBackend):
    """Resolves once, checks every address, and dials the very addresses it checked.

    Invariant: unless `may_dial_closed`, no packet leaves for an address outside the public internet.
    """

    def __init__(self, *, resolver: Resolver, dial: Dial, may_dial_closed: bool) -> None:
        self._resolver = resolver
        self._dial = dial
        self._may_dial_closed = may_dial_closed

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,  # noqa: ARG002  the library's signature
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,  # noqa: ARG002
    ) -> httpcore2.NetworkStream:
        """A guarded stream to the first address that answers; raises Refused for a closed one."""
        allowance = current_allowance.get()
        addresses = self._addresses(host, port, allowance.timeout_s(timeout))
        if not self._may_dial_closed:
            refuse_closed(addresses)
        return GuardedStream(self._dial_first(addresses, port, timeout, allowance))

    def _addresses(self, host: str, port: int, timeout_s: float) -> Sequence[str]:
        if is_literal(host):
            return (host,)
        return resolve_within(self._resolver, host, port, timeout_s)[:MAX_ADDRESSES]

    def _dial_first(
        self, addresses: Sequence[str], port: int, timeout: float | None, allowance: Allowance
    ) -> httpcore2.NetworkStream:
        for address in addresses[:-1]:
            try:
                return self._dial(address, port, allowance.timeout_s(timeout))
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout):
                continue
        return self._dial(addresses[-1], port, allowance.timeout_s(timeout))


class GuardedStream(httpcore2.NetworkStream):
    """A connection whose every step is held to the allowance of the exchange that uses it now."""

    def __init__(self, inner: httpcore2.NetworkStream) -> None:
        self._inner = inner

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """Bytes from the peer, counted."""
        allowance = current_allowance.get()
        data = self._inner.read(allowance.readable_bytes(max_bytes), allowance.timeout_s(timeout))
        allowance.spend(len(data))
        return data

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Bytes to the peer."""
        self._inner.write(buffer, current_allowance.get().timeout_s(timeout))

    def close(self) -> None:
        """End the connection."""
        self._inner.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.NetworkStream:
        """The same connection under TLS; the certificate must be the name's, whatever address was dialled."""
        timeout_s = current_allowance.get().timeout_s(timeout)
        return GuardedStream(self._inner.start_tls(ssl_context, server_hostname, timeout_s))

    def get_extra_info(self, info: str) -> Any:
        """What the library asks about the socket."""
        return self._inner.get_extra_info(info)


def refuse_closed(addresses: Sequence[str]) -> None:
    """Raise Refused if any of the addresses is outside the public internet."""
    for address in addresses:
        if kind := closed_kind(address):
            raise Refused(
                f"its address {address} is not on the public internet ({kind}); "
                "only a host written as base_url in the configuration may be such"
            )


def resolve_within(resolver: Resolver, host: str, port: int, timeout_s: float) -> Sequence[str]:
    """The addresses of a host; raises Unavailable. The system's lookup knows no timeout, so it runs aside."""
    answer: Future[Sequence[str]] = Future()
    threading.Thread(target=_resolve_into, args=(answer, resolver, host, port), daemon=True).start()
    try:
        addresses = answer.result(timeout_s)
    except TimeoutError as error:
        raise Unavailable(NO_NAME_SERVICE) from error
    except (OSError, UnicodeError) as error:
        raise Unavailable(NOT_RESOLVED) from error
    if not addresses:
        raise Unavailable(NOT_RESOLVED)
    return addresses


def _resolve_into(answer: "Future[Sequence[str]]", resolver: Resolver, host: str, port: int) -> None:
    try:
        answer.set_result(resolver(host, port))
    except BaseException as error:
        answer.set_exception(error)
