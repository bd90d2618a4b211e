"""The log's file turns over, loses no line, and nobody else can read it."""

import os
import stat
import threading
from datetime import UTC, datetime
from io import StringIO

from inforadar.observe.clock import SystemClock
from inforadar.observe.log import get_log, set_up_log
from inforadar.observe.log_file import LogFile, aside
from inforadar.observe.secrets import Secrets


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_a_file_that_has_grown_is_put_aside_and_the_oldest_is_forgotten(tmp_path):
    path = tmp_path / "radar.log"
    log = LogFile(path, max_bytes=20, keep=2)
    for number in range(5):
        log.write(f"line {number} xxxxxxxxxxxxxx\n")
    log.write("the last\n")
    assert path.read_text() == "the last\n"
    assert "line 4" in aside(path, 1).read_text()
    assert "line 3" in aside(path, 2).read_text()
    assert sorted(one.name for one in tmp_path.iterdir()) == ["radar.log", "radar.log.1", "radar.log.2"]
    assert {mode(one) for one in tmp_path.iterdir()} == {0o600}


def test_two_writers_of_one_file_lose_nothing_when_it_turns_over(tmp_path):
    path = tmp_path / "radar.log"
    writers = [LogFile(path, max_bytes=500, keep=100) for _ in range(4)]
    threads = [
        threading.Thread(target=lambda one=one, n=n: [one.write(f"<{n}.{i}>\n") for i in range(200)])
        for n, one in enumerate(writers)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    lines = [line for one in tmp_path.iterdir() for line in one.read_text().splitlines()]
    assert sorted(lines) == sorted(f"<{n}.{i}>" for n in range(4) for i in range(200))


def test_a_log_that_cannot_be_written_stops_nobody(tmp_path):
    assert LogFile(tmp_path / "no" / "radar.log", max_bytes=20, keep=1).write("x\n") == 2


def test_a_link_in_the_place_of_the_log_is_not_followed(tmp_path):
    (tmp_path / "radar.log").symlink_to(tmp_path / "elsewhere")
    LogFile(tmp_path / "radar.log", max_bytes=20, keep=1).write("x\n")
    assert not (tmp_path / "elsewhere").exists()


def test_the_file_is_told_more_than_the_terminal_and_no_secret(tmp_path):
    path, screen = tmp_path / "radar.log", StringIO()
    set_up_log(
        clock=SystemClock(datetime(2026, 1, 5, tzinfo=UTC)),
        secrets=Secrets(["hunter2-token"]),
        level="WARNING",
        stream=screen,
        file=LogFile(path, max_bytes=10_000, keep=1),
        has_colours=True,
    )
    get_log("test").info("quiet", token="hunter2-token")
    get_log("test").warning("loud")
    written = path.read_text()
    assert "quiet" in written
    assert "loud" in written
    assert "hunter2" not in written
    assert "\x1b" not in written
    assert "quiet" not in screen.getvalue()
    assert "loud" in screen.getvalue()


def test_a_log_that_is_set_up_anew_gives_the_file_before_back(tmp_path):
    def log_to(name):
        set_up_log(
            clock=SystemClock(datetime(2026, 1, 5, tzinfo=UTC)),
            secrets=Secrets([]),
            stream=StringIO(),
            file=LogFile(tmp_path / name, max_bytes=10_000, keep=1),
        )
        get_log("test").info("quiet")

    before = len(os.listdir("/proc/self/fd"))
    for number in range(20):
        log_to(f"{number}.log")
    assert len(os.listdir("/proc/self/fd")) - before < 5
