"""On a terminal: bars that learn their length and vanish, log lines above them, the report that stays."""

import os
import pty
import re
import subprocess
from dataclasses import replace
from io import StringIO

import pytest
from rich.console import Console
from rich.progress import Progress as Bars

from inforadar.collect.progress import Progress
from inforadar.collect.report import FetchReport, QueryReport
from inforadar.domain.run import Counters, StopReason
from inforadar.domain.watch import Bounds, Query
from inforadar.interfaces.cli.progress import MOST_BARS, BarListener
from inforadar.interfaces.tui.fetch_lines import end_line, report_lines
from inforadar.simulator.faults import Fault
from interfaces.command_line import NOON

QUERY = Query(watch="jobs", source="hh", params={}, bounds=Bounds(), key="hh-1")
PATIENCE_S = 60.0


@pytest.fixture
def bars():
    return Bars(console=Console(file=StringIO(), force_terminal=True, width=100))


def progress(processed: int, expected: int | None) -> Progress:
    return Progress(query=QUERY, processed=processed, expected=expected, pages=1, added=processed)


def ended(seen: int, reason: StopReason) -> QueryReport:
    return QueryReport(
        watch=QUERY.watch,
        source=QUERY.source,
        query_key=QUERY.key,
        status="SUCCESS",
        stop_reason=reason,
        counters=Counters(seen=seen, added=seen),
        last_seen_max=None,
        last_complete_sweep_before=None,
        last_processed_date=None,
        left=0,
    )


def test_a_bar_has_no_end_until_the_source_has_told_how_much_there_is(bars):
    listener = BarListener(bars)
    listener.started(QUERY)
    (task,) = bars.tasks
    assert task.total is None
    listener.progressed(progress(50, None))
    assert (task.total, task.completed) == (None, 50)
    listener.progressed(progress(100, 300))
    assert (task.total, task.completed, task.fields["note"]) == (300, 100, "100/300 read, 100 new, 1 page")


@pytest.mark.parametrize("seen", [0, 40])
def test_a_bar_is_full_when_its_sweep_is_over(bars, seen):
    listener = BarListener(bars)
    listener.started(QUERY)
    listener.ended(QUERY, ended(seen, StopReason.END_OF_FEED))
    assert bars.tasks[0].finished
    assert bars.tasks[0].fields["note"] == f"{seen} read, {seen} new; end of feed"


def test_a_list_that_is_not_changed_is_not_told_as_an_empty_one(bars):
    report = replace(ended(0, StopReason.END_OF_FEED), is_unchanged=True, counters=Counters(pages=1, requests=1))
    listener = BarListener(bars)
    listener.started(QUERY)
    listener.ended(QUERY, report)
    assert bars.tasks[0].fields["note"] == "not changed"
    assert end_line(QUERY, report).text == "jobs / hh: not changed"
    whole = FetchReport(run_id=1, started_at=NOON, finished_at=NOON, queries=[report])
    assert [line.text for line in report_lines(whole)][1] == "jobs / hh: not changed"


def test_only_the_latest_bars_stay_on_screen(bars):
    listener = BarListener(bars)
    for _ in range(MOST_BARS + 5):
        listener.started(QUERY)
        listener.ended(QUERY, ended(1, StopReason.END_OF_FEED))
    assert len(bars.tasks) == MOST_BARS


def on_terminal(radar, *arguments: str, stdout: int | None = None, **env: str) -> tuple[int, str, str]:
    """Run `radar` with stderr on a terminal, and stdout too unless it is piped: exit code, stdout, terminal."""
    ours, theirs = pty.openpty()
    radar.env.update(TERM="xterm-256color", **env)
    process = radar.start(*arguments, stdout=stdout or theirs, stderr=theirs)
    os.close(theirs)
    shown = _read_to_the_end(ours)
    out, _ = process.communicate(timeout=PATIENCE_S)
    return process.returncode, (out or b"").decode(), shown.decode()


def _read_to_the_end(terminal: int) -> bytes:
    shown = b""
    try:
        while piece := os.read(terminal, 65536):
            shown += piece
    except OSError:  # Linux says so when the last writer has closed a terminal
        pass
    os.close(terminal)
    return shown


def test_a_terminal_shows_bars_and_no_summary_lines_and_the_pipe_gets_the_report(radar, simulator):
    simulator.switch(Fault(kind="slow_body", source="habr", seconds=0.4))
    code, out, shown = on_terminal(radar, "fetch", stdout=subprocess.PIPE)
    assert code == 0
    assert "articles / habr" in shown
    assert "asking" in shown
    assert "sweep ended" not in shown
    summary, waiting = out.splitlines()[-2:]
    assert re.fullmatch(r"\d+ added, .* 0 of 4 queries failed, nothing left; .*", summary)
    assert re.match(r"\d+ matches wait to be judged", waiting)
    assert "\x1b" not in out
    assert shown.rstrip().endswith("\x1b[2K"), "the bars are taken away at the end"


def test_warnings_stand_above_the_bars_and_verbose_shows_the_summary(radar, simulator):
    simulator.switch(Fault(kind="unreadable_entry", source="hh", count=1))
    _, _, shown = on_terminal(radar, "-v", "fetch", "--source", "hh", stdout=subprocess.PIPE)
    assert len(re.findall(r"could not be read", shown)) == 1
    assert "sweep ended" in shown
    without_colours = re.sub(r"\x1b\[[\d;?]*[A-Za-z]", "", shown)
    assert not re.search(r"\[\d+m", without_colours), "colours arrive whole"


def test_colours_are_for_terminals_that_want_them(radar):
    _, _, coloured = on_terminal(radar, "fetch", "--source", "hh")
    assert "\x1b[32m\x1b[1mjobs / hh" in coloured
    _, _, plain = on_terminal(radar, "status", NO_COLOR="1")
    assert "SUCCESS" in plain
    assert "\x1b" not in plain


def test_a_terminal_of_80_columns_gets_lines_of_80_cells(radar):
    radar("fetch", "--source", "hh")
    _, _, shown = on_terminal(radar, "items", COLUMNS="80", NO_COLOR="1")
    lines = shown.replace("\r", "").splitlines()
    assert len(lines) > 20
    assert max(map(len, lines)) <= 80
