"""Seed 003's screen part sentence by sentence: which test proves it; and the whole of it once in the real program."""

import importlib
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from textual.app import App as TextualApp

from inforadar.bootstrap import known_sources
from inforadar.interfaces.tui.fetch_screen import FetchScreen
from inforadar.interfaces.tui.narrowing import Narrowing
from inforadar.interfaces.tui.record import Record
from inforadar.simulator.faults import Fault
from interfaces.command_line import RADAR, CommandLine
from interfaces.tui_rig import played, until, until_shown

SENTENCES = {
    "the shortcut f calls it": "test_tui_main:test_f_fetches_what_the_filter_shows_and_the_list_has_it_after",
    "the line :fetch calls it": "test_tui_screens:test_fetch_by_command_alone_fetches_what_the_filter_shows",
    "the result is on a screen of its own": (
        "test_tui_main:test_f_fetches_what_the_filter_shows_and_the_list_has_it_after"
    ),
    "1. header Fetch with the active filters by source and topic, in the format of Info Radar": (
        "test_tui_fetch:test_the_header_shows_the_active_filters_as_the_main_header_does"
    ),
    "2. a progress bar of the number of articles": (
        "test_tui_fetch:test_the_bar_has_no_end_while_all_queries_are_counted_and_is_exact_after"
    ),
    "3. a log field in a green frame": "test_tui_fetch:test_the_log_stands_in_a_green_frame_and_comes_in_live",
    "the screen is shown and the command starts at once": (
        "test_tui_fetch:test_it_starts_at_once_and_the_report_stays_when_it_is_done"
    ),
    "Esc stops, the screen stays, the log has what was done and that the user interrupted": (
        "test_tui_fetch:test_esc_stops_in_good_order_and_the_screen_stays_with_what_was_done"
    ),
    "Esc again gives up and closes": (
        "test_tui_fetch:test_esc_again_gives_up_what_is_under_way_and_closes_at_once_and_nothing_is_lost"
    ),
    "each source has its own logic, in a class of its own": "test_tui_seed:test_each_source_is_a_class_of_its_own",
    "the screen gets the number of articles, the number processed and the records of the log": (
        "test_tui_seed:test_the_screen_needs_nothing_but_two_numbers_and_a_log"
    ),
    "every source gives it": "test_tui_counting:test_the_bar_ends_at_what_was_read_whatever_the_source_tells",
    "several sources or topics are fetched separately, one after another": (
        "test_tui_fetch:test_several_sources_and_topics_are_each_swept_one_after_another"
    ),
    "first everything is counted, and the bar has no end": (
        "test_tui_fetch:test_the_bar_has_no_end_while_all_queries_are_counted_and_is_exact_after"
    ),
    "j and k scroll the log": "test_tui_fetch:test_j_and_k_scroll_the_log_which_then_says_how_to_follow_again",
    "the lines of the log come in live": "test_tui_fetch:test_the_log_stands_in_a_green_frame_and_comes_in_live",
}


@pytest.mark.parametrize("sentence", SENTENCES)
def test_every_sentence_has_its_test(sentence: str):
    module, _, name = SENTENCES[sentence].partition(":")
    assert callable(getattr(importlib.import_module(f"interfaces.{module}"), name))


def test_each_source_is_a_class_of_its_own():
    sources = known_sources()
    assert len({type(source) for source in sources.values()}) == len(sources) >= 13


class TwoNumbersAndALog:
    """The small interface, and nothing else."""

    to_process: int | None = None
    processed = 0
    records: tuple[Record, ...] = ()
    is_over = False
    calls: tuple[str, ...] = ()

    def start(self) -> None:
        self.calls += ("start",)

    def stop(self) -> None:
        self.calls += ("stop",)

    def abort(self) -> None:
        self.calls += ("abort",)


def test_the_screen_needs_nothing_but_two_numbers_and_a_log():
    feed = TwoNumbersAndALog()

    class Host(TextualApp[None]):
        def on_mount(self) -> None:
            self.push_screen(FetchScreen(feed, Narrowing()))

    host = Host()

    async def play(pilot):
        await until_shown(pilot, "counting")
        assert feed.calls == ("start",)
        feed.to_process, feed.processed = 40, 10
        feed.records = (Record(text="a line of a source"),)
        await until_shown(pilot, "10 of 40", "a line of a source")
        await pilot.press("escape", "escape")
        await until(pilot, lambda: feed.calls == ("start", "stop", "abort"), "both calls")
        await until(pilot, lambda: not isinstance(host.screen, FetchScreen), "the end of the screen")

    played(host, play)


class Tmux:
    """The real program in a window of tmux."""

    def __init__(self, socket: Path) -> None:
        self._socket = socket

    def __call__(self, *arguments: str) -> str:
        command = ["tmux", "-S", str(self._socket), "-f", "/dev/null", *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout

    def shown(self) -> str:
        return self("capture-pane", "-p", "-t", "radar")

    def until(self, *texts: str, line: int | None = None) -> None:
        """Look again and again until all these texts stand in the window, or in one of its lines, at one time."""
        end = time.monotonic() + 60
        while True:
            shown = self.shown()
            seen = shown if line is None else shown.split("\n")[line]
            if all(text in seen for text in texts):
                return
            assert time.monotonic() < end, f"{texts} did not come:\n{shown}"
            time.sleep(0.1)

    def press(self, *keys: str) -> None:
        self("send-keys", "-t", "radar", *keys)


@pytest.fixture
def tmux(radar: CommandLine, tmp_path: Path) -> Iterator[Tmux]:
    """`radar` alone in tmux, at 80x24."""
    if shutil.which("tmux") is None:
        pytest.skip("tmux is not installed: apt-get install tmux")
    window = Tmux(tmp_path / "tmux")
    settings = [f"{name}={value}" for name, value in {**radar.env, "LANG": "C.UTF-8"}.items()]
    started = ["-x", "80", "-y", "24", "-c", str(radar.folder), "env", *settings, *RADAR]
    window("new-session", "-d", "-s", "radar", *started)
    yield window
    subprocess.run(["tmux", "-S", str(tmp_path / "tmux"), "kill-server"], capture_output=True, check=False)


def test_the_whole_of_it_in_tmux(tmux: Tmux, simulator, radar: CommandLine):
    simulator.switch(Fault(kind="slow_start", seconds=2.0))  # long enough for each step to be looked at
    tmux.until("Nothing found yet: f fetches.")
    tmux.press("f")
    tmux.until("Counting what 4 queries have to read")
    tmux.until("Fetch", line=0)
    tmux.until("counting", line=1)
    tmux.until("╭", line=2)
    tmux.until("jobs / linkedin: asking")
    tmux.until(" of ", line=1)
    tmux.press("Escape")
    tmux.until("over", line=1)
    tmux.until("Fetch", line=0)
    tmux.until("interrupted by the user", "added")
    tmux.press("k", "k", "k")
    tmux.until("G follows")
    tmux.press("j", "G", "Escape")
    tmux.until("Info Radar", line=0)
    simulator.switch()
    tmux.press(":fetch habr", "Enter")
    tmux.until("Fetch  [source: habr]", line=0)
    tmux.until("over", line=1)
    tmux.until("nothing left")
    simulator.switch(Fault(kind="slow_start", seconds=300.0))
    tmux.press("Escape")
    tmux.until("Info Radar", line=0)
    tmux.press("f")
    tmux.until("Counting")
    tmux.press("Escape")
    tmux.until("Stopping after the page under way")
    tmux.press("Escape")
    tmux.until("Info Radar", line=0)
    tmux.press("q")
    assert {item["source"] for item in radar("items", "--json").json} >= {"habr", "hh"}
