"""Every sentence of seed 003's screen part, at the keys of the fetch screen, over a real engine and slow pages."""

import re
import threading
from collections.abc import Iterator, Sequence
from datetime import timedelta
from pathlib import Path

import pytest
from textual.app import App as TextualApp
from textual.widgets import Label, ProgressBar

from inforadar.bootstrap import App
from inforadar.collect.fetch import RUN_LEASE
from inforadar.collect.report import FetchReport, QueryReport
from inforadar.domain.run import Counters, StopReason
from inforadar.interfaces.tui.fetch_lines import report_lines
from inforadar.interfaces.tui.fetch_screen import FetchScreen
from inforadar.interfaces.tui.fetching import SweepFetch
from inforadar.interfaces.tui.log_field import FOLLOW_HINT, LogField
from inforadar.interfaces.tui.narrowing import Narrowing, heading
from inforadar.interfaces.tui.record import Tone
from inforadar.observe import process
from inforadar.observe.printable import printable
from inforadar.service.scheduler import SCHEDULER_LEASE
from inforadar.simulator.faults import Fault
from inforadar.simulator.scenarios import still_world
from inforadar.simulator.server import Simulator
from inforadar.store import leases, matches, runs
from interfaces.hostile_texts import HOSTILE
from interfaces.tui_rig import NOON, PATIENCE_S, engine, fetched, played, screen_text, until, until_shown

COUNTS = {"hh": 250, "linkedin": 25, "habr": 60}


class Held(SweepFetch):
    """A fetch that stands still behind each of these words of its log until it is let go on."""

    def __init__(self, radar: App, narrowing: Narrowing, words: Sequence[str]) -> None:
        super().__init__(radar, narrowing)
        self._words = list(words)
        self._go_on = threading.Semaphore(0)
        self.stands_behind: str | None = None

    def go_on(self) -> None:
        self.stands_behind = None
        self._go_on.release()

    def _say(self, text: str, tone: Tone = "plain") -> None:
        super()._say(text, tone)
        if self._words and self._words[0] in text:
            self.stands_behind = self._words.pop(0)
            assert self._go_on.acquire(timeout=PATIENCE_S)


class Host(TextualApp[None]):
    """A program of one fetch screen."""

    def __init__(self, feed: SweepFetch, narrowing: Narrowing) -> None:
        super().__init__()
        self.fetch = FetchScreen(feed, narrowing)

    def on_mount(self) -> None:
        self.push_screen(self.fetch)


@pytest.fixture
def internet() -> Iterator[Simulator]:
    with Simulator(still_world(1, NOON, COUNTS)) as simulator:
        yield simulator


@pytest.fixture
def radar(tmp_path: Path, internet: Simulator) -> Iterator[App]:
    with engine(tmp_path, internet) as app:
        yield app


def fetch_of(radar: App, **narrowed: tuple[str, ...]) -> tuple[SweepFetch, Host]:
    narrowing = Narrowing(**narrowed)
    feed = SweepFetch(radar, narrowing)
    return feed, Host(feed, narrowing)


def held_fetch(radar: App, *words: str, **narrowed: tuple[str, ...]) -> tuple[Held, Host]:
    """A fetch that stands still behind these words, and its screen."""
    feed = Held(radar, Narrowing(**narrowed), words)
    return feed, Host(feed, Narrowing(**narrowed))


async def until_held(pilot, feed: Held, words: str) -> None:
    await until(pilot, lambda: feed.stands_behind == words, words)


def stored(radar: App) -> int:
    with radar.database.reading() as tx:
        return sum(matches.counts(tx).values())


def said(feed: SweepFetch) -> str:
    return "\n".join(record.text for record in feed.records)


def test_the_header_shows_the_active_filters_as_the_main_header_does(radar: App):
    narrowed = {"sources": ("hh", "habr"), "topics": ("python",)}
    feed, host = fetch_of(radar, **narrowed)

    async def play(pilot):
        await until_shown(pilot, "Fetch", line=0)
        first = screen_text(host).splitlines()[0].strip()
        assert first == heading("Info Radar", Narrowing(**narrowed)).replace("Info Radar", "Fetch")
        assert first == "Fetch  [source: hh, habr · topic: python]"
        feed.abort()
        feed.join(PATIENCE_S)

    played(host, play)


def test_without_filters_the_header_is_bare():
    assert heading("Fetch", Narrowing()) == "Fetch"


def test_it_starts_at_once_and_the_report_stays_when_it_is_done(radar: App):
    _feed, host = fetch_of(radar, sources=("habr",))

    async def play(pilot):
        await until_shown(pilot, " of ", ", over", line=1)
        await until_shown(pilot, "added", "nothing left")
        assert host.screen is host.fetch
        await pilot.press("escape")
        await until(pilot, lambda: host.screen is not host.fetch)

    played(host, play)
    assert stored(radar) > 0


def test_the_bar_has_no_end_while_all_queries_are_counted_and_is_exact_after(radar: App):
    feed, host = held_fetch(radar, "to read", "asking", "100 of", sources=("hh", "habr"))

    async def play(pilot):
        await until_held(pilot, feed, "to read")
        await until_shown(pilot, "to read")
        bar = host.fetch.query_one(ProgressBar)
        assert feed.to_process is None
        assert bar.total is None
        assert stored(radar) == 0
        feed.go_on()
        await until_held(pilot, feed, "asking")
        await until(pilot, lambda: bar.total is not None, "an end")
        assert feed.processed == 0
        assert bar.total == feed.to_process >= 250
        feed.go_on()
        await until_held(pilot, feed, "100 of")
        await until(pilot, lambda: 0 < bar.progress < bar.total, "the middle")
        feed.go_on()
        await until_shown(pilot, ", over", line=1)
        assert bar.total == feed.to_process == feed.processed == bar.progress
        assert str(host.fetch.query_one("#count", Label).render()) == f"{feed.processed} of {feed.processed}, over"

    played(host, play)


def test_counting_costs_no_request_of_its_own(radar: App, internet: Simulator):
    feed, host = fetch_of(radar, sources=("hh",))

    async def play(pilot):
        await until(pilot, lambda: feed.is_over, "the end")

    played(host, play)
    asked = [(line.path, tuple(line.params)) for line in internet.log]
    assert len(asked) == len(set(asked)) >= 3
    with radar.database.reading() as tx:
        assert runs.recent(tx)[0].counters.seen >= 250


def test_several_sources_and_topics_are_each_swept_one_after_another(radar: App, internet: Simulator):
    feed, host = fetch_of(radar, topics=("python", "admins"))

    async def play(pilot):
        await until(pilot, lambda: feed.is_over, "the end")

    played(host, play)
    lines = said(feed).splitlines()
    begun = [line for line in lines if line.endswith("asking")]
    assert [line.split(" ", 1)[1] for line in begun] == [
        "articles / habr / python: asking",
        "articles / habr / Admins: asking",
    ]
    first_end = next(number for number, line in enumerate(lines) if "/ python:" in line and " added," in line)
    assert first_end < lines.index(begun[1])
    assert {line.source for line in internet.log} == {"habr"}


def test_the_log_stands_in_a_green_frame_and_comes_in_live(radar: App):
    feed, host = held_fetch(radar, "asking", "100 of", sources=("hh",))

    async def play(pilot):
        await until_shown(pilot, "asking")
        assert not feed.is_over
        field = host.fetch.query_one(LogField)
        edge, colour = field.styles.border_top
        assert edge == "round"
        assert colour.ansi == 2
        feed.go_on()
        await until_shown(pilot, "100 of")
        assert not feed.is_over
        feed.go_on()
        await until(pilot, lambda: feed.is_over, "the end")

    played(host, play)


def test_j_and_k_scroll_the_log_which_then_says_how_to_follow_again(radar: App):
    feed, host = fetch_of(radar, sources=("hh",))

    async def play(pilot):
        await until_shown(pilot, ", over", line=1)
        field = host.fetch.query_one(LogField)
        await until(pilot, lambda: len(field.records) == len(feed.records), "the whole log")
        lowest = field.lowest
        assert lowest > 20
        await until(pilot, lambda: field.scroll_offset.y == lowest, "the last line")
        assert field.is_following
        assert FOLLOW_HINT not in screen_text(host)
        await pilot.press("k", "k", "k")
        await until(pilot, lambda: field.scroll_offset.y == lowest - 3, "three lines up")
        assert not field.is_following
        await until_shown(pilot, FOLLOW_HINT)
        await pilot.press("j")
        await until(pilot, lambda: field.scroll_offset.y == lowest - 2, "one line down")
        await pilot.press("G")
        await until(pilot, lambda: field.scroll_offset.y == lowest, "the last line")
        assert field.is_following
        await until_shown(pilot, ", over", without=[FOLLOW_HINT])

    played(host, play)


def test_a_scrolled_log_stays_where_it_is_while_lines_come_in(radar: App):
    feed, host = fetch_of(radar)

    async def play(pilot):
        await until_shown(pilot, ", over", line=1)
        field = host.fetch.query_one(LogField)
        await pilot.press("g")
        await until(pilot, lambda: not field.is_following and field.scroll_offset.y == 0, "the first line")
        feed._say("one more")
        await until(pilot, lambda: field.records[-1].text.endswith("one more"), "the line")
        assert field.scroll_offset.y == 0

    played(host, play)


def test_esc_stops_in_good_order_and_the_screen_stays_with_what_was_done(radar: App):
    feed, host = held_fetch(radar, "100 of")

    async def play(pilot):
        await until_held(pilot, feed, "100 of")
        await pilot.press("escape")
        await until_shown(pilot, "Stopping after the page under way")
        assert host.screen is host.fetch
        feed.go_on()
        await until_shown(pilot, ", over", line=1)
        assert host.screen is host.fetch
        assert "interrupted by the user" in said(feed)
        assert "added" in said(feed)
        assert "left: at least" in said(feed)
        await until_shown(pilot, "Fetch interrupted by the user", "added")

    played(host, play)
    with radar.database.reading() as tx:
        (run,) = runs.recent(tx)
        assert run.stop_reason == "stopped by user"
        assert run.finished_at
        assert RUN_LEASE not in leases.held(tx)
    assert 0 < stored(radar) <= feed.processed < 250


def test_esc_while_counting_stops_before_anything_is_swept(radar: App, internet: Simulator):
    feed, host = held_fetch(radar, "Counting")

    async def play(pilot):
        await until_held(pilot, feed, "Counting")
        await pilot.press("escape")
        await until_shown(pilot, "Stopping after the page under way")
        feed.go_on()
        await until_shown(pilot, "interrupted by the user")
        assert host.screen is host.fetch

    played(host, play)
    assert stored(radar) == 0
    assert len(internet.log) <= 1


@pytest.mark.parametrize(("order", "is_saved"), [("stop", True), ("abort", False)])
def test_what_was_counted_before_the_order_to_stop_is_saved_unless_it_is_given_up(
    radar: App, internet: Simulator, order: str, is_saved: bool
):
    feed, _ = fetch_of(radar)
    counted = feed._count

    def ordered(fetcher, chosen):
        counted(fetcher, chosen)
        getattr(feed, order)()

    feed._count = ordered
    feed.start()
    feed.join(20)
    asked = len(internet.log)
    assert feed.is_over
    assert "Fetch interrupted by the user" in said(feed)
    with radar.database.reading() as tx:
        assert len(runs.recent(tx)) == (asked if is_saved else 0), "one page each, and nothing more was asked for"
        assert all(run.counters.pages == 1 for run in runs.recent(tx))
        assert RUN_LEASE not in leases.held(tx)
    assert bool(stored(radar)) is is_saved


def test_esc_again_gives_up_what_is_under_way_and_closes_at_once_and_nothing_is_lost(radar: App, internet: Simulator):
    internet.switch(Fault(kind="slow_start", seconds=30.0, after=1))
    feed, host = fetch_of(radar, sources=("hh",))

    async def play(pilot):
        await until(pilot, lambda: feed.processed >= 100 and len(internet.log) == 2, "the second request")
        await pilot.press("escape")
        await until_shown(pilot, "Stopping after the page under way")
        assert not feed.is_over
        await pilot.press("escape")
        await until(pilot, lambda: host.screen is not host.fetch, "the screen closed")
        feed.join(PATIENCE_S)
        assert feed.is_over
        assert "no page" not in said(feed), "it did not wait until the source's silence is an error"

    played(host, play)
    kept = stored(radar)
    with radar.database.reading() as tx:
        assert RUN_LEASE not in leases.held(tx)
    internet.switch()
    again = SweepFetch(radar, Narrowing(sources=("hh",)), after=feed)
    again.start()
    again.join(PATIENCE_S)
    assert again.is_over
    assert 0 < kept < stored(radar)
    with radar.database.reading() as tx:
        assert runs.recent(tx)[0].left == 0


def test_the_report_tells_what_was_updated_old_and_new(radar: App, internet: Simulator):
    first, host = fetch_of(radar, sources=("habr",))
    first.start()
    first.join(PATIENCE_S)
    internet.advance(6 * 3600)
    feed, host = fetch_of(radar, sources=("habr",))

    async def play(pilot):
        await until(pilot, lambda: feed.is_over, "the end")

    played(host, play)
    assert any(" -> " in line and ": " in line for line in said(feed).splitlines()), said(feed)


def test_the_log_tells_of_each_new_try_while_the_fetch_waits_for_it(radar: App, internet: Simulator):
    internet.switch(Fault(kind="rate_limited", source="hh", count=2, seconds=0))
    feed, _ = fetch_of(radar, sources=("hh",))
    feed.start()
    feed.join(PATIENCE_S)
    told = [record for record in feed.records if " of 4 in 0 s" in record.text]
    assert [record.tone for record in told] == ["warning", "warning"], said(feed)
    assert re.search(r"jobs / hh: no page from 127\.0\.0\.1: .*\(HTTP 429\); try 2 of 4 in 0 s", told[0].text)


def test_the_report_tells_a_changed_price_as_money_and_a_long_fetch_in_minutes():
    query = QueryReport(
        watch="coins",
        source="ebay",
        query_key="ebay-1",
        status="SUCCESS",
        stop_reason=StopReason.END_OF_FEED,
        counters=Counters(pages=1, updated=1, requests=2),
        last_seen_max=None,
        last_complete_sweep_before=None,
        last_processed_date=None,
        left=0,
        updated={"https://ebay.com/1": {"price_cents": [12345, 12500]}},
        currencies={"https://ebay.com/1": "EUR"},
    )
    end = NOON + timedelta(seconds=665.2)
    told = [
        line.text for line in report_lines(FetchReport(run_id=1, started_at=NOON, finished_at=end, queries=[query]))
    ]
    assert "      price: 123.45 EUR -> 125.00 EUR" in told
    assert told[-1] == "0 added, 1 updated, 0 errors, nothing left; 2 requests in 11 min 5 s"


def test_a_source_that_fails_is_told_and_the_others_go_on(radar: App, internet: Simulator):
    internet.switch(Fault(kind="authwall", source="linkedin"))
    feed, host = fetch_of(radar, watches=("jobs",))

    async def play(pilot):
        await until(pilot, lambda: feed.is_over, "the end")

    played(host, play)
    assert "jobs / linkedin" in said(feed)
    assert "error: " in said(feed)
    assert stored(radar) > 0


def test_a_filter_that_fits_no_query_says_so(radar: App):
    _feed, host = fetch_of(radar, sources=("hh",), topics=("python",))

    async def play(pilot):
        await until_shown(pilot, "No enabled query fits")

    played(host, play)


def test_another_run_under_way_is_told(radar: App):
    with radar.database.transaction() as tx:
        leases.acquire(tx, RUN_LEASE, "somebody@elsewhere:1:2", 900, lambda _: False)
    feed, host = fetch_of(radar, sources=("habr",))

    async def play(pilot):
        await until(pilot, lambda: feed.is_over, "the end")

    played(host, play)
    assert "Another run is under way (process 1 on somebody@elsewhere); it fetches now" in said(feed)
    assert "Counting" not in said(feed), "nobody is asked for a fetch that will not be"


def test_whatever_sources_say_no_record_can_move_the_cursor(radar: App):
    feed = SweepFetch(radar, Narrowing())
    for text in HOSTILE:
        feed._say(text)
    shown = "".join(record.text for record in feed.records)
    assert shown == printable(shown)
    assert not re.search("[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]", shown)


def test_the_report_says_that_nobody_judges_what_waits_unless_somebody_is_at_work(radar: App):
    feed = fetched(radar, "habr")
    waiting = stored(radar)
    sentence = f"{waiting} matches wait to be judged: `radar run` or `radar work` does that."
    assert feed.records[-1].text == sentence
    with radar.database.transaction() as tx:
        leases.acquire(tx, SCHEDULER_LEASE, process.holder(), 3600, process.is_dead)
    assert "to be judged" not in said(fetched(radar, "habr"))
