"""A secret in the configuration, however it got there and whatever goes wrong, shows up nowhere."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import quote

import pytest

from crash.radar_command import Ended, Radar, write_config
from crash.tables import dump
from inforadar.simulator.faults import Fault
from inforadar.simulator.server import Simulator

CANARY = "c4nary/with+odd&chars=Z9"
SPELLINGS = (CANARY, quote(CANARY), quote(CANARY, safe=""), json.dumps(CANARY)[1:-1])
PLACES = {
    "value": f'token = "{CANARY}"',
    "variable": 'token = { env = "CANARY" }',
    "file": 'token = { file = "canary.txt" }',
}
FAULTS = {
    "none": (),
    "403": (Fault(kind="forbidden", source="hh"),),
    "revoked": (Fault(kind="oauth", source="hh"),),
    "captcha": (Fault(kind="captcha", source="hh"),),
    "500": (Fault(kind="server_error", source="hh", status=500, count=1),),
    "reset": (Fault(kind="reset", source="hh", count=1),),
    "unreadable": (Fault(kind="unreadable_page", source="hh"),),
}


@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES)
@pytest.mark.parametrize("flags", [("-v",), ("-v", "--log-json")], ids=["text", "json"])
def test_a_token_that_is_used_shows_up_nowhere(
    tmp_path: Path, simulator: Simulator, sqlite_url: str, place: str, flags: tuple[str, ...]
) -> None:
    assert_used_and_hidden(tmp_path, simulator, sqlite_url, place, flags)


def test_a_token_that_is_used_shows_up_nowhere_in_postgres(
    tmp_path: Path, simulator: Simulator, postgres_url: str
) -> None:
    assert_used_and_hidden(tmp_path, simulator, postgres_url, PLACES["value"], ("-v",))


def assert_used_and_hidden(tmp_path: Path, simulator: Simulator, url: str, place: str, flags: tuple[str, ...]) -> None:
    simulator.internet.change_rules(hh_needs_token=True, hh_free_requests=0, hh_token=CANARY)
    radar = watching_hh(tmp_path, simulator, url, place)
    ended = radar.run(*flags, "fetch", "--json")
    assert ended.code == 0, ended.err
    assert ended.report["added_count"] == 30, "the token was sent, or hh would have refused"
    assert_nowhere(ended, url, tmp_path)


@pytest.mark.parametrize("faults", FAULTS.values(), ids=FAULTS)
def test_a_token_shows_up_nowhere_whatever_the_source_answers(
    tmp_path: Path, simulator: Simulator, sqlite_url: str, faults: tuple[Fault, ...]
) -> None:
    radar = watching_hh(tmp_path, simulator, sqlite_url, PLACES["value"])
    simulator.switch(*faults)
    assert_nowhere(radar.run("-v", "fetch"), sqlite_url, tmp_path)
    assert_nowhere(radar.run("status"), sqlite_url, tmp_path)
    assert_nowhere(radar.run("--log-json", "status", "--json"), sqlite_url, tmp_path)


@pytest.mark.parametrize("status", [400, 403])
def test_a_server_that_repeats_the_token_cannot_make_us_tell_it(
    tmp_path: Path, simulator: Simulator, sqlite_url: str, status: int
) -> None:
    radar = watching_hh(tmp_path, simulator, sqlite_url, PLACES["value"])
    with parrot(status) as address:
        config = tmp_path / "radar.toml"
        config.write_text(config.read_text().replace(simulator.base_urls["hh"], address))
        ended = radar.run("-v", "fetch")
    assert ended.code == 1
    assert_nowhere(ended, sqlite_url, tmp_path)
    assert_nowhere(radar.run("status"), sqlite_url, tmp_path)


def test_a_password_in_the_store_url_shows_up_nowhere(tmp_path: Path, simulator: Simulator) -> None:
    write_config(tmp_path, f"postgresql://radar:{quote(CANARY, safe='')}@127.0.0.1:1/radar", simulator, hh="")
    for command in (("-v", "fetch"), ("items",), ("db", "check"), ("db", "upgrade"), ("status",)):
        ended = Radar(folder=tmp_path).run(*command)
        assert ended.code == 1
        assert_hidden(ended.said)


def test_a_broken_configuration_is_told_without_its_secrets(tmp_path: Path) -> None:
    (tmp_path / "radar.toml").write_text(
        f'[store]\nurl = "mysql://radar:{CANARY}@host/x"\n'
        f'[sources.hh]\ntoken = {{ value = "{CANARY}" }}\n'
        f'[telegram]\ntoken = ["{CANARY}"]\n[judge]\ntoken = {{ env = "MISSING", file = "{CANARY}" }}\n'
    )
    ended = Radar(folder=tmp_path).run("fetch")
    assert ended.code == 2
    assert_hidden(ended.said)


def test_a_secret_is_not_among_the_arguments_or_the_environment_of_another_process(
    tmp_path: Path, simulator: Simulator, sqlite_url: str
) -> None:
    radar = watching_hh(tmp_path, simulator, sqlite_url, PLACES["file"])
    simulator.switch(Fault(kind="timeout", source="hh", seconds=60))
    process = radar.start("fetch")
    try:
        seen = [Path(f"/proc/{process.pid}/{name}").read_text() for name in ("cmdline", "environ")]
    finally:
        process.kill()
        process.communicate()
    assert_hidden("".join(seen))


def watching_hh(folder: Path, simulator: Simulator, store: str, token: str) -> Radar:
    """A `radar` that asks hh with the canary as its token."""
    path = write_config(folder, store, simulator, hh="")
    path.write_text(path.read_text().replace("[sources.hh]\n", f"[sources.hh]\n{token}\n"))
    (folder / "canary.txt").write_text(CANARY + "\n")
    variables = {"CANARY": CANARY} if "env" in token else {}
    return Radar(folder=folder, variables=variables)


def assert_nowhere(ended: Ended, url: str, folder: Path) -> None:
    assert "Traceback" not in ended.err
    assert_hidden(ended.said)
    assert_hidden(repr(dump(url)))
    for path in folder.iterdir():
        if path.is_file() and path.name not in ("radar.toml", "canary.txt"):
            assert_hidden(path.read_bytes().decode("latin-1"))


def assert_hidden(text: str) -> None:
    for spelling in SPELLINGS:
        assert spelling not in text


@contextmanager
def parrot(status: int) -> Iterator[str]:
    """A server that answers every request with the headers it got, in every place of an hh answer."""

    class Parrot(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            heard = self.headers.get("Authorization", "")
            token = heard.removeprefix("Bearer ")
            errors = [{"type": token, "value": token}, {"type": "oauth", "value": token}]
            if status == 400:
                errors = [{"type": "bad_argument", "value": token}, {"type": heard, "value": heard}]
            body = json.dumps({"errors": errors, "description": heard, "bad_argument": token}).encode()
            self.send_response(status, heard)
            self.send_header("Content-Length", str(len(body)))
            self.send_header("X-Heard", heard)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Parrot)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
