"""A program on loopback that is posted to: it notes what comes and answers as a test says."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from inforadar.bootstrap import known_sources
from inforadar.config import Config, parse

Said = tuple[int, tuple[tuple[str, str], ...], bytes]

NOTHING: Said = (204, (), b"")


@dataclass
class Posted:
    """One request as the receiver got it."""

    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> dict:
        return json.loads(self.body)


@dataclass
class Receiver:
    """Answers as queued, then 204; what can be called is called before that answer."""

    url: str = ""
    posts: list[Posted] = field(default_factory=list)
    answers: list[Said | Callable[[], object]] = field(default_factory=list)

    def queue(self, status: int, *headers: tuple[str, str], body: bytes = b"") -> None:
        self.answers.append((status, headers, body))


@contextmanager
def receiving() -> Iterator[Receiver]:
    """A receiver that runs while the block does."""
    one = Receiver()

    class Door(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            one.posts.append(Posted(self.path, {k.lower(): v for k, v in self.headers.items()}, body))
            queued = one.answers.pop(0) if one.answers else NOTHING
            if callable(queued):
                queued()
            status, headers, answer = NOTHING if callable(queued) else queued
            self.send_response(status)
            for name, value in (*headers, ("Content-Length", str(len(answer)))):
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_arguments: object) -> None:
            """Nobody reads it."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Door)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    one.url = f"http://127.0.0.1:{server.server_port}/hooks/radar?token=t0ken-in-the-query"
    yield one
    server.shutdown()
    thread.join()
    server.server_close()


def config(sink: str, table: str, *, deliver: str = "", store: str = "sqlite:///radar.db") -> Config:
    """A configuration with the table of one sink."""
    text = f"""
[store]
url = "{store}"
[{sink}]
{table}
[[watch]]
name = "w"
kind = "article"
{deliver}
  [[watch.query]]
  source = "habr"
"""
    return parse(text, known_sources(), {}, lambda _name: "")
