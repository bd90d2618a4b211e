"""The plain life of the client: what is sent, what comes back, connections kept, threads, import weight."""

import gzip
import subprocess
import sys
import threading
import zlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from inforadar.domain.errors import Refused
from inforadar.domain.ports import Request
from inforadar.net.http import HttpClient, HttpLimits, default_user_agent
from net.local_internet import Internet, LocalServer, Seen, always, page

PAGE = Request(path="/page")


@pytest.fixture
def server() -> Iterator[LocalServer]:
    with LocalServer(lambda seen: page(seen.target.encode())) as server:
        yield server


@pytest.fixture
def client(server: LocalServer) -> Iterator[HttpClient]:
    with Internet().client(allow=[server.url]) as client:
        yield client


def test_requests_one_after_another_share_one_connection(server: LocalServer, client: HttpClient) -> None:
    for number in range(5):
        assert client.send(server.url, Request(path=f"/{number}")).body == f"/{number}".encode()
    assert server.connections == 1


def test_a_connection_the_server_closed_is_replaced(server: LocalServer, client: HttpClient) -> None:
    server.script = always(page(b"bye", "Connection: close"))
    assert [client.send(server.url, PAGE).body for _ in range(3)] == [b"bye"] * 3
    assert server.connections == 3


def test_threads_share_one_client_and_each_gets_its_own_answer(server: LocalServer, client: HttpClient) -> None:
    paths = [f"/{number}" for number in range(200)]
    with ThreadPoolExecutor(8) as threads:
        bodies = list(threads.map(lambda path: client.send(server.url, Request(path=path)).body, paths))
    assert bodies == [path.encode() for path in paths]
    assert server.connections <= 8


def test_one_thread_at_its_deadline_does_not_disturb_another(server: LocalServer) -> None:
    slow_began = threading.Event()

    def script(seen: Seen) -> bytes:
        if seen.target == "/slow":
            slow_began.set()
            server.stopping.wait(60)
        return page(b"x" * 1000)

    server.script = script
    limits = HttpLimits(deadline_s=2)
    with Internet().client(allow=[server.url], limits=limits) as client, ThreadPoolExecutor(1) as thread:
        slow = thread.submit(client.send, server.url, Request(path="/slow"))
        assert slow_began.wait(20)
        assert all(client.send(server.url, PAGE).status == 200 for _ in range(20))
        assert slow.exception() is not None


def test_we_say_who_we_are_and_ask_only_for_codings_we_cap(server: LocalServer, client: HttpClient) -> None:
    client.send(server.url, PAGE)
    headers = server.seen[0].headers
    assert headers["user-agent"] == default_user_agent()
    assert headers["user-agent"].startswith("InfoRadar/")
    assert headers["user-agent"].endswith(" (+self-hosted; personal use)")
    assert headers["accept-encoding"] == "gzip, deflate"
    assert headers["host"] == f"127.0.0.1:{server.port}"


def test_a_source_may_add_headers_but_not_those_that_frame_the_message(server: LocalServer, client: HttpClient) -> None:
    asked = {
        "Authorization": "Bearer canary\n",
        "USER-AGENT": "Other/1",
        "Accept-Encoding": "br",
        "Host": "evil.test",
        "Content-Length": "5",
    }
    client.send(server.url, Request(path="/", headers=asked))
    headers = server.seen[0].headers
    assert headers["authorization"] == "Bearer canary"
    assert headers["user-agent"] == "Other/1"
    assert headers["accept-encoding"] == "gzip, deflate"
    assert headers["host"] == f"127.0.0.1:{server.port}"
    assert "content-length" not in headers


@pytest.mark.parametrize("value", ["canary\r\nX-Evil: 1", "cana\x00ry", "canary\x7f"])
def test_a_header_that_could_inject_another_is_refused_unseen(
    server: LocalServer, client: HttpClient, value: str
) -> None:
    with pytest.raises(Refused, match="authorization") as caught:
        client.send(server.url, Request(path="/", headers={"Authorization": value}))
    assert "canary" not in str(caught.value)
    assert server.seen == []


@pytest.mark.parametrize("coding", ["gzip", "deflate"])
def test_a_compressed_page_comes_back_decoded(server: LocalServer, client: HttpClient, coding: str) -> None:
    packed = {"gzip": gzip.compress, "deflate": zlib.compress}[coding](b"hello" * 999)
    server.script = always(page(packed, f"Content-Encoding: {coding}"))
    assert client.send(server.url, PAGE).body == b"hello" * 999


@pytest.mark.parametrize("status", ["404 Not Found", "429 Slow Down", "500 Oops", "999 Denied"])
def test_any_status_is_an_answer(server: LocalServer, client: HttpClient, status: str) -> None:
    server.script = always(page(b"why", status=status))
    answer = client.send(server.url, PAGE)
    assert (answer.status, answer.body) == (int(status[:3]), b"why")


def test_header_names_are_lower_case_and_repeated_values_joined(server: LocalServer, client: HttpClient) -> None:
    server.script = always(page(b"", "X-One: a", "x-one: b", "Retry-AFTER: 5", "X-Name: привет"))
    headers = client.send(server.url, PAGE).headers
    assert (headers["x-one"], headers["retry-after"], headers["x-name"]) == ("a, b", "5", "привет")


def test_environment_proxies_are_not_used(server: LocalServer, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    with Internet().client(allow=[server.url]) as client:
        assert client.send(server.url, PAGE).status == 200


def test_importing_the_client_loads_little_beyond_its_library() -> None:
    program = (
        "import sys, httpx2, httpcore2, concurrent.futures\n"
        "known = set(sys.modules)\n"
        "import inforadar.net.http\n"
        "print(*sorted(m for m in set(sys.modules) - known if not m.startswith('inforadar')))"
    )
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert set(found.stdout.split()) <= {"dataclasses", "queue", "_queue"}
