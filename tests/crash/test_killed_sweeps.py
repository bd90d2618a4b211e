"""A hundred SIGKILLs at random moments of sweeps over lists that move: nothing is lost, nothing is double."""

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

import pytest

from crash.invariants import Holding, broken_promises, holding
from crash.radar_command import KINDS, LIMIT_S, NOON, Radar, at_request, write_config
from crash.tables import rows
from crash.warm_radar import WarmRadar
from inforadar.simulator.happenings import Pace
from inforadar.simulator.scenarios import moving_world
from inforadar.simulator.search import Search
from inforadar.simulator.server import Simulator

KILLS = 100
MOST_STARTS = 400
COLD_EVERY = 10
COLD_MOMENTS_S = (0.02, 0.7)
LAST_REQUEST = 5
LONGEST_DELAY_S = 0.02
MOST_CALM_FETCHES = 40
MOVE_S = 300.0
STOCK = {"linkedin": 150, "habr": 150, "hh": 300}
# LinkedIn shows days, so that a claim of it says nothing about the entries of that day.
EXACT = ("habr", "hh")
# No late arrivals and no hidings: those a complete sweep may rightly leave to a later look-back.
PACE = Pace(arrivals=4.0, bursts=0.4, withdrawals=4.0, bumps=1.0, reposts=0.5, edits=2.0)


@pytest.mark.timeout(900)
def test_a_hundred_kills_at_random_moments_lose_nothing_and_double_nothing(database_url: str, tmp_path: Path) -> None:
    chance = Random(20260105)
    with local_internet() as simulator, WarmRadar() as warm:
        write_config(tmp_path, database_url, simulator, linkedin="limit = 25", habr="window_days = 0", hh="limit = 60")
        radar = Radar(folder=tmp_path, now=lambda: simulator.world.now)
        last = first = holding(database_url)
        killed = cut_short = 0
        for _ in range(MOST_STARTS):
            if killed == KILLS:
                break
            if killed % COLD_EVERY == 0:
                killed += kill_a_cold_one(radar, chance.uniform(*COLD_MOMENTS_S))
            else:
                killed += kill_in_a_sweep(radar, warm, simulator, chance)
            last = sound_after(database_url, last)
            cut_short += last.cut_short
            assert claimed_but_not_stored(simulator, last) == set()
        assert killed == KILLS, "too many ended before they could be killed"
        assert cut_short >= KILLS / 2, "the kills must hit sweeps, or this test shows nothing"
        assert last.token > first.token + KILLS / 2
        complete_calmly(radar, simulator, database_url)
        sound_after(database_url, last)
    assert "Traceback" not in said_in(tmp_path).read_text()


def kill_a_cold_one(radar: Radar, after_s: float) -> bool:
    """Kill a `radar fetch` so long after its start; whether it was still alive."""
    process = radar.start("fetch")
    try:
        process.wait(after_s)
    except subprocess.TimeoutExpired:
        process.kill()
    process.communicate(timeout=LIMIT_S)
    return process.returncode == -signal.SIGKILL


def kill_in_a_sweep(radar: Radar, warm: WarmRadar, simulator: Simulator, chance: Random) -> bool:
    """Kill a `radar fetch` of one watch at a moment near one of its requests; whether it was still alive."""
    source, number = chance.choice(list(KINDS)), chance.randint(1, LAST_REQUEST)
    delay_s = chance.uniform(0, LONGEST_DELAY_S)
    with request_event(simulator, source, number) as asked:
        said = said_in(radar.folder)
        process = warm.start(radar.folder, radar.environment(), "fetch", source, out=said, err=said)
        if not process.ended_before(asked, LIMIT_S):
            process.ended_before(None, delay_s)
        return process.kill() == -signal.SIGKILL


def said_in(folder: Path) -> Path:
    """Where the killed ones of a folder say what they say."""
    return folder / "said.txt"


@contextmanager
def request_event(simulator: Simulator, source: str, number: int) -> Iterator[int]:
    """A file that becomes readable when a site gets its so-manieth list request from now on."""
    event = os.eventfd(0)
    is_open = True

    def tell() -> None:
        if is_open:
            os.eventfd_write(event, 1)

    at_request(simulator, source, number, tell)
    try:
        yield event
    finally:
        with simulator.internet.lock:
            is_open = False
            os.close(event)


def sound_after(url: str, before: Holding) -> Holding:
    """Nothing promised is broken since `before`; what the database holds now."""
    after = holding(url)
    assert broken_promises(url, before, after) == []
    return after


def claimed_but_not_stored(simulator: Simulator, held: Holding) -> set[tuple[str, str]]:
    """What a site shows inside a stretch that the coverage calls collected, and the database has not."""
    with simulator.internet.lock:
        return {
            (source, entry.id)
            for (source, _), coverage in held.coverages.items()
            if source in EXACT and coverage.stretches
            for entry in simulator.world.listing(search_of(simulator, source))
            if any(stretch.holds(entry.published_at.replace(microsecond=0)) for stretch in coverage.stretches)
        } - held.items.keys()


def search_of(simulator: Simulator, source: str) -> Search:
    """What radar has asked a site for."""
    asked = next(line for line in simulator.log if line.source == source)
    return simulator.internet.search(source, asked.params, asked.path)


def complete_calmly(radar: Radar, simulator: Simulator, url: str) -> None:
    """Undisturbed fetches, as many as the limits need, end complete, and then hold all that was visible throughout."""
    began_at = simulator.world.now
    for _ in range(MOST_CALM_FETCHES):
        ended = radar.run("fetch", "--json")
        assert ended.code == 0, ended.err
        if not any(query["left"] for query in ended.report["queries"]):
            break
    else:
        raise AssertionError("the sweeps never ended")
    stored = holding(url).items.keys()
    for source in KINDS:
        visible = simulator.world.visible_throughout(search_of(simulator, source), began_at, simulator.world.now)
        assert visible
        assert {(source, key) for key in visible} - stored == set()
    assert rows(url, "SELECT 1 FROM query_state WHERE status <> 'SUCCESS'") == []
    assert rows(url, "SELECT 1 FROM ingestion_runs WHERE finished_at IS NULL") == []
    sound = radar.run("db", "check")
    assert sound.code == 0, sound.err


@contextmanager
def local_internet() -> Iterator[Simulator]:
    world = moving_world(7, NOON, STOCK, dict.fromkeys(KINDS, PACE))
    with Simulator(world, move_seconds_per_request=MOVE_S) as simulator:
        yield simulator
