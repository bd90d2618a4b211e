"""The judge goes down for an hour and comes back: the breaker opens, matches are skipped, recovery brings all through.

Real HTTP on loopback, the real parts as `radar run` joins them, and the world's time instead of the machine's.
"""

import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from flows.rig import NOON, WorldClock
from inforadar.bootstrap import App, open_app, read_config
from inforadar.domain.health import COOL_DOWN
from inforadar.simulator import phrases
from inforadar.simulator.faults import Fault
from inforadar.simulator.scenarios import vacancy_world
from inforadar.simulator.server import Simulator
from inforadar.simulator.vacancies import Shares
from inforadar.store import events, jobs, matches, sources
from inforadar.store.database import Tx

CONFIG = """\
[store]
url = "{store}"
[sources.hh]
base_url = "{hh}"
rate_limit_per_minute = 6000
[judge]
kind = "ollama"
base_url = "{ollama}"
model = "qwen3:8b"
rate_limit_per_minute = 6000
[[watch]]
name = "python"
kind = "vacancy"
profile = "{profile}"
max_experience_years = 0
  [[watch.query]]
  source = "hh"
  params = {{ text = "python" }}
"""
OPEN_ONES = Shares(banned=0.0, closed=0.0, gone=0.0, flaky=0.0, silent=0.0)


@pytest.fixture
def simulator():
    with Simulator(vacancy_world(3, NOON, {"hh": 60}, shares=OPEN_ONES)) as running:
        yield running


@pytest.fixture
def app(tmp_path: Path, database_url: str, simulator: Simulator):
    path = tmp_path / "radar.toml"
    path.write_text(CONFIG.format(store=database_url, profile=phrases.PROFILE, **simulator.base_urls), encoding="utf-8")
    path.chmod(0o600)
    with open_app(read_config(str(path)), WorldClock(simulator.internet)) as opened:
        yield opened


def work(app: App) -> None:
    """Do everything that may be done now."""
    worker = app.worker()
    while worker.once():
        pass


def all_matches(tx: Tx) -> list[int]:
    return [view.id for view in matches.search(tx, limit=1000)]


def statuses(app: App) -> Counter[str]:
    with app.database.reading() as tx:
        return Counter(matches.counts(tx))


def questions(simulator: Simulator) -> int:
    return sum(line.source == "ollama" for line in simulator.log)


def five_minutes_later(app: App, simulator: Simulator) -> None:
    simulator.advance(301)
    watch = app.judge_watch()
    assert watch is not None
    watch.once()
    scheduler = app.scheduler()
    scheduler.once()
    scheduler.resign()
    work(app)


def a_moment_later(app: App, simulator: Simulator) -> None:
    """The watch looks every half minute."""
    simulator.advance(31)
    watch = app.judge_watch()
    assert watch is not None
    watch.once()
    work(app)


def collect(app: App) -> None:
    chosen = [(watch, query) for watch in app.config.watches for query in watch.queries]
    app.fetcher().fetch(chosen)
    work(app)


def test_an_outage_of_an_hour_loses_no_match(app: App, simulator: Simulator) -> None:
    simulator.down("ollama")
    collect(app)
    assert statuses(app) == {"SKIPPED": 60}
    asked_until_it_opened = questions(simulator)
    assert asked_until_it_opened == 5

    for _ in range(12):
        five_minutes_later(app, simulator)
    assert statuses(app) == {"SKIPPED": 60}
    assert questions(simulator) - asked_until_it_opened <= 12 * 301 / COOL_DOWN.total_seconds()

    simulator.up("ollama")
    five_minutes_later(app, simulator)
    a_moment_later(app, simulator)
    assert statuses(app).keys() <= {"ANALYZED", "NOT_SUITABLE"}
    assert sum(statuses(app).values()) == 60

    with app.database.reading() as tx:
        told = [event.kind for event in events.recent(tx, source="judge")][::-1]
        waiting = [job for job in jobs.search(tx, kind="process", limit=500) if job.status != "succeeded"]
        judge = sources.get(tx, "judge")
    assert told == ["outage", "recovery"]
    assert waiting == []
    assert judge is not None
    assert judge.health.outage is None


def test_the_metrics_agree_with_the_store_after_an_outage(app: App, simulator: Simulator) -> None:
    simulator.down("ollama")
    collect(app)
    five_minutes_later(app, simulator)
    simulator.up("ollama")
    five_minutes_later(app, simulator)
    a_moment_later(app, simulator)
    text = app.meter().render().decode()
    tried = re.search(r"radar_recovery_attempts_total (\d+)\.0", text)
    recovered = re.search(r"radar_recovery_recovered_total (\d+)\.0", text)
    assert tried
    assert recovered
    with app.database.reading() as tx:
        logged = [event.to_status for one in all_matches(tx) for event in matches.events(tx, one)].count("NEW")
    assert int(tried[1]) == int(recovered[1]) == logged >= 60
    assert "radar_recovery_deleted_total 0.0" in text
    assert "radar_recovery_skipped_total 0.0" in text
    held = statuses(app)
    assert f'radar_matches{{status="ANALYZED"}} {float(held["ANALYZED"])}' in text
    assert 'radar_matches{status="SKIPPED"} 0.0' in text


def test_an_outage_longer_than_the_window_of_recovery_loses_no_match_either(app: App, simulator: Simulator) -> None:
    simulator.down("ollama")
    collect(app)
    simulator.advance(9 * 86_400)
    five_minutes_later(app, simulator)
    simulator.up("ollama")
    five_minutes_later(app, simulator)
    a_moment_later(app, simulator)
    assert statuses(app).keys() <= {"ANALYZED", "NOT_SUITABLE"}


def test_a_missing_model_uses_up_no_chance_of_any_match(app: App, simulator: Simulator) -> None:
    simulator.change_rules(ollama_models=())
    collect(app)
    assert statuses(app) == {"SKIPPED": 60}
    for _ in range(15):
        five_minutes_later(app, simulator)
    simulator.change_rules(ollama_models=("qwen3:8b",))
    five_minutes_later(app, simulator)
    a_moment_later(app, simulator)
    assert statuses(app).keys() <= {"ANALYZED", "NOT_SUITABLE"}


@pytest.mark.parametrize("kind", ["out_of_memory", "busy", "invalid_json"])
def test_a_judge_that_answers_to_its_name_but_gives_no_verdicts_uses_up_no_match(
    app: App, simulator: Simulator, kind: str
) -> None:
    simulator.switch(Fault(kind=kind, source="ollama", method="chat"))
    collect(app)
    assert statuses(app) == {"SKIPPED": 60}
    for _ in range(5 * 12):
        five_minutes_later(app, simulator)
    simulator.switch()
    for _ in range(3 * 12):
        five_minutes_later(app, simulator)
    assert statuses(app).keys() <= {"ANALYZED", "NOT_SUITABLE"}


def test_a_judge_that_asks_us_to_wait_for_an_hour_uses_up_no_match(app: App, simulator: Simulator) -> None:
    simulator.switch(Fault(kind="rate_limited", source="ollama", method="chat", seconds=3600.0, count=1))
    collect(app)
    held = statuses(app)
    assert held["SKIPPED"] >= 58
    asked = questions(simulator)
    for _ in range(11):
        five_minutes_later(app, simulator)
    assert questions(simulator) == asked
    for _ in range(3):
        five_minutes_later(app, simulator)
    assert statuses(app).keys() <= {"ANALYZED", "NOT_SUITABLE"}


@pytest.mark.parametrize("kind", ["words", "ollama"])
def test_a_judge_that_was_changed_begins_anew_with_what_waited_for_the_one_before(
    kind: str, app: App, simulator: Simulator
) -> None:
    broken = replace(app.config.judge, model="missing")
    with open_app(replace(app.config, judge=broken), app.clock) as before:
        collect(before)
        simulator.advance(9 * 86_400)
    assert statuses(app)["SKIPPED"] == 60
    mended = replace(app.config.judge, kind=kind)
    with open_app(replace(app.config, judge=mended), app.clock) as after:
        work(after)
        assert statuses(after)["SKIPPED"] == 0
        told = events_of_the_judge(after)
        work(after)
        assert events_of_the_judge(after) == told, "it is told once"
    assert any("changed in the configuration" in message for message in told)


def events_of_the_judge(app: App) -> list[str]:
    with app.database.reading() as tx:
        return [event.message for event in events.recent(tx, source="judge", limit=50)]
