"""LinkedIn's guest pages, seen over HTTP."""

from collections.abc import Iterator
from datetime import timedelta

import pytest

from inforadar.simulator.rules import Rules
from inforadar.simulator.scenarios import still_world
from inforadar.simulator.server import Simulator
from inforadar.simulator.vocabulary import COMPANIES
from inforadar.simulator.world import World
from sim.simulator_client import NOON, SEARCH, Reply, visit

WITH_PAGE = next(company for company in COMPANIES if company.slug)
WITHOUT_PAGE = next(company for company in COMPANIES if not company.slug)


@pytest.fixture(scope="module")
def stocked() -> Iterator[Simulator]:
    with Simulator(still_world(1, NOON, {"linkedin": 1100})) as simulator:
        yield simulator


@pytest.fixture
def empty() -> Iterator[Simulator]:
    with Simulator(World(seed=1, start_at=NOON)) as simulator:
        yield simulator


def cards(simulator: Simulator, accept_language: str = "en-US", **params: object) -> Reply:
    url = simulator.base_urls["linkedin"] + SEARCH
    return visit(url, {"sortBy": "DD", **params}, Accept_Language=accept_language)


def job(simulator: Simulator, key: str) -> Reply:
    return visit(f"{simulator.base_urls['linkedin']}/jobs-guest/jobs/api/jobPosting/{key}")


def ids(reply: Reply) -> list[str]:
    urns = [card.attributes["data-entity-urn"] or "" for card in reply.select("[data-entity-urn]")]
    return [urn.removeprefix("urn:li:jobPosting:") for urn in urns]


def test_walking_by_cards_received_gives_the_list_of_the_truth(stocked):
    found: list[str] = []
    while page := ids(cards(stocked, keywords="python", start=len(found))):
        assert len(page) <= 10
        found += page
    search = stocked.internet.search("linkedin", {"keywords": "python"})
    assert found == [entry.id for entry in stocked.world.listing(search)]
    assert len(found) > 50


def test_the_end_is_an_empty_200_and_the_depth_cap_a_400(stocked):
    end = cards(stocked, keywords="python", start=900)
    assert (end.status, ids(end)) == (200, [])
    assert len(ids(cards(stocked, start=990))) == 10
    assert cards(stocked, start=1000).status == 400


def test_dates_are_days_and_the_newest_have_a_class_of_their_own(empty):
    empty.world.add("linkedin", published_at=NOON - timedelta(hours=3))
    empty.world.add("linkedin", published_at=NOON - timedelta(days=9))
    times = cards(empty).select("time[datetime]")
    assert [time.attributes["datetime"] for time in times] == ["2026-01-05", "2025-12-27"]
    assert [time.attributes["class"] for time in times] == [
        "job-search-card__listdate--new",
        "job-search-card__listdate",
    ]
    assert [time.text(strip=True) for time in times] == ["3 hours ago", "1 week ago"]


def test_texts_follow_the_asked_language(empty):
    empty.world.add("linkedin", published_at=NOON - timedelta(days=2))
    reply = cards(empty, "es-ES,es;q=0.9")
    assert reply.select("time")[0].text(strip=True) == "hace 2 días"


def test_a_company_without_a_page_gets_a_card_that_is_itself_the_link(empty):
    empty.world.add("linkedin", title="First", company=WITH_PAGE)
    empty.world.add("linkedin", title="Second", company=WITHOUT_PAGE)
    link, block = cards(empty).select("[data-entity-urn]")
    assert (block.tag, link.tag) == ("div", "a")
    assert block.css_first("a.base-card__full-link") is not None
    assert block.css_first("h4 a.hidden-nested-link").text(strip=True) == WITH_PAGE.name
    assert link.css_first(".sr-only") is None
    assert link.css_first("h4").text(strip=True) == WITHOUT_PAGE.name
    assert link.css_first("h3.base-search-card__title").text(strip=True) == "Second"


def test_tracking_ids_change_at_every_request_and_the_urn_does_not(empty):
    empty.world.add("linkedin", company=WITH_PAGE)
    one, two = (cards(empty).select("[data-entity-urn]")[0] for _ in range(2))
    assert one.attributes["data-entity-urn"] == two.attributes["data-entity-urn"]
    assert one.attributes["data-tracking-id"] != two.attributes["data-tracking-id"]
    assert one.css_first("a").attributes["href"] != two.css_first("a").attributes["href"]


def test_the_default_order_is_relevance(stocked):
    relevant = visit(stocked.base_urls["linkedin"] + SEARCH)
    shown = [time.attributes["datetime"] for time in relevant.select("time")]
    assert shown != sorted(shown, reverse=True)


def test_age_place_and_work_type_narrow_the_list(stocked):
    day = cards(stocked, f_TPR="r86400").select("time")
    assert {time.attributes["datetime"] for time in day} <= {"2026-01-04", "2026-01-05"}
    places = cards(stocked, location="Madrid, Spain").select(".job-search-card__location")
    assert {place.text(strip=True).split(",")[0] for place in places} == {"Madrid"}
    spain = cards(stocked, geoId="105646813").select(".job-search-card__location")
    assert {place.text(strip=True).split(", ")[-1] for place in spain} == {"Spain"}
    remote = stocked.internet.search("linkedin", {"f_WT": "2"})
    assert {entry.work_format for entry in stocked.world.listing(remote)} == {"REMOTE"}


def test_promoted_cards_stand_out_of_order_but_only_once():
    with Simulator(still_world(1, NOON, {"linkedin": 60}), rules=Rules(linkedin_stray_every=4)) as simulator:
        found = [key for start in range(0, 60, 10) for key in ids(cards(simulator, start=start))]
        truth = [entry.id for entry in simulator.world.listing(simulator.internet.search("linkedin"))]
    assert found != truth
    assert sorted(found) == sorted(truth)


def test_an_open_job_has_an_apply_button_and_a_description_and_no_absolute_date(empty):
    entry = empty.world.add("linkedin", title="Staff Engineer", company=WITH_PAGE)
    page = job(empty, entry.id)
    assert page.html.css_first("h2.top-card-layout__title").text() == "Staff Engineer"
    assert page.html.css_first(".topcard__org-name-link").text(strip=True) == WITH_PAGE.name
    assert "Apply" in page.html.css_first(".top-card-layout__cta-container").text()
    assert page.html.css_first(".contextual-sign-in-modal") is not None
    assert page.html.css_first("figure.closed-job") is None
    assert len(page.html.css_first(".show-more-less-html__markup").text()) > 200
    assert len(page.select("li.description__job-criteria-item")) == 4
    assert page.html.css_first("time") is None


@pytest.mark.parametrize("has_banner", [True, False])
def test_a_closed_job_says_so_with_or_without_a_banner(empty, has_banner):
    empty.internet.change_rules(linkedin_closed_banner=has_banner)
    entry = empty.world.add("linkedin")
    empty.world.withdraw("linkedin", entry.id)
    page = job(empty, entry.id)
    assert page.status == 200
    assert (page.html.css_first("figcaption.closed-job__flavor--closed") is not None) is has_banner
    assert page.html.css_first(".top-card-layout__cta-container").text(strip=True) == ""
    assert page.html.css_first(".contextual-sign-in-modal") is not None


def test_the_condensed_render_tells_nothing_and_may_alternate_with_the_full_one(empty):
    entry = empty.world.add("linkedin")
    empty.internet.change_rules(linkedin_render="alternate")
    is_full = [job(empty, entry.id).html.css_first(".contextual-sign-in-modal") is not None for _ in range(4)]
    assert is_full == [False, True, False, True]


def test_a_deleted_job_is_not_found(empty):
    entry = empty.world.add("linkedin")
    empty.world.withdraw("linkedin", entry.id, "deleted")
    assert job(empty, entry.id).status == 404
    assert job(empty, "1").status == 404


def test_a_view_page_carries_other_jobs_and_an_expired_one_leads_to_a_list(empty):
    entries = [empty.world.add("linkedin", company=WITH_PAGE) for _ in range(5)]
    view = f"{empty.base_urls['linkedin']}/jobs/view/some-title-{entries[0].id}"
    assert len(ids(visit(view))) == 5
    empty.world.withdraw("linkedin", entries[0].id)
    moved = visit(view)
    assert moved.status == 301
    assert moved.headers["Location"].endswith("trk=expired_jd_redirect")
