"""From source to Telegram as real processes: every move of the flow, buttons, and kills at random.

TRUST I11 (effect and completion are one), I12 and I13 (sent at least once, at most once more per kill), I14 (each
effect once), I20 (archived only on a definite answer), I23 (triage is never lost or reversed).
"""

import json
import random
import signal
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from time import monotonic
from typing import Any

import pytest

from crash.radar_command import LIMIT_S, NOON, Ended, Radar, end_of
from crash.tables import rows
from inforadar.simulator import phrases
from inforadar.simulator.faults import Fault
from inforadar.simulator.scenarios import vacancy_world
from inforadar.simulator.server import Simulator

CONFIG = """\
[store]
url = "{store}"
[schedule]
fetch = "{fetch}"
fulltext = "1d"
recovery = "1s"
requeue = "1s"
recheck = "1d"
[work]
concurrency = 8
grace_s = 2
job_lock_timeout_s = 60
[web]
enabled = false
[cache]
enabled = false
[sources.hh]
base_url = "{hh}"
rate_limit_per_minute = 6000
[judge]
kind = "ollama"
base_url = "{ollama}"
model = "qwen3:8b"
concurrency = 6
rate_limit_per_minute = 6000
[telegram]
base_url = "{telegram}"
token = "123:ABC"
chat_id = 1
rate_limit_per_minute = 1800
gather_s = 0.5
[[watch]]
name = "python"
kind = "vacancy"
profile = "{profile}"
ban_words = {ban_words}
max_experience_years = 0
min_score = 0.5
deliver = ["telegram"]
first_run = "all"
  [[watch.query]]
  source = "hh"
  params = {{ text = "python" }}
"""
MOVES = "SELECT from_status, to_status, count(*) FROM match_events GROUP BY 1, 2"
STANDING = """
SELECT i.key, CASE WHEN m.status = 'ANALYZED' AND EXISTS (
         SELECT 1 FROM deliveries d
         WHERE d.match_id = m.id AND d.state = 'left out' AND d.why LIKE 'the same job%'
       ) THEN 'REPEATED' ELSE m.status END
FROM matches m JOIN items i ON i.id = m.item_id
"""
TRANSITIONS = {
    (None, "QUEUED"),
    ("NEW", "QUEUED"),
    ("QUEUED", "IN_ARCHIVE"),
    ("QUEUED", "ANALYZED"),
    ("QUEUED", "NOT_SUITABLE"),
    ("QUEUED", "SKIPPED"),
    ("ANALYZED", "SENT_TO_USER"),
    ("SENT_TO_USER", "APPLIED"),
    ("SENT_TO_USER", "NOT_INTERESTED"),
    ("SKIPPED", "NEW"),
}
LONG_S = 240.0
pytestmark = pytest.mark.timeout(900)


@contextmanager
def internet(count: int, *faults: Fault) -> Iterator[Simulator]:
    """A job site with labelled vacancies, Telegram and a model, standing still in time."""
    with Simulator(vacancy_world(11, NOON, {"hh": count}, days=20), faults) as simulator:
        yield simulator


def configured(folder: Path, store: str, simulator: Simulator, *, fetch: str = "1d") -> Radar:
    """A `radar` for it in a folder of its own."""
    path = folder / "radar.toml"
    text = CONFIG.format(
        store=store,
        fetch=fetch,
        profile=phrases.PROFILE,
        ban_words=json.dumps(list(phrases.BAN_WORDS), ensure_ascii=False),
        **simulator.base_urls,
    )
    path.write_text(text, encoding="utf-8")
    path.chmod(0o600)
    return Radar(folder=folder, variables={"RADAR_NOW": ""})


def eventually(holds: Callable[[], bool], limit_s: float = LONG_S) -> None:
    """Wait until something holds."""
    ends_at = monotonic() + limit_s
    while not holds():
        assert monotonic() < ends_at, "it did not come true in time"
        Event().wait(0.1)


def stopped(process: "subprocess.Popen[str]") -> Ended:
    process.send_signal(signal.SIGTERM)
    return end_of(process)


@contextmanager
def running(radar: Radar, *arguments: str) -> Iterator["subprocess.Popen[str]"]:
    """A process whose output goes to a file, so that no pipe can fill up; dead at the end whatever happens."""
    log = (radar.folder / f"{arguments[0]}-{random.random()}.log").open("w")
    process = radar.start(*arguments, stdout=log, stderr=log)
    try:
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.wait(LIMIT_S)
        log.close()


def labels(simulator: Simulator) -> dict[str, str]:
    return {key: label for (_, key), label in simulator.world.labels.items()}


def statuses(url: str) -> dict[str, str]:
    """Where each match stands; REPEATED = found good, and not sent because the same job was sent before."""
    return dict(rows(url, STANDING))


def sent_links(simulator: Simulator) -> set[str]:
    """The addresses of all vacancies that were sent."""
    shown = [message.as_json() for message in simulator.telegram.messages(None)]
    return {entity["url"] for message in shown for entity in message.get("entities", ()) if "url" in entity}


def assert_everything_came_to_its_end(url: str, simulator: Simulator, doubles: int = 0) -> None:
    """Every vacancy stands where its label says, and every good one was sent."""
    held, meant = statuses(url), labels(simulator)
    expelled = {key for (key,) in rows(url, "SELECT key FROM tombstones")}
    wrong = {}
    for key, label in meant.items():
        status = held.get(key, "expelled" if key in expelled else "missing")
        good = {"SENT_TO_USER", "NOT_SUITABLE", "APPLIED", "NOT_INTERESTED", "REPEATED"}
        allowed = {
            "fitting": good,
            "unfitting": good,
            "banned": {"expelled"},
            "closed": {"IN_ARCHIVE"},
            "gone": {"IN_ARCHIVE", "QUEUED"},
            "flaky": good | {"QUEUED"},
            "silent": good | {"QUEUED"},
        }[label]
        if status not in allowed:
            wrong[key] = (label, status)
    assert not wrong
    delivered = {
        key
        for (key,) in rows(
            url,
            "SELECT i.url FROM deliveries d JOIN matches m ON m.id = d.match_id "
            "JOIN items i ON i.id = m.item_id WHERE d.state = 'sent'",
        )
    }
    assert delivered <= sent_links(simulator)
    messages = len(rows(url, "SELECT DISTINCT reference FROM deliveries WHERE reference IS NOT NULL"))
    assert len(simulator.telegram.sends) - messages <= doubles


def quiet(url: str, simulator: Simulator) -> bool:
    """Whether everything was collected and only what waits for a second look is left."""
    meant = labels(simulator)
    waiting = {key for key, label in meant.items() if label in ("gone", "flaky", "silent")}
    held = statuses(url)
    expelled = {key for (key,) in rows(url, "SELECT key FROM tombstones")}
    unfinished = {key for key, status in held.items() if status in ("NEW", "QUEUED", "SKIPPED", "ANALYZED")}
    unsent = rows(url, "SELECT id FROM deliveries WHERE state IN ('waiting', 'held', 'sending')")
    return meant.keys() <= held.keys() | expelled and not (unfinished - waiting) and not unsent


def press(simulator: Simulator, message_id: int, button: str) -> None:
    with simulator.internet.lock:
        simulator.internet.telegram.press(message_id, button, user_id=1)


def singles(simulator: Simulator) -> list[Any]:
    with simulator.internet.lock:
        return [m for m in simulator.internet.telegram.messages(1) if "Applied" in m.buttons]


def buttons(simulator: Simulator, message_id: int) -> tuple[str, ...]:
    with simulator.internet.lock:
        (found,) = [m for m in simulator.internet.telegram.messages(1) if m.message_id == message_id]
        return tuple(found.buttons)


def test_hundreds_of_vacancies_go_from_the_source_to_telegram_and_every_move_of_the_flow_is_seen(
    tmp_path: Path, sqlite_url: str
) -> None:
    trouble = Fault(kind="invalid_json", source="ollama", method="chat", after=20, count=3)
    with internet(220, trouble) as simulator:
        radar = configured(tmp_path, sqlite_url, simulator)
        # a few at first, so that they come one by one: more than ten at once come as a digest
        assert radar.run("fetch", "--limit", "15").code == 0
        assert radar.run("work", "--until-idle").code == 0
        with running(radar, "run") as run:
            eventually(lambda: quiet(sqlite_url, simulator))
            assert_everything_came_to_its_end(sqlite_url, simulator)
            first, second, third = singles(simulator)[:3]
            press(simulator, first.message_id, "Applied")
            press(simulator, second.message_id, "Not for me")
            press(simulator, third.message_id, "Applied")
            eventually(lambda: Counter(statuses(sqlite_url).values())["APPLIED"] == 2)
            eventually(lambda: "Undo" in buttons(simulator, third.message_id))
            press(simulator, third.message_id, "Undo")
            eventually(lambda: Counter(statuses(sqlite_url).values())["APPLIED"] == 1)
            eventually(lambda: "Undo" in buttons(simulator, first.message_id))
            eventually(lambda: "Applied" in buttons(simulator, third.message_id))
            ended = stopped(run)

    assert ended.code == 0
    seen = {(old, new) for old, new, _ in rows(sqlite_url, MOVES)}
    assert seen >= TRANSITIONS
    assert Counter(statuses(sqlite_url).values())["NOT_INTERESTED"] == 1


def test_two_workers_on_postgresql_share_the_work_and_nothing_is_done_twice(tmp_path: Path, postgres_url: str) -> None:
    with internet(200) as simulator:
        radar = configured(tmp_path, postgres_url, simulator)
        assert radar.run("fetch").code == 0
        with running(radar, "work"), running(radar, "work"):
            eventually(lambda: quiet(postgres_url, simulator))
        assert_everything_came_to_its_end(postgres_url, simulator)
    assert rows(postgres_url, "SELECT match_id, substance FROM analyses GROUP BY 1, 2 HAVING count(*) > 1") == []
    workers = rows(postgres_url, "SELECT DISTINCT judge FROM analyses")
    assert workers == [("ollama/qwen3:8b",)]


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_killed_at_random_nothing_is_lost_and_nothing_is_sent_more_often_than_it_was_killed(
    tmp_path: Path, kind: str, request: pytest.FixtureRequest
) -> None:
    url = request.getfixturevalue(f"{kind}_url")
    chance = random.Random(7)
    kills = 0
    with internet(120) as simulator:
        # often, since a sweep that was killed as often as it may be tried goes on with the next one
        radar = configured(tmp_path, url, simulator, fetch="5s")
        while kills < 12:
            with running(radar, "run") as run:
                so_far = done(url)
                eventually(lambda: done(url) > so_far or quiet(url, simulator))  # noqa: B023 - used at once
                Event().wait(chance.random() * 0.5)
                run.kill()
                kills += 1
            assert lost_effects(url) == []
            if quiet(url, simulator):
                break
        with running(radar, "run") as run:
            eventually(lambda: quiet(url, simulator))
            stopped(run)
        assert_everything_came_to_its_end(url, simulator, doubles=kills)
    assert rows(url, "SELECT match_id, sink FROM deliveries GROUP BY 1, 2 HAVING count(*) > 1") == []


def done(url: str) -> int:
    try:
        return int(rows(url, "SELECT count(*) FROM match_events")[0][0])
    except Exception:
        return 0


def lost_effects(url: str) -> list[Any]:
    """I11: a good verdict without its row in the outbox, or a waiting row without its job."""
    return [
        *rows(
            url,
            "SELECT m.id FROM matches m WHERE m.status = 'ANALYZED' "
            "AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.match_id = m.id)",
        ),
        *rows(
            url,
            "SELECT d.id FROM deliveries d WHERE d.state IN ('waiting', 'sending') AND NOT EXISTS ("
            "SELECT 1 FROM jobs j WHERE j.unique_key = 'deliver:' || CAST(d.id AS TEXT) "
            "AND j.status IN ('pending', 'running', 'retryable'))",
        ),
        *rows(
            url,
            "SELECT m.id FROM matches m WHERE m.status IN ('ANALYZED', 'NOT_SUITABLE', 'SENT_TO_USER') "
            "AND NOT EXISTS (SELECT 1 FROM analyses a WHERE a.match_id = m.id)",
        ),
    ]


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_what_is_in_work_at_the_end_of_the_grace_time_is_skipped_and_recovered_by_the_next_run(
    tmp_path: Path, kind: str, request: pytest.FixtureRequest
) -> None:
    url = request.getfixturevalue(f"{kind}_url")
    with internet(30, Fault(kind="slow_start", source="ollama", method="chat", seconds=60.0)) as simulator:
        radar = configured(tmp_path, url, simulator)
        with running(radar, "run") as run:
            eventually(lambda: bool(rows(url, "SELECT id FROM jobs WHERE kind = 'process' AND status = 'running'")))
            eventually(lambda: any(line.source == "ollama" for line in simulator.log))
            ended = stopped(run)
        assert ended.code == 0
        why = rows(url, "SELECT DISTINCT why FROM match_events WHERE to_status = 'SKIPPED'")
        assert why == [("radar was stopped while it was in work",)]
        simulator.switch()
        with running(radar, "run") as run:
            eventually(lambda: quiet(url, simulator))
            stopped(run)
        assert_everything_came_to_its_end(url, simulator)
