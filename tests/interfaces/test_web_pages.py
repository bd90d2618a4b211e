"""What the pages show, and what their forms do without any script."""

import json
import re
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest
from fastapi import HTTPException
from jinja2 import FileSystemLoader
from selectolax.lexbor import LexborHTMLParser

from inforadar.domain import health
from inforadar.domain.coverage import Coverage, Stretch
from inforadar.domain.errors import Unavailable
from inforadar.domain.item import Change
from inforadar.domain.run import StopReason
from inforadar.domain.status import Status
from inforadar.interfaces.web.charts.bars import HEIGHT, bars
from inforadar.interfaces.web.charts.coverage import WIDTH, coverage_bar
from inforadar.interfaces.web.charts.step_line import Step, step_line
from inforadar.interfaces.web.pages.rendering import environment
from inforadar.interfaces.web.pages.skills import demands, last_weeks
from inforadar.interfaces.web.pages.wanted import Choice, read_choice, read_query
from inforadar.sinks.card_words import price_words
from inforadar.store import deliveries, inbox, item_changes, items, jobs, matches, runs, sources, tombstones
from inforadar.store.database import open_database
from inforadar.store.inbox import Found
from interfaces.api_server import Api
from interfaces.web_rig import PAGES, furnish_pages, proof_of, running_web
from store.samples_of_rows import NOW, an_item


@pytest.fixture
def web(database_url) -> Iterator[Api]:
    """An empty page, over each database in turn."""
    with running_web(database_url) as running:
        yield running


@pytest.fixture
def furnished(web) -> Api:
    """A page with something everywhere."""
    furnish_pages(web)
    return web


def seeded(api: Api, count: int, watch: str = "w") -> list[int]:
    """So many matches that wait for a decision, newest first."""
    now = api.app.clock.now()
    wanted = [an_item(f"{watch}{n}", published_at=now - timedelta(minutes=n)) for n in range(count)]
    with api.app.database.transaction() as tx:
        ids = items.insert(tx, wanted)
        created = matches.create(tx, watch, "q", list(ids.values()), now, "machine", "found")
        for match_id in created.values():
            matches.move(tx, match_id, Status.QUEUED, Status.ANALYZED, who="machine", why="good", now=now)
    return [created[ids[item.key]] for item in wanted]


def shown(api: Api, path: str = "/") -> list[int]:
    """The ids of the cards on a page."""
    return [int(one.attributes["data-id"]) for one in LexborHTMLParser(api.client.get(path).text).css(".card")]


def decide(api: Api, verb: str, *pairs: str, json: bool = False, **more: str):
    page = api.client.get("/jobs")
    sent = {"verb": verb, "match": list(pairs), "proof": proof_of_visitor(page), **more}
    headers = {"Accept": "application/json"} if json else {}
    return api.client.post("/triage", data=sent, headers=headers)


def proof_of_visitor(page) -> str:
    return re.search(r'data-proof="(\w+)"', page.text)[1]


def version(api: Api, match_id: int) -> int:
    with api.app.database.reading() as tx:
        return inbox.places(tx, [match_id])[match_id].version


def pair(api: Api, match_id: int) -> str:
    return f"{match_id}:{version(api, match_id)}"


def test_every_page_is_there_full_and_empty(web):
    for path in PAGES:
        if path not in ("/items/1", "/jobs/1"):
            assert web.client.get(path).status_code == 200, path
    furnish_pages(web)
    for path in PAGES:
        assert web.client.get(path).status_code == 200, path


def test_a_template_that_is_replaced_under_a_running_server_waits_for_its_next_start(tmp_path):
    written = tmp_path / "one.html"
    written.write_text("old")
    running = environment().overlay(loader=FileSystemLoader(tmp_path))
    assert running.get_template("one.html").render() == "old"
    written.write_text("newer")
    assert running.get_template("one.html").render() == "old"


def test_pages_have_landmarks_one_heading_first_and_named_fields(furnished):
    for path in PAGES:
        tree = LexborHTMLParser(furnished.client.get(path).text)
        assert [len(tree.css(one)) for one in ("main", "header", "html[lang]", "head > title")] == [1, 1, 1, 1], path
        assert tree.css("h1"), path
        assert tree.css('nav[aria-label="Pages"]'), path
        for field in tree.css("input:not([type=hidden]), select"):
            assert field.parent.tag == "label", (path, field.html)
        for picture in tree.css("svg:not([aria-hidden])"):
            assert picture.attributes.get("aria-label") or picture.css_first("title"), path
        ids = [one.attributes["id"] for one in tree.css("[id]")]
        assert len(ids) == len(set(ids)), path


def test_the_list_goes_on_without_a_gap_while_new_ones_arrive(web):
    ids = seeded(web, 120)
    first = web.client.get("/")
    more = LexborHTMLParser(first.text).css_first("a[rel=next]").attributes["href"]
    seeded(web, 3, "other")
    following = web.client.get(more)
    last = LexborHTMLParser(following.text).css_first("a[rel=next]").attributes["href"]
    assert shown(web, more) + shown(web, last) == ids[50:]
    assert not LexborHTMLParser(web.client.get(last).text).css("a[rel=next]")


def test_a_filter_that_few_fit_says_how_far_back_it_looked(web, monkeypatch):
    ids = seeded(web, 20)
    monkeypatch.setattr(inbox, "MOST_COUNTED", 2)
    monkeypatch.setattr(inbox, "MOST_WALKED", 8)
    with web.app.database.transaction() as tx:
        matches.judged(tx, ids[15], score=0.9, reason="r", now=NOW)
    path, seen = "/?score=0.8", []
    for _ in range(3):
        page = web.client.get(path)
        seen += shown(web, path)
        link = LexborHTMLParser(page.text).css_first("a[rel=next]")
        if link is None:
            break
        assert "as far back as" in page.text
        assert link.text() == "Look further"
        path = link.attributes["href"]
    assert seen == [ids[15]]
    assert link is None


def test_counts_are_bounded_and_filters_stay_in_the_links(web, monkeypatch):
    seeded(web, 8)
    monkeypatch.setattr(inbox, "MOST_COUNTED", 5)
    tree = LexborHTMLParser(web.client.get("/?text=Python&watch=w").text)
    assert tree.css_first("#tabs [aria-current] .count").text() == "5+"
    addresses = [one.attributes["href"] for one in tree.css("#tabs a")]
    assert all("text=Python" in one and "watch=w" in one for one in addresses)
    assert tree.css_first("input[name=text]").attributes["value"] == "Python"


def test_a_decision_by_a_form_moves_the_match_and_offers_its_undo(web):
    first, second = seeded(web, 2)
    answer = decide(web, "applied", pair(web, first), back="/?text=Python")
    assert (answer.status_code, answer.headers["location"]) == (303, "/?text=Python&done=1")
    page = web.client.get(answer.headers["location"])
    toast = LexborHTMLParser(page.text).css_first("#toast")
    assert "Applied: 1 match." in toast.text()
    assert shown(web) == [second]
    assert shown(web, "/?tab=applied") == [first]
    undone = web.client.post("/undo", data={"proof": proof_of_visitor(page), "act": "1", "back": "/"})
    assert undone.headers["location"] == "/"
    assert shown(web) == [first, second]
    with web.app.database.reading() as tx:
        assert {event.who for event in matches.events(tx, first)} >= {"web"}


def fields_of(form) -> dict[str, str]:
    return {one.attributes["name"]: one.attributes["value"] or "" for one in form.css("input")}


def test_a_decision_and_its_undo_lead_back_to_the_same_filters_and_the_same_place(web):
    seeded(web, 120)
    first = LexborHTMLParser(web.client.get("/?text=Python&watch=w").text)
    second = first.css_first("a[rel=next]").attributes["href"]
    wanted = shown(web, second)
    card = LexborHTMLParser(web.client.get(second).text).css_first(".card form")
    decided = web.client.post("/triage", data=fields_of(card) | {"verb": "applied"}).headers["location"]
    assert shown(web, decided)[:49] == wanted[1:]
    page = LexborHTMLParser(web.client.get(decided).text)
    assert page.css_first("input[name=text]").attributes["value"] == "Python"
    undone = web.client.post("/undo", data=fields_of(page.css_first("#toast form"))).headers["location"]
    assert (undone, shown(web, undone)) == (second, wanted)


def test_a_job_that_is_retried_leads_back_to_the_same_list(furnished):
    tree = LexborHTMLParser(furnished.client.get("/jobs?kind=process&status=failed").text)
    retried = furnished.client.post("/jobs/1/retry", data=fields_of(tree.css_first("td form")))
    assert retried.headers["location"] == "/jobs?kind=process&status=failed"


def test_what_is_put_off_stands_under_later(web):
    first, second = seeded(web, 2)
    decide(web, "later", pair(web, first))
    assert (shown(web), shown(web, "/?tab=later")) == ([second], [first])


def test_a_decision_on_what_changed_since_changes_nothing(web):
    (match_id,) = seeded(web, 1)
    stale = pair(web, match_id)
    decide(web, "applied", stale)
    page = decide(web, "not interested", stale)
    assert page.status_code == 409
    sent = {"proof": proof_of_visitor(page), "verb": "not interested", "match": stale}
    for referer, links in ((f"{web.address}/?tab=all&days=7", ["/?tab=all&days=7", "/"]), ("", ["/"])):
        page = web.client.post("/triage", data=sent, headers={"Referer": referer})
        found = LexborHTMLParser(page.text).css("main a")
        assert [one.attributes["href"] for one in found] == links
    assert "it is applied now" in page.text
    told = decide(web, "not interested", stale, json=True)
    assert told.status_code == 409
    assert [one["status"] for one in told.json()["conflicts"]] == ["APPLIED"]
    assert shown(web, "/?tab=applied") == [match_id]


def test_of_many_those_that_changed_stay_and_are_told(web):
    ids = seeded(web, 4)
    pairs = [pair(web, one) for one in ids]
    decide(web, "applied", pairs[0])
    told = decide(web, "not interested", *pairs, json=True).json()
    assert sorted(one["id"] for one in told["changed"]) == sorted(ids[1:])
    assert [one["id"] for one in told["conflicts"]] == [ids[0]]


def pin_of(api: Api, path: str = "/") -> dict[str, str]:
    """What a page of the inbox says of when it was made."""
    tree = LexborHTMLParser(api.client.get(path).text)
    told = tree.css_first("#cards").attributes
    return {"upto": told["data-last-event"], "made": told["data-made"]}


def to_analyzed(api: Api, match_id: int) -> None:
    with api.app.database.transaction() as tx:
        matches.move(tx, match_id, Status.QUEUED, Status.ANALYZED, who="machine", why="x", now=api.app.clock.now())


def queued(api: Api, key: str) -> int:
    with api.app.database.transaction() as tx:
        held = items.insert(tx, [an_item(key, published_at=api.app.clock.now())])
        (match_id,) = matches.create(tx, "w", "q", list(held.values()), NOW, "machine", "found").values()
    return match_id


def test_all_that_the_filters_leave_is_one_act_without_what_came_later(web):
    in_work = queued(web, "in work")
    ids = seeded(web, 60)
    others = seeded(web, 2, "other")
    pin = pin_of(web, "/?watch=w")
    late = queued(web, "late")
    for one in (in_work, late):
        to_analyzed(web, one)
    asked = web.client.get("/matching", params={"watch": "w", **pin}, headers={"Accept": "application/json"}).json()
    assert asked == {"number": 60, "is_more": False}
    told = decide(web, "not interested", json=True, within="?watch=w", **pin).json()
    assert {one["id"] for one in told["changed"]} == set(ids)
    assert told["left"] == 2
    assert set(shown(web)) == {*others, in_work, late}
    page = web.client.get("/jobs")
    undone = web.client.post("/undo", data={"proof": proof_of_visitor(page), "act": str(told["act"])})
    assert undone.status_code == 303
    assert len(shown(web, "/?watch=w")) == 50


def test_all_are_also_the_cards_that_the_page_showed_since_and_none_that_it_shows_as_it_was(web):
    first, second, third = seeded(web, 3)
    pin = pin_of(web)
    stale, fresh = pair(web, first), queued(web, "fresh")
    to_analyzed(web, fresh)
    with web.app.database.transaction() as tx:
        matches.judged(tx, first, score=0.1, reason="worse", now=web.app.clock.now())
    told = decide(web, "applied", stale, pair(web, fresh), json=True, within="?", **pin).json()
    assert {one["id"] for one in told["changed"]} == {second, third, fresh}
    assert told["left"] == 1


def test_what_fell_due_since_the_page_was_made_is_none_of_all(web):
    put_off, other = seeded(web, 2)
    with web.app.database.transaction() as tx:
        web.app.triage().mark(tx, [put_off], "later", "cli")
    pin = pin_of(web)
    with web.app.database.transaction() as tx:
        matches.put_off(tx, put_off, web.app.clock.now(), web.app.clock.now())
    told = decide(web, "applied", json=True, within="?", **pin).json()
    assert [one["id"] for one in told["changed"]] == [other]


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        ({"verb": "undo", "match": "1:1"}, 422),
        ({"verb": "applied"}, 422),
        ({"verb": "applied", "match": "x:1"}, 422),
        ({"verb": "applied", "match": "1"}, 422),
        ({"verb": "applied", "match": f"{2**63}:1"}, 422),
        ({"verb": "applied", "match": "1:-1"}, 422),
        ({"verb": "applied", "match": ["1:1"] * 1001}, 422),
        ({"verb": "applied", "within": "?tab=nope", "upto": "1"}, 422),
        ({"verb": "applied", "within": "?", "upto": "x"}, 422),
        ({"verb": "applied", "within": "?", "upto": "1"}, 422),
        ({"verb": "applied", "within": "?", "upto": "1", "made": "2026-01-01T00:00:00"}, 422),
        ({"verb": "applied", "within": "?days=9", "upto": "1", "made": "0001-01-01T00:00:00+00:00"}, 422),
        ({"verb": "applied", "within": "?", "upto": "1", "made": "0001-01-01T00:00:00+14:00"}, 422),
        ({"verb": "applied", "within": "?", "upto": "1", "made": "9999-12-31T23:59:59-14:00"}, 303),
        ({"verb": "applied", "match": "999:1"}, 303),
    ],
)
def test_a_form_that_nobody_can_mean_is_refused(web, sent, status):
    answer = web.client.post("/triage", data={**sent, "proof": proof_of_visitor(web.client.get("/"))})
    assert answer.status_code == status


def test_the_places_of_matches_are_told_to_a_page_that_lost_an_answer(web):
    first, second = seeded(web, 2)
    with web.app.database.transaction() as tx:
        web.app.triage().mark(tx, [second], "later", "cli")
    told = web.client.get(f"/places?id={first}&id={second}&id=999").json()["matches"]
    assert {one["id"]: (one["status"], one["is_put_off"]) for one in told} == {
        first: ("ANALYZED", False),
        second: ("ANALYZED", True),
    }
    assert all(one["version"] == version(web, one["id"]) for one in told)
    for asked in ("", "?id=0", "?id=x", "?" + "&".join(["id=1"] * 1001)):
        assert web.client.get(f"/places{asked}").status_code == 422


def test_nothing_to_undo_is_said(web):
    proof = proof_of_visitor(web.client.get("/"))
    assert web.client.post("/undo", data={"proof": proof}).status_code == 409
    assert web.client.post("/undo", data={"proof": proof, "act": "9"}).status_code == 404


def test_a_job_is_cancelled_and_retried_by_its_buttons(furnished):
    proof = proof_of(furnished.client.get("/jobs"))
    assert "cancelled by user" in furnished.client.get("/jobs/1").text
    for path, status in (
        ("/jobs/1/retry", 303),
        ("/jobs/2/cancel", 303),
        ("/jobs/2/cancel", 409),
        ("/jobs/9/retry", 404),
    ):
        assert furnished.client.post(path, data={"proof": proof, "back": "/jobs?status=failed"}).status_code == status
    states = {job["id"]: job["status"] for job in furnished.get("/api/jobs").json()["jobs"]}
    assert (states[1], states[2]) == ("pending", "failed")


def test_an_item_tells_everything(furnished):
    text = LexborHTMLParser(furnished.client.get("/items/1").text).css_first("main").text()
    for told in (
        "Madrid",
        "all of it",
        "Old",
        "New",
        "because",
        "sql",
        "quiet hours",
        "my note",
        "found",
        "habr",
        "0.85",
    ):
        assert told in text, told


def a_match_of(api: Api, data, source: str = "hh", kind: str = "vacancy", watch: str = "w") -> int:
    """One match of an item that tells this."""
    now = api.app.clock.now()
    with api.app.database.transaction() as tx:
        ids = items.insert(tx, [replace(an_item("77", published_at=now), data=data, source=source, kind=kind)])
        created = matches.create(tx, watch, "q", list(ids.values()), now, "machine", "found")
        (match_id,) = created.values()
        matches.move(tx, match_id, Status.QUEUED, Status.ANALYZED, who="machine", why="good", now=now)
    return match_id


def known_of(api: Api, match_id: int) -> dict[str, str]:
    """The fields that the page of a match shows, by name."""
    tree = LexborHTMLParser(api.client.get(f"/items/{match_id}").text)
    return {row.css_first("dt").text(): row.css_first("dd").text(separator="|") for row in tree.css(".pairs div")}


def test_a_price_is_money_on_its_card_and_on_its_page(web):
    told = {"price_cents": 17182, "currency": "USD", "price_type": "ask", "buying_options": ["FIXED_PRICE", "AUCTION"]}
    match_id = a_match_of(web, told, "ebay", "price", "morgan")
    card = LexborHTMLParser(web.client.get("/").text).css_first(".card .facts")
    assert "171.82 USD" in card.text()
    known = known_of(web, match_id)
    assert known["price"] == "171.82 USD"
    assert known["buying options"] == "fixed price, auction"
    assert not {"price cents", "currency", "price type"} & set(known)


def test_a_price_without_currency_is_shown_and_one_that_is_no_amount_is_not():
    assert price_words({"price_cents": 5}) == "0.05"
    assert price_words({"price_cents": 123456, "currency": "EUR", "price_type": "sold"}) == "1,234.56 EUR, sold"
    for cents in (None, True, "5", -1, 10**400, 1.5):
        assert price_words({"price_cents": cents, "currency": "USD"}) == ""


def test_what_sources_write_for_programs_is_told_in_words(web):
    match_id = a_match_of(
        web,
        {
            "experience": "noExperience",
            "employment": "FULL",
            "schedule": "fullDay",
            "work_format": ["HYBRID", "ODD"],
            "full_text_state": "fetched",
            "salary": {"from": 100, "to": 200, "currency": "EUR", "gross": True, "frequency": "MONTHLY"},
            "initial_created_at": "2026-01-02T03:04:05+00:00",
            "company_url": "https://hh.ru/employer/1",
            "evil_url": "javascript:alert(1)",
            "criteria": {"Seniority": "Mid", "Function": "IT"},
            "remote": False,
        },
    )
    known = known_of(web, match_id)
    wanted = {
        "experience": "no experience",
        "employment": "full time",
        "schedule": "full day",
        "work format": "hybrid, ODD",
        "salary": "100–200 EUR gross",
        "first posted": "2026-01-02 03:04 UTC",
        "company url": "https://hh.ru/employer/1",
        "evil url": "javascript:alert(1)",
        "criteria": "Function: IT|Seniority: Mid",
        "remote": "no",
    }
    known["criteria"] = "|".join(sorted(known["criteria"].split("|")))
    assert {name: known.get(name) for name in wanted} == wanted
    assert "full text state" not in known
    links = LexborHTMLParser(web.client.get(f"/items/{match_id}").text).css(".pairs a")
    assert [(one.attributes["href"], "noopener" in one.attributes["rel"]) for one in links] == [
        ("https://hh.ru/employer/1", True)
    ]


def test_the_page_of_a_match_names_no_pause_but_those_that_hold_it_up(web):
    now = web.app.clock.now()
    match_id = a_match_of(web, {"price_cents": 1}, "ebay", "price", "morgan")
    with web.app.database.transaction() as tx:
        deliveries.add(tx, match_id, "telegram", state="held", due_at=now, now=now, why="quiet hours")
        for name in ("feed", "hh", "ebay", "judge", "telegram", "sheets"):
            sources.register(tx, name, rate_limit_per_minute=60, enabled=True, paced_at=now)
            for _ in range(8):
                sources.change(tx, name, now, lambda one: health.after_failure(one, Unavailable("down"), now, 0.5))
    for path in (f"/items/{match_id}", "/why?q=ebay:77"):
        told = re.findall(r"<bdi>(\w+) is left alone", web.client.get(path).text)
        assert told == ["ebay", "judge", "telegram"], path


def test_a_table_that_changed_is_told_line_by_line_and_a_price_as_money(web):
    match_id = a_match_of(web, {"price_cents": 200, "currency": "USD"})
    now = web.app.clock.now()
    with web.app.database.transaction() as tx:
        match = matches.get(tx, match_id)
        changed = [
            Change(field="criteria", old=None, new={"Seniority": "Mid", "Function": "IT"}),
            Change(field="price_cents", old=17182, new=200),
            Change(field="work_format", old=["REMOTE"], new=[]),
            Change(field="full_text_state", old="not_fetched", new="fetched"),
        ]
        item_changes.add(tx, None, now, [(match.item_id, one) for one in changed])
    rows = LexborHTMLParser(web.client.get(f"/items/{match_id}").text).css(".changes li")
    told = {
        row.css_first("b").text(): [row.css_first(one).text(separator="|") for one in ("del", "ins")] for row in rows
    }
    told["criteria"][1] = "|".join(sorted(told["criteria"][1].split("|")))
    assert told == {
        "criteria": ["nothing", "Function: IT|Seniority: Mid"],
        "price": ["171.82 USD", "2.00 USD"],
        "work format": ["remote", "nothing"],
    }


def test_the_page_of_a_match_names_both_ids_that_the_api_asks_for(web):
    seeded(web, 1)
    now = web.app.clock.now()
    with web.app.database.transaction() as tx:
        ids = items.insert(tx, [an_item("first", published_at=now), an_item("second", published_at=now)])
        (match_id,) = matches.create(tx, "w", "q", [ids["second"]], now, "machine", "found").values()
    assert match_id != ids["second"]
    assert known_of(web, match_id)["Ids"] == f"match {match_id} · item {ids['second']}"


def test_the_history_of_a_match_sets_each_move_apart_from_its_reason(web):
    match_id = a_match_of(web, {})
    text = LexborHTMLParser(web.client.get(f"/items/{match_id}").text).css_first("main").text()
    assert "queued → fits: good" in text
    assert "->" not in text


def test_a_listing_dated_ahead_of_our_clock_is_published_just_now_on_its_card_and_on_its_page(web):
    now = web.app.clock.now()
    with web.app.database.transaction() as tx:
        ids = items.insert(tx, [an_item("ahead", published_at=now + timedelta(minutes=20))])
        (match_id,) = matches.create(tx, "w", "q", list(ids.values()), now, "machine", "found").values()
    card = LexborHTMLParser(web.client.get("/?tab=all").text).css_first(".card time").text()
    assert (card, known_of(web, match_id)["Published"]) == ("just now", "just now")


def test_a_story_names_and_links_the_listing_it_is_of_also_one_that_was_left_out(furnished):
    with furnished.app.database.reading() as tx:
        held = matches.search(tx, limit=1)[0]
        (stone,) = tombstones.find(tx, source="hh", key="gone")
    for asked, listing in ((held.id, held), ("hh:gone", stone)):
        link = LexborHTMLParser(furnished.client.get(f"/why?q={asked}").text).css_first("main h2 .title")
        assert (link.text(), link.attributes.get("href")) == (listing.title, listing.url)


def test_a_story_is_told_of_what_was_left_out_and_of_what_is_unknown(furnished):
    assert "left out of w" in furnished.client.get("/why?q=hh:gone").text
    assert "Never seen" in furnished.client.get("/why?q=https://hh.ru/vacancy/777").text
    assert "no id and no address" in furnished.client.get("/why?q=what").text


def test_the_page_why_begins_its_sentences_with_a_capital(furnished):
    for asked, kind in (("hh:gone", ".headline"), ("https://hh.ru/vacancy/777", ".headline"), ("404404", ".problem")):
        told = LexborHTMLParser(furnished.client.get(f"/why?q={asked}").text).css_first(f"main {kind}").text()
        assert told[0].isupper(), told


def test_a_source_that_is_out_says_so_with_its_countdown(furnished):
    page = LexborHTMLParser(furnished.client.get("/sources").text)
    assert page.css_first(".problem").text() == "it is down"
    assert int(page.css_first("[data-countdown]").attributes["data-countdown"]) > 0


def test_pictures_say_in_words_what_they_show(furnished):
    coverage = LexborHTMLParser(furnished.client.get("/queries").text).css_first("svg.coverage > title").text()
    assert "(9 entries)" in coverage
    assert "1 gap left" in coverage
    price = LexborHTMLParser(furnished.client.get("/prices/morgan").text).css_first("svg.steps > title").text()
    assert "3 valuations" in price
    assert "USD" in price


def test_the_queries_page_marks_the_depth_cap_of_a_source(furnished):
    assert not LexborHTMLParser(furnished.client.get("/queries").text).css("rect.cap")
    query, now = furnished.app.config.watches[0].queries[0], furnished.app.clock.now()
    with furnished.app.database.transaction() as tx:
        run_id = runs.start(tx, query.key, "w", "hh", now)
        runs.finish(tx, run_id, now, status="PARTIAL", stop_reason=StopReason.DEPTH_CAP, left=9, notes=[], warnings=[])
    page = LexborHTMLParser(furnished.client.get("/queries").text)
    assert len(page.css("rect.cap")) == 1
    assert "depth cap" in page.css_first("svg.coverage > title").text()
    assert "depth cap" in page.css_first("figcaption").text()


class EarlierClock:
    """The clock of a simulated world: its date is long past."""

    def now(self) -> datetime:
        return datetime(2025, 12, 30, tzinfo=UTC)

    def mono(self) -> float:
        return time.monotonic()


def test_jobs_tell_their_ages_by_the_clock_of_the_store_whatever_the_world_says(database_url):
    with running_web(database_url, clock=EarlierClock()) as web:
        with web.app.database.transaction() as tx:
            jobs.put(tx, [jobs.process_job(one, published_at=NOW) for one in (1, 2)])
            jobs.cancel(tx, 1, who="user")
        for path in ("/jobs", "/jobs/1", "/jobs/2"):
            ages = [one.text() for one in LexborHTMLParser(web.client.get(path).text).css("main time")]
            assert ages
            assert not [age for age in ages if " d" in age]


def test_the_jobs_page_counts_them_by_state(furnished):
    tabs = LexborHTMLParser(furnished.client.get("/jobs").text).css(".tabs a .count")
    assert [one.text() for one in tabs] == ["1", "0", "0", "0", "1"]


def test_jobs_say_what_they_are_about_and_whether_they_are_due(web):
    match_id = seeded(web, 1)[0]
    with web.app.database.transaction() as tx:
        ahead = {match_id: timedelta(minutes=-2), match_id + 1: timedelta(hours=5, minutes=30)}
        now = tx.store_now()
        jobs.put(tx, [jobs.process_job(one, published_at=NOW, run_at=now + after) for one, after in ahead.items()])
        title = matches.titles(tx, [match_id])[match_id]
    of_two, of_one = (
        [cell.text(strip=True) for cell in row.css("td")]
        for row in LexborHTMLParser(web.client.get("/jobs").text).css("tbody tr")
    )
    assert of_one[2] == title
    assert of_one[5] == "due"
    assert of_two[2] == f"match {match_id + 1}"
    assert of_two[5].startswith("in 5 h")
    alone = LexborHTMLParser(web.client.get("/jobs/1").text).css_first("dl.pairs").text()
    assert title in alone
    assert "due: as soon as a worker is free" in alone


def test_a_note_on_a_job_that_waits_as_it_should_is_no_error(web):
    with web.app.database.transaction() as tx:
        jobs.put(tx, [jobs.process_job(one, published_at=NOW) for one in (1, 2)])
        jobs.cancel(tx, 1, who="user")
        tx.run_text("UPDATE jobs SET error_message = 'gathered into a digest' WHERE id = 2")
    notes = {
        one.text(): one.attributes.get("class")
        for one in LexborHTMLParser(web.client.get("/jobs").text).css("td small")
    }
    assert notes["gathered into a digest"] is None
    assert notes["cancelled by user"] == "failed"
    of_one = [LexborHTMLParser(web.client.get(f"/jobs/{one}").text) for one in (1, 2)]
    assert [bool(one.css("p.problem")) for one in of_one] == [True, False]


def test_the_stream_tells_what_moved_and_goes_on_from_what_was_heard(web):
    ids = seeded(web, 3)
    with web.app.database.reading() as tx:
        before = inbox.last_event(tx)
    decide(web, "applied", pair(web, ids[0]))
    for headers, since in (({}, before), ({"Last-Event-ID": str(before)}, 0)):
        told = heard(web, since, headers)
        assert {one["id"]: one["status"] for one in told[0][1]}[ids[0]] == "APPLIED"
        assert told[0][0] > before
    assert heard(web, 10**15, {})[0] == (before + 1, []), "a page of another store begins anew"


def test_a_page_hears_of_a_long_act_that_ends_after_many_short_ones(postgres_url):
    with running_web(postgres_url) as web:
        ids = seeded(web, 210)
        other = open_database(postgres_url)
        with other.transaction() as long:
            web.app.triage().mark(long, [ids[0]], "applied", "cli")
            for one in ids[1:]:
                with web.app.database.transaction() as tx:
                    web.app.triage().mark(tx, [one], "applied", "telegram")
            since = int(re.search(r'data-last-event="(\d+)"', web.client.get("/").text)[1])
            last, told = heard(web, since, {})[0]
            assert {one["id"] for one in told} == set(ids[1:])
        other.close()
        for after, headers in ((since, {}), (0, {"Last-Event-ID": str(last)})):
            assert ids[0] in {one["id"] for one in heard(web, after, headers)[0][1]}


def test_what_was_heard_of_one_server_is_gone_on_from_by_the_next(database_url):
    with running_web(database_url) as first:
        ids = seeded(first, 2)
        with first.app.database.reading() as tx:
            before = inbox.last_event(tx)
        decide(first, "applied", pair(first, ids[0]))
    with running_web(database_url) as second:
        decide(second, "not interested", pair(second, ids[1]))
        ((_, told),) = heard(second, 0, {"Last-Event-ID": str(before)})
    assert {one["id"]: one["status"] for one in told}.items() >= {ids[0]: "APPLIED", ids[1]: "NOT_INTERESTED"}.items()


def test_runs_are_shown_with_counters_duration_reason_and_a_picture(furnished):
    tree = LexborHTMLParser(furnished.client.get("/runs").text)
    row, notes = tree.css("tbody tr")[:2]
    cells = [one.text(strip=True) for one in row.css("td")]
    assert (cells[1], cells[3:5]) == ("partial", ["limit reached", "0 s"])
    assert [one.text(strip=True) for one in notes.css("small")] == ["cut", "odd"]
    assert cells[5:] == ["2", "20", "20", "0", "0", "3"]
    assert tree.css("svg.bars rect")
    assert "20 in all" in tree.css_first("svg.bars").html


def test_prices_are_shown_as_a_step_line_with_its_band_samples_and_quantiles(furnished):
    tree = LexborHTMLParser(furnished.client.get("/prices/morgan").text)
    assert tree.css_first("path.band").attributes["d"].endswith("Z")
    assert tree.css_first("path.line").attributes["d"].count("L") == 5, "three values, each level until the next"
    text = tree.css_first("main").text()
    assert "Rests on 21 prices paid" in text
    for quantile in ("10 %", "25 %", "median", "75 %", "90 %", "3 of 3"):
        assert quantile in text, quantile


def test_skills_are_shown_by_week_with_their_share(furnished):
    tree = LexborHTMLParser(furnished.client.get("/skills").text)
    rows = [[cell.text(strip=True) for cell in row.css("th, td")][:3] for row in tree.css("tbody tr")]
    assert sorted(rows) == [["python", "2", "100 %"], ["sql", "2", "100 %"]]
    assert len(tree.css("tbody svg.bars")[0].css("rect")) == 4


def heard(api: Api, since: int, headers: dict[str, str]) -> list[tuple[int, list]]:
    """The first event of the stream."""
    with api.client.stream("GET", f"/events?since={since}", headers=headers) as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        text = ""
        for part in stream.iter_text():
            text += part
            if "data:" in text and text.endswith("\n\n"):
                break
    found = re.findall(r"id: (\d+)\ndata: (.*)\n", text)
    return [(int(number), json.loads(body)["matches"]) for number, body in found]


@pytest.mark.parametrize(
    "asked",
    [
        {"tab": "x"},
        {"score": "x"},
        {"score": "2"},
        {"score": "nan"},
        {"days": "0"},
        {"days": "-1"},
        {"text": "x" * 201},
    ],
)
def test_a_filter_nobody_can_mean_is_not_ignored(asked):
    with pytest.raises(HTTPException):
        read_choice(asked)


def test_a_choice_is_written_as_it_is_read():
    asked = {"tab": "all", "text": "a b&c", "watch": "w", "score": "0.6", "days": "7", "source": "", "topic": " "}
    choice = read_choice(asked)
    assert read_query(choice.query()) == choice
    assert choice.is_narrowed
    assert not Choice().is_narrowed
    assert Choice().query() == ""


AT = datetime(2026, 1, 10, tzinfo=UTC)


def test_a_coverage_bar_has_its_gaps_where_nothing_was_read():
    day = timedelta(days=1)
    top = Stretch(upto=AT, after=AT - day, count=3)
    low = Stretch(upto=AT - 3 * day, after=AT - 5 * day, count=4)
    bar = coverage_bar(Coverage(stretches=(top, low)), None, AT)
    assert [part.count for part in bar.parts] == [4, 3]
    assert (bar.count, bar.is_open_below, len(bar.gaps)) == (7, True, 2)
    between, below = bar.gaps
    assert between.x == pytest.approx(bar.parts[0].x + bar.parts[0].width, abs=0.2)
    assert between.x + between.width == pytest.approx(bar.parts[1].x, abs=0.2)
    assert below.x == 0
    assert bar.parts[1].x + bar.parts[1].width == pytest.approx(WIDTH, abs=0.2)
    ended = replace(low, is_ended=True)
    assert len(coverage_bar(Coverage(stretches=(top, ended)), None, AT).gaps) == 1
    assert coverage_bar(Coverage(), None, AT) is None


def test_a_coverage_bar_ends_now_whatever_is_dated_ahead():
    day = timedelta(days=1)
    low = Stretch(upto=AT - 3 * day, after=AT - 5 * day, count=4)
    plain = coverage_bar(Coverage(stretches=(Stretch(upto=AT, after=AT - day, count=3), low)), None, AT)
    top = Stretch(upto=AT + 3650 * day, after=AT - day, count=3)
    ahead = coverage_bar(Coverage(stretches=(top, low)), None, AT)
    assert [(part.x, part.width) for part in ahead.parts] == [(part.x, part.width) for part in plain.parts]
    assert ahead.since == plain.since
    (only,) = coverage_bar(Coverage(stretches=(replace(top, after=AT + day),)), None, AT).parts
    assert only.x + only.width == WIDTH


def test_a_depth_cap_is_marked_where_the_lowest_stretch_ends():
    covered = Coverage(stretches=(Stretch(upto=AT, after=AT - timedelta(days=3), count=3),))
    assert coverage_bar(covered, None, AT).cap_x is None
    bar = coverage_bar(covered, None, AT, is_capped=True)
    assert bar.cap_x == bar.parts[0].x > 0


def test_a_step_line_stays_level_until_the_next_value():
    steps = [
        Step(at=AT + timedelta(days=n), low=90, middle=value, high=210, count=5) for n, value in enumerate((100, 200))
    ]
    line = step_line(steps, AT + timedelta(days=4))
    corners = [tuple(map(float, one.split())) for one in line.line[1:].split("L")]
    assert [y for _, y in corners[:2]] == [corners[0][1]] * 2
    assert corners[1][0] == corners[2][0]
    assert corners[3][0] == 790
    assert corners[2][1] < corners[1][1]
    assert step_line([], AT) is None
    assert step_line([Step(at=AT, low=5, middle=5, high=5, count=1)], AT) is not None


def test_bars_are_as_high_as_their_numbers():
    found = bars([0, 5, 10])
    assert [one.height for one in found] == [1.0, HEIGHT / 2, HEIGHT]
    assert all(one.y + one.height == HEIGHT for one in found)
    assert (bars([]), bars([0])[0].value) == ([], 0)


def test_skills_are_counted_once_a_verdict_whatever_their_case():
    found = [
        Found(at=AT, skills=("SQL", "sql", "Python"), is_relevant=True),
        Found(at=AT - timedelta(days=7), skills=("sql",), is_relevant=False),
    ]
    weeks = last_weeks(AT.date(), found)
    assert weeks[-1] == date(2026, 1, 5)
    assert [(one.name.lower(), one.count, one.weeks[-2:]) for one in demands(found, weeks)] == [
        ("sql", 2, [1, 1]),
        ("python", 1, [0, 1]),
    ]
