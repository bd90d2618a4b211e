"""The web server of one process: listens, serves in a thread of its own, ends in good order.

Without a token it listens on this machine alone. If the server dies while the process goes on, `stop` is set and the
process ends as failed, so that whoever started it sees it.
"""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn
from starlette.types import ASGIApp

from inforadar.config.model import WebSettings
from inforadar.domain.errors import ConfigError, RadarError
from inforadar.interfaces.web.connections import Limits, bounded
from inforadar.interfaces.web.doorstep import Doorstep, listening
from inforadar.interfaces.web.guard import is_loopback
from inforadar.observe.log import get_log

GRACE_S = 5
END_S = GRACE_S + 5.0
LARGEST_HEAD = 32 * 1024
LIMITS = Limits()

log = get_log("web")


@contextmanager
def served(
    web: ASGIApp,
    settings: WebSettings,
    stop: threading.Event,
    limits: Limits = LIMITS,
    doorstep: Doorstep | None = None,
) -> Iterator[str]:
    """Serve while the block runs, visitors of a doorstep too who came before; gives the address.

    Raises ConfigError where nobody can or may listen, and at the end RadarError if the server died before.
    """
    require_safe(settings)
    ending, broken = threading.Event(), threading.Event()

    def serve() -> None:
        try:
            server.run(sockets=[listener])
        except (Exception, SystemExit):
            log.exception("the web server broke")
        if not ending.is_set():
            broken.set()
            stop.set()

    with doorstep.listener(settings) if doorstep else listening(settings) as listener:
        server = uvicorn.Server(_config(web, limits))
        thread = threading.Thread(target=serve, name="web", daemon=True)
        thread.start()
        try:
            yield _address(listener)
        finally:
            ending.set()
            server.should_exit = True
            thread.join(END_S)
    if broken.is_set():
        raise RadarError("Stopped, because the web server broke; the log says how.")


def require_safe(settings: WebSettings) -> None:
    """Raise ConfigError for an address that others can reach while no token is set."""
    if settings.token is None and not is_loopback(settings.host):
        raise ConfigError(
            f"Others could reach {settings.host!r}, and no token is set; nothing is served. "
            'Set one: token = { env = "RADAR_TOKEN" } in the [web] table, or listen on 127.0.0.1.'
        )


def _config(web: ASGIApp, limits: Limits) -> uvicorn.Config:
    return uvicorn.Config(
        web,
        http=bounded(limits),
        ws="none",
        loop="asyncio",
        lifespan="on",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        h11_max_incomplete_event_size=LARGEST_HEAD,
        timeout_graceful_shutdown=GRACE_S,
    )


def _address(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
