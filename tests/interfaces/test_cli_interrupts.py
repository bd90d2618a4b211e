"""Ctrl-C, SIGTERM and a reader who goes away: nothing is lost, and the exit code says what happened."""

import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable

import pytest

from inforadar.simulator.faults import Fault
from inforadar.simulator.server import Simulator

PATIENCE_S = 60.0


def wait_until(is_true: Callable[[], object]) -> None:
    """Come back when something is true, which another thread or process brings about."""
    ends = time.monotonic() + PATIENCE_S
    while not is_true():
        assert time.monotonic() < ends, "it did not come true"
        time.sleep(0.005)


def interrupt_at_first_page(simulator: Simulator, source: str, by: signal.Signals) -> None:
    """Send this process a signal just before a site answers its first request for a list."""
    simulator.internet.before_list(source, 1, lambda _world: signal.pthread_kill(threading.main_thread().ident, by))


@pytest.mark.parametrize("by", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_fetch_after_the_page_under_way(radar, simulator, by):
    interrupt_at_first_page(simulator, "linkedin", by)
    ran = radar("fetch", "--source", "linkedin", "--json")
    assert ran.code == 130
    assert "Stopping after the page under way" in ran.err
    (query,) = ran.json["queries"]
    assert (query["stop_reason"], query["pages"]) == ("stopped by user", 1)
    assert len(radar("items", "--json").json) == query["added"] > 0


def test_queries_that_a_stopped_fetch_did_not_get_to_are_reported_as_left(radar, simulator):
    interrupt_at_first_page(simulator, "hh", signal.SIGINT)
    ran = radar("fetch", "--json")
    assert ran.code == 130
    assert [query["source"] for query in ran.json["queries"]] == ["hh", "linkedin", "habr", "habr"]
    assert [query["pages"] for query in ran.json["queries"]] == [1, 0, 0, 0]
    assert all(query["left"] for query in ran.json["queries"][1:])
    assert radar("fetch").code == 0


def test_the_report_of_a_stopped_fetch_says_so(radar, simulator):
    interrupt_at_first_page(simulator, "hh", signal.SIGINT)
    ran = radar("fetch")
    assert "\nStopped: " in ran.out
    assert "0 of 4 queries failed" in ran.out


def test_a_second_signal_stops_at_once_and_leaves_the_lease_free(radar, simulator):
    simulator.switch(Fault(kind="timeout", source="hh", seconds=60))
    process = radar.start("fetch")
    wait_until(lambda: simulator.log)
    process.send_signal(signal.SIGINT)
    assert process.stderr is not None
    assert b"once more to stop at once" in process.stderr.readline()
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130
    assert b"interrupted" in said
    assert b"Traceback" not in said
    simulator.switch()
    assert radar("fetch").code == 0


def test_a_reader_that_goes_away_is_no_failure(radar):
    radar("fetch")
    reading, writing = os.pipe()
    os.close(reading)
    process = radar.start("items", "--json", stdout=writing, stderr=subprocess.PIPE)
    os.close(writing)
    _, said = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, said) == (0, b"")
