"""Visitors who only open connections, or never finish a request, do not use the server up; with real sockets."""

import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import httpx2
import pytest

from inforadar.config.model import WebSettings
from inforadar.interfaces.web.connections import Limits
from inforadar.interfaces.web.server import LIMITS, served
from interfaces.test_api_serve import hello

SETTINGS = WebSettings(enabled=True, host="127.0.0.1", port=0)
PATIENT = 60.0


@contextmanager
def serving(**limits: float) -> Iterator[int]:
    """The port of a small server with these limits."""
    with served(hello, SETTINGS, threading.Event(), Limits(**limits)) as address:
        yield int(address.rpartition(":")[2])


def opened(lines: ExitStack, port: int, said: bytes = b"") -> socket.socket:
    line = lines.enter_context(socket.create_connection(("127.0.0.1", port), timeout=10))
    line.sendall(said)
    return line


def is_closed(line: socket.socket) -> bool:
    """Whether the server has closed it; waits for that."""
    try:
        return line.recv(1000) == b""
    except ConnectionError:
        return True


def asked(port: int) -> str:
    return httpx2.get(f"http://127.0.0.1:{port}/", timeout=10).text


def said_until(line: socket.socket, end: bytes) -> bool:
    """Whether the server says this before it closes the connection."""
    said = b""
    while not said.endswith(end):
        part = line.recv(1000)
        if not part:
            return False
        said += part
    return True


async def reader(scope, receive, send):
    """Reads the body as a whole before it answers."""
    if scope["type"] == "http":
        while (message := await receive()).get("more_body"):
            pass
        if message["type"] == "http.disconnect":
            return
    await hello(scope, receive, send)


class Endless:
    """Answers with more than anybody's buffers hold."""

    def __init__(self) -> None:
        self.is_over = threading.Event()

    async def __call__(self, scope, receive, send):
        if scope["type"] != "http":
            await hello(scope, receive, send)
            return
        await send({"type": "http.response.start", "status": 200, "headers": []})
        for _ in range(2000):
            await send({"type": "http.response.body", "body": b"x" * 65536, "more_body": True})
        self.is_over.set()


def test_an_answer_that_nobody_reads_is_given_up():
    endless = Endless()
    with served(endless, SETTINGS, threading.Event(), Limits(unread_s=0.3)) as address, ExitStack() as lines:
        opened(lines, int(address.rpartition(":")[2]), b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        assert endless.is_over.wait(PATIENT)


HALF = (b"", b"GET", b"GET / HTTP/1.1\r\nHost: x\r\n", b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nhalf")


@pytest.mark.parametrize("said", HALF)
def test_a_request_that_is_never_whole_is_closed_in_time(said):
    with serving(request_s=1.0) as port, ExitStack() as lines:
        line = opened(lines, port, said)
        while not is_closed(line):
            pass
        assert asked(port) == "hi"


def test_bytes_that_drip_do_not_put_the_end_off():
    with serving(request_s=0.5) as port, ExitStack() as lines:
        line = opened(lines, port, b"GET / HTTP/1.1\r\nX: ")
        line.settimeout(0.05)
        for _ in range(200):
            try:
                line.sendall(b"a")
                if line.recv(1) == b"":
                    return
            except TimeoutError:
                continue
            except ConnectionError:
                return
        pytest.fail("the connection stayed open")


def test_a_half_head_behind_a_whole_request_is_closed_too():
    with serving(request_s=1.0) as port, ExitStack() as lines:
        line = opened(lines, port, b"GET / HTTP/1.1\r\nHost: x\r\n\r\nGET / HTT")
        said = b""
        while part := line.recv(1000):
            said += part
        assert said.endswith(b"hi")


def test_more_connections_than_the_limit_push_the_oldest_idle_ones_out():
    with serving(connections=20, request_s=PATIENT) as port, ExitStack() as lines:
        held = [opened(lines, port, b"GET / HTTP/1.1\r\n") for _ in range(60)]
        assert asked(port) == "hi"
        assert all(is_closed(line) for line in held[:40])
        held[-1].settimeout(0.2)
        with pytest.raises(TimeoutError):
            held[-1].recv(1)


def test_slow_bodies_push_no_honest_visitor_out():
    body = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 50\r\n\r\nab"
    with served(reader, SETTINGS, threading.Event(), Limits(connections=20, request_s=PATIENT)) as address:
        port = int(address.rpartition(":")[2])
        with ExitStack() as lines:
            honest = lines.enter_context(httpx2.Client(base_url=address, timeout=10))
            assert honest.get("/").text == "hi"
            kept = opened(lines, port, b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            assert said_until(kept, b"hi")
            held = [opened(lines, port, body) for _ in range(60)]
            assert asked(port) == "hi"
            assert all(is_closed(line) for line in held[:40])
            kept.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            assert said_until(kept, b"hi"), "the connection that only rested is still there"


def test_one_visitor_leaves_room_for_others():
    with serving(connections=20, of_one_visitor=15, request_s=PATIENT) as port, ExitStack() as lines:
        held = [opened(lines, port) for _ in range(20)]
        assert all(is_closed(line) for line in held[:5])
        held[5].settimeout(0.2)
        with pytest.raises(TimeoutError):
            held[5].recv(1)
    assert LIMITS.of_one_visitor < LIMITS.connections


def test_nine_hundred_half_heads_leave_the_usual_server_open_for_others():
    assert LIMITS.connections <= 200
    assert LIMITS.request_s <= 10
    with served(hello, SETTINGS, threading.Event()) as address, ExitStack() as lines:
        port = int(address.rpartition(":")[2])
        held = [opened(lines, port, b"GET / HTTP/1.1\r\n") for _ in range(900)]
        assert asked(port) == "hi"
        assert all(is_closed(line) for line in held[: 900 - LIMITS.connections])


def test_an_answer_under_way_is_not_cut_for_a_newcomer():
    going_on, end = threading.Event(), threading.Event()

    async def slow(scope, receive, send):
        if scope["type"] == "lifespan":
            return await hello(scope, receive, send)
        from anyio import to_thread

        going_on.set()
        await to_thread.run_sync(end.wait, 20)
        return await hello(scope, receive, send)

    with (
        served(slow, SETTINGS, threading.Event(), Limits(connections=1, request_s=0.2)) as address,
        ExitStack() as lines,
    ):
        port = int(address.rpartition(":")[2])
        busy = opened(lines, port, b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        assert going_on.wait(10)
        assert is_closed(opened(lines, port, b""))
        end.set()
        assert b"hi" in busy.recv(1000) + busy.recv(1000)
