"""Sources are asked as they allow: the simulator's own log of requests, two processes, restarts, no real time."""

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from heapq import heappop, heappush
from itertools import count
from random import Random

import pytest

from flows.rig import NOON, Radar, WorldClock, watch_and_query
from inforadar.collect.fetch import Fetcher
from inforadar.collect.gate import SharedGate
from inforadar.collect.governor import StoppedByUser
from inforadar.collect.report import FetchReport, QueryReport
from inforadar.domain.errors import RateLimited, Unavailable
from inforadar.domain.health import Admitted, Closed, MustWait
from inforadar.domain.run import StopReason
from inforadar.observe.metrics import create_metrics
from inforadar.simulator.faults import Fault
from inforadar.simulator.internet import Internet
from inforadar.simulator.world import World
from inforadar.sources.hh import Hh
from inforadar.sources.linkedin import LinkedIn
from inforadar.store import events, sources
from inforadar.store.database import Database, open_database

MINUTE = timedelta(minutes=1)
HOUR = timedelta(hours=1)
ASK_FOR_A_SECOND = """
import sys, time
from random import Random
from inforadar.collect.gate import SharedGate
from inforadar.domain.health import Admitted, MustWait
from inforadar.observe.clock import SystemClock
from inforadar.store.database import open_database
database = open_database(sys.argv[1])
gate = SharedGate(name="hh", database=database, clock=SystemClock(), chance=Random(1))
ends, admitted = time.monotonic() + 1.0, 0
while time.monotonic() < ends:
    answer = gate.enter()
    admitted += isinstance(answer, Admitted)
    if isinstance(answer, MustWait):
        time.sleep(min(answer.seconds, 0.05))
print(admitted)
"""


@dataclass
class Site:
    """A simulated site with a few entries, and the processes that ask it."""

    url: str
    per_minute: int = 1000
    internet: Internet = field(default_factory=lambda: Internet(World(seed=1, start_at=NOON)))
    opened: list[Database] = field(default_factory=list)

    def __post_init__(self) -> None:
        for number in range(30):
            self.internet.world.add("hh", published_at=NOON - number * MINUTE)
            self.internet.world.add("linkedin", published_at=NOON - number * MINUTE)

    def process(self) -> Radar:
        """A process that has just started; those that still live open their connections again."""
        for database in self.opened:
            database.close()
        self.opened.append(open_database(self.url))
        return Radar(
            database=self.opened[-1],
            internet=self.internet,
            sources={"hh": Hh(), "linkedin": LinkedIn()},
            per_minute=self.per_minute,
        )

    def gate(self) -> SharedGate:
        """The gate of hh as a process that has just started sees it."""
        gate = self.process().governors["hh"].gate
        assert isinstance(gate, SharedGate)
        return gate

    def fails(self, kind: str | None = None, **how: object) -> None:
        """From now on hh fails in this way; None = not at all."""
        self.internet.faults.replace([Fault(kind=kind, source="hh", **how)] if kind else [])

    def advance(self, time: timedelta) -> None:
        self.internet.advance(time.total_seconds())

    def asked(self, source: str = "hh") -> list[datetime]:
        """When the site was asked."""
        return [line.world_at for line in self.internet.log if line.source == source]

    def told(self) -> list[tuple[str, str]]:
        """The events so far: of which source, of what kind."""
        with self.opened[-1].reading() as tx:
            return [(event.source, event.kind) for event in reversed(events.recent(tx))]


@pytest.fixture
def site(database_url: str) -> Iterator[Site]:
    made = Site(database_url)
    yield made
    for database in made.opened:
        database.close()


def fetch(radar: Radar, source: str = "hh") -> QueryReport:
    (report,) = fetch_all(radar, source).queries
    return report


def fetch_all(radar: Radar, *names: str) -> FetchReport:
    kinds = {"hh": Hh(), "linkedin": LinkedIn()}
    fetcher: Fetcher = radar.fetcher()
    return fetcher.fetch([watch_and_query(kinds[name], {}) for name in names])


def most_beyond(asked: list[datetime], per_minute: int) -> float:
    """By how many requests the worst stretch of time exceeds a minute's worth and the rate."""
    return max(
        (last - first + 1) - per_minute * (1 + (asked[last] - asked[first]).total_seconds() / 60)
        for first in range(len(asked))
        for last in range(first, len(asked))
    )


@pytest.mark.parametrize("seed", range(3))
def test_two_processes_with_restarts_keep_the_rate_of_a_source(site: Site, seed: int) -> None:
    """I18: for every source and window requests <= capacity + rate * t."""
    site.per_minute = 20
    chance, turns, order = Random(seed), [], count()
    for _ in range(2):
        heappush(turns, (NOON, next(order), site.gate()))
    while len(site.asked()) < 150:
        at, _, gate = heappop(turns)
        site.internet.advance(to=max(at, site.internet.world.now))
        answer = gate.enter()
        if isinstance(answer, Admitted):
            site.internet.ask("hh", "/vacancies")
            gate.succeeded()
            wait_s = chance.choice([0, 0, 0.4, 2, 40])
        else:
            wait_s = answer.seconds
        if chance.random() < 0.05:
            gate = site.gate()
        heappush(turns, (site.internet.world.now + timedelta(seconds=wait_s), next(order), gate))
    assert most_beyond(site.asked(), 20) <= 0.001
    assert site.asked()[-1] - NOON < timedelta(minutes=20), "the rate is used, not only kept"


def test_two_real_processes_at_once_keep_the_rate_of_a_source(database_url: str) -> None:
    database = open_database(database_url)
    with database.transaction() as tx:
        began = tx.store_now()
        sources.register(tx, "hh", rate_limit_per_minute=600, enabled=True, paced_at=began)
        tx.run("source_admit", name="hh", tokens=0.0, tokens_at=began, probing_until=None)
    command = [sys.executable, "-c", ASK_FOR_A_SECOND, database_url]
    processes = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    admitted = sum(int(process.communicate(timeout=60)[0]) for process in processes)
    with database.reading() as tx:
        passed_s = (tx.store_now() - began).total_seconds()
        stored = sources.get(tx, "hh")
    database.close()
    assert stored is not None
    assert admitted == stored.requests_total - 1
    assert 2 < admitted <= passed_s * 10


def test_a_short_wait_for_a_token_is_waited_and_nothing_is_lost(site: Site) -> None:
    site.per_minute = 4
    for number in range(800):
        site.internet.world.add("hh", published_at=NOON - number * MINUTE)
    radar = site.process()
    report = fetch(radar)
    assert report.stop_reason in (StopReason.END_OF_FEED, StopReason.WINDOW_EXHAUSTED)
    assert radar.waiting.waits
    assert max(radar.waiting.waits) <= 15.01
    assert most_beyond(site.asked(), 4) <= 0.001


def test_when_others_use_up_the_rate_the_sweep_ends_in_good_order_and_goes_on_later(site: Site) -> None:
    site.per_minute = 2
    for number in range(800):
        site.internet.world.add("hh", published_at=NOON - number * MINUTE)
    radar, other = site.process(), site.gate()
    inner = radar.waiting

    def robbed(seconds: float) -> bool:
        is_stopped = inner(seconds)
        if seconds:
            other.enter()
        return is_stopped

    radar.governors["hh"].wait = robbed
    report = fetch(radar)
    assert (report.stop_reason, report.status) == (StopReason.RATE_LIMITED, "SUCCESS")
    assert report.left > 0
    assert "rate_limit_per_minute" in (report.error or "")
    assert site.told() == []
    site.advance(HOUR)
    assert fetch(site.process()).counters.added > 0


def test_a_429_pauses_the_source_for_six_hours_across_restarts_and_the_others_go_on(site: Site) -> None:
    """I18: after 429 none for 6 h."""
    site.fails("rate_limited")
    assert fetch(site.process()).stop_reason is StopReason.RATE_LIMITED
    site.fails()
    while site.internet.world.now < NOON + 6 * HOUR:
        run = fetch_all(site.process(), "hh", "linkedin")
        hh, linkedin = run.queries
        assert (hh.stop_reason, hh.counters.requests, hh.run_id) == (StopReason.RATE_LIMITED, 0, None)
        assert linkedin.status == "SUCCESS"
        assert run.exit_code == 3
        site.advance(HOUR / 2)
    assert len(site.asked()) == 1
    assert "hh is left alone until 2026-01-05 18:" in (hh.error or "")
    site.advance(HOUR)
    assert fetch(site.process()).status == "SUCCESS"
    assert site.told() == [("hh", "outage"), ("hh", "recovery")]


def test_a_paused_source_alone_makes_a_partial_run(site: Site) -> None:
    site.fails("rate_limited")
    fetch(site.process())
    run = fetch_all(site.process(), "hh")
    assert run.exit_code == 3
    assert site.asked() == [NOON]


def test_a_longer_retry_after_is_kept(site: Site) -> None:
    site.fails("rate_limited", seconds=20 * 3600)
    fetch(site.process())
    site.fails()
    site.advance(19 * HOUR)
    fetch(site.process())
    assert len(site.asked()) == 1
    site.advance(2 * HOUR)
    assert fetch(site.process()).status == "SUCCESS"


def test_an_open_breaker_lets_one_probe_a_cool_down_through_whoever_asks(site: Site) -> None:
    """I19: open => 0 requests except one probe per cool-down, across restarts."""
    site.fails("server_error")
    first, second = site.process(), site.process()
    for radar in (first, second, first, second, first):
        assert fetch(radar).stop_reason is StopReason.UNAVAILABLE
    opened_at, before = site.internet.world.now, len(site.asked())
    assert before == 5 * 4, "every failure is three retries old"
    while site.internet.world.now < opened_at + HOUR:
        for radar in (site.process(), second):
            assert fetch(radar).stop_reason is StopReason.UNAVAILABLE
        site.advance(MINUTE / 2)
    probes = site.asked()[before:]
    assert 10 <= len(probes) <= 12
    assert all(later - earlier >= 5 * MINUTE for earlier, later in zip([opened_at, *probes], probes, strict=False))
    assert site.told() == [("hh", "outage")]
    site.fails()
    site.advance(5 * MINUTE)
    assert fetch(second).status == "SUCCESS"
    assert fetch(site.process()).status == "SUCCESS"
    assert site.told() == [("hh", "outage"), ("hh", "recovery")]


def test_while_one_process_probes_the_other_asks_nothing_and_a_dead_probe_is_replaced(site: Site) -> None:
    gate, other = site.gate(), site.gate()
    for _ in range(5):
        gate.failed(Unavailable("no answer"))
    site.advance(5 * MINUTE)
    assert gate.enter() == Admitted(is_probe=True)
    assert isinstance(other.closed(), Closed)
    assert fetch(site.process()).counters.requests == 0
    site.advance(3 * MINUTE)
    assert fetch(site.process()).status == "SUCCESS"


def test_a_pause_that_another_process_makes_stops_a_process_that_waits_for_its_turn(site: Site) -> None:
    """I27: no new request after the pause is committed."""
    site.per_minute = 4
    radar, other = site.process(), site.gate()
    while isinstance(other.enter(), Admitted):
        pass

    def paused_meanwhile(seconds: float) -> bool:
        if seconds:
            other.failed(RateLimited("429"))
        return radar.waiting(seconds)

    radar.governors["hh"].wait = paused_meanwhile
    report = fetch(radar)
    assert (report.stop_reason, report.counters.requests) == (StopReason.RATE_LIMITED, 0)
    assert site.asked() == []


def test_a_lifted_pause_is_over(site: Site) -> None:
    site.fails("rate_limited")
    radar = site.process()
    fetch(radar)
    site.fails()
    with radar.database.transaction() as tx:
        sources.lift_pause(tx, "hh", site.internet.world.now)
    assert fetch(site.process()).status == "SUCCESS"


def test_a_refusal_is_told_once_and_tried_again_with_the_next_fetch(site: Site) -> None:
    site.fails("forbidden")
    for _ in range(3):
        assert fetch(site.process()).stop_reason is StopReason.REFUSED
    assert len(site.asked()) == 3
    assert site.told() == [("hh", "outage")]
    site.fails()
    assert fetch(site.process()).status == "SUCCESS"
    assert site.told() == [("hh", "outage"), ("hh", "recovery")]


def test_a_list_that_suddenly_shows_nothing_is_told_once_and_so_is_its_return(site: Site) -> None:
    fetch(site.process())
    hidden = [entry.id for entry in site.internet.world.listing(site.internet.search("hh"))]
    for entry_id in hidden:
        site.internet.world.hide("hh", entry_id)
    for _ in range(3):
        site.advance(HOUR)
        fetch(site.process())
    assert site.told() == [("hh", "outage")]
    for entry_id in hidden:
        site.internet.world.show("hh", entry_id)
    for _ in range(2):
        fetch(site.process())
    assert site.told() == [("hh", "outage"), ("hh", "recovery")]


def test_a_day_later_by_its_own_clock_a_process_finds_every_pause_over(site: Site) -> None:
    gate = site.gate()
    gate.failed(RateLimited("429"))
    assert gate.closed()
    tomorrow = Internet(World(seed=1, start_at=NOON + 24 * HOUR))
    told_tomorrow = SharedGate(
        name="hh",
        database=site.opened[-1],
        clock=WorldClock(tomorrow),
        chance=Random(1),
        paced_at=lambda _: tomorrow.world.now,
    )
    assert told_tomorrow.enter() == Admitted(is_probe=True)


def test_metrics_show_where_a_source_stands(site: Site) -> None:
    gate = site.gate()
    gate.failed(RateLimited("429"))
    with site.opened[-1].reading() as tx:
        stored = sources.get(tx, "hh")
    assert stored is not None
    metrics = create_metrics()
    metrics.show_source(
        stored.name,
        paused_s=stored.pause_left_s(NOON + HOUR),
        failure_streak=stored.health.failure_streak,
        tokens=stored.bucket.tokens,
        outage=stored.health.outage,
    )
    text = metrics.render().decode()
    assert 'radar_source_out{outage="rate limited",source="hh"} 1.0' in text
    assert 'radar_source_out{outage="refused",source="hh"} 0.0' in text
    assert 'radar_source_paused_seconds{source="hh"} 1' in text


def test_a_report_says_when_its_source_may_be_asked_again(site: Site) -> None:
    site.fails("rate_limited")
    first = fetch(site.process())
    assert first.retry_at is not None
    assert NOON + 6 * HOUR <= first.retry_at <= NOON + 7 * HOUR
    site.advance(HOUR)
    assert fetch(site.process()).retry_at == first.retry_at
    site.fails()
    site.internet.advance(to=first.retry_at + MINUTE)
    assert fetch(site.process()).retry_at is None


def test_a_report_says_when_a_source_that_fails_is_tried_again(site: Site) -> None:
    site.fails("server_error")
    radar = site.process()
    reports = [fetch(radar) for _ in range(5)]
    assert [report.retry_at is None for report in reports] == [True] * 4 + [False]
    assert reports[-1].retry_at == site.internet.world.now + 5 * MINUTE


def test_a_sweep_whose_job_is_taken_from_it_ends_within_a_page_in_good_order(site: Site) -> None:
    for number in range(800):
        site.internet.world.add("hh", published_at=NOON - number * MINUTE)
    pulses: list[int] = []

    def pulse() -> None:
        pulses.append(len(site.asked()))
        if len(pulses) == 3:
            raise StoppedByUser

    fetcher: Fetcher = site.process().fetcher()
    (report,) = fetcher.fetch([watch_and_query(Hh(), {})], pulse).queries
    assert pulses == [0, 1, 2]
    assert (report.stop_reason, report.status, report.counters.pages) == (StopReason.STOPPED_BY_USER, "SUCCESS", 2)
    assert len(site.asked()) == 2
    again = fetch(site.process())
    assert again.counters.added == 830 - report.counters.added


def test_a_short_break_that_a_source_asks_for_holds_for_every_process(site: Site) -> None:
    site.fails("rate_limited", seconds=20, count=1)
    radar, other = site.process(), site.gate()
    inner, answers = radar.waiting, []

    def asked_meanwhile(seconds: float) -> bool:
        if seconds:
            answers.append(other.enter())
            site.internet.advance(10)
            answers.append(other.enter())
        return inner(max(0.0, seconds - 10) if seconds else seconds)

    radar.governors["hh"].wait = asked_meanwhile
    assert fetch(radar).status == "SUCCESS"
    first, second = (answer for answer in answers[:2] if isinstance(answer, MustWait))
    assert abs(first.seconds - 20) < 0.1
    assert abs(second.seconds - 10) < 0.1
    assert site.told() == [], "a short break is no outage"
    assert isinstance(other.enter(), Admitted | MustWait)


def test_after_a_short_break_requests_go_out_at_the_sources_pace(site: Site) -> None:
    site.per_minute = 60
    gate = site.gate()
    gate.asked_to_wait(20)
    site.internet.advance(20)
    assert gate.enter() == Admitted()
    assert isinstance(gate.enter(), MustWait), "what was saved up before is gone"
    site.internet.advance(1)
    assert gate.enter() == Admitted()
