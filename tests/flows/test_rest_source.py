"""Sources by configuration alone: the whole program over a local internet that pages, moves, caps and limits."""

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from flows.rig import NOON, rows
from inforadar.bootstrap import known_sources, open_app, read_config
from inforadar.collect.report import FetchReport, QueryReport
from inforadar.contract import Trial
from inforadar.contract.suite import SWEEPS_TO_FORGET_A_LIE
from inforadar.domain.errors import ConfigError
from inforadar.domain.ports import Answer
from inforadar.domain.run import StopReason
from inforadar.simulator.faults import Fault
from inforadar.simulator.happenings import Pace, drive, stock
from inforadar.simulator.search import Search
from inforadar.simulator.server import Simulator
from inforadar.simulator.world import World
from sources.contract import rest

ALL = Search(source="rest")
ENTRY = 'id = "key.id", title = "attributes.name", date = "posted"'
LISTS = {
    "page": 'list = "data.items", page = "page", total = "data.total", size_param = "size"',
    "plain": 'list = "items", page = "page", page_param = "p", first_page = 0, page_size = 10',
    "offset": 'list = "results", page = "offset", size_param = "limit"',
    "cursor": 'list = "items", page = "cursor", next = "next", size_param = "limit", stable = true',
    "marker": 'list = "items", page = "cursor", next = "next", size_param = "limit"',
    "link": 'page = "link", size_param = "limit"',
    "numbered": 'page = "link", size_param = "limit"',
    "all": "",
    "shuffled": 'list = "data.items", page = "page", total = "data.total", size_param = "size", order = "none"',
}


@dataclass
class WorldClock:
    """The world's time for dates, ours for time limits."""

    world: World

    def now(self) -> datetime:
        return self.world.now

    def mono(self) -> float:
        return time.monotonic()


class User:
    """Somebody with a folder, a configuration and a local internet."""

    def __init__(self, folder: Path, simulator: Simulator) -> None:
        self.folder = folder
        self.simulator = simulator
        self.world = simulator.world

    def watch(self, source: str, params: str, *, kind: str = "vacancy", **settings: Any) -> None:
        """Begin to watch one query; `settings` belong to it."""
        path = self.folder / "radar.toml"
        told = path.read_text() if path.exists() else self._sources()
        bounds = "".join(f"{name} = {value}\n" for name, value in settings.items())
        head = f'[[watch]]\nname = "w{told.count("[[watch]]")}"\nkind = "{kind}"\nmax_experience_years = 0\n'
        query = f'[[watch.query]]\nsource = "{source}"\nparams = {{ {params} }}\n{bounds}'
        path.write_text(f"{told}{head}{query}")

    def watch_list(self, name: str, more: str = "", **settings: Any) -> None:
        """Begin to watch the API's list in one of its ways to page."""
        url = f'url = "{self.simulator.base_urls["rest"]}/api/{name}"'
        self.watch("rest", ", ".join(part for part in (url, ENTRY, LISTS[name], more) if part), **settings)

    def fetch(self) -> FetchReport:
        config = read_config(str(self.folder / "radar.toml"), {})
        with open_app(config, WorldClock(self.world)) as app:
            chosen = [(watch, query) for watch in config.watches for query in watch.queries]
            report = app.fetcher().fetch(chosen)
            self.items = rows(app.database, "SELECT key, kind, data FROM items")
        return report

    def fetch_one(self) -> QueryReport:
        (report,) = self.fetch().queries
        return report

    @property
    def ids(self) -> set[str]:
        keys = [row["key"].rpartition("#")[2] for row in self.items]
        assert len(keys) == len(set(keys))
        return set(keys)

    def _sources(self) -> str:
        urls = self.simulator.base_urls
        own = 'client_id = "my-app"\nclient_secret = "my-secret"\nrate_limit_per_minute = 6000\n'
        return "".join(f'[sources.{name}]\nbase_url = "{urls[name]}"\n{own}' for name in ("infojobs", "ebay", "rest"))


@pytest.fixture
def user(tmp_path: Path) -> Iterator[User]:
    with Simulator(World(seed=3, start_at=NOON)) as simulator:
        yield User(tmp_path, simulator)


@pytest.mark.parametrize("name", LISTS)
def test_an_api_nobody_has_seen_is_collected_while_it_moves(user: User, name: str) -> None:
    stock(user.world, "rest", 57, days=10)
    drive(user.world, "rest", Pace(arrivals=6, late=1, withdrawals=4, bumps=1, hidings=1, edits=2))
    user.simulator.internet.move_seconds_per_request = 120
    user.watch_list(name)
    for _ in range(8):
        started_at = user.world.now
        user.fetch()
        user.simulator.advance(1800)
    user.simulator.internet.move_seconds_per_request = 0
    report = user.fetch_one()
    assert (report.status, report.left) == ("SUCCESS", 0)
    steady = user.world.visible_throughout(ALL, started_at, user.world.now)
    assert steady <= user.ids <= user.world.ever_visible_ids(ALL)


@pytest.mark.parametrize("name", ["cursor", "marker", "link", "numbered", "offset", "plain", "shuffled", "all"])
def test_a_small_limit_collects_a_long_list_in_the_end(user: User, name: str) -> None:
    stock(user.world, "rest", 230, days=20)
    user.watch_list(name, limit=25)
    for _ in range(40):
        report = user.fetch_one()
        assert report.counters.unseen <= 25
        if not report.left:
            break
    assert user.ids == user.world.visible_ids(ALL)


@pytest.mark.parametrize("name", ["cursor", "marker", "link", "numbered", "all"])
@pytest.mark.parametrize("bounds", [{}, {"cutoff_date": "2026-01-05"}])
def test_a_list_without_dates_is_collected_and_dated_by_when_it_was_seen(
    user: User, name: str, bounds: dict[str, Any]
) -> None:
    stock(user.world, "rest", 45, days=10)
    user.watch_list(name, **bounds)
    path = user.folder / "radar.toml"
    path.write_text(path.read_text().replace(', date = "posted"', ""))
    assert user.fetch_one().counters.added == 45
    user.simulator.advance(3600)
    new = user.world.add("rest")
    second = user.fetch_one()
    assert (second.counters.added, second.counters.updated) == (1, 0)
    assert new.id in user.ids


def test_lists_of_several_apis_are_kept_apart_and_take_the_kind_of_their_watch(user: User) -> None:
    stock(user.world, "rest", 5, days=1)
    user.watch_list("all", kind="vacancy")
    user.watch_list("link", 'fields = { price = "price.amount", currency = "price.unit" }', kind="price")
    assert [query.counters.added for query in user.fetch().queries] == [5, 5]
    assert sorted(row["kind"] for row in user.items) == ["price"] * 5 + ["vacancy"] * 5
    assert all("price_cents" in row["data"] for row in user.items if row["kind"] == "price")


def test_listings_without_a_usable_price_are_told_once_a_run_with_the_remedy(user: User) -> None:
    stock(user.world, "rest", 45, days=3)
    user.watch_list("numbered", 'fields = { price = "attributes.name", currency = "price.unit" }', kind="price")
    report = user.fetch_one()
    told = [warning for warning in report.warnings if "usable price" in warning]
    assert [one.partition(" (")[0] for one in told] == [
        "45 of 45 listings tell no usable price: 45 cannot be read for sure"
    ]
    assert user.fetch_one().warnings


def test_a_link_never_leads_away_from_what_the_user_wrote(user: User) -> None:
    stock(user.world, "rest", 5, days=1)
    user.watch_list("cursor")
    path = user.folder / "radar.toml"
    path.write_text(
        path.read_text().replace('page = "cursor", next = "next"', 'page = "link", next = "items[0].links[0].href"')
    )
    report = user.fetch_one()
    assert (report.status, report.stop_reason) == ("ERROR", StopReason.UNREADABLE_PAGE)
    assert "another site" in (report.error or "")


def test_a_mistake_in_the_configuration_is_told_with_its_line(user: User) -> None:
    user.watch("rest", 'url = "https://api.test/x", id = "a..b", headers = { Cookie = "x" }, page = "pages"')
    with pytest.raises(ConfigError) as caught:
        read_config(str(user.folder / "radar.toml"), {})
    said = str(caught.value)
    assert all(part in said for part in ("`title` is missing", "not a path", "secret", "`page` is one of", "line "))


def test_more_offers_than_infojobs_shows_are_reported_and_reached_by_splitting(user: User) -> None:
    for number in range(2300):
        user.world.add("infojobs", published_at=NOON - timedelta(minutes=number))
    user.watch("infojobs", "")
    report = user.fetch_one()
    assert report.stop_reason is StopReason.DEPTH_CAP
    assert report.left > 0
    assert any("split" in warning for warning in report.warnings)
    (user.folder / "radar.toml").unlink()
    cities = sorted({user.world.entry("infojobs", key).place.city for key in user.world.visible_in("infojobs")})
    user.watch("infojobs", f'province = {str(cities).replace(chr(39), chr(34))}, split = "province"')
    reports = user.fetch().queries
    assert len(reports) == len(cities) > 1
    assert {report.left for report in reports} == {0}
    assert {row["key"] for row in user.items} == set(user.world.visible_in("infojobs"))


def test_a_raised_offer_is_seen_again_and_changes_nothing(user: User) -> None:
    stock(user.world, "infojobs", 60, days=10)
    user.watch("infojobs", "")
    user.fetch()
    user.simulator.advance(3600)
    for entry_id in user.world.visible_in("infojobs")[:30]:
        user.world.bump("infojobs", entry_id)
    new = user.world.add("infojobs", published_at=NOON + timedelta(minutes=30))
    report = user.fetch_one()
    assert (report.counters.added, report.counters.updated) == (1, 0)
    assert new.id in {row["key"] for row in user.items}


def test_wrong_credentials_are_refused_with_the_remedy(user: User) -> None:
    user.simulator.change_rules(infojobs_client="other:secret", ebay_client="other:secret")
    user.watch("infojobs", "")
    user.watch("ebay", 'q = "dollar"', kind="price")
    for report in user.fetch().queries:
        assert report.stop_reason is StopReason.REFUSED
        assert "client_secret" in (report.error or "")
        assert "my-secret" not in (report.error or "")


def test_missing_credentials_are_warned_of_when_the_file_is_read(user: User) -> None:
    user.watch("ebay", 'q = "dollar"', kind="price")
    path = user.folder / "radar.toml"
    path.write_text(path.read_text().replace('client_secret = "my-secret"\n', ""))
    assert any("client_secret" in warning for warning in read_config(str(path), {}).warnings)
    assert "client_secret" in (user.fetch_one().error or "")


def test_credentials_are_among_the_secrets_that_are_masked(user: User) -> None:
    user.watch("ebay", 'q = "dollar"', kind="price")
    assert {"my-app", "my-secret"} <= set(read_config(str(user.folder / "radar.toml"), {}).secrets())


def test_a_token_that_ends_in_the_middle_of_a_sweep_is_renewed(user: User) -> None:
    stock(user.world, "ebay", 700, days=20)
    user.simulator.change_rules(ebay_token_ttl_s=60)
    user.simulator.internet.move_seconds_per_request = 45
    user.watch("ebay", 'category_ids = "11116"', kind="price")
    report = user.fetch_one()
    assert (report.status, report.left, report.counters.added) == ("SUCCESS", 0, 700)
    tokens = [line for line in user.simulator.log if line.path.startswith("/identity")]
    assert len(tokens) >= 2
    assert [path.name for path in user.folder.glob("*token*")] == ["radar-ebay-token.json"]


def test_a_used_up_quota_pauses_ebay_until_midnight_in_california(user: User) -> None:
    stock(user.world, "ebay", 700, days=20)
    user.simulator.change_rules(ebay_daily_quota=2)
    user.watch("ebay", 'category_ids = "11116"', kind="price")
    report = user.fetch_one()
    assert report.stop_reason is StopReason.RATE_LIMITED
    assert len(user.items) == 399
    assert report.retry_at == datetime.fromisoformat("2026-01-06T08:00:00+00:00")
    asked = len(user.simulator.log)
    user.fetch()
    assert len(user.simulator.log) == asked
    user.simulator.change_rules(ebay_daily_quota=5000)
    user.simulator.advance(to=report.retry_at + timedelta(minutes=1))
    assert user.fetch_one().left == 0
    assert {row["key"] for row in user.items} == set(user.world.visible_in("ebay"))


def test_more_items_than_ebay_shows_are_reached_by_date(user: User, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("inforadar.simulator.ebay", "inforadar.sources.ebay"):
        monkeypatch.setattr(f"{module}.DEPTH", 600)
    paging = known_sources()["ebay"].paging
    monkeypatch.setattr("inforadar.sources.ebay.Ebay.paging", type(paging)(**{**_fields(paging), "depth": 600}))
    stock(user.world, "ebay", 1500, days=20)
    user.watch("ebay", 'category_ids = "11116"', kind="price")
    report = user.fetch_one()
    assert (report.status, report.left, report.counters.added) == ("SUCCESS", 0, 1500)


def test_sold_prices_need_a_key_that_may_see_them(user: User) -> None:
    stock(user.world, "ebay", 30, days=10)
    for entry_id in user.world.visible_in("ebay")[:12]:
        user.world.withdraw("ebay", entry_id)
    user.watch("ebay", 'category_ids = "11116", sold = true', kind="price")
    user.watch("ebay", 'category_ids = "11116"', kind="price")
    refused, offered = user.fetch().queries
    assert refused.stop_reason is StopReason.REFUSED
    assert "only to keys it has approved" in (refused.error or "")
    assert (offered.status, offered.counters.added) == ("SUCCESS", 18)
    user.simulator.change_rules(ebay_insights=True)
    sold, _ = user.fetch().queries
    assert (sold.status, sold.counters.added) == ("SUCCESS", 12)
    again, _ = user.fetch().queries
    assert (again.status, again.counters.added) == ("SUCCESS", 0)


def test_an_order_that_ebay_ignores_is_an_error_and_not_a_list(user: User) -> None:
    stock(user.world, "ebay", 5, days=1)
    user.watch("ebay", 'q = "dollar", filter = "colour:{red}"', kind="price")
    report = user.fetch_one()
    assert report.stop_reason is StopReason.REFUSED
    assert "12002" in (report.error or "")
    assert user.items == []


def test_pages_that_lie_are_survived_by_every_kind_of_paging(user: User) -> None:
    stock(user.world, "rest", 70, days=10)
    for name in LISTS:
        user.watch_list(name)
    lies = ("empty_page", "repeated_page", "duplicated_entry", "unreadable_entry")
    user.simulator.switch(*(Fault(kind=kind, probability=0.08) for kind in lies))
    for _ in range(6):
        user.fetch()
        user.simulator.advance(1800)
    user.simulator.switch()
    for _ in range(SWEEPS_TO_FORGET_A_LIE):
        assert {query.left for query in user.fetch().queries} == {0}
        if len(user.items) == 70 * len(LISTS):
            break
    assert len(user.items) == 70 * len(LISTS)


def _fields(value: Any) -> dict[str, Any]:
    return {name: getattr(value, name) for name in value.__dataclass_fields__}


class DatedList:
    """A list sorted by date, in pages of ten; some of its entries tell none."""

    def __init__(self, entries):
        self.entries = entries

    def send(self, _base_url, request):
        page = int(dict(request.params).get("page", 1))
        shown = self.entries[(page - 1) * 10 : page * 10]
        body = json.dumps({"items": shown, "total": len(self.entries)}).encode()
        return Answer(url=request.url or "https://rest.test/api", status=200, headers={}, body=body)


def entry_at(number, *, is_dated=True):
    """Entry 0 is the newest."""
    posted = (NOON - timedelta(hours=number)).isoformat() if is_dated else None
    return {"key": {"id": number}, "attributes": {"name": f"Job {number}"}, "posted": posted}


UNDATED_PLACES = {
    "here and there": {3, 4, 17, 29, 44},
    "above all others": set(range(12)),
    "below all others": set(range(33, 45)),
    "none is dated": set(range(45)),
}


@pytest.mark.parametrize("limit", [None, 7])
@pytest.mark.parametrize("places", UNDATED_PLACES.values(), ids=UNDATED_PLACES.keys())
def test_entries_without_a_date_of_a_dated_list_are_collected_once_and_told(db, places, limit):
    case = rest("page", list="items", page="page", page_size=10, total="total")
    trial = Trial(case, db, **({"limit": limit} if limit else {}))
    server = DatedList([entry_at(number, is_dated=number not in places) for number in range(45)])
    trial.radar = trial.process(transport=server)
    reports = [trial.radar.fetch_one(trial.watch, trial.query) for _ in range(12)]
    assert {row["title"] for row in rows(db, "SELECT title FROM items")} == {f"Job {n}" for n in range(45)}
    assert sum(report.counters.added for report in reports) == 45
    assert any("without a valid date" in told for report in reports for told in report.warnings)
    changes = rows(db, "SELECT count(*) AS n FROM item_changes")
    assert changes[0]["n"] == 0
    undated = rows(db, "SELECT published_at, first_seen_at FROM items WHERE published_at = first_seen_at")
    assert len(undated) >= len(places)
