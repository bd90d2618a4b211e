"""A small internet on loopback: scripted servers, and names whose public addresses lead to them."""

import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import httpcore2

from inforadar.domain.ports import Request
from inforadar.net.dialling import dial_tcp
from inforadar.net.http import HttpClient

CERTIFICATE = Path(__file__).with_name("public_test.pem")
Script = Callable[["Seen"], bytes | Iterable[bytes]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """One request as a server received it."""

    target: str
    headers: dict[str, str]


class WallClock:
    """The real clock of the machine."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def mono(self) -> float:
        return time.monotonic()


class LocalServer:
    """Answers each request with what its script returns: whole bytes, or pieces; then the connection goes on.

    An answer that holds `Connection: close` ends the connection after it.
    """

    def __init__(self, script: Script, *, tls: bool = False) -> None:
        self.script = script
        self.seen: list[Seen] = []
        self.connections = 0
        self.stopping = threading.Event()
        self._context = _server_context() if tls else None
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._open: list[socket.socket] = []
        self._threads = [threading.Thread(target=self._accept, daemon=True)]
        self._threads[0].start()
        self.port: int = self._listener.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.stopping.set()
        for sock in [self._listener, *self._open]:
            with suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)
            sock.close()
        for thread in self._threads:
            thread.join(5)

    def _accept(self) -> None:
        while not self.stopping.is_set():
            try:
                sock, _ = self._listener.accept()
            except OSError:
                return
            self.connections += 1
            self._open.append(sock)
            thread = threading.Thread(target=self._serve, args=(sock,), daemon=True)
            self._threads.append(thread)
            thread.start()

    def _serve(self, sock: socket.socket) -> None:
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            if self._context:
                sock = self._context.wrap_socket(sock, server_side=True)
                self._open.append(sock)
            while (seen := _read_request(sock)) and not self.stopping.is_set():
                self.seen.append(seen)
                if not self._answer(sock, seen):
                    break
        except OSError:
            pass
        finally:
            sock.close()

    def _answer(self, sock: socket.socket, seen: Seen) -> bool:
        answer = self.script(seen)
        head = b""
        for piece in [answer] if isinstance(answer, bytes) else answer:
            if self.stopping.is_set():
                return False
            head = head or piece
            sock.sendall(piece)
        return b"connection: close" not in head.lower()


@dataclass
class Internet:
    """Names, their public addresses, and the local servers behind them; notes every lookup and every dial."""

    servers: dict[str, LocalServer] = field(default_factory=dict)
    names: dict[str, list[list[str]]] = field(default_factory=dict)
    lookups: list[str] = field(default_factory=list)
    dialled: list[str] = field(default_factory=list)

    def add(self, name: str, address: str, server: LocalServer) -> None:
        """A name that always resolves to one public address with a server behind it."""
        self.names[name] = [[address]]
        self.servers[address] = server

    def resolve(self, host: str, port: int) -> list[str]:
        """The next scripted answer for a name; the last one stays."""
        self.lookups.append(host)
        if host not in self.names:
            raise socket.gaierror(socket.EAI_NONAME, "no such name")
        answers = self.names[host]
        return answers.pop(0) if len(answers) > 1 else answers[0]

    def dial(self, address: str, port: int, timeout_s: float) -> httpcore2.NetworkStream:
        """Public addresses lead to their local server, everything else where it says."""
        self.dialled.append(address)
        if address in self.servers:
            return dial_tcp("127.0.0.1", self.servers[address].port, timeout_s)
        return dial_tcp(address, port, timeout_s)

    def client(self, **settings: Any) -> HttpClient:
        """A client that lives in this internet."""
        trust = ssl.create_default_context(cafile=str(CERTIFICATE))
        return HttpClient(clock=WallClock(), resolver=self.resolve, dial=self.dial, ssl_context=trust, **settings)


def out_of_content(url: str, headers: Mapping[str, str] | None = None) -> Request:
    """A request to an address that was read in an answer."""
    return Request(url=url, headers=headers or {}, is_from_content=True)


def always(answer: bytes) -> Script:
    """A script that gives the same answer to everyone."""
    return lambda _: answer


def page(body: bytes = b"hello", *headers: str, status: str = "200 OK") -> bytes:
    """A whole answer with its length."""
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *headers]
    return "\r\n".join(lines).encode("utf-8") + b"\r\n\r\n" + body


def redirect(location: str, status: str = "302 Found") -> bytes:
    """An answer that points elsewhere."""
    return page(b"elsewhere", f"Location: {location}", status=status)


def _read_request(sock: socket.socket) -> Seen | None:
    data = b""
    while b"\r\n\r\n" not in data:
        more = sock.recv(65536)
        if not more:
            return None
        data += more
    first, *lines = data.split(b"\r\n\r\n")[0].decode("latin-1").split("\r\n")
    pairs = (line.split(": ", 1) for line in lines)
    return Seen(target=first.split()[1], headers={name.lower(): value for name, value in pairs})


def _server_context() -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(CERTIFICATE)
    return context
