"""The wires: one listening socket, a thread for each connection, and every way to deliver an answer."""

import gzip
import json
import socket
import socketserver
import struct
import sys
import threading
from collections.abc import Callable, Mapping
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from inforadar.simulator.control import steer
from inforadar.simulator.internet import Internet
from inforadar.simulator.wire import Pairs, Response, json_response

PACKED_FROM_BYTES = 1000
SLOW_PIECES = 10
CONTROL = "_sim"


class Wires(ThreadingHTTPServer):
    """The listening socket and the connections that are open."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def __init__(self, address: tuple[str, int], internet: Internet) -> None:
        self.internet = internet
        self.stopping = threading.Event()
        self._open: set[socket.socket] = set()
        self._open_lock = threading.Lock()
        super().__init__(address, Visit)

    def server_bind(self) -> None:
        """Bind without asking for the host's full name, which may wait for a name server."""
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = str(self.server_address[0]), self.server_address[1]

    def process_request(self, request: Any, client_address: Any) -> None:
        """Remember the connection, then serve it in a thread of its own."""
        with self._open_lock:
            self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        """Forget and close a connection."""
        with self._open_lock:
            self._open.discard(request)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is its own affair; anything else is a fault of ours and shown."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)

    def hang_up(self) -> None:
        """End every wait and every open connection."""
        self.stopping.set()
        with self._open_lock:
            for connection in self._open:
                try:
                    connection.shutdown(socket.SHUT_RDWR)
                except OSError:
                    continue


class Visit(BaseHTTPRequestHandler):
    """One connection of a visitor, kept alive between requests."""

    protocol_version = "HTTP/1.1"
    server_version = "nginx"
    sys_version = ""
    disable_nagle_algorithm = True
    wbufsize = -1
    server: Wires

    def do_GET(self) -> None:
        """Answer a GET at a site, a service or the steering door."""
        self._serve(None)

    def do_POST(self) -> None:
        """Answer a POST at a service or the steering door."""
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self._serve(body)

    def log_message(self, *_: object) -> None:
        """The simulator keeps its own log."""

    def _serve(self, body: bytes | None) -> None:
        address = urlsplit(self.path)
        prefix, _, rest = address.path.lstrip("/").partition("/")
        params = tuple(parse_qsl(address.query, keep_blank_values=True))
        internet, path = self.server.internet, "/" + unquote(rest)
        if prefix == CONTROL:
            self._deliver(_steered(internet, self.command, rest, params, body))
        elif prefix in internet.sites and (body is None or internet.sites[prefix].post):
            self._deliver(internet.ask(prefix, path, params, self._lower_headers(), body))
        elif prefix in internet.services:
            self._call(prefix, path, params, body or b"")
        else:
            names = ", ".join((*internet.sites, *internet.services))
            self._deliver(json_response({"error": f"sites and services are {names}"}, 404))

    def _call(self, service: str, path: str, params: Pairs, body: bytes) -> None:
        """Serve a service's visitor, who counts as one until the answer is delivered."""
        internet = self.server.internet
        with internet.visiting(service):
            self._deliver(internet.call(service, self.command, path, params, self._lower_headers(), body))

    def _lower_headers(self) -> dict[str, str]:
        return {name.lower(): value for name, value in self.headers.items()}

    def _deliver(self, answer: Response) -> None:
        DELIVERIES[answer.delivery](self, answer)

    def _deliver_whole(self, answer: Response) -> None:
        body = self._send_head(answer)
        self.wfile.write(body)

    def _deliver_late(self, answer: Response) -> None:
        self.server.stopping.wait(answer.seconds)
        self._deliver_whole(answer)

    def _deliver_stream(self, answer: Response) -> None:
        """Line by line in chunks, as a server sends what it has not finished yet."""
        self._send_status(answer)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        lines = answer.body.splitlines(keepends=True)
        for line in lines:
            self.server.stopping.wait(answer.seconds / len(lines))
            self.wfile.write(b"%x\r\n%s\r\n" % (len(line), line))
            self.wfile.flush()
        self.wfile.write(b"0\r\n\r\n")

    def _deliver_slow(self, answer: Response) -> None:
        body = self._send_head(answer)
        size = max(1, -(-len(body) // SLOW_PIECES))
        for start in range(0, len(body), size):
            self.server.stopping.wait(answer.seconds / SLOW_PIECES)
            self.wfile.write(body[start : start + size])
            self.wfile.flush()

    def _deliver_cut(self, answer: Response) -> None:
        body = self._send_head(answer)
        self.wfile.write(body[: len(body) // 2])
        self.close_connection = True

    def _deliver_reset(self, _: Response) -> None:
        """Close without lingering, which the other side sees as a connection reset."""
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()
        self.close_connection = True

    def _deliver_nothing(self, answer: Response) -> None:
        self.server.stopping.wait(answer.seconds)
        self.close_connection = True

    def _send_head(self, answer: Response) -> bytes:
        """Send status and headers; the body to send, packed if it is long and the visitor takes that."""
        is_packed, body = answer.is_packed, answer.body
        if not is_packed and len(body) > PACKED_FROM_BYTES and "gzip" in self.headers.get("Accept-Encoding", ""):
            is_packed, body = True, gzip.compress(body, compresslevel=1, mtime=0)
        self._send_status(answer)
        if is_packed:
            self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        return body

    def _send_status(self, answer: Response) -> None:
        own = dict(answer.headers)
        self.send_response_only(answer.status)
        self.send_header("Server", own.pop("Server", self.server_version))
        # The world's time: the same sequence of requests gets the same headers.
        self.send_header("Date", format_datetime(self.server.internet.world.now, usegmt=True))
        for name, value in own.items():
            self.send_header(name, value)


def _steered(internet: Internet, method: str, name: str, params: Any, body: bytes | None) -> Response:
    try:
        value = json.loads(body) if body else None
    except ValueError as mistake:
        return json_response({"error": f"the body is not JSON: {mistake}"}, 400)
    return steer(internet, method, name.strip("/"), params, value)


DELIVERIES: Mapping[str, Callable[[Visit, Response], None]] = {
    "whole": Visit._deliver_whole,
    "late": Visit._deliver_late,
    "stream": Visit._deliver_stream,
    "slow": Visit._deliver_slow,
    "cut": Visit._deliver_cut,
    "reset": Visit._deliver_reset,
    "hang": Visit._deliver_nothing,
}
