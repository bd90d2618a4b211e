"""The spreadsheet with real processes: nights, kills at each request, lost answers, two at once; TRUST I24, F11."""

import json
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Event
from time import monotonic

import pytest

from crash.radar_command import LIMIT_S, NOON, Ended, Radar, end_of
from crash.tables import rows
from inforadar.simulator.faults import Fault
from inforadar.simulator.scenarios import still_world
from inforadar.simulator.server import Simulator
from inforadar.simulator.sheets.service import SPREADSHEET

NIGHT = datetime(2026, 1, 6, 2, 30, tzinfo=UTC)
CONFIG = """\
[store]
url = "{store}"
[schedule]
fetch = "1d"
[web]
enabled = false
[cache]
enabled = false
[sources.hh]
base_url = "{hh}"
rate_limit_per_minute = 6000
[telegram]
base_url = "{telegram}"
token = "123:ABC"
chat_id = 1
[sheets]
base_url = "{sheets}"
spreadsheet_id = "{spreadsheet}"
credentials = {{ file = "key.json" }}
rate_limit_per_minute = 60
[[watch]]
name = "all"
kind = "vacancy"
max_experience_years = 0
min_score = 0.0
deliver = ["sheets"]
first_run = "all"
  [[watch.query]]
  source = "hh"
"""


@pytest.fixture
def simulator() -> Iterator[Simulator]:
    """A job site of forty vacancies and a spreadsheet, standing still in time, that takes any number of requests."""
    with Simulator(still_world(5, NOON, {"hh": 40})) as running:
        running.change_rules(sheets_quota_per_minute=0)
        yield running


@pytest.fixture
def new_radar(tmp_path: Path, simulator: Simulator, database_url: str) -> Radar:
    """A `radar` at noon that has done nothing yet."""
    text = CONFIG.format(store=database_url, spreadsheet=SPREADSHEET, **simulator.base_urls)
    for name, content in {"radar.toml": text, "key.json": simulator.sheets_key_file}.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
        (tmp_path / name).chmod(0o600)
    return Radar(folder=tmp_path)


@pytest.fixture
def radar(new_radar: Radar) -> Radar:
    """A `radar` at noon whose matches wait for the night."""
    for arguments in (("fetch",), ("work", "--until-idle")):
        ended = new_radar.run(*arguments)
        assert ended.code == 0, ended.said
    return new_radar


def at(radar: Radar, now: datetime) -> Radar:
    """The same radar at another time."""
    return Radar(folder=radar.folder, now=lambda: now)


def asked(simulator: Simulator) -> int:
    with simulator.internet.lock:
        return sum(line.source == "sheets" for line in simulator.log)


def keys(simulator: Simulator, tab: str = "Offers") -> list[str]:
    return [row["key"] for row in simulator.sheets.rows(tab)] if tab in simulator.sheets.titles() else []


def states(url: str) -> Counter[str]:
    return Counter(state for (state,) in rows(url, "SELECT state FROM deliveries WHERE sink = 'sheets'"))


def eventually(holds, limit_s: float = LIMIT_S) -> None:
    ends_at = monotonic() + limit_s
    while not holds():
        assert monotonic() < ends_at, "it did not come true in time"
        Event().wait(0.05)


def assert_one_row_each(simulator: Simulator, url: str) -> None:
    held = {f"{source}:{key}" for source, key in rows(url, "SELECT source, key FROM items")}
    assert Counter(keys(simulator)) == Counter(held)
    assert max(Counter(keys(simulator, "Companies")).values(), default=1) == 1
    ours = [cell for _, _, _, cell in simulator.sheets.cells()]
    assert {cell.option for cell in ours} == {"RAW"}


def test_rows_are_written_by_night_alone_and_decisions_come_back(radar, simulator, database_url):
    held = states(database_url)
    assert set(held) == {"held"}
    process = radar.start("run")
    try:
        Event().wait(3)
    finally:
        process.terminate()
        end_of(process)
    refused = radar.run("sheets", "sync")
    assert (refused.code, asked(simulator)) == (1, 0)
    assert "radar sheets sync --now" in refused.err
    process = at(radar, NIGHT).start("run")
    try:
        eventually(lambda: states(database_url)["sent"] == held["held"] and len(keys(simulator, "Companies")) > 0)
    finally:
        process.terminate()
        ended = end_of(process)
    assert ended.code == 0
    assert_one_row_each(simulator, database_url)
    first = keys(simulator)[0]
    simulator.sheets.fill("Offers", first, "feedback", "applied: by mail")
    report = at(radar, NIGHT + timedelta(days=1)).run("sheets", "sync", "--json").report
    assert report["feedback"] == {"decided": 1, "undone": 0, "noted": 1, "conflicts": 0}
    ((match_id, status),) = rows(
        database_url,
        f"SELECT m.id, m.status FROM matches m JOIN items i ON i.id = m.item_id WHERE i.key = '{first.split(':')[1]}'",
    )
    shown = radar.run("show", str(match_id), "--json").report
    assert (status, shown["note"]) == ("APPLIED", "by mail")
    assert "by mail" in radar.run("show", str(match_id)).out
    undone = radar.run("undo", "--json")
    assert undone.code == 0
    assert "sent to sheets" in radar.run("why", str(match_id)).out


def test_a_sync_that_is_killed_at_any_request_doubles_and_loses_nothing(radar, simulator, database_url):
    now = NIGHT
    for number in range(1, 13):
        before, now = asked(simulator), now + timedelta(minutes=4)
        process = at(radar, now).start("sheets", "sync", "--now")
        simulator.wait_until(
            lambda goal=before + number, it=process: asked(simulator) >= goal or it.poll() is not None, LIMIT_S
        )
        process.kill()
        end_of(process)
    ended = at(radar, now + timedelta(minutes=4)).run("sheets", "sync", "--now", "--json")
    assert ended.code == 0, ended.err
    assert_one_row_each(simulator, database_url)
    assert set(states(database_url)) == {"sent"}


def test_lost_answers_double_nothing(radar, simulator, database_url):
    simulator.switch(
        Fault(kind="reply_lost", source="sheets", probability=0.3),
        Fault(kind="server_error", source="sheets", probability=0.1),
        Fault(kind="rate_limited", source="sheets", probability=0.1),
        Fault(kind="cut_body", source="sheets", probability=0.1),
    )
    now = NIGHT
    for _ in range(10):
        now += timedelta(minutes=5)
        at(radar, now).run("sheets", "sync", "--now")
    simulator.switch()
    ended = at(radar, now + timedelta(minutes=10)).run("sheets", "sync", "--now")
    assert ended.code == 0, ended.err
    assert_one_row_each(simulator, database_url)


def test_two_at_once_write_every_row_once(radar, simulator, database_url):
    simulator.switch(Fault(kind="slow_start", source="sheets", seconds=0.1))
    pair = [at(radar, NIGHT).start("sheets", "sync", "--now") for _ in range(2)]
    ended: list[Ended] = [end_of(process) for process in pair]
    assert sorted(one.code for one in ended) in ([0, 0], [0, 1])
    assert all(one.code == 0 or "another sync" in one.err for one in ended)
    assert_one_row_each(simulator, database_url)


def test_a_night_that_fails_is_an_alarm_in_the_status_the_metrics_and_the_chat(radar, simulator, database_url):
    simulator.sheets.share(False)
    process = at(radar, NIGHT).start("run")
    try:
        assert simulator.wait_until(lambda: bool(simulator.telegram.sends), LIMIT_S)
    finally:
        process.terminate()
        end_of(process)
    (sent,) = simulator.telegram.sends
    assert "share the spreadsheet with info-radar@simulated.iam.gserviceaccount.com" in sent.text
    assert "could not be brought up to date" in radar.run("status").said
    assert rows(database_url, "SELECT value FROM totals WHERE name = 'alarms'") == [(1,)]
    assert set(states(database_url)) == {"held"}


def test_a_check_names_the_account_and_writes_nothing(new_radar, simulator):
    told = new_radar.run("sheets", "check", "--json")
    assert told.code == 0, told.said
    assert told.report == {
        "service_account": "info-radar@simulated.iam.gserviceaccount.com",
        "tabs": ["Sheet1"],
        "opens_at": "2026-01-06T02:00:00Z",
    }
    assert simulator.sheets.cells() == []
    key = json.loads((new_radar.folder / "key.json").read_text())["private_key"]
    assert key.splitlines()[1] not in told.said
