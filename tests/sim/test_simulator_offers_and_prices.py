"""The rules of InfoJobs, eBay and the JSON API, seen over HTTP."""

import base64
import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import pytest

from inforadar.simulator import infojobs_shape
from inforadar.simulator.happenings import Pace, drive
from inforadar.simulator.scenarios import still_world
from inforadar.simulator.search import Search
from inforadar.simulator.server import Simulator
from inforadar.sources.infojobs_offer import read_offer, read_offer_detail
from sim.simulator_client import NOON, Reply, post_form, visit

BASIC = f"Basic {base64.b64encode(b'app:secret').decode()}"
SCOPE = "https://api.ebay.com/oauth/api_scope"
SEARCH = "/buy/browse/v1/item_summary/search"


@pytest.fixture
def simulator() -> Iterator[Simulator]:
    with Simulator(still_world(1, NOON, {"infojobs": 130, "ebay": 130, "rest": 50})) as simulator:
        yield simulator


def listed(simulator: Simulator, source: str) -> list[str]:
    return [entry.id for entry in simulator.world.listing(Search(source=source))]


def offers(simulator: Simulator, **params: object) -> Reply:
    return visit(f"{simulator.base_urls['infojobs']}/api/9/offer", params, Authorization=BASIC)


def token(simulator: Simulator, scope: str = SCOPE, client: str = BASIC) -> Reply:
    url = f"{simulator.base_urls['ebay']}/identity/v1/oauth2/token"
    return post_form(url, {"grant_type": "client_credentials", "scope": scope}, Authorization=client)


def items(simulator: Simulator, path: str = SEARCH, **params: object) -> Reply:
    bearer = f"Bearer {token(simulator).json['access_token']}"
    return visit(simulator.base_urls["ebay"] + path, params, Authorization=bearer)


def test_infojobs_pages_from_1_newest_update_first_and_tells_its_offers_twice(simulator):
    pages = [offers(simulator, order="updated-desc", maxResults=50, page=page).json for page in (1, 2, 3)]
    assert [offer["id"] for page in pages for offer in page["offers"]] == listed(simulator, "infojobs")
    assert pages[0]["offers"] == pages[0]["items"]
    assert [(page["totalResults"], page["totalPages"]) for page in pages] == [(130, 3)] * 3
    assert offers(simulator).json["sortBy"] == "relevancia-desc"


def test_an_offer_has_the_recorded_names(simulator, samples: Path):
    recorded = json.loads((samples / "jobboards/infojobs/list_v9_2023-05_q-desarrollador-web.json").read_text())
    shown = offers(simulator).json
    assert set().union(*shown["offers"]) == set().union(*recorded["offers"])
    assert set(shown) <= set(recorded)
    assert any("teleworking" not in offer for offer in offers(simulator, maxResults=50).json["offers"])


@pytest.mark.parametrize(
    ("params", "status", "code"),
    [
        ({"page": 0}, 400, "306"),
        ({"page": 99}, 400, "306"),
        ({"maxResults": 51}, 400, "201"),
        ({"order": "title"}, 400, "305"),
        ({"sinceDate": "_3_DAYS"}, 400, "226"),
    ],
)
def test_infojobs_refuses_with_its_own_numbers(simulator, params, status, code):
    reply = offers(simulator, **params)
    assert (reply.status, reply.json["error"]) == (status, code)


def test_infojobs_filters_by_age_in_buckets_only(simulator):
    totals = [
        offers(simulator, sinceDate=bucket).json["totalResults"]
        for bucket in ("_24_HOURS", "_7_DAYS", "_15_DAYS", "ANY")
    ]
    assert totals == sorted(totals)
    week = NOON - timedelta(days=7)
    young = [
        key for key in listed(simulator, "infojobs") if simulator.world.entry("infojobs", key).published_at >= week
    ]
    assert totals[1] == len(young)


def test_infojobs_wants_the_credentials_it_knows(simulator):
    url = f"{simulator.base_urls['infojobs']}/api/9/offer"
    assert (visit(url).status, visit(url).json["error"]) == (401, "102")
    simulator.change_rules(infojobs_client="other:secret")
    assert offers(simulator).status == 401


def test_a_raised_offer_keeps_its_publication(simulator):
    key = listed(simulator, "infojobs")[-1]
    simulator.world.bump("infojobs", key)
    first = offers(simulator, order="updated-desc").json["offers"][0]
    assert first["id"] == key
    assert first["updated"] == "2026-01-05T12:00:00.000Z" > first["published"]


def test_an_offer_that_was_withdrawn_is_archived_or_not_found(simulator):
    archived, deleted = listed(simulator, "infojobs")[:2]
    simulator.world.withdraw("infojobs", archived)
    simulator.world.withdraw("infojobs", deleted, "deleted")
    url = f"{simulator.base_urls['infojobs']}/api/7/offer/"
    assert visit(url + archived, Authorization=BASIC).json["archived"] is True
    gone = visit(url + deleted, Authorization=BASIC)
    assert (gone.status, gone.json["error"]) == (404, "313")


def test_ebay_answers_nobody_without_a_token_of_its_own(simulator):
    url = simulator.base_urls["ebay"] + SEARCH
    for bearer in ("", "Bearer x", "Bearer v^1.1#1#0000000000000000#0000000000000000"):
        reply = visit(url, {"q": "dollar"}, Authorization=bearer)
        assert (reply.status, reply.json["errors"][0]["errorId"]) == (401, 1001)
    assert token(simulator, client="Basic eA==").json["error"] == "invalid_client"
    assert token(simulator, scope=f"{SCOPE}/buy.marketplace.insights").json["error"] == "invalid_scope"


def test_an_ebay_token_ends(simulator):
    bearer = f"Bearer {token(simulator).json['access_token']}"
    url = simulator.base_urls["ebay"] + SEARCH
    assert visit(url, {"q": "dollar"}, Authorization=bearer).status == 200
    simulator.advance(7201)
    assert visit(url, {"q": "dollar"}, Authorization=bearer).status == 401


def test_ebay_lists_by_offset_and_date(simulator):
    shown = items(simulator, category_ids="11116", sort="newlyListed", limit=200).json
    keys = [item["legacyItemId"] for item in shown["itemSummaries"]]
    assert keys == listed(simulator, "ebay")
    middle = shown["itemSummaries"][60]["itemCreationDate"]
    older = items(simulator, category_ids="1", sort="newlyListed", limit=200, filter=f"itemStartDate:[..{middle}]").json
    newer = items(simulator, category_ids="1", sort="newlyListed", limit=200, filter=f"itemStartDate:[{middle}]").json
    assert older["total"] + newer["total"] >= 131
    assert newer["itemSummaries"][-1]["itemCreationDate"] == middle == older["itemSummaries"][0]["itemCreationDate"]


def test_ebay_ignores_what_it_does_not_know_with_a_warning(simulator):
    wrong = items(simulator, q="dollar", sort="newest").json
    assert wrong["warnings"][0]["errorId"] == 12008
    dates = [item["itemCreationDate"] for item in wrong["itemSummaries"]]
    assert dates != sorted(dates, reverse=True)
    assert items(simulator, q="dollar", filter="price:[1..5]").json["warnings"][0]["errorId"] == 12012


def test_ebay_refuses_with_its_own_numbers(simulator):
    assert items(simulator).json["errors"][0]["errorId"] == 12001
    assert items(simulator, q="x", offset=10000).json["errors"][0]["errorId"] == 12029
    assert items(simulator, q="x", limit=201).json["errors"][0]["errorId"] == 12006
    assert items(simulator, "/buy/browse/v1/item/v1%7C1%7C0").json["errors"][0]["errorId"] == 11001
    empty = items(simulator, q="nosuchword").json
    assert (empty["total"], "itemSummaries" in empty) == (0, False)


def test_ebay_counts_the_requests_of_a_californian_day(simulator):
    simulator.change_rules(ebay_daily_quota=2)
    statuses = [items(simulator, q="dollar").status for _ in range(3)]
    assert statuses == [200, 200, 429]
    simulator.advance(20 * 3600 + 60)
    assert items(simulator, q="dollar").status == 200


def test_the_json_api_hands_out_the_same_list_in_every_way(simulator):
    base, truth = simulator.base_urls["rest"] + "/api/", listed(simulator, "rest")

    def keys(entries: list[dict[str, dict[str, int]]]) -> list[str]:
        return [str(entry["key"]["id"]) for entry in entries]

    assert keys(visit(base + "all").json) == truth
    paged = [visit(base + "page", {"page": page}).json["data"]["items"] for page in (1, 2, 3, 4)]
    assert [key for page in paged for key in keys(page)] == truth
    assert keys(visit(base + "offset", {"offset": 45}).json["results"]) == truth[45:]
    assert keys(visit(base + "plain", {"p": 1}).json["items"]) == truth[10:20]
    assert set(keys(visit(base + "shuffled", {"size": 100}).json["data"]["items"])) == set(truth)


def test_a_cursor_and_a_link_stay_where_they_are_while_the_list_moves(simulator):
    base, truth = simulator.base_urls["rest"] + "/api/", listed(simulator, "rest")
    first = visit(base + "cursor").json
    link = visit(base + "link").headers["Link"]
    simulator.world.add("rest")
    second = visit(base + "cursor", {"cursor": first["next"]}).json
    assert [str(entry["key"]["id"]) for entry in second["items"]] == truth[20:40]
    target = parse_qsl(urlsplit(link.partition(">")[0].removeprefix("<")).query)
    assert [str(entry["key"]["id"]) for entry in visit(base + "link", target).json] == truth[20:40]
    last = visit(base + "cursor", {"cursor": second["next"]}).json
    assert (len(last["items"]), last["next"]) == (10, None)


@pytest.mark.parametrize("source", ["infojobs", "ebay", "rest"])
def test_entries_of_every_site_are_edited_whatever_they_lack(source):
    world = still_world(1, NOON, {source: 20})
    before = {entry.id: entry for entry in world.listing(Search(source=source))}
    drive(world, source, Pace(edits=60))
    world.advance(NOON + timedelta(hours=1))
    assert any(before[entry.id] != entry for entry in world.listing(Search(source=source)))


def test_the_list_and_the_page_of_an_offer_tell_the_same(simulator: Simulator) -> None:
    """Else every look at a page, and every list after it, would seem to change the offer."""
    for entry in simulator.world.listing(Search(source="infojobs")):
        shown, page = read_offer(infojobs_shape.offer(entry)).data, read_offer_detail(infojobs_shape.detail(entry)).data
        both = shown.keys() & page.keys()
        assert {name: shown[name] for name in both} == {name: page[name] for name in both}
        assert "education" in both
