"""Seed 004 with real processes on both databases: fetches and workers at once, killed, again and again."""

import signal
import subprocess
from datetime import timedelta
from pathlib import Path
from random import Random

import pytest

from crash.radar_command import LIMIT_S, NOON, Radar
from crash.tables import rows
from inforadar.simulator.entry import Salary
from inforadar.simulator.server import Simulator
from inforadar.simulator.world import World

LISTINGS = 450
ROUNDS = 5
MOMENTS_S = (0.4, 1.3)
DOUBLES = """
SELECT intake_id, source_id, dedupe_key, COUNT(*) AS count
FROM price_points
GROUP BY intake_id, source_id, dedupe_key
HAVING COUNT(*) > 1
"""
CONFIG = """\
[store]
url = "{store}"
[sources.ebay]
base_url = "{ebay}"
rate_limit_per_minute = 6000
client_id = "app"
client_secret = "secret"
[[watch]]
name = "morgan-1921"
kind = "price"
  [watch.coin]
  year = 1921
  series = "Morgan"
  [[watch.query]]
  source = "ebay"
  params = {{ q = "morgan" }}
  window_days = 365
[[watch]]
name = "any-dollar"
kind = "price"
  [[watch.query]]
  source = "ebay"
  params = {{ q = "dollar" }}
  window_days = 365
"""


@pytest.mark.timeout(900)
def test_killed_fetches_and_workers_leave_no_double_no_loss_and_one_valuation_a_watch(
    database_url: str, tmp_path: Path
) -> None:
    chance, world = Random(4), World(seed=4, start_at=NOON)
    for number in range(LISTINGS):
        published_at = NOON - timedelta(hours=number)
        world.add("ebay", id=f"9{number:06}", title="1921 Morgan Dollar", published_at=published_at, salary=price(5000))
    with Simulator(world) as simulator:
        (tmp_path / "radar.toml").write_text(CONFIG.format(store=database_url, **simulator.base_urls))
        killed = 0
        for day in range(ROUNDS):
            killed += kill_some(Radar(folder=tmp_path, now=lambda day=day: NOON + timedelta(days=day)), chance)
            with simulator.internet.lock:
                for entry in chance.sample(range(LISTINGS), 40):
                    world.edit("ebay", f"9{entry:06}", salary=price(chance.randint(4000, 6000)))
        assert killed >= ROUNDS, "the kills must hit processes at work, or this test shows nothing"
        radar = Radar(folder=tmp_path, now=lambda: NOON + timedelta(days=ROUNDS))
        ended = [radar.run("fetch"), radar.run("work", "--until-idle")]
        assert [one.code for one in ended] == [0, 0], [one.err[-2000:] for one in ended]
        asked = {key: world.entry("ebay", key).salary.low for key in (f"9{number:06}" for number in range(LISTINGS))}
    assert rows(database_url, DOUBLES) == []
    for watch in ("morgan-1921", "any-dollar"):
        last = f"SELECT max(id) FROM price_points WHERE watch = '{watch}' GROUP BY item_key"
        newest = dict(rows(database_url, f"SELECT item_key, price_cents FROM price_points WHERE id IN ({last})"))
        assert newest == asked
    found = rows(database_url, "SELECT watch, points, q50_cents FROM valuations ORDER BY watch")
    assert [(watch, points) for watch, points, _ in found] == [("any-dollar", LISTINGS), ("morgan-1921", LISTINGS)]
    assert found[0][2] == found[1][2]
    assert rows(database_url, "SELECT count(*) FROM jobs WHERE status <> 'succeeded'") == [(0,)]
    assert rows(database_url, "SELECT DISTINCT status FROM matches") == [("ANALYZED",)]


def price(cents: int) -> Salary:
    return Salary(low=cents, high=None, currency="USD", gross=False, mode="FIXED_PRICE")


def kill_some(radar: Radar, chance: Random) -> int:
    """A fetch and two workers at once, each killed at a moment of its own; how many were still alive."""
    calls = (("fetch",), ("work", "--until-idle"), ("work",))
    processes = [radar.start(*arguments, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for arguments in calls]
    for process in processes:
        try:
            process.wait(chance.uniform(*MOMENTS_S))
        except subprocess.TimeoutExpired:
            process.kill()
    return sum(process.wait(LIMIT_S) == -signal.SIGKILL for process in processes)
