"""A TCP door to PostgreSQL that cuts connections: at chosen commits, just after the server said COMMIT.

The server has committed and the client never hears of it: whoever repeats blindly does the work twice.
"""

import select
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from types import TracebackType
from urllib.parse import parse_qs, urlsplit

COMMITTED = b"COMMIT\x00"
LISTEN_S = 0.05


class CuttingProxy:
    """Forwards bytes both ways; `cuts_at(n)` says whether to swallow the reply to the n-th commit."""

    def __init__(self, server_url: str, cuts_at: Callable[[int], bool]) -> None:
        parts = urlsplit(server_url)
        self._socket_path = f"{parse_qs(parts.query)['host'][0]}/.s.PGSQL.5432"
        self._cuts_at = cuts_at
        self._is_closed = threading.Event()
        self._lock = threading.Lock()
        self._threads: list[threading.Thread] = []
        self.commits = 0
        self.cuts = 0
        self._door = socket.create_server(("127.0.0.1", 0))
        port = self._door.getsockname()[1]
        self.url = f"postgresql://postgres@127.0.0.1:{port}{parts.path}?sslmode=disable"

    def __enter__(self) -> "CuttingProxy":
        self._start(self._accept)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._is_closed.set()
        for thread in self._threads:
            thread.join()
        self._door.close()

    def _start(self, work: Callable[[], None]) -> None:
        thread = threading.Thread(target=work, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while not self._is_closed.is_set():
            if select.select([self._door], [], [], LISTEN_S)[0]:
                client, _address = self._door.accept()
                self._start(lambda client=client: self._serve(client))

    def _serve(self, client: socket.socket) -> None:
        with client, socket.socket(socket.AF_UNIX) as server, suppress(OSError):
            server.connect(self._socket_path)
            while not self._is_closed.is_set():
                for ready in select.select([client, server], [], [], LISTEN_S)[0]:
                    sent = ready.recv(65536)
                    if not sent or (ready is server and self._is_to_cut(sent)):
                        return
                    (server if ready is client else client).sendall(sent)

    def _is_to_cut(self, sent: bytes) -> bool:
        if COMMITTED not in sent:
            return False
        with self._lock:
            self.commits += 1
            is_cut = self._cuts_at(self.commits)
            self.cuts += is_cut
            return is_cut
