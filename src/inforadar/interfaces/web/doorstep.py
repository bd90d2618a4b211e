"""Where visitors wait to be let in: a listening socket, which may outlive the server behind it.

A process that reads a changed configuration ends one server and begins another. Whoever comes in between waits in the
queue of the socket instead of being refused.
"""

import socket

from inforadar.config.model import WebSettings
from inforadar.domain.errors import ConfigError

BACKLOG = 200


class Doorstep:
    """Keeps one address open while servers follow one another; another address takes its place."""

    def __init__(self) -> None:
        self._kept: socket.socket | None = None
        self._address = ("", 0)

    def listener(self, settings: WebSettings) -> socket.socket:
        """A socket of this address for one server to close; raises ConfigError where nobody can listen."""
        address = (settings.host, settings.port)
        if self._kept is None or address != self._address:
            self.close()
            self._kept, self._address = listening(settings), address
        return self._kept.dup()

    def close(self) -> None:
        """Let nobody wait any more."""
        if self._kept:
            self._kept.close()
        self._kept = None


def require_free(settings: WebSettings) -> None:
    """Raise ConfigError where nobody can listen."""
    listening(settings).close()


def listening(settings: WebSettings) -> socket.socket:
    """A socket that listens; raises ConfigError where none can."""
    host, port = settings.host.strip("[]"), settings.port
    try:
        return _bound(host, port)
    except (OSError, UnicodeError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise ConfigError(
            f"Nothing can listen on {host} port {port} ({why}). "
            "Name another: host and port in the [web] table, or radar serve --host --port."
        ) from error


def _bound(host: str, port: int) -> socket.socket:
    family, kind, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    # asyncio turns Nagle's algorithm off only where the protocol is named; with it on, each answer waits 40 ms
    listener = socket.socket(family, kind, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(BACKLOG)
    except OSError:
        listener.close()
        raise
    return listener
