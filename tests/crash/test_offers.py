"""Seed 002 with real processes on both databases: queries and their states, offers, companies and the spreadsheet."""

import json
import re
import signal
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from crash.radar_command import LIMIT_S, NOON, Radar, at_request, end_of, start_and_signal
from crash.tables import rows
from inforadar.simulator.faults import Fault
from inforadar.simulator.scenarios import still_world
from inforadar.simulator.server import Simulator
from inforadar.simulator.sheets.service import SPREADSHEET

NIGHT = datetime(2026, 1, 8, 2, 30, tzinfo=UTC)
OFFERS = 150
CONFIG = """\
[store]
url = "{store}"
[web]
enabled = false
[cache]
enabled = false
[sources.infojobs]
base_url = "{infojobs}"
client_id = "my-app"
client_secret = "my-secret"
rate_limit_per_minute = 6000
[sources.hh]
base_url = "{hh}"
rate_limit_per_minute = 6000
[sheets]
base_url = "{sheets}"
spreadsheet_id = "{spreadsheet}"
credentials = {{ file = "key.json" }}
rate_limit_per_minute = 60
"""
WATCH = """\
[[watch]]
name = "{source}"
kind = "vacancy"
max_experience_years = 0
min_score = 0.0
deliver = ["sheets"]
first_run = "all"
  [[watch.query]]
  source = "{source}"
  params = {{ {params} }}
  {bounds}
"""


@pytest.fixture
def simulator() -> Iterator[Simulator]:
    """Two job sites and a spreadsheet; time passes only when it is told to."""
    with Simulator(still_world(5, NOON, {"infojobs": OFFERS, "hh": 40})) as running:
        running.change_rules(sheets_quota_per_minute=0)
        yield running


@pytest.fixture
def radar(tmp_path: Path, simulator: Simulator, database_url: str) -> Radar:
    """A `radar` that watches both, at the time of the local internet."""
    (tmp_path / "key.json").write_text(simulator.sheets_key_file)
    (tmp_path / "key.json").chmod(0o600)
    radar = Radar(folder=tmp_path, now=lambda: simulator.world.now)
    configure(radar, simulator, database_url)
    return radar


def configure(radar: Radar, simulator: Simulator, url: str, *, params: str = "", bounds: str = "") -> None:
    """Write the configuration; `params` and `bounds` are those of the query to InfoJobs."""
    head = CONFIG.format(store=url, spreadsheet=SPREADSHEET, **simulator.base_urls)
    watches = {"infojobs": (params, bounds), "hh": ("", "")}
    told = (WATCH.format(source=name, params=one[0], bounds=one[1]) for name, one in watches.items())
    path = radar.folder / "radar.toml"
    path.write_text(head + "".join(told))
    path.chmod(0o600)


def fetched(radar: Radar, *arguments: str, code: int = 0) -> dict[str, Any]:
    """The reports of one fetch by source."""
    ended = radar.run("fetch", "--json", *arguments)
    assert ended.code == code, ended.err[-2000:]
    return {report["source"]: report for report in ended.report["queries"]}


def state(url: str, source: str = "infojobs") -> dict[str, Any]:
    """What the table of queries says of one query."""
    names = ("status", "last_run_at", "last_success_at", "last_error_at", "last_processed_date", "consecutive_failures")
    (row,) = rows(url, f"SELECT {', '.join(names)} FROM query_state WHERE source = '{source}'")
    return dict(zip(names, map(plain, row), strict=True))


def plain(value: Any) -> Any:
    return value if value is None or isinstance(value, int) else re.sub("[ T]", "T", str(value))[:10]


def held(url: str, source: str = "infojobs") -> list[str]:
    return sorted(key for (key,) in rows(url, f"SELECT offer_id FROM offers WHERE client = '{source}'"))


def visible(simulator: Simulator, source: str = "infojobs") -> list[str]:
    return sorted(simulator.world.visible_in(source))


def test_offers_companies_and_rows_of_two_clients_from_the_first_run_to_the_night(radar, simulator, database_url):
    reports = fetched(radar)
    assert {source: report["status"] for source, report in reports.items()} == {"infojobs": "SUCCESS", "hh": "SUCCESS"}
    assert (held(database_url), held(database_url, "hh")) == (visible(simulator), visible(simulator, "hh"))
    assert radar.run("work", "--until-idle").code == 0
    runs = rows(database_url, "SELECT source, companies_aggregated, companies_failed FROM ingestion_runs")
    assert {source: failed for source, _, failed in runs} == {"infojobs": 0, "hh": 0}
    assert all(counted > 0 for _, counted, _ in runs)
    counted = rows(database_url, "SELECT sum(offers_seen), sum(offers_open) FROM companies")
    with_company = rows(database_url, "SELECT count(*) FROM offers WHERE company_id IS NOT NULL")[0][0]
    assert [tuple(map(int, row)) for row in counted] == [(with_company, with_company)]
    assert "Offers" not in simulator.sheets.titles()
    simulator.advance(to=NIGHT)
    synced = radar.run("sheets", "sync", "--json")
    assert synced.code == 0, synced.err
    keys = Counter(row["key"] for row in simulator.sheets.rows("Offers"))
    assert keys == Counter(f"{source}:{key}" for source in ("infojobs", "hh") for key in held(database_url, source))
    assert max(Counter(row["key"] for row in simulator.sheets.rows("Companies")).values()) == 1


def test_history_is_seeded_backward_in_steps_and_then_only_what_is_new_is_read(radar, simulator, database_url):
    configure(radar, simulator, database_url, bounds="limit = 60")
    reached = []
    for expected in (60, 120, 150):
        report = fetched(radar, "infojobs")["infojobs"]
        reached.append(state(database_url)["last_processed_date"])
        assert len(held(database_url)) == expected
        assert (report["left"] == 0) == (expected == OFFERS)
    assert reached == sorted(reached, reverse=True)
    assert reached[0] > reached[-1]
    simulator.advance(86400)
    new = [simulator.world.add("infojobs", published_at=simulator.world.now).id for _ in range(3)]
    before = len(simulator.log)
    report = fetched(radar, "infojobs")["infojobs"]
    assert (report["stop_reason"], report["added"]) == ("window exhausted", 3)
    assert set(new) <= set(held(database_url))
    asked = [line for line in simulator.log[before:] if line.source == "infojobs" and line.is_list]
    assert dict(asked[0].params)["sinceDate"] == "_7_DAYS"
    assert state(database_url)["last_processed_date"] == reached[-1]


def test_the_state_answers_when_it_ran_whether_it_went_well_and_whether_it_runs_now(radar, simulator, database_url):
    seen = []
    at_request(simulator, "infojobs", 2, lambda: seen.append(state(database_url)["status"]))
    fetched(radar, "infojobs")
    assert seen == ["RUNNING"]
    today = NOON.date().isoformat()
    oldest = min(simulator.world.entry("infojobs", key).published_at for key in visible(simulator)).date().isoformat()
    assert state(database_url) == {
        "status": "SUCCESS",
        "last_run_at": today,
        "last_success_at": today,
        "last_error_at": None,
        "last_processed_date": oldest,
        "consecutive_failures": 0,
    }


def test_a_query_with_other_parameters_is_a_new_one_with_a_clean_history(radar, simulator, database_url):
    first = fetched(radar, "infojobs")["infojobs"]["query_key"]
    assert fetched(radar, "infojobs")["infojobs"]["query_key"] == first
    configure(radar, simulator, database_url, params='order = "updated-desc", sinceDate = "ANY"')
    assert fetched(radar, "infojobs")["infojobs"]["query_key"] == first, "defaults do not make another question"
    configure(radar, simulator, database_url, params='province = "madrid"')
    other = fetched(radar, "infojobs")["infojobs"]
    assert other["query_key"] != first
    found = dict(rows(database_url, "SELECT query_key, sweeps FROM query_state WHERE source = 'infojobs'"))
    assert found == {first: 3, other["query_key"]: 1}
    assert held(database_url) == visible(simulator)


def test_a_bucket_of_the_users_is_refused_with_a_remedy(radar, simulator, database_url):
    configure(radar, simulator, database_url, params='sinceDate = "_24_HOURS"')
    ended = radar.run("fetch")
    assert ended.code == 2
    assert "chosen by Radar" in ended.err
    assert "cutoff_date" in ended.err


def test_three_retries_then_the_query_is_in_error_and_the_next_work_is_done(radar, simulator, database_url):
    simulator.switch(Fault(kind="server_error", source="infojobs"))
    reports = fetched(radar, code=3)
    assert (reports["infojobs"]["status"], reports["hh"]["status"]) == ("ERROR", "SUCCESS")
    asked = [line for line in simulator.log if line.source == "infojobs"]
    assert len(asked) == 1 + 3
    told = state(database_url)
    assert (told["status"], told["consecutive_failures"], told["last_success_at"]) == ("ERROR", 1, None)
    assert held(database_url, "hh") == visible(simulator, "hh")
    simulator.switch()
    assert fetched(radar)["infojobs"]["status"] == "SUCCESS"
    assert state(database_url)["consecutive_failures"] == 0
    assert held(database_url) == visible(simulator)


def test_a_client_that_limits_us_is_paused_for_six_hours_and_the_others_go_on(radar, simulator, database_url):
    simulator.switch(Fault(kind="rate_limited", source="infojobs"))
    reports = fetched(radar, code=3)
    assert (reports["infojobs"]["stop_reason"], reports["hh"]["status"]) == ("rate limited", "SUCCESS")
    simulator.switch()
    asked = len([line for line in simulator.log if line.source == "infojobs"])
    simulator.advance(5 * 3600)
    assert fetched(radar, code=3)["infojobs"]["stop_reason"] == "rate limited"
    assert len([line for line in simulator.log if line.source == "infojobs"]) == asked, "a paused client is not asked"
    simulator.advance(2 * 3600)
    assert fetched(radar)["infojobs"]["status"] == "SUCCESS"
    assert held(database_url) == visible(simulator)


@pytest.mark.parametrize(("bound", "reason"), [("max_pages = 1", "max pages"), ("max_items = 10", "max items")])
def test_a_run_stops_at_its_safety_bounds_and_says_what_is_left(radar, simulator, database_url, bound, reason):
    configure(radar, simulator, database_url, bounds=bound)
    report = fetched(radar, "infojobs")["infojobs"]
    assert report["stop_reason"] == reason
    assert report["left"] > 0


def test_credentials_that_are_refused_stop_their_client_alone_and_name_the_remedy(radar, simulator, database_url):
    simulator.change_rules(infojobs_client="other:secret")
    ended = radar.run("fetch", "--json")
    reports = {report["source"]: report for report in json.loads(ended.out)["queries"]}
    assert (reports["infojobs"]["stop_reason"], reports["hh"]["status"]) == ("refused", "SUCCESS")
    assert "client_secret" in ended.said
    assert "my-secret" not in ended.said


def test_a_run_that_is_killed_is_simply_started_again_and_nothing_is_double(radar, simulator, database_url):
    for number in (1, 2, 3):
        killed = end_of(start_and_signal(radar, simulator, "infojobs", number, signal.SIGKILL, "fetch", "infojobs"))
        assert killed.code == -signal.SIGKILL
    fetched(radar, "infojobs")
    assert held(database_url) == visible(simulator)
    assert rows(database_url, "SELECT source, key FROM items GROUP BY source, key HAVING count(*) > 1") == []
    assert radar.run("work", "--until-idle").code == 0
    assert rows(database_url, "SELECT count(*) FROM stale_companies")[0][0] == 0
    assert state(database_url)["status"] == "SUCCESS"


def test_the_cycle_begins_again_at_once_and_runs_one_query_after_another(radar, simulator, database_url):
    path = radar.folder / "radar.toml"
    path.write_text(path.read_text() + "[schedule]\ncontinuous = true\n")
    process = radar.start("run")
    try:
        done = "SELECT count(*) FROM ingestion_runs WHERE finished_at IS NOT NULL"
        assert simulator.wait_until(lambda: _count(database_url, done) >= 6, LIMIT_S)
    finally:
        process.terminate()
        assert end_of(process).code == 0
    spans = sorted(rows(database_url, "SELECT started_at, finished_at FROM ingestion_runs"))
    assert all(before[1] <= after[0] for before, after in pairwise(spans))
    assert held(database_url) == visible(simulator)


def _count(url: str, sql: str) -> int:
    try:
        return int(rows(url, sql)[0][0])
    except Exception:
        return 0


def test_daily_sweeps_of_a_site_that_moves_lose_nothing(radar, simulator, database_url):
    for day in range(4):
        fetched(radar, "infojobs")
        simulator.advance(86400)
        for hour in range(12):
            simulator.world.add("infojobs", published_at=simulator.world.now - timedelta(hours=hour))
        simulator.world.withdraw("infojobs", visible(simulator)[day])
    fetched(radar, "infojobs")
    assert set(visible(simulator)) <= set(held(database_url))
