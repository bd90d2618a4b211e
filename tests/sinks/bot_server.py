"""A bot's server on loopback that answers each method as a test says, and notes what it was told."""

import json
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from inforadar.net.http import HttpClient
from inforadar.observe.secrets import Secret
from inforadar.sinks.telegram_api import TelegramApi
from net.local_internet import WallClock

TOKEN = "123456:ABC-secret_token"


@dataclass(frozen=True, slots=True)
class Said:
    """One answer of the server; `cut` ends the connection in the middle of the body."""

    status: int
    body: bytes
    headers: tuple[tuple[str, str], ...] = ()
    cut: bool = False


@dataclass(frozen=True, slots=True)
class Called:
    """One call as the server received it."""

    path: str
    method: str
    arguments: dict[str, Any]


@dataclass
class BotServer:
    """Answers are given in the order they were queued for a method; after them, success."""

    url: str = ""
    calls: list[Called] = field(default_factory=list)
    answers: dict[str, list[Said | Callable[[], Said]]] = field(default_factory=lambda: defaultdict(list))
    numbers: Iterator[int] = field(default_factory=lambda: iter(range(100, 10**6)))

    def queue(self, method: str, *answers: Said | Callable[[], Said]) -> None:
        self.answers[method].extend(answers)

    def told(self, method: str) -> list[dict[str, Any]]:
        """The arguments of every call of a method."""
        return [call.arguments for call in self.calls if call.method == method]

    def answer(self, called: Called) -> Said:
        self.calls.append(called)
        queued = self.answers[called.method]
        if queued:
            first = queued.pop(0)
            return first() if callable(first) else first
        return ok(self._result(called))

    def _result(self, called: Called) -> Any:
        if called.method == "getUpdates":
            return []
        if called.method in ("sendMessage", "editMessageText"):
            chat_id = int(called.arguments["chat_id"])
            return {"message_id": called.arguments.get("message_id") or next(self.numbers), "chat": {"id": chat_id}}
        return True


def ok(result: Any) -> Said:
    return Said(200, json.dumps({"ok": True, "result": result}).encode())


def failed(status: int, description: str, headers: tuple[tuple[str, str], ...] = (), **parameters: Any) -> Said:
    body = {"ok": False, "error_code": status, "description": description}
    return Said(status, json.dumps(body | ({"parameters": parameters} if parameters else {})).encode(), headers)


@contextmanager
def bot_server() -> Iterator[BotServer]:
    """A server that runs while the block does."""
    bot = BotServer()

    class Door(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            said = bot.answer(Called(self.path, self.path.rsplit("/", 1)[-1], json.loads(body)))
            self.send_response(said.status)
            for name, value in said.headers:
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(said.body) + said.cut))
            self.end_headers()
            self.wfile.write(said.body)
            self.close_connection = said.cut

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Door)
    server.daemon_threads = True
    server.block_on_close = False
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    bot.url = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield bot
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)


@contextmanager
def api_of(url: str, token: str = TOKEN) -> Iterator[TelegramApi]:
    """A client of the bot at this address."""
    with HttpClient(clock=WallClock(), allow=[url]) as http:
        yield TelegramApi(transport=http, base_url=url, token=Secret(token), clock=WallClock())
