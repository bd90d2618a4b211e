"""A tiny model server on loopback: it answers each request with what its script says, and keeps what it saw."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from inforadar.net.http import HttpClient
from net.local_internet import WallClock


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """One request as the server received it; `body` is the decoded JSON, None for a GET."""

    method: str
    path: str
    headers: dict[str, str]
    body: Any

    @property
    def prompt(self) -> str:
        """Everything the model is told."""
        return "\n".join(message["content"] for message in self.body["messages"])


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """One answer; `promised` is the length it claims, if that is a lie."""

    body: bytes
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    promised: int | None = None
    delay_s: float = 0.0


Script = Callable[[Seen], Reply]


class ModelServer:
    """The running server; `seen` grows with each request."""

    def __init__(self, script: Script) -> None:
        self.seen: list[Seen] = []
        self.stopping = threading.Event()
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), _handler(script, self))
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._http.server_port}"

    def close(self) -> None:
        """Stop at once, and end every wait."""
        self.stopping.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join(5)


@contextmanager
def serving(*script: Reply | Script) -> Iterator[tuple[ModelServer, HttpClient]]:
    """A server that goes through its replies in order, the last one for ever, and a client that may ask it."""
    server = ModelServer(_in_order(script))
    client = HttpClient(clock=WallClock(), allow=[server.url])
    try:
        yield server, client
    finally:
        client.close()
        server.close()


def told(body: Any, status: int = 200, **more: Any) -> Reply:
    """A reply that is JSON."""
    return Reply(body=json.dumps(body).encode(), status=status, **more)


def verdict_json(score: float = 0.8, reason: str = "fits well", skills: tuple[str, ...] = ("python",)) -> str:
    """What a model says when all is well."""
    return json.dumps({"score": score, "reason": reason, "skills": list(skills)})


GOOD = verdict_json()


def ollama_says(content: str = GOOD, **more: Any) -> Reply:
    """A whole answer of /api/chat; a part that is None is left out."""
    message = {"role": "assistant", "content": content}
    body = {"model": "m", "message": message, "done": True, "done_reason": "stop", "prompt_eval_count": 600}
    return told({name: value for name, value in (body | more).items() if value is not None})


def openai_says(content: str | None = GOOD, finish_reason: str = "stop", **message: Any) -> Reply:
    """A whole answer of /chat/completions."""
    said = {"role": "assistant", "content": content} | message
    return told({"object": "chat.completion", "choices": [{"message": said, "finish_reason": finish_reason}]})


def _in_order(script: tuple[Reply | Script, ...]) -> Script:
    left = list(script)

    def next_reply(seen: Seen) -> Reply:
        step = left.pop(0) if len(left) > 1 else left[0]
        return step if isinstance(step, Reply) else step(seen)

    return next_reply


def _handler(script: Script, server: ModelServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer(None)

        def do_POST(self) -> None:
            self._answer(json.loads(self.rfile.read(int(self.headers["content-length"]))))

        def _answer(self, body: Any) -> None:
            headers = {name.lower(): value for name, value in self.headers.items()}
            seen = Seen(method=self.command, path=self.path, headers=headers, body=body)
            server.seen.append(seen)
            reply = script(seen)
            server.stopping.wait(reply.delay_s)
            self.send_response(reply.status)
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(reply.body) if reply.promised is None else reply.promised))
            self.end_headers()
            self.wfile.write(reply.body)

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    return Handler
