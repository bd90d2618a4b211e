"""Hostile answers (TRUST X14): caps on time, headers, wire bytes and decoded bytes; cut bodies."""

import gzip
import time
import tracemalloc
from collections.abc import Callable, Iterator

import pytest

from inforadar.domain.errors import SourceError, Unavailable, Unreadable
from inforadar.domain.ports import Answer, Request
from inforadar.net.http import HttpClient, HttpLimits
from net.local_internet import Internet, LocalServer, Seen, WallClock, always, page

HEAD = b"HTTP/1.1 200 OK\r\n"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
SMALL = HttpLimits(connect_s=30, read_s=30, deadline_s=60, max_wire_bytes=300_000, max_body_bytes=1_000_000)


def ask(script: Callable[[Seen], bytes | Iterator[bytes]], limits: HttpLimits = SMALL) -> Answer:
    with LocalServer(script) as server, Internet().client(allow=[server.url], limits=limits) as client:
        return client.send(server.url, Request(path="/?token=canary"))


def endless(head: bytes, piece: bytes, pause_s: float = 0) -> Callable[[Seen], Iterator[bytes]]:
    def script(seen: Seen) -> Iterator[bytes]:
        yield head
        while True:
            time.sleep(pause_s)
            yield piece

    return script


def test_a_gzip_bomb_is_stopped_at_the_cap_with_little_memory() -> None:
    bomb = page(gzip.compress(b"\0" * 100_000_000), "Content-Encoding: gzip")
    tracemalloc.start()
    try:
        with pytest.raises(Unreadable, match="larger than 1000000 bytes when decoded"):
            ask(always(bomb))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 4_000_000


@pytest.mark.parametrize(
    ("head", "piece"),
    [(CHUNKED, b"1000\r\n" + b"x" * 4096 + b"\r\n"), (HEAD + b"\r\n", b"x" * 4096)],
    ids=["chunked", "until the end"],
)
def test_an_endless_body_is_stopped_on_the_wire(head: bytes, piece: bytes) -> None:
    with pytest.raises(Unreadable, match="larger than 300000 bytes on the wire"):
        ask(endless(head, piece))


@pytest.mark.parametrize(
    ("head", "piece"),
    [
        (HEAD + b"Content-Length: 100\r\n\r\n", b"x"),
        (CHUNKED, b"1\r\nx\r\n"),
        (b"HTTP/1.1 2", b""),
        (b"", b"H"),
        (HEAD, b"a: b\r\n"),
        (b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
    ],
    ids=["body", "chunks", "silent head", "head", "headers", "endless continue"],
)
def test_a_server_that_drips_is_ended_by_the_total_deadline(head: bytes, piece: bytes) -> None:
    limits = HttpLimits(read_s=60, deadline_s=0.3)
    began = time.monotonic()
    with pytest.raises(Unavailable, match=r"within 0\.3 s"):
        ask(endless(head, piece, pause_s=0.02), limits)
    assert time.monotonic() - began < 30


def test_a_silent_server_is_ended_by_the_read_timeout() -> None:
    limits = HttpLimits(read_s=0.1, deadline_s=60)
    with pytest.raises(Unavailable, match=r"no answer within 0\.1 s"):
        ask(endless(b"", b"", pause_s=0.02), limits)


def test_the_deadline_holds_for_all_redirects_together() -> None:
    def slow_circle(seen: Seen) -> Iterator[bytes]:
        time.sleep(0.15)
        yield page(b"", "Location: /again", status="302 Found")

    with pytest.raises(Unavailable, match=r"within 0\.3 s"):
        ask(slow_circle, HttpLimits(read_s=60, deadline_s=0.3))


def test_a_step_that_begins_after_the_deadline_is_not_taken() -> None:
    class HurryingClock(WallClock):
        seconds = 0.0

        def mono(self) -> float:
            self.seconds += 1
            return self.seconds

    limits = HttpLimits(deadline_s=2)
    with (
        LocalServer(always(page())) as server,
        HttpClient(clock=HurryingClock(), allow=[server.url], limits=limits) as client,
    ):
        with pytest.raises(Unavailable, match="within 2 s"):
            client.send(server.url, Request(path="/"))
        assert server.seen == []


def test_a_million_headers_are_stopped_early() -> None:
    sent = 0

    def script(seen: Seen) -> Iterator[bytes]:
        nonlocal sent
        yield HEAD
        for _ in range(1000):
            sent += 1000
            yield b"a: b\r\n" * 1000

    with pytest.raises(Unreadable, match="headers are larger"):
        ask(script)
    assert sent < 1_000_000


def test_too_many_small_headers_are_unreadable() -> None:
    headers = [f"h{number}: x" for number in range(300)]
    with pytest.raises(Unreadable, match="more than 200 headers"):
        ask(always(page(b"", *headers)))


def test_one_huge_header_is_unreadable() -> None:
    with pytest.raises(Unreadable, match="headers are larger"):
        ask(always(page(b"", "x: " + "y" * 200_000)))


@pytest.mark.parametrize(
    "answer",
    [
        HEAD + b"Connection: close\r\nContent-Length: 100\r\n\r\nshort",
        HEAD + b"Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
        HEAD + b"Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n50\r\nhello",
        HEAD + b"Connection: close\r\nContent-Encoding: gzip\r\n\r\n" + gzip.compress(b"hello" * 99)[:-9],
        page(gzip.compress(b"hello" * 99)[:-9], "Content-Encoding: gzip"),
    ],
    ids=["length", "chunk missing", "inside a chunk", "gzip until the end", "gzip with length"],
)
def test_a_cut_body_is_unavailable(answer: bytes) -> None:
    with pytest.raises(Unavailable, match="cut body"):
        ask(always(answer))


@pytest.mark.parametrize(
    "answer",
    [
        b"Connection: close\r\n\r\n",
        b"SSH-2.0-OpenSSH\r\nConnection: close\r\n\r\n",
        HEAD + b"Connection: close\r\nContent-Length: -5\r\n\r\n",
        HEAD + b"Connection: close\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
    ],
)
def test_an_answer_that_is_not_http_is_unavailable(answer: bytes) -> None:
    with pytest.raises(Unavailable, match="not valid HTTP"):
        ask(always(answer))


def test_a_connection_closed_without_an_answer_is_unavailable() -> None:
    def hang_up(seen: Seen) -> Iterator[bytes]:
        raise OSError
        yield b""

    with pytest.raises(Unavailable):
        ask(hang_up)


@pytest.mark.parametrize(
    "script",
    [
        always(b"Connection: close canary\r\n\r\n"),
        always(page(b"x" * 2_000_000)),
        always(page(b"", "Location: file:///?canary", status="302 Found")),
        always(page(b"x", "Content-Encoding: canary")),
    ],
)
def test_no_error_holds_the_query_or_what_the_server_sent(script: Callable[[Seen], bytes]) -> None:
    with pytest.raises(SourceError) as caught:
        ask(script)
    assert "canary" not in str(caught.value)
    assert str(caught.value).startswith("127.0.0.1:")
