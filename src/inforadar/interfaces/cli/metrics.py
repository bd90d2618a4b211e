"""Prometheus metrics over HTTP, on this machine alone."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from inforadar.domain.errors import ConfigError
from inforadar.interfaces.cli.output import say
from inforadar.service.meter import Meter

HOST = "127.0.0.1"


@contextmanager
def metrics_served(meter: Meter | None, port: int | None) -> Iterator[None]:
    """Serve /metrics while the block runs; nothing without a meter and a port."""
    if meter is None or port is None:
        yield
        return
    server = _server(meter, port)
    threading.Thread(target=server.serve_forever, name="metrics", daemon=True).start()
    say(f"Metrics at http://{HOST}:{server.server_port}/metrics")
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()


def _server(meter: Meter, port: int) -> ThreadingHTTPServer:
    class Visit(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path != "/metrics":
                self.send_error(404)
                return
            body = meter.render()
            self.send_response(200)
            self.send_header("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Visits of a metrics server are not news."""

    try:
        return ThreadingHTTPServer((HOST, port), Visit)
    except OSError as error:
        raise ConfigError(f"Port {port} cannot be used ({error.strerror}). Name another: --metrics-port") from error
