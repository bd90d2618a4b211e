"""Habr's JSON and HTML, seen over HTTP."""

import re
from collections.abc import Iterator
from datetime import timedelta

import pytest

from inforadar.simulator.entry import counters_at
from inforadar.simulator.habr_html import rounded
from inforadar.simulator.scenarios import still_world
from inforadar.simulator.server import Simulator
from inforadar.simulator.world import World
from sim.simulator_client import NOON, Reply, visit

TITLE_LINKS = {"L1": "a.tm-article-snippet__title-link", "L2": "a.tm-title__link", "L3": "a.tm-title__link"}
HUB_LINKS = {
    "L1": "a.tm-article-snippet__hubs-item-link",
    "L2": "a.tm-publication-hub__link",
    "L3": "a.tm-publication-hub__link",
}
COMMENTS = {
    "L1": ".tm-article-comments-counter-link__value",
    "L2": ".tm-article-comments-counter-link__value",
    "L3": ".article-comments-counter-link .value",
}
BOOKMARKS = {
    "L1": ".bookmarks-button__counter",
    "L2": ".bookmarks-button__counter",
    "L3": ".bookmarks-button .counter",
}


@pytest.fixture(scope="module")
def stocked() -> Iterator[Simulator]:
    with Simulator(still_world(1, NOON, {"habr": 1300})) as simulator:
        yield simulator


@pytest.fixture
def empty() -> Iterator[Simulator]:
    with Simulator(World(seed=1, start_at=NOON)) as simulator:
        yield simulator


def articles(simulator: Simulator, **params: object) -> Reply:
    return visit(simulator.base_urls["habr"] + "/kek/v2/articles/", params)


def page(simulator: Simulator, path: str) -> Reply:
    return visit(simulator.base_urls["habr"] + path)


def test_the_order_is_in_the_ids_and_the_pages_are_the_list_of_the_truth(stocked):
    params = {"hub": "python", "sort": "all"}
    search = stocked.internet.search("habr", params)
    truth = [entry.id for entry in stocked.world.listing(search)]
    pages = [articles(stocked, **params, perPage=100, page=number).json for number in (1, 2, 3, 4)]
    assert [key for one in pages for key in one["publicationIds"]] == truth
    assert pages[0]["pagesCount"] == -(-len(truth) // 100)
    assert list(pages[0]["publicationRefs"]) != pages[0]["publicationIds"]
    assert pages[3] == {"pagesCount": pages[0]["pagesCount"], "publicationIds": [], "publicationRefs": {}}


def test_ids_of_the_newest_list_are_in_the_order_of_dates_and_not_of_numbers(stocked):
    reply = articles(stocked, sort="rating", perPage=100).json
    dates = [reply["publicationRefs"][key]["timePublished"] for key in reply["publicationIds"]]
    numbers = [int(key) for key in reply["publicationIds"]]
    assert dates == sorted(dates, reverse=True)
    assert numbers != sorted(numbers, reverse=True)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00", dates[0])


def test_the_list_of_everything_ends_after_fifty_pages_and_a_hub_does_not(stocked):
    assert articles(stocked, perPage=5).json["pagesCount"] == 50
    assert articles(stocked, perPage=5, page=51).json["publicationIds"] == []
    assert articles(stocked, perPage=1, hub="programming").json["pagesCount"] > 50


def test_sort_date_is_the_best_of_a_period_and_score_a_threshold(stocked):
    best = articles(stocked, sort="date", period="weekly", perPage=100).json
    scores = [best["publicationRefs"][key]["statistics"]["score"] for key in best["publicationIds"]]
    assert scores == sorted(scores, reverse=True)
    rated = articles(stocked, sort="rating", score=25, perPage=100).json
    assert all(one["statistics"]["score"] >= 25 for one in rated["publicationRefs"].values())
    dates = [rated["publicationRefs"][key]["timePublished"] for key in rated["publicationIds"]]
    assert dates == sorted(dates, reverse=True)


def test_flow_language_text_and_news_narrow_the_list(stocked):
    flow = articles(stocked, flow="ai_and_ml").json["publicationRefs"].values()
    assert all("ai_and_ml" in {one["alias"] for one in ref["flows"]} for ref in flow)
    english = articles(stocked, fl="en").json["publicationRefs"].values()
    assert {ref["lang"] for ref in english} == {"en"}
    assert {ref["postType"] for ref in articles(stocked, news="true").json["publicationRefs"].values()} == {"news"}
    found = articles(stocked, query="rust", order="date").json
    assert all("Rust" in str(ref["tags"]) + ref["titleHtml"] for ref in found["publicationRefs"].values())
    assert found["publicationIds"]


def test_unknown_hubs_and_the_retired_flow_are_not_found(stocked):
    for params in ({"hub": "nonsense"}, {"flow": "develop"}):
        reply = articles(stocked, **params)
        assert (reply.status, reply.json) == (404, {"code": 404, "message": "Resource not found", "data": []})


def test_every_json_answer_names_the_server_version(stocked):
    assert articles(stocked).headers["server-habr-version"]


def test_a_page_holds_a_hundred_at_most_and_twenty_by_default(stocked):
    assert len(articles(stocked, perPage=500).json["publicationIds"]) == 100
    assert len(articles(stocked).json["publicationIds"]) == 20


def test_the_old_key_names_can_be_had(empty):
    entry = empty.world.add("habr", kind="article")
    empty.internet.change_rules(habr_old_keys=True)
    assert articles(empty).json["articleIds"] == [entry.id]


def test_counters_grow_between_two_visits(empty):
    entry = empty.world.add("habr", kind="article", popularity=5000, liking=0.01)
    before = articles(empty).json["publicationRefs"][entry.id]["statistics"]
    empty.advance(24 * 3600)
    after = articles(empty).json["publicationRefs"][entry.id]["statistics"]
    assert all(before[name] < after[name] for name in ("readingCount", "score", "commentsCount", "reach"))


def test_a_publication_has_its_text_and_a_withdrawn_one_is_gone(empty):
    entry = empty.world.add("habr", title="Ключ & <замок>")
    url = f"{empty.base_urls['habr']}/kek/v2/articles/{entry.id}/"
    found = visit(url).json
    assert found["titleHtml"] == "Ключ &amp; &lt;замок&gt;"
    assert len(found["textHtml"]) > 300
    empty.world.withdraw("habr", entry.id)
    assert (visit(url).status, visit(url).json["code"]) == (404, 404)


@pytest.mark.parametrize("layout", ["L1", "L2", "L3"])
def test_each_layout_shows_the_entry_in_its_own_classes(empty, layout):
    empty.internet.change_rules(habr_layout=layout)
    entry = empty.world.add(
        "habr",
        kind="article",
        title="Как <устроен> мир",
        published_at=NOON - timedelta(days=3),
        hubs=("python", "programming"),
        popularity=9000,
        liking=0.01,
    )
    counters = counters_at(entry, NOON)
    card = page(empty, "/ru/articles/").html.css_first("article.tm-articles-list__item")
    assert card.attributes["id"] == entry.id
    assert card.css_first(TITLE_LINKS[layout]).text(strip=True) == "Как <устроен> мир"
    href = "/ru/post/" if layout == "L1" else "/ru/articles/"
    assert card.css_first(TITLE_LINKS[layout]).attributes["href"] == f"{href}{entry.id}/"
    assert card.css_first("time").attributes["datetime"] == "2026-01-02T12:00:00.000Z"
    assert card.css_first("a.tm-user-info__username").text(strip=True) == entry.author
    assert len(card.css(HUB_LINKS[layout])) == 2
    assert card.css_first(".tm-votes-meter__value").text(strip=True) == f"+{counters.rating}"
    assert card.css_first(COMMENTS[layout]).text(strip=True) == str(counters.comments)
    assert card.css_first(BOOKMARKS[layout]).text(strip=True) == str(counters.bookmarks)
    assert entry.snippet[0] in card.css_first(".article-formatted-body").text()
    shown = counters.reach if layout == "L3" else counters.views
    assert card.css_first(".tm-icon-counter__value").text(strip=True) == rounded(shown)
    exact = card.css_first(".tm-icon-counter__value").attributes.get("title")
    assert exact == (None if layout == "L1" else str(shown))


def test_html_lists_are_twenty_a_page_with_a_link_ahead_until_the_last(stocked):
    truth = [entry.id for entry in stocked.world.listing(stocked.internet.search("habr", {"hub": "python"}))]
    last = -(-len(truth) // 20)
    found = []
    for number in range(1, last + 1):
        reply = page(stocked, f"/ru/hubs/python/articles/page{number}/")
        found += [card.attributes["id"] for card in reply.select("article.tm-articles-list__item")]
        assert bool(reply.select("a#pagination-next-page[rel=next]")) is (number < last)
    assert found == truth


def test_html_past_the_end_is_a_placeholder_and_past_page_fifty_not_found(stocked):
    past = page(stocked, "/ru/hubs/python/articles/page99/")
    assert (past.status, len(past.select(".tm-empty-placeholder")), past.select("article")) == (200, 1, [])
    assert len(page(stocked, "/ru/articles/page50/").select("article")) == 20
    assert page(stocked, "/ru/articles/page51/").status == 404
    assert page(stocked, "/ru/hubs/nonsense/articles/").status == 404


def test_an_advertisement_has_no_id_and_no_title(empty):
    empty.internet.change_rules(habr_ads=True)
    empty.world.add("habr", kind="article")
    cards = page(empty, "/ru/articles/").select("article.tm-articles-list__item")
    assert sorted(card.attributes.get("id") is None for card in cards) == [False, True]


@pytest.mark.parametrize(("number", "text"), [(0, "0"), (376, "376"), (3349, "3.3K"), (4000, "4K"), (51_200, "51K")])
def test_counters_are_rounded_like_the_site_does(number, text):
    assert rounded(number) == text
