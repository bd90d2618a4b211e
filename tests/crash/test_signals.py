"""Signals, closed streams and a terminal that goes away: the sweep ends in good order and nothing is lost."""

import os
import signal
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from crash.radar_command import LIMIT_S, Radar, at_request, end_of, start_and_signal, write_config
from crash.tables import rows
from inforadar.simulator.faults import Fault
from inforadar.simulator.server import Simulator

ALL = 120
TWO_PAGES, THREE_PAGES = 19, 28  # ten entries each, one of them shared with the page before
SILENCE_S = 300.0
WITH_OWN_TERMINAL = ("setsid", "--ctty")


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM])
def test_the_first_signal_ends_the_sweep_after_the_page_under_way(
    sqlite_radar: Radar, simulator: Simulator, sqlite_url: str, sign: signal.Signals
) -> None:
    stopped = end_of(start_and_signal(sqlite_radar, simulator, "linkedin", 3, sign, "fetch"))

    assert stopped.code == 130
    assert "Stopping after the page under way" in stopped.err
    assert "Traceback" not in stopped.err
    assert rows(sqlite_url, "SELECT stop_reason, pages_fetched FROM ingestion_runs") == [("stopped by user", 3)]
    assert stored(sqlite_url) == THREE_PAGES
    assert_the_next_fetch_completes(sqlite_radar, sqlite_url)


def test_the_second_signal_ends_the_process_at_once(sqlite_radar: Radar, simulator: Simulator, sqlite_url: str) -> None:
    simulator.switch(Fault(kind="timeout", source="linkedin", after=2, seconds=SILENCE_S))
    process = start_and_signal(sqlite_radar, simulator, "linkedin", 3, signal.SIGTERM, "fetch")
    assert process.stderr
    assert "Stopping after the page under way" in process.stderr.readline()
    process.send_signal(signal.SIGTERM)

    ended = end_of(process)

    assert ended.code == 130
    assert "Traceback" not in ended.err
    assert stored(sqlite_url) == TWO_PAGES
    simulator.switch()
    assert_the_next_fetch_completes(sqlite_radar, sqlite_url)


def test_a_run_stopped_between_two_queries_does_not_claim_to_be_complete(
    sqlite_radar: Radar, simulator: Simulator, sqlite_url: str, tmp_path: Path
) -> None:
    write_config(tmp_path, "sqlite:///probe.db", simulator, linkedin="")
    assert sqlite_radar.run("fetch").code == 0
    requests_of_one_query = len(simulator.log)
    write_config(tmp_path, sqlite_url, simulator, linkedin="", habr="")

    stopped = end_of(
        start_and_signal(sqlite_radar, simulator, "linkedin", requests_of_one_query, signal.SIGTERM, "fetch")
    )

    assert stored(sqlite_url) == ALL
    assert stopped.code == 130
    assert_the_next_fetch_completes(sqlite_radar, sqlite_url, at_least=ALL + 30)


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_streams_do_not_stop_a_sweep(sqlite_radar: Radar, sqlite_url: str, closed: str) -> None:
    ended = sqlite_radar.run("fetch", prefix=("sh", "-c", f'exec "$@" {closed}', "sh"))
    assert (ended.code, stored(sqlite_url)) == (0, ALL), ended.err
    assert "Traceback" not in ended.err


def test_a_reader_that_has_seen_enough_is_no_failure(sqlite_radar: Radar) -> None:
    assert sqlite_radar.run("fetch").code == 0
    process = sqlite_radar.start("items", "--json", "--limit", "1000")
    assert process.stdout
    assert process.stderr
    assert process.stdout.readline() == "[\n"
    process.stdout.close()
    said = process.stderr.read()
    process.stderr.close()
    assert process.wait(LIMIT_S) == 0
    assert said == ""


def test_a_sweep_goes_on_when_nobody_reads_its_log_any_more(sqlite_radar: Radar, sqlite_url: str) -> None:
    process = sqlite_radar.start("-v", "fetch")
    assert process.stdout
    assert process.stderr
    process.stderr.close()
    process.stdout.read()
    process.stdout.close()
    assert process.wait(LIMIT_S) == 0
    assert stored(sqlite_url) == ALL


def test_control_c_on_a_terminal_ends_the_sweep_after_the_page_under_way(
    sqlite_radar: Radar, simulator: Simulator, sqlite_url: str
) -> None:
    with terminal() as (keyboard, screen):
        at_request(simulator, "linkedin", 3, lambda: os.write(keyboard, b"\x03"))
        process = started_on(sqlite_radar, screen)
        assert process.wait(LIMIT_S) == 130
    assert stored(sqlite_url) == THREE_PAGES
    assert_the_next_fetch_completes(sqlite_radar, sqlite_url)


def test_a_terminal_that_goes_away_leaves_a_sound_database(
    sqlite_radar: Radar, simulator: Simulator, sqlite_url: str
) -> None:
    with terminal() as (_, screen):
        gone = threading.Event()
        at_request(simulator, "linkedin", 3, gone.set)
        process = started_on(sqlite_radar, screen)
        assert gone.wait(LIMIT_S)
    assert process.wait(LIMIT_S) != 0
    assert_the_next_fetch_completes(sqlite_radar, sqlite_url)


@contextmanager
def terminal() -> Iterator[tuple[int, int]]:
    """A terminal somebody watches: the end of the keyboard, the end for the program; gone after the block."""
    keyboard, screen = os.openpty()
    watcher = threading.Thread(target=_watch, args=(keyboard,), daemon=True)
    watcher.start()
    try:
        yield keyboard, screen
    finally:
        os.close(keyboard)


def _watch(keyboard: int) -> None:
    with suppress(OSError):
        while os.read(keyboard, 4096):
            continue


def started_on(radar: Radar, screen: int) -> subprocess.Popen[str]:
    """A `radar fetch` on a terminal of its own."""
    process = radar.start("fetch", prefix=WITH_OWN_TERMINAL, stdin=screen, stdout=screen, stderr=screen)
    os.close(screen)
    return process


def assert_the_next_fetch_completes(radar: Radar, url: str, at_least: int = ALL) -> None:
    ended = radar.run("fetch")
    assert ended.code == 0, ended.err
    assert stored(url) >= at_least
    assert rows(url, "SELECT 1 FROM query_state WHERE status <> 'SUCCESS'") == []
    assert radar.run("db", "check").code == 0


def stored(url: str) -> int:
    ((count,),) = rows(url, "SELECT count(*) FROM items")
    return int(count)
