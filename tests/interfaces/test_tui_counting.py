"""Counting before a fetch: every kind of source is counted, at no request of its own, and collected as ever."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from flows.rig import rows
from inforadar.bootstrap import App
from inforadar.simulator.faults import Fault
from inforadar.simulator.scenarios import still_world
from inforadar.simulator.server import Simulator
from interfaces.tui_rig import NOON, engine, fetched
from sources.whole_lists import BOARD

COUNTS = {"hh": 130, "linkedin": 25, "habr": 60, "infojobs": 50, "greenhouse": 20, "feed": 15}
CONFIG = (
    "".join(
        f'[sources.{name}]\nbase_url = "{{{name}}}"\nrate_limit_per_minute = 6000\n{more}\n'
        for name, more in {
            "hh": 'token = "t"',
            "linkedin": "",
            "habr": "",
            "infojobs": 'client_id = "a"\nclient_secret = "b"',
            "ebay": 'client_id = "a"\nclient_secret = "b"',
            "greenhouse": "",
        }.items()
    )
    + f"""
[sources.feed]
rate_limit_per_minute = 6000
[[watch]]
name = "jobs"
kind = "vacancy"
  [[watch.query]]
  source = "hh"
  [[watch.query]]
  source = "linkedin"
  [[watch.query]]
  source = "infojobs"
  [[watch.query]]
  source = "greenhouse"
  params = {{{{ board = "{BOARD}" }}}}
[[watch]]
name = "coins"
kind = "price"
  [[watch.query]]
  source = "ebay"
  params = {{{{ q = "dollar" }}}}
[[watch]]
name = "news"
kind = "article"
  [[watch.query]]
  source = "habr"
  [[watch.query]]
  source = "feed"
  params = {{{{ url = "{{feed}}/news.rss" }}}}
"""
)


@pytest.fixture
def internet() -> Iterator[Simulator]:
    with Simulator(still_world(1, NOON, COUNTS)) as simulator:
        yield simulator


def plain_fetch(app: App) -> None:
    app.fetcher().fetch([(watch, query) for watch in app.config.watches for query in watch.queries])


def asked(simulator: Simulator) -> Counter[str]:
    return Counter(line.source for line in simulator.log)


def held(app: App) -> list[tuple[str, str]]:
    """What is stored; a feed's keys begin with its address, which differs from simulator to simulator."""
    found = rows(app.database, "SELECT source, key FROM items")
    return sorted((row["source"], row["key"].rpartition("/")[2]) for row in found)


def test_a_fetched_asks_and_collects_exactly_what_a_plain_one_does(tmp_path: Path):
    found = []
    for name, run in (("plain", plain_fetch), ("counted", fetched)):
        (tmp_path / name).mkdir()
        with Simulator(still_world(1, NOON, COUNTS)) as simulator, engine(tmp_path / name, simulator, CONFIG) as app:
            for _ in range(2):
                run(app)
            found.append((asked(simulator), held(app)))
    assert found[0] == found[1]
    assert {source for source, _ in found[0][1]} == set(COUNTS)


def test_the_bar_ends_at_what_was_read_whatever_the_source_tells(tmp_path: Path, internet: Simulator):
    with engine(tmp_path, internet, CONFIG) as app:
        fetch = fetched(app)
    assert fetch.processed == fetch.to_process >= 250


def test_a_source_that_refuses_to_be_counted_is_not_asked_twice(tmp_path: Path, internet: Simulator):
    internet.switch(Fault(kind="authwall", source="linkedin"))
    with engine(tmp_path, internet, CONFIG) as app:
        fetch = fetched(app)
    assert asked(internet)["linkedin"] == 1
    assert any("cannot be counted" in record.text for record in fetch.records)
    assert any("error: LinkedIn shows its login wall" in record.text for record in fetch.records)


def test_a_count_that_has_grown_old_is_not_believed(tmp_path: Path, internet: Simulator):
    from inforadar.collect.governor import unheard
    from inforadar.interfaces.tui.counting import FRESH_S, count, counting

    with engine(tmp_path, internet, CONFIG) as app:
        (watch, query) = next((watch, query) for watch in app.config.watches for query in watch.queries)
        sweeper = app.fetcher().sweepers["hh"]
        governor = counting(sweeper.governor)
        object.__setattr__(sweeper, "governor", governor)
        expected, is_told = count(sweeper, watch, query, unheard)
        assert (expected, is_told) == (130, True)
        ((asked_for, (at, page)),) = governor.counted.items()
        position = asked_for[-1]
        governor.counted[asked_for] = (at - FRESH_S - 1, page)
        governor.page(sweeper.source, query.params, position)
    assert asked(internet)["hh"] == 2
