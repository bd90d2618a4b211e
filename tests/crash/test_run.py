"""`radar run` as a real process: it ends in good order, survives its own death and the store's, and never runs double.

TRUST I25 (no overlapping runs), I26 (shutdown), I28 (metrics), F13, F15, F16.
"""

import re
import signal
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from time import monotonic
from typing import Any

import psycopg
import pytest

from crash.invariants import broken_promises, holding
from crash.radar_command import LIMIT_S, Ended, Radar, at_request, end_of, start_and_signal, write_config
from crash.tables import rows
from inforadar.simulator.faults import Fault
from inforadar.simulator.server import Simulator
from inforadar.workers.settling import GIVEN_BACK

ALL = 120
THREE_PAGES = 28
SILENCE_S = 300.0
EVERY_SECOND = '[schedule]\nfetch = "1s"\nfulltext = "1d"\n'
UNFINISHED = "SELECT id FROM jobs WHERE status IN ('pending', 'running', 'retryable')"
UNFINISHED_BUSINESS = "SELECT kind, status, run_at, error_message FROM jobs WHERE status NOT IN ('succeeded', 'failed')"
ONCE = '[schedule]\nfetch = "1d"\nfulltext = "1d"\n'
ANOTHER_WATCH = """
[[watch]]
name = "b"
kind = "vacancy"
[[watch.query]]
source = "hh"
params = { text = "python" }
"""
OVERLAPPING = """
SELECT a.id, b.id FROM ingestion_runs a JOIN ingestion_runs b ON a.id < b.id
WHERE a.started_at < b.finished_at AND b.started_at < a.finished_at
"""


@pytest.fixture
def quick(radar: Radar) -> Radar:
    """A `radar` that fetches every second, by the machine's own time."""
    add(radar, EVERY_SECOND)
    return replace(radar, variables={"RADAR_NOW": ""})


def test_it_fetches_again_and_again_until_a_signal_ends_it_well(quick: Radar, database_url: str) -> None:
    with running(quick) as run:
        eventually(lambda: len(runs(database_url, "SUCCESS")) >= 3)
    ended = stopped(run)

    assert ended.code == 0, ended.err
    assert "Traceback" not in ended.err
    assert "Stopping: running jobs get some time to end" in ended.err
    assert stored(database_url) == ALL
    assert in_work(database_url) == []
    assert rows(database_url, OVERLAPPING) == []
    assert live_leases(database_url) == []


def work_off(radar: Radar, database_url: str) -> None:
    """Do what is left; a job may be claimed again some seconds after it was given back."""
    ends_at = monotonic() + LIMIT_S
    while monotonic() < ends_at:
        worked = radar.run("work", "--until-idle")
        assert worked.code == 0, worked.err
        assert "Nothing is left to do now." in worked.err
        if not unfinished_sweeps(database_url):
            return
    pytest.fail(f"the sweep waits still: {rows(database_url, UNFINISHED_BUSINESS)}")


def test_a_signal_in_the_middle_ends_the_sweep_after_its_page_and_the_next_worker_goes_on(
    radar: Radar, simulator: Simulator, database_url: str
) -> None:
    add(radar, ONCE)
    # so slow that on a busy machine too the signal is heard long before the last page
    simulator.switch(Fault(kind="slow_body", source="linkedin", scope="list", after=3, seconds=1.0))
    ended = end_of(start_and_signal(radar, simulator, "linkedin", 3, signal.SIGTERM, "run"))
    simulator.switch()

    assert ended.code == 0, ended.err
    # on a busy machine a page may come before the signal is heard
    assert THREE_PAGES <= stored(database_url) < ALL
    assert unfinished_sweeps(database_url) == [("pending", 1)]
    before = holding(database_url)
    work_off(radar, database_url)
    assert stored(database_url) == ALL
    assert unfinished_sweeps(database_url) == []
    assert broken_promises(database_url, before, holding(database_url)) == []


def test_the_second_signal_ends_it_at_once_and_gives_the_job_back(
    radar: Radar, simulator: Simulator, database_url: str
) -> None:
    add(radar, ONCE + f"[work]\ngrace_s = {SILENCE_S}\n")
    simulator.switch(
        Fault(kind="timeout", source="linkedin", scope="list", after=2, seconds=SILENCE_S),
        Fault(kind="timeout", source="linkedin", scope="detail", seconds=SILENCE_S),
    )
    process = start_and_signal(radar, simulator, "linkedin", 3, signal.SIGTERM, "run")
    told_by(process, "Stopping")
    process.send_signal(signal.SIGTERM)
    ended = end_of(process)

    assert ended.code == 0, ended.err
    assert "Traceback" not in ended.err
    assert unfinished_sweeps(database_url) == [("pending", 1)]
    # and not ended by itself, when the silence of its source was an error
    assert rows(database_url, "SELECT error_message FROM jobs WHERE kind = 'sweep'") == [(GIVEN_BACK,)]
    simulator.switch()
    work_off(radar, database_url)
    assert stored(database_url) == ALL


def test_a_killed_run_is_taken_up_at_once_by_the_next(quick: Radar, simulator: Simulator, database_url: str) -> None:
    killed = end_of(start_and_signal(quick, simulator, "linkedin", 3, signal.SIGKILL, "run"))
    assert killed.code == -signal.SIGKILL
    assert unfinished_sweeps(database_url) == [("running", 1)]
    before = holding(database_url)

    with running(quick) as run:
        eventually(lambda: runs(database_url, "SUCCESS"))
    assert stopped(run).code == 0
    assert stored(database_url) == ALL
    assert broken_promises(database_url, before, holding(database_url)) == []
    lost = "SELECT e.event FROM job_events e JOIN jobs j ON j.id = e.job_id WHERE j.kind = 'sweep'"
    assert rows(database_url, lost) == [("loss",)]


def test_queued_matches_without_a_job_get_one_at_the_next_start(radar: Radar, database_url: str) -> None:
    add(radar, ONCE)
    assert radar.run("fetch").code == 0
    rows_changed(database_url, "DELETE FROM jobs WHERE id % 3 = 0")
    rows_changed(database_url, "INSERT INTO schedules VALUES ('requeue', '2026-01-05T12:00:00.000000Z')")
    assert len(jobless(database_url)) > 30
    with running(radar) as run:
        eventually(lambda: not jobless(database_url))
    assert stopped(run).code == 0


def test_metrics_agree_with_the_store_at_rest(radar: Radar, database_url: str) -> None:
    add(radar, ONCE)
    with running(radar, "--metrics-port", "0") as run:
        assert run.stderr
        address = re.search(r"http://127\.0\.0\.1:\d+/metrics", told_by(run, "Metrics at"))
        assert address
        eventually(lambda: runs(database_url, "SUCCESS") and not rows(database_url, UNFINISHED))
        shown = urllib.request.urlopen(address[0], timeout=LIMIT_S).read().decode()
    assert stopped(run).code == 0
    counted = dict(rows(database_url, "SELECT status, count(*) FROM jobs GROUP BY status"))
    for status in ("pending", "running", "retryable", "succeeded", "failed"):
        assert f'radar_jobs{{status="{status}"}} {float(counted.get(status, 0))}' in shown
    assert f'radar_items_added_total{{source="linkedin"}} {float(ALL)}' in shown
    assert 'radar_sweeps_total{source="linkedin",stop_reason="end of feed"} 1.0' in shown
    assert 'radar_lease_held{lease="scheduler"} 1.0' in shown


def test_of_two_runs_one_puts_the_work_and_the_other_takes_over_when_it_is_killed(
    tmp_path: Path, simulator: Simulator, postgres_url: str
) -> None:
    write_config(tmp_path, postgres_url, simulator, linkedin="")
    radar = replace(Radar(folder=tmp_path), variables={"RADAR_NOW": ""})
    add(radar, EVERY_SECOND)
    with running(radar) as one, running(radar) as two:
        eventually(lambda: len(runs(postgres_url, "SUCCESS")) >= 2)
        ((elected,),) = rows(postgres_url, "SELECT holder FROM leases WHERE name = 'scheduler'")
        first, second = (one, two) if f":{one.pid}:" in elected else (two, one)
        first.kill()
        so_far = len(runs(postgres_url, "SUCCESS"))
        eventually(lambda: len(runs(postgres_url, "SUCCESS")) >= so_far + 2)
        ((heir,),) = rows(postgres_url, "SELECT holder FROM leases WHERE name = 'scheduler'")
    assert f":{second.pid}:" in heir
    assert stopped(second).code == 0
    stopped(first)
    assert rows(postgres_url, OVERLAPPING) == []
    assert stored(postgres_url) == ALL


def test_a_changed_configuration_is_read_by_itself_and_a_broken_one_is_told_and_waited_out(
    quick: Radar, database_url: str
) -> None:
    path = quick.folder / "radar.toml"
    first = path.read_text()
    with running(quick) as run:
        eventually(lambda: runs(database_url, "SUCCESS"))
        path.write_text(first + "[[watch]\n")
        assert "cannot be used" in told_by(run, "The configuration was changed")
        elsewhere = first.replace(database_url, f"sqlite:///{quick.folder}/none/radar.db")
        for unusable in (first + '[web]\nhost = "0.0.0.0"\n', elsewhere):
            path.write_text(unusable)
            assert "cannot be used" in told_by(run, "The configuration was changed")
        path.write_text(first + ANOTHER_WATCH)
        told_by(run, "is read anew")
        eventually(lambda: rows(database_url, "SELECT 1 FROM query_state WHERE watch = 'b' AND status = 'SUCCESS'"))
    ended = stopped(run)
    assert (ended.code, "Traceback" in ended.err) == (0, False)
    assert in_work(database_url) == []


def test_a_store_that_goes_away_for_a_while_does_not_end_it(
    tmp_path: Path, simulator: Simulator, postgres_url: str
) -> None:
    write_config(tmp_path, postgres_url, simulator, linkedin="")
    radar = replace(Radar(folder=tmp_path), variables={"RADAR_NOW": ""})
    add(radar, EVERY_SECOND)
    with running(radar) as run:
        eventually(lambda: runs(postgres_url, "SUCCESS"))
        with closed_to_all(postgres_url):
            told_by(run, "trying again until it works")
        so_far = len(runs(postgres_url, "SUCCESS"))
        eventually(lambda: len(runs(postgres_url, "SUCCESS")) >= so_far + 2)
        assert run.poll() is None
    ended = stopped(run)
    assert ended.code == 0, ended.err
    assert "works again" in ended.err
    assert "Traceback" not in ended.err


def test_a_store_that_goes_away_in_the_middle_of_a_sweep_does_not_keep_its_lease(
    tmp_path: Path, simulator: Simulator, postgres_url: str
) -> None:
    write_config(tmp_path, postgres_url, simulator, linkedin="", habr="")
    radar = replace(Radar(folder=tmp_path), variables={"RADAR_NOW": ""})
    add(radar, EVERY_SECOND)
    in_the_middle, is_closed = threading.Event(), threading.Event()

    def wait_for_the_end() -> None:
        in_the_middle.set()
        is_closed.wait(LIMIT_S)

    at_request(simulator, "linkedin", 3, wait_for_the_end)
    with running(radar) as run:
        assert in_the_middle.wait(LIMIT_S)
        with closed_to_all(postgres_url):
            is_closed.set()
            pause(0.5)
        eventually(lambda: rows(postgres_url, "SELECT 1 FROM query_state WHERE source = 'habr' AND status = 'SUCCESS'"))
    assert stopped(run).code == 0


def test_sweeps_of_different_sources_run_at_the_same_time_if_the_user_says_so_and_of_one_source_never(
    tmp_path: Path, simulator: Simulator, postgres_url: str
) -> None:
    write_config(tmp_path, postgres_url, simulator, linkedin="", habr="", hh="")
    radar = replace(Radar(folder=tmp_path), variables={"RADAR_NOW": ""})
    add(radar, ANOTHER_WATCH + EVERY_SECOND + '[work]\nlease = "source"\n')
    simulator.switch(Fault(kind="slow_body", source="linkedin", seconds=0.3))
    with running(radar) as run:
        eventually(lambda: len(rows(postgres_url, "SELECT 1 FROM query_state WHERE sweeps > 1")) == 4)
    assert stopped(run).code == 0
    of = dict(rows(postgres_url, "SELECT id, source FROM ingestion_runs"))
    pairs = [(of[a], of[b]) for a, b in rows(postgres_url, OVERLAPPING)]
    assert any(a != b for a, b in pairs)
    assert not any(a == b for a, b in pairs)


def add(radar: Radar, lines: str) -> None:
    """More lines for its configuration."""
    path = radar.folder / "radar.toml"
    path.write_text(path.read_text() + lines)


@contextmanager
def running(radar: Radar, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """A `radar run` that is asked to end after the block."""
    process = radar.start("run", *arguments)
    try:
        yield process
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
    except BaseException:
        process.kill()
        sys.stderr.write(end_of(process).err)
        raise


def stopped(process: subprocess.Popen[str]) -> Ended:
    """How it ended."""
    return end_of(process)


def told_by(process: subprocess.Popen[str], words: str) -> str:
    """The first line of its log with these words."""
    assert process.stderr
    while words not in (line := process.stderr.readline()):
        assert line, "it ended without saying so"
        assert "Traceback" not in line
    return line


def eventually(is_so: Callable[[], Any], within_s: float = LIMIT_S) -> None:
    """Wait until something holds."""
    ends_at = monotonic() + within_s
    while not is_so():
        assert monotonic() < ends_at, "it never came to that"
        pause(0.05)


def pause(seconds: float) -> None:
    """Let other processes go on for a while."""
    threading.Event().wait(seconds)


@contextmanager
def closed_to_all(url: str) -> Iterator[None]:
    """The database takes nobody while the block runs, and everybody in it is thrown out."""
    name = url.rpartition("/")[2].partition("?")[0]
    with psycopg.connect(url.replace(f"/{name}", "/postgres"), autocommit=True) as server:
        server.execute(f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS false'.encode())
        server.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", (name,))
        try:
            yield
        finally:
            server.execute(f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS true'.encode())


def rows_changed(url: str, statement: str) -> None:
    if url.startswith("sqlite"):
        rows(url, statement)
    else:
        with psycopg.connect(url, autocommit=True) as server:
            server.execute(statement.encode())


def runs(url: str, status: str) -> list[Any]:
    return rows(url, f"SELECT id FROM ingestion_runs WHERE status = '{status}'")


def unfinished_sweeps(url: str) -> list[Any]:
    return rows(
        url,
        "SELECT status, count(*) FROM jobs "
        "WHERE kind = 'sweep' AND status NOT IN ('succeeded', 'failed') GROUP BY status",
    )


def in_work(url: str) -> list[Any]:
    """What still belongs to somebody. What waits for its turn does not, and with a sweep each second something may."""
    return rows(url, "SELECT kind, locked_by FROM jobs WHERE status = 'running'")


def jobless(url: str) -> list[Any]:
    return rows(url, "SELECT id FROM matches WHERE 'process:' || CAST(id AS TEXT) NOT IN (SELECT unique_key FROM jobs)")


def live_leases(url: str) -> list[Any]:
    """Leases with time left; given back ones end at the moment they were."""
    now = "now()" if url.startswith("postgres") else "strftime('%Y-%m-%dT%H:%M:%fZ')"
    return rows(url, f"SELECT name FROM leases WHERE expires_at > {now}")


def stored(url: str) -> int:
    ((count,),) = rows(url, "SELECT count(*) FROM items")
    return int(count)
