"""Addresses are checked where they are dialled (TRUST X1, X2, X5, X6): a refused one is never touched."""

import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from inforadar.domain.errors import Refused, Unavailable
from inforadar.domain.ports import Request
from inforadar.net.http import HttpClient, HttpLimits
from net.local_internet import Internet, LocalServer, WallClock, always, out_of_content, page

PAGE = Request(path="/page")
PUBLIC_ADDRESS = "93.184.216.34"


@pytest.fixture
def server() -> Iterator[LocalServer]:
    with LocalServer(always(page())) as server:
        yield server


@pytest.fixture
def internet() -> Internet:
    return Internet()


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1", "127.1", "127.0.1", "0x7f000001", "0x7f.1", "2130706433", "017700000001", "0", "localhost"],
)
def test_no_spelling_of_loopback_in_content_reaches_the_server(server: LocalServer, host: str) -> None:
    with HttpClient(clock=WallClock()) as client, pytest.raises(Refused, match="base_url"):
        client.send("", out_of_content(f"http://{host}:{server.port}/"))
    assert server.connections == 0


@pytest.mark.parametrize("host", ["①②⑦.⓪.⓪.①", "127。0。0。1", "[::1]", "[::ffff:127.0.0.1]", "[::7f00:1]"])
def test_no_odd_literal_of_loopback_reaches_the_server(server: LocalServer, host: str) -> None:
    with HttpClient(clock=WallClock()) as client, pytest.raises(Refused):
        client.send("", out_of_content(f"http://{host}:{server.port}/"))
    assert server.connections == 0


@pytest.mark.parametrize(
    "host",
    [
        "10.0.0.1",
        "169.254.169.254",
        "100.64.0.1",
        "192.168.0.1",
        "[fd00:ec2::254]",
        "[64:ff9b::a9fe:a9fe]",
        "[2002:7f00:1::]",
    ],
)
def test_a_closed_literal_is_refused_before_it_is_dialled(internet: Internet, host: str) -> None:
    with internet.client() as client, pytest.raises(Refused, match="not on the public internet"):
        client.send("", out_of_content(f"http://{host}/latest/meta-data"))
    assert internet.dialled == []


@pytest.mark.parametrize("addresses", [["10.0.0.1"], [PUBLIC_ADDRESS, "127.0.0.1"], ["::1", PUBLIC_ADDRESS]])
def test_a_name_with_any_closed_address_is_refused(internet: Internet, addresses: list[str]) -> None:
    internet.names["mixed.test"] = [addresses]
    with internet.client() as client, pytest.raises(Refused, match=r"mixed\.test"):
        client.send("", out_of_content("http://mixed.test/"))
    assert internet.dialled == []


def test_the_checked_address_is_the_one_dialled_when_the_name_flips(internet: Internet, server: LocalServer) -> None:
    with LocalServer(always(page(b"inner secret"))) as inner:
        internet.add("rebind.test", PUBLIC_ADDRESS, server)
        internet.names["rebind.test"] = [[PUBLIC_ADDRESS], ["127.0.0.1"]]
        with internet.client() as client:
            answer = client.send("", out_of_content(f"http://rebind.test:{inner.port}/"))
        assert answer.body == b"hello"
        assert internet.dialled == [PUBLIC_ADDRESS]
        assert internet.lookups == ["rebind.test"]
        with internet.client() as client, pytest.raises(Refused):
            client.send("", out_of_content(f"http://rebind.test:{inner.port}/"))
        assert inner.connections == 0


def test_a_host_written_as_base_url_may_be_private(server: LocalServer) -> None:
    with HttpClient(clock=WallClock(), allow=[server.url]) as client:
        answer = client.send(server.url, PAGE)
    assert (answer.status, answer.body, answer.url) == (200, b"hello", f"{server.url}/page")


def test_a_private_base_url_that_the_user_did_not_write_is_refused(server: LocalServer) -> None:
    with HttpClient(clock=WallClock()) as client, pytest.raises(Refused, match="base_url"):
        client.send(server.url, PAGE)
    assert server.connections == 0


def test_another_port_of_an_allowed_host_is_refused(server: LocalServer) -> None:
    allowed = ["http://127.0.0.1:1"]
    with HttpClient(clock=WallClock(), allow=allowed) as client, pytest.raises(Refused):
        client.send(server.url, PAGE)
    assert server.connections == 0


def test_content_cannot_ride_on_the_connection_of_an_allowed_host(server: LocalServer) -> None:
    with HttpClient(clock=WallClock(), allow=[server.url]) as client:
        client.send(server.url, PAGE)
        with pytest.raises(Refused):
            client.send("", out_of_content(f"{server.url}/page"))
    assert len(server.seen) == 1


def test_the_certificate_and_the_host_header_are_of_the_name_though_the_address_is_dialled(
    internet: Internet,
) -> None:
    with LocalServer(always(page()), tls=True) as secure:
        internet.add("public.test", PUBLIC_ADDRESS, secure)
        internet.add("wrong-name.test", "93.184.216.35", secure)
        with internet.client() as client:
            assert client.send("", out_of_content("https://public.test/")).status == 200
            with pytest.raises(Unavailable, match="certificate"):
                client.send("", out_of_content("https://wrong-name.test/"))
        assert [seen.headers["host"] for seen in secure.seen] == ["public.test"]


def test_the_next_address_is_tried_when_the_first_does_not_answer(internet: Internet, server: LocalServer) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        dead_port = closed.getsockname()[1]
    internet.names["two.test"] = [["127.0.0.2", "127.0.0.1"]]
    internet.servers["127.0.0.1"] = server
    base_url = f"http://two.test:{dead_port}"
    with internet.client(allow=[base_url]) as client:
        assert client.send(base_url, PAGE).status == 200
    assert internet.dialled == ["127.0.0.2", "127.0.0.1"]


def test_a_name_that_does_not_resolve_is_unavailable(internet: Internet) -> None:
    with internet.client() as client, pytest.raises(Unavailable, match=r"nowhere\.test: the name could not"):
        client.send("", out_of_content("http://nowhere.test/?token=canary"))


def test_a_name_service_that_hangs_is_ended_by_the_connect_timeout() -> None:
    hanging = threading.Event()

    def hang(host: str, port: int) -> list[str]:
        hanging.wait(10)
        return []

    limits = HttpLimits(connect_s=0.1)
    with HttpClient(clock=WallClock(), resolver=hang, limits=limits) as client:
        with pytest.raises(Unavailable, match="name service"):
            client.send("", out_of_content("http://slow.test/"))
        hanging.set()


def test_a_refused_connection_is_unavailable() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    url = f"http://127.0.0.1:{port}"
    with HttpClient(clock=WallClock(), allow=[url]) as client, pytest.raises(Unavailable, match="refused"):
        client.send(url, PAGE)


def test_a_server_that_speaks_no_tls_is_unavailable() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener, ThreadPoolExecutor(1) as thread:
        thread.submit(greet_in_plain_text, listener)
        url = f"https://127.0.0.1:{listener.getsockname()[1]}"
        with HttpClient(clock=WallClock(), allow=[url]) as client, pytest.raises(Unavailable, match="TLS"):
            client.send(url, PAGE)


def greet_in_plain_text(listener: socket.socket) -> None:
    peer, _ = listener.accept()
    with peer:
        peer.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        peer.recv(65536)
