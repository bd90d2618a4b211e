"""`radar serve` as a process of its own: where it listens, how it ends, and what it refuses to do."""

import json
import re
import signal
import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager

import httpx2
import pytest

from inforadar.config.model import WebSettings
from inforadar.domain.errors import ConfigError, RadarError
from inforadar.interfaces.web.doorstep import Doorstep
from inforadar.interfaces.web.server import served
from inforadar.observe.secrets import Secret
from interfaces.command_line import CommandLine


async def hello(scope, receive, send):
    """The smallest application there is."""
    if scope["type"] == "lifespan":
        for moment in ("startup", "shutdown"):
            await receive()
            await send({"type": f"lifespan.{moment}.complete"})
        return
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
    await send({"type": "http.response.body", "body": b"hi"})


async def broken(scope, receive, send):
    """One that cannot even begin."""
    await receive()
    await send({"type": "lifespan.startup.failed", "message": "broken"})


@contextmanager
def serving(radar: CommandLine, *arguments: str) -> Iterator[tuple["subprocess.Popen[bytes]", str]]:
    """`radar serve` running, and the address it tells."""
    process = radar.start("serve", *arguments)
    try:
        assert process.stderr is not None
        told = next(line for line in process.stderr if b"http://" in line)
        yield process, re.search(rb"http://\S+\d", told)[0].decode()  # type: ignore[index]
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_answers_until_a_signal_and_ends_well(radar, number):
    with serving(radar, "--port", "0") as (process, address):
        assert address.startswith("http://127.0.0.1:")
        with httpx2.Client(base_url=address) as client:
            assert client.get("/healthz").json() == {"status": "ok"}
            assert client.get("/api/items").json() == {"items": [], "next": None}
            process.send_signal(number)
            assert process.wait(60) == 0
        assert b"Stopped." in process.stderr.read()
        assert process.stdout.read() == b""


def test_requests_are_logged_without_their_query(radar):
    process = radar.start("-v", "--log-json", "serve", "--port", "0")
    try:
        told = next(line for line in process.stderr if b"http://" in line)
        address = re.search(rb"http://\S+\d", told)[0].decode()
        httpx2.get(f"{address}/api/items?text=private")
        process.terminate()
        log = process.communicate(timeout=60)[1]
    finally:
        process.kill()
    assert b'"path": "/api/items"' in log
    assert b"private" not in log
    assert b"uvicorn" not in log.lower()


@pytest.mark.parametrize("command", ["run", "serve"])
def test_where_the_log_is_json_what_is_said_from_beginning_to_end_is_json_too(radar, simulator, command):
    radar.configure(simulator, "[web]\nport = 0\n")
    process = radar.start("--log-json", command)
    try:
        begun = [next(process.stderr)]
        while b"http://" not in begun[-1]:
            begun.append(next(process.stderr))
        process.terminate()
        ended = process.communicate(timeout=60)[1]
    finally:
        process.kill()
    lines = [json.loads(line) for line in (*begun, *ended.splitlines())]
    assert all(set(line) >= {"room", "event", "level", "at"} for line in lines)
    assert lines[-1]["event"].startswith("Stopped")


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "radar.example"])
def test_no_other_address_is_served_without_a_token(radar, host):
    ran = radar("serve", "--host", host)
    assert (ran.code, ran.out) == (2, "")
    assert f"Others could reach '{host}', and no token is set" in ran.err
    assert "Set one: token" in ran.err


def test_a_port_that_is_taken_is_told_with_the_remedy(radar):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        ran = radar("serve", "--port", str(taken.getsockname()[1]))
    assert ran.code == 2
    assert "Address already in use" in ran.err
    assert "--port" in ran.err


def test_an_address_that_is_not_this_machines_is_told():
    token = Secret("long enough")
    for host in ("192.0.2.1", "no-such-host.invalid", "x" * 300):
        settings = WebSettings(enabled=True, host=host, port=0, token=token)
        with pytest.raises(ConfigError, match="Nothing can listen on"), served(hello, settings, threading.Event()):
            pass


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1", "[::1]", "127.0.0.2"])
def test_every_spelling_of_this_machine_can_be_listened_on(host):
    if ":" in host and not _has_ipv6():
        pytest.skip("this machine has no IPv6")
    stop = threading.Event()
    with served(hello, WebSettings(enabled=True, host=host, port=0), stop) as address:
        assert httpx2.get(address).text == "hi"
    assert not stop.is_set()


def test_a_port_is_free_again_at_once():
    settings = WebSettings(enabled=True, host="127.0.0.1", port=0)
    with served(hello, settings, threading.Event()) as address:
        httpx2.get(address)
    port = int(address.rpartition(":")[2])
    with served(hello, WebSettings(enabled=True, host="127.0.0.1", port=port), threading.Event()) as again:
        assert (again, httpx2.get(again).text) == (address, "hi")


def test_who_comes_while_one_server_follows_another_waits_and_is_answered():
    settings = WebSettings(enabled=True, host="127.0.0.1", port=0)
    with closing(Doorstep()) as doorstep:
        with served(hello, settings, threading.Event(), doorstep=doorstep) as address:
            assert httpx2.get(address).text == "hi"
        at = ("127.0.0.1", int(address.rpartition(":")[2]))
        with socket.create_connection(at, timeout=60) as early:
            early.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            with served(hello, settings, threading.Event(), doorstep=doorstep) as again:
                assert again == address
                assert b"200 OK" in early.recv(1000)
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(at, timeout=60)


def test_another_address_takes_the_place_of_the_one_before():
    with closing(Doorstep()) as doorstep:
        one = doorstep.listener(WebSettings(enabled=True, host="127.0.0.1", port=0))
        other = doorstep.listener(WebSettings(enabled=True, host="127.0.0.2", port=0))
        at = one.getsockname()
        one.close()
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(at, timeout=60)
        other.close()


def test_a_server_that_dies_stops_the_process_as_failed():
    stop = threading.Event()
    settings = WebSettings(enabled=True, host="127.0.0.1", port=0)
    with pytest.raises(RadarError, match="the web server broke"), served(broken, settings, stop):
        assert stop.wait(10)


def test_an_idle_connection_does_not_hold_the_end_up():
    settings = WebSettings(enabled=True, host="127.0.0.1", port=0)
    with ExitStack() as server, socket.socket() as idle:
        address = server.enter_context(served(hello, settings, threading.Event()))
        idle.connect(("127.0.0.1", int(address.rpartition(":")[2])))
        idle.sendall(b"GET / HTTP/1.1\r\n")
        httpx2.get(address)
        server.close()
        idle.settimeout(10)
        assert idle.recv(100) == b""
    assert not any(thread.name == "web" for thread in threading.enumerate())


def _has_ipv6() -> bool:
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        return False
    return True
