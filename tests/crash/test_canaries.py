"""Canary secrets in every place of a configuration: used for real, and shown by no command, log, metric, answer or row.

Telegram's token is part of every address it is asked at, so it is the one that gets out most easily.
"""

import json
import re
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import quote, quote_plus

import httpx2
import pytest

from crash.radar_command import NOON, Ended, Radar
from crash.tables import everything, rows
from crash.test_inbox import eventually, running, stopped
from inforadar.simulator import phrases
from inforadar.simulator.faults import Fault
from inforadar.simulator.scenarios import vacancy_world
from inforadar.simulator.server import Simulator

SOURCE, JUDGE, WEB = ("c4nary/source+Z9&x=1", "c4nary/judge+Z9&x=2", "c4nary-web+Z9&x=3")
TELEGRAM = "987654321:c4nary-telegram_Z9x"
STORE = "c4nary/store+Z9&x=5"
CANARIES = (SOURCE, JUDGE, WEB, TELEGRAM, TELEGRAM.partition(":")[2], STORE)
SPELLINGS = {
    spelling
    for one in CANARIES
    for spelling in (one, quote(one), quote(one, safe=""), quote_plus(one), json.dumps(one)[1:-1], repr(one)[1:-1])
}
KEPT = ("radar.toml", "source.txt")
CONFIG = """\
[store]
url = "{store}"
[schedule]
fetch = "1d"
recovery = "1s"
[web]
port = 0
token = {{ env = "CANARY_WEB" }}
[cache]
enabled = false
[sources.hh]
base_url = "{hh}"
rate_limit_per_minute = 6000
token = {{ file = "source.txt" }}
[judge]
kind = "ollama"
base_url = "{ollama}"
model = "qwen3:8b"
token = "{judge}"
rate_limit_per_minute = 6000
[telegram]
base_url = "{telegram}"
token = {{ env = "TELEGRAM_TOKEN" }}
chat_id = 1
rate_limit_per_minute = 1800
gather_s = 0
[[watch]]
name = "python"
kind = "vacancy"
profile = "{profile}"
min_score = 0.5
deliver = ["telegram"]
first_run = "all"
  [[watch.query]]
  source = "hh"
  params = {{ text = "python" }}
"""
COMMANDS = [
    ("fetch",),
    ("fetch", "--json"),
    ("work", "--until-idle"),
    ("items", "--json"),
    ("show", "1"),
    ("why", "1", "--json"),
    ("why", "https://hh.ru/vacancy/1"),
    ("mark", "1", "applied"),
    ("undo",),
    ("status",),
    ("status", "--json"),
    ("jobs", "list", "--limit", "100"),
    ("jobs", "show", "1", "--json"),
    ("fulltext", "--json"),
    ("connect", "telegram", "--timeout", "1", "--json"),
    ("db", "check"),
]
OUTAGES = {
    "telegram does not know the bot": Fault(kind="unauthorized", source="telegram"),
    "telegram forbids it": Fault(kind="forbidden", source="telegram"),
    "telegram asks to slow down": Fault(kind="rate_limited", source="telegram", seconds=60),
    "telegram is broken": Fault(kind="server_error", source="telegram", status=502),
    "telegram hangs up": Fault(kind="reset", source="telegram"),
    "telegram is cut": Fault(kind="cut_body", source="telegram"),
    "the judge is busy": Fault(kind="busy", source="ollama"),
    "the judge has no model": Fault(kind="model_missing", source="ollama"),
    "the judge hangs up": Fault(kind="reset", source="ollama"),
    "the judge stops in the middle": Fault(kind="stream_error", source="ollama"),
    "the source hangs up": Fault(kind="reset", source="hh"),
    "the source turns us away": Fault(kind="oauth", source="hh"),
}


@pytest.fixture
def simulator() -> Iterator[Simulator]:
    """A local internet in which only the canaries open the doors."""
    with Simulator(vacancy_world(11, NOON, {"hh": 20}, days=20)) as running_one:
        running_one.change_rules(
            hh_needs_token=True, hh_free_requests=0, hh_token=SOURCE, telegram_token=TELEGRAM, ollama_key=JUDGE
        )
        yield running_one


def configured(folder: Path, store: str, simulator: Simulator, **other_urls: str) -> Radar:
    """A `radar` whose secrets are a value, variables, a file and part of an address."""
    urls = {**simulator.base_urls, **other_urls}
    text = CONFIG.format(store=store, judge=JUDGE, profile=phrases.PROFILE, **urls)
    (folder / "radar.toml").write_text(text, encoding="utf-8")
    (folder / "radar.toml").chmod(0o600)
    (folder / "source.txt").write_text(SOURCE + "\n")
    return Radar(folder=folder, variables={"CANARY_WEB": WEB, "TELEGRAM_TOKEN": TELEGRAM, "RADAR_NOW": ""})


def with_password(url: str) -> str:
    """The store's address with a canary as its password, where it can have one."""
    return re.sub(r"^(postgresql://[^@/:]+)@", rf"\1:{quote(STORE, safe='')}@", url)


def assert_hidden(text: str) -> None:
    found = [spelling for spelling in SPELLINGS if spelling in text]
    assert not found, f"{found} in ...{text[max(0, text.find(found[0]) - 300) :][:600]}"


def assert_nowhere(folder: Path, url: str, *ended: Ended) -> None:
    """In no output, in no file but the two that hold them, in no row of any table."""
    for one in ended:
        assert "Traceback" not in one.err
        assert_hidden(one.said)
    for path in folder.rglob("*"):
        if path.is_file() and path.name not in KEPT:
            assert_hidden(path.read_bytes().decode("latin-1"))
    assert_hidden(everything(url))


def count(url: str, sql: str) -> int:
    return int(rows(url, f"SELECT count(*) FROM {sql}")[0][0])


def test_every_command_uses_the_secrets_and_none_shows_them(
    tmp_path: Path, simulator: Simulator, database_url: str
) -> None:
    radar = configured(tmp_path, with_password(database_url), simulator)
    simulator.telegram.say("/start", user_id=1)
    ended = [
        radar.run(*flags, *command)
        for number, command in enumerate(COMMANDS)
        for flags in [("-v",) if number % 2 else ("-v", "--log-json")]
    ]
    assert [one.code for one in ended if one.code not in (0, 1)] == []
    assert count(database_url, "analyses") > 5, "the judge took its token"
    assert len(simulator.telegram.sends) > 3, "Telegram took its token"
    assert_nowhere(tmp_path, database_url, *ended)


def test_a_running_radar_shows_no_secret_in_log_metrics_or_answers(
    tmp_path: Path, simulator: Simulator, sqlite_url: str
) -> None:
    radar = configured(tmp_path, sqlite_url, simulator)
    with running(radar, "-v", "run") as process:
        eventually(lambda: count(sqlite_url, "deliveries WHERE state = 'sent'") > 3)
        address = told_address(tmp_path)
        simulator.telegram.press(simulator.telegram.sends[0].message_id, "Applied", user_id=1)
        eventually(lambda: count(sqlite_url, "matches WHERE status = 'APPLIED'") == 1)
        simulator.switch(Fault(kind="server_error", source="telegram", status=500), Fault(kind="busy", source="ollama"))
        answers = list(everything_asked(address))
        ended = stopped(process)
    assert {answer.status_code for answer in answers} == {200, 401, 404, 422, 429}
    for answer in answers:
        assert_hidden(f"{answer.headers}\n{answer.text}")
    assert ended.code in (0, 130)
    assert_nowhere(tmp_path, sqlite_url, ended)


@pytest.mark.parametrize("fault", OUTAGES.values(), ids=OUTAGES)
def test_no_secret_gets_out_whatever_breaks(
    tmp_path: Path, simulator: Simulator, sqlite_url: str, fault: Fault
) -> None:
    radar = configured(tmp_path, sqlite_url, simulator)
    is_source = fault.source == "hh"
    if not is_source:
        radar.run("fetch")
    simulator.switch(fault)
    commands: Sequence[tuple[str, ...]] = [("fetch",)] if is_source else [("work", "--until-idle")]
    if fault.source == "telegram":
        commands = [*commands, ("connect", "telegram", "--timeout", "1")]
    ended = [radar.run("-v", *command) for command in (*commands, ("status",), ("jobs", "list", "--limit", "100"))]
    assert any(line.fault == fault.kind for line in simulator.log), "the fault was met"
    assert_nowhere(tmp_path, sqlite_url, *ended)


@pytest.mark.parametrize("status", [200, 302, 400, 401, 429, 500])
def test_servers_that_repeat_what_they_were_asked_cannot_make_us_tell_it(
    tmp_path: Path, simulator: Simulator, sqlite_url: str, status: int
) -> None:
    configured(tmp_path, sqlite_url, simulator).run("fetch")
    with parrot(status) as address:
        radar = configured(tmp_path, sqlite_url, simulator, telegram=f"{address}/tg", ollama=f"{address}/model")
        asked = radar.run("-v", "connect", "telegram", "--timeout", "1")
        judged = radar.run("-v", "work", "--until-idle", "--kinds", "process")
        radar = configured(tmp_path, sqlite_url, simulator, telegram=f"{address}/tg")
        sent = radar.run("-v", "--log-json", "work", "--until-idle")
    shown = [radar.run("status"), radar.run("jobs", "list", "--limit", "100"), radar.run("why", "1")]
    assert_nowhere(tmp_path, sqlite_url, asked, judged, sent, *shown)


def told_address(folder: Path) -> str:
    """Where the running radar says its API is."""
    log = "".join(path.read_text() for path in folder.glob("*.log"))
    found = re.search(r"http://127\.0\.0\.1:\d+", log.partition("API")[2] or log)
    assert found, log
    return found[0]


def everything_asked(address: str) -> Iterator[httpx2.Response]:
    """Every address of the API, with the token, with none, and with the token where it does not belong."""
    with httpx2.Client(base_url=address, timeout=30) as client:
        bearer = {"Authorization": f"Bearer {WEB}"}
        document = client.get("/openapi.json", headers=bearer)
        yield document
        paths = [re.sub(r"\{\w+\}", "1", path) for path, told in document.json()["paths"].items() if "get" in told]
        paths += ["/api/why?q=1", "/api/items?limit=0", "/nope"]
        for path in paths:
            yield client.get(path, headers=bearer)
            yield client.get(path)
        # last: after ten wrong tokens nobody of this address is heard for a while
        for path in paths:
            yield client.get(path, headers={"Authorization": "Bearer wrong"}, params={"token": WEB})


@contextmanager
def parrot(status: int) -> Iterator[str]:
    """A server that answers every request with its own address, headers and body, in every place of an answer."""

    class Parrot(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            heard = f"{self.path} {self.headers.get('Authorization', '')}"
            self.rfile.read(int(self.headers.get("Content-Length") or 0))
            told = {"ok": status == 200, "error_code": status, "description": heard, "error": heard, "result": heard}
            told |= {"parameters": {"retry_after": 1}} if status == 429 else {}
            body = json.dumps(told).encode()
            self.send_response(status, heard.replace(" ", "-"))
            self.send_header("Content-Type", "application/json")
            self.send_header("Location", f"{self.path}?again={quote(heard)}")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_GET(self) -> None:
            self.do_POST()

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
