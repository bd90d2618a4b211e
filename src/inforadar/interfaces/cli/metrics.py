"""Prometheus metrics over HTTP, for programs on this machine alone: GET /metrics and nothing else."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from inforadar.domain.errors import ConfigError, StoreError
from inforadar.service.meter import Meter

HOST = "127.0.0.1"
TEXT = "text/plain; version=0.0.4; charset=utf-8"
QUIET_S = 10.0


@contextmanager
def metrics_served(meter: Meter, port: int | None, tell: Callable[[str], None]) -> Iterator[None]:
    """Serve /metrics while the block runs, `tell` where; nothing without a port."""
    if port is None:
        yield
        return
    server = _server(meter, port)
    threading.Thread(target=server.serve_forever, name="metrics", daemon=True).start()
    tell(f"Metrics at http://{HOST}:{server.server_port}/metrics")
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def handle_error(self, request: object, client_address: object) -> None:
        """A visitor that hangs up is not news."""


def _server(meter: Meter, port: int) -> ThreadingHTTPServer:
    class Visit(BaseHTTPRequestHandler):
        timeout = QUIET_S

        def do_GET(self) -> None:
            if not _is_own(self.headers.get("Host", "")):
                self._answer(403, b"This page is for programs on this machine.\n")
            elif self.path != "/metrics":
                self._answer(404, b"There is /metrics here and nothing else.\n")
            else:
                self._show_metrics()

        def _show_metrics(self) -> None:
            try:
                self._answer(200, meter.render())
            except StoreError:
                self._answer(503, b"The database does not answer.\n")

        def _answer(self, status: int, body: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Type", TEXT)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Visits of a metrics server are not news."""

    try:
        return _Server((HOST, port), Visit)
    except OSError as error:
        raise ConfigError(f"Port {port} cannot be used ({error.strerror}). Name another: --metrics-port") from error


def _is_own(host: str) -> bool:
    """Whether a visitor asked for this machine by its own name: a foreign name comes from a web page in a browser."""
    return host.rpartition(":")[0] in (HOST, "localhost")
