"""`radar prices` over the simulated eBay: fetched, valued, shown; and the chart in plain characters."""

import re
from datetime import UTC, datetime, timedelta

import apsw
import pytest

from inforadar.interfaces.cli.chart import ASCII, FINE, pen_for, step_chart
from inforadar.simulator.entry import Salary
from inforadar.simulator.rules import Rules
from inforadar.simulator.scenarios import still_world
from inforadar.simulator.server import Simulator
from interfaces.command_line import NOON, CommandLine

CONFIG = """\
[sources.ebay]
base_url = "{ebay}"
rate_limit_per_minute = 6000
client_id = "app"
client_secret = "secret-of-ebay"

[[watch]]
name = "morgan-1921"
kind = "price"
  [watch.coin]
  year = 1921
  series = "Morgan"
  denomination = "dollar"
  [[watch.query]]
  source = "ebay"
  params = {{ q = "morgan" }}
  window_days = 60

[[watch]]
name = "jobs"
kind = "vacancy"
  [[watch.query]]
  source = "hh"
"""
DOUBLES = """
SELECT intake_id, source_id, dedupe_key, COUNT(*) AS count
FROM price_points GROUP BY intake_id, source_id, dedupe_key HAVING COUNT(*) > 1
"""


def price(cents: int) -> Salary:
    return Salary(low=cents, high=None, currency="USD", gross=False, mode="FIXED_PRICE")


@pytest.fixture
def world():
    world = still_world(1, NOON, {})
    for number in range(12):
        world.add(
            "ebay",
            id=str(1000 + number),
            title=f"1921 Morgan Dollar number {number}",
            published_at=NOON - timedelta(days=number + 1),
            salary=price(5000 + 100 * number),
        )
    world.add("ebay", id="2000", title="1921 Morgan Dollar REPLICA", published_at=NOON, salary=price(499))
    world.add("ebay", id="2001", title="1881-S Morgan Dollar", published_at=NOON, salary=price(9900))
    return world


@pytest.fixture
def collector(newcomer: CommandLine, world) -> CommandLine:
    with Simulator(world, rules=Rules(ebay_client="app:secret-of-ebay")) as simulator:
        path = newcomer.folder / "radar.toml"
        path.write_text(CONFIG.format(**simulator.base_urls), encoding="utf-8")
        path.chmod(0o600)
        yield newcomer


def rows(user: CommandLine, text: str) -> list[tuple[object, ...]]:
    return list(apsw.Connection(str(user.folder / "radar.db")).execute(text))


def fetch_and_work(user: CommandLine) -> None:
    assert user("fetch", "morgan-1921").code == 0
    assert user("work", "--until-idle").code == 0


def test_an_offer_is_listed_and_shown_with_its_price_as_money(collector):
    fetch_and_work(collector)
    listed = collector("items", "--watch", "morgan-1921").out
    assert "PRICE" in listed.splitlines()[0]
    row = next(line for line in listed.splitlines() if "number 3" in line)
    assert "53.00 USD" in row
    shown = collector("show", row.split()[0]).out
    assert re.search(r"^  price +53\.00 USD$", shown, re.MULTILINE)
    assert "cents" not in shown
    assert not re.search(r"^  currency", shown, re.MULTILINE)


def test_a_changed_price_is_told_as_money(collector, world):
    fetch_and_work(collector)
    number = collector("items", "--text", "number 3", "--json").json[0]["id"]
    rows(
        collector,
        "INSERT INTO item_changes (item_id, field, old, new, changed_at) SELECT item_id, 'price_cents', '5500', '5300',"
        f" '2026-01-05T12:00:00.000000Z' FROM matches WHERE id = {number}",
    )
    assert "price: 55.00 USD -> 53.00 USD" in collector("show", str(number)).out
    assert "price: 55.00 USD -> 53.00 USD" in collector("why", str(number)).out


def test_the_report_of_a_fetch_tells_a_changed_price_as_money(collector):
    fetch_and_work(collector)
    rows(collector, "UPDATE items SET data = json_set(data, '$.price_cents', 5500) WHERE key = '1003'")
    told = collector("fetch", "morgan-1921").out
    assert "price: 55.00 USD -> 53.00 USD" in told


def test_from_ebay_to_a_value(collector):
    fetch_and_work(collector)
    told = collector("prices", "morgan-1921", "--limit", "50", "--json").json
    assert (told["is_valued"], told["currency"], told["basis"]) == (True, "USD", "ask")
    assert (told["median_cents"], told["count"], told["points_count"]) == (5550, 12, 14)
    assert told["left_out"] == {"not what is looked for": 2}
    assert told["by_type"]["ask"]["count"] == 12
    assert list(told["quantiles"]) == ["10", "25", "50", "75", "90"]
    assert [past["quantiles"]["50"] for past in told["history"]] == [5550]
    weak = {point["title"]: point["why"] for point in told["points"] if point["match_strength"] < 0.5}
    assert 'a copy: "replica"' in weak["1921 Morgan Dollar REPLICA"]
    assert "another year: 1881" in weak["1881-S Morgan Dollar"]


def test_a_second_run_makes_no_double_and_follows_a_changed_price(collector, world):
    fetch_and_work(collector)
    fetch_and_work(collector)
    assert collector("prices", "morgan-1921", "--json").json["points_count"] == 14
    for number in range(12):
        world.edit("ebay", str(1000 + number), salary=price(7000))
    fetch_and_work(collector)
    told = collector("prices", "morgan-1921", "--json").json
    assert (told["median_cents"], told["count"], told["points_count"]) == (7000, 12, 26)
    assert [past["quantiles"]["50"] for past in told["history"]] == [5550, 7000]
    assert rows(collector, DOUBLES) == []
    assert rows(collector, "SELECT watch, q50_cents FROM valuations") == [("morgan-1921", 7000)]
    told = "morgan-1921: the value rose by 26.1 % to 70.00 USD, from 55.50 USD; it rests on 12 asking prices."
    assert rows(collector, "SELECT kind, source, message FROM events") == [("alert", "prices", told)]
    assert rows(collector, "SELECT * FROM totals WHERE name = 'alarms'") == []


def test_the_listings_are_in_the_inbox_and_nothing_of_them_is_sent(collector):
    fetch_and_work(collector)
    statuses = {item["title"]: (item["status"], item["score"]) for item in collector("items", "--json").json}
    assert {status for status, _ in statuses.values()} == {"ANALYZED"}
    assert statuses["1921 Morgan Dollar number 3"][1] == 1.0
    assert statuses["1921 Morgan Dollar REPLICA"][1] < 0.1
    assert rows(collector, "SELECT * FROM deliveries") == []


@pytest.mark.parametrize("columns", ["80", "60", "120"])
def test_the_screen_fits_the_terminal_and_tells_value_chart_and_prices(collector, columns):
    fetch_and_work(collector)
    collector.env["COLUMNS"] = columns
    shown = collector("prices", "morgan-1921").out
    assert all(len(line) <= int(columns) for line in shown.splitlines())
    assert re.search(r"55\.50 .*USD", shown)
    assert "Rests on 12 asking prices; valued now." in shown
    assert "Left out: 2 not what is looked for." in shown
    assert "OBSERVED" in shown
    assert "│──" in shown
    assert "How the median went, in USD" in shown
    assert len({line.index(" USD") for line in shown.splitlines() if line.startswith("2026-01-05  ")}) == 1
    assert "\x1b" not in shown


def test_before_anything_is_known_the_next_step_is_told(collector):
    asked = collector("prices", "morgan-1921")
    assert (asked.code, "`radar fetch morgan-1921` collects them" in asked.err) == (0, True)
    assert collector("fetch", "morgan-1921").code == 0
    assert "14 prices to be valued: `radar run` or `radar work` does that." in collector("prices", "morgan-1921").out


def test_what_counts_is_shown_before_newer_listings_that_do_not_fit(collector):
    fetch_and_work(collector)
    shown = collector("prices", "morgan-1921")
    assert shown.out.count("1921 Morgan Dollar number") == 10
    assert ("REPLICA" in shown.out, "1881" in shown.out) == (False, False)
    assert "2 prices that do not fit are not shown: a higher --limit lists them last." in shown.err
    every = collector("prices", "morgan-1921", "--limit", "14", "--json").json["points"]
    assert [point["match_strength"] >= 0.5 for point in every] == [True] * 12 + [False] * 2
    assert "do not fit" not in collector("prices", "morgan-1921", "--limit", "14").err


THINGS = """\
[[watch]]
name = "things"
kind = "price"
  [watch.valuation]
  currency = "EUR"
  [[watch.query]]
  source = "rest"
  [watch.query.params]
  url = "{rest}/api/all"
  id = "key.id"
  title = "attributes.name"
  date = "posted"
  fields = {{ price = "attributes.name" }}
"""


def test_listings_whose_prices_cannot_be_used_are_named_with_the_remedy(newcomer):
    world = still_world(1, NOON, {"rest": 7})
    with Simulator(world) as simulator:
        path = newcomer.folder / "radar.toml"
        path.write_text(THINGS.format(**simulator.base_urls), encoding="utf-8")
        fetched = newcomer("fetch", "things")
    assert "7 of 7 listings tell no usable price: 7 cannot be read for sure" in " ".join(fetched.err.split())
    asked = newcomer("prices", "things")
    assert asked.code == 0
    told = " ".join(asked.err.split())
    assert "No prices yet. 7 of 7 listings tell no usable price: 7 cannot be read for sure" in told
    assert "`price_text` has what they say" in told
    assert "collects them" not in told


def test_a_watch_of_another_kind_and_an_unknown_one_are_refused(collector):
    assert "is a watch of kind vacancy" in collector("prices", "jobs").err
    unknown = collector("prices", "morgan-1912")
    assert (unknown.code, "Did you mean 'morgan-1921'?" in unknown.err) == (2, True)


DAY = timedelta(days=1)
START = datetime(2026, 1, 1, tzinfo=UTC)


def test_a_chart_steps_up_and_down_at_the_right_places():
    steps = [(START, 1000), (START + 5 * DAY, 2000), (START + 7.5 * DAY, 1000)]
    assert step_chart(steps, START + 10 * DAY, width=27, pen=FINE) == [
        "20.00 │         ┌────┐",
        "      │         │    │",
        "      │         │    │",
        "      │         │    │",
        "15.00 │         │    │",
        "      │         │    │",
        "      │         │    │",
        "      │         │    │",
        "10.00 │─────────┘    └─────",
        "      └────────────────────",
        "       2026-01-01",
    ]


def test_a_movement_of_a_hair_does_not_look_like_a_crash():
    *drawn, _axis, _dates = step_chart([(START, 10_000), (START + DAY, 10_030)], START + 2 * DAY, width=40, pen=ASCII)
    assert [drawn[line].split()[0] for line in (0, 4, 8)] == ["102.66", "100.15", "97.64"]
    assert sum("-" in line for line in drawn) <= 2


def test_a_chart_of_one_value_is_a_level_line():
    assert step_chart([(START, 123_456)], START, width=30, pen=ASCII) == [
        "1,234.56 |--------------------",
        "         +--------------------",
        "          2026-01-01",
    ]


def test_a_chart_of_nothing_is_nothing():
    assert step_chart([], START, width=80, pen=FINE) == []


@pytest.mark.parametrize("width", [5, 40, 80, 160])
def test_a_chart_keeps_its_width_and_begins_and_ends_with_a_date(width):
    steps = [(START + n * DAY, 1000 + 37 * n % 500) for n in range(40)]
    lines = step_chart(steps, START + 60 * DAY, width=width, pen=ASCII)
    assert max(map(len, lines)) <= max(width, 24)
    assert lines[-1].split()[0] == "2026-01-01"
    assert width < 40 or lines[-1].endswith("2026-03-02")
    assert all(line.isascii() for line in lines)


@pytest.mark.parametrize(("encoding", "pen"), [("utf-8", FINE), ("ascii", ASCII), ("latin-1", ASCII), (None, ASCII)])
def test_a_terminal_that_lacks_the_fine_characters_gets_plain_ones(encoding, pen):
    assert pen_for(encoding) is pen
