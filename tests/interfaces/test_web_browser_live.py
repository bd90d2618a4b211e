"""The inbox in a real browser while others decide, matches come and answers get lost: the page says what is so."""

import re
from collections.abc import Iterator
from datetime import timedelta

import pytest
from playwright.sync_api import Page, Route, expect

from inforadar.domain.status import Status
from inforadar.store import items, matches
from interfaces.api_server import Api
from interfaces.test_web_browser import browser, ids, opened, wait_until_live
from interfaces.web_rig import running_web
from store.samples_of_rows import an_item

__all__ = ["browser"]


@pytest.fixture
def web(sqlite_url) -> Iterator[Api]:
    """A page over an empty store."""
    with running_web(sqlite_url) as running:
        yield running


def seeded(api: Api, prefix: str, count: int, *, minutes_ago: int = 0) -> list[int]:
    """So many matches that wait for a decision, newest first."""
    now = api.app.clock.now()
    first = now - timedelta(minutes=minutes_ago)
    wanted = [an_item(f"{prefix}{n}", published_at=first - timedelta(minutes=n)) for n in range(count)]
    with api.app.database.transaction() as tx:
        held = items.insert(tx, wanted)
        created = matches.create(tx, "w", "q", list(held.values()), now, "machine", "found")
        for one in created.values():
            matches.move(tx, one, Status.QUEUED, Status.ANALYZED, who="machine", why="good", now=now)
    return [created[held[item.key]] for item in wanted]


def mark(api: Api, match_id: int, verb: str) -> None:
    with api.app.database.transaction() as tx:
        assert api.app.triage().mark(tx, [match_id], verb, "telegram").changed


def undo(api: Api) -> None:
    with api.app.database.transaction() as tx:
        assert api.app.triage().undo(tx, "telegram").changed


def status(api: Api, match_id: int) -> str:
    with api.app.database.reading() as tx:
        found = matches.get(tx, match_id)
    assert found is not None
    return found.status


def select_all(page: Page) -> None:
    page.keyboard.press("j")
    page.keyboard.press("Space")
    page.locator("#bulk .all").click()
    expect(page.locator(".picked")).to_contain_text("matching selected")


def test_all_are_those_that_the_page_showed_and_what_came_meanwhile_is_left_alone(web, browser):
    old = seeded(web, "old", 60, minutes_ago=60)
    with opened(browser, web.address) as page:
        wait_until_live(page)
        new = seeded(web, "new", 2)
        expect(page.locator("#pill")).to_have_text("2 new")
        select_all(page)
        expect(page.locator(".picked")).to_have_text("All 60 matching selected")
        page.keyboard.press("x")
        expect(page.locator("#toast")).to_contain_text(
            "Not for me: 60 matches. 2 matches came or changed meanwhile and were left alone."
        )
    assert {status(web, one) for one in old} == {"NOT_INTERESTED"}
    assert {status(web, one) for one in new} == {"ANALYZED"}


def test_all_are_also_those_that_were_shown_on_the_page_since(web, browser):
    old = seeded(web, "old", 3, minutes_ago=60)
    with opened(browser, web.address) as page:
        wait_until_live(page)
        new = seeded(web, "new", 1)
        expect(page.locator("#pill")).to_have_text("1 new")
        page.keyboard.press("n")
        select_all(page)
        page.keyboard.press("x")
        expect(page.locator("#toast .said")).to_have_text("Not for me: 4 matches.")
    assert {status(web, one) for one in old + new} == {"NOT_INTERESTED"}


def test_what_moves_up_when_something_is_decided_is_not_new_and_goes_to_the_foot(web, browser):
    old = seeded(web, "old", 55, minutes_ago=60)
    with opened(browser, web.address) as page:
        wait_until_live(page)
        assert ids(page) == old[:50]
        page.keyboard.press("j")
        for n in range(3):
            page.keyboard.press("x")
            expect(page.locator(f"#m{old[50 + n]}")).to_be_attached()
        assert ids(page) == old[:53]
        expect(page.locator("#pill")).to_be_hidden()
        (new,) = seeded(web, "new", 1)
        expect(page.locator("#pill")).to_have_text("1 new")
        page.keyboard.press("n")
        assert ids(page) == [new, *old[:53]]
        page.locator(".more a[rel=next]").click()
        expect(page.locator(f"#m{old[0]}")).not_to_be_attached()
        expect(page.locator(".card")).to_have_count(len(old[53:]))
        assert ids(page) == old[53:], "the list goes on where it ended"


def test_what_is_new_stands_where_it_belongs(web, browser):
    old = seeded(web, "old", 4, minutes_ago=60)
    mark(web, old[2], "applied")
    with opened(browser, web.address) as page:
        wait_until_live(page)
        undo(web)
        new = seeded(web, "new", 2)
        expect(page.locator("#pill")).to_have_text("3 new")
        page.keyboard.press("n")
        expect(page.locator(f"#m{new[0]}")).to_be_focused()
        assert ids(page) == [*new, *old]


def test_what_is_put_off_elsewhere_is_shown_so_and_shown_again_when_that_is_undone(web, browser):
    first, _ = seeded(web, "old", 2)
    with opened(browser, web.address) as page:
        wait_until_live(page)
        card = page.locator(f"#m{first}")
        mark(web, first, "later")
        expect(card.locator(".now")).to_have_text("put off")
        expect(card).to_have_class(re.compile("done"))
        undo(web)
        expect(card.locator(".now")).to_have_text("fits")
        expect(card).not_to_have_class(re.compile("done"))


def test_a_card_of_which_something_else_changed_is_made_anew_under_the_hand(web, browser):
    first, second = seeded(web, "old", 2)
    with opened(browser, web.address) as page:
        wait_until_live(page)
        page.keyboard.press("j")
        page.keyboard.press("Space")
        with web.app.database.transaction() as tx:
            matches.judged(tx, first, score=0.31, reason="another reason", now=web.app.clock.now())
        mark(web, second, "applied")
        card = page.locator(f"#m{first}")
        expect(card).to_contain_text("another reason")
        expect(card).to_be_focused()
        expect(card.locator(".pick-box")).to_be_checked()
        page.keyboard.press("a")
        expect(page.locator("#toast .said")).to_have_text("Applied: 1 match.")
    assert status(web, first) == "APPLIED"


def test_an_undone_decision_under_another_tab_is_no_longer_struck_out(web, browser):
    first, _ = seeded(web, "old", 2)
    mark(web, first, "applied")
    with opened(browser, f"{web.address}/?tab=applied") as page:
        card = page.locator(f"#m{first}")
        page.keyboard.press("j")
        page.keyboard.press("x")
        expect(card).to_have_class(re.compile("done"))
        expect(page.locator("#toast")).to_contain_text("Not for me")
        page.keyboard.press("z")
        expect(card).not_to_have_class(re.compile("done"))
        expect(card.locator(".now")).to_have_text("applied")


def test_a_decision_of_which_the_answer_was_lost_is_shown_as_it_is(web, browser):
    first, second = seeded(web, "old", 2)

    def lose_the_answer(route: Route) -> None:
        route.fetch()
        route.abort()

    with opened(browser, web.address) as page:
        page.route("**/events*", lambda route: route.abort())  # it does not hear of it by the stream either
        page.reload()
        page.route("**/triage", lose_the_answer)
        page.keyboard.press("j")
        page.keyboard.press("a")
        expect(page.locator("#toast")).to_contain_text("The server did not answer: look again")
        expect(page.locator(f"#m{first} .now")).to_have_text("applied")
        expect(page.locator(f"#m{first}")).to_have_class(re.compile("done"))
        page.unroute("**/triage")
        page.route("**/undo", lose_the_answer)
        page.keyboard.press("z")
        expect(page.locator(f"#m{first} .now")).to_have_text("fits")
        expect(page.locator(f"#m{first}")).not_to_have_class(re.compile("done"))
        expect(page.locator(f"#m{second} .now")).to_have_text("fits")
    assert status(web, first) == "ANALYZED"


SEEN = """isSeen => {
  Object.defineProperty(document, "hidden", { value: !isSeen, configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
}"""


def test_a_page_that_nobody_sees_gives_its_connection_back_and_hears_all_when_it_is_seen_again(web, browser):
    (match_id,) = seeded(web, "one", 1)
    with opened(browser, web.address) as page:
        wait_until_live(page)
        page.evaluate(SEEN, False)
        page.wait_for_function("() => document.body.dataset.live === '0'")
        mark(web, match_id, "applied")
        page.evaluate(SEEN, True)
        wait_until_live(page)
        expect(page.locator(f"#m{match_id}")).to_have_class(re.compile("done"))


def test_a_page_listens_again_after_a_proxy_answered_for_a_server_that_was_away(web, browser):
    (match_id,) = seeded(web, "one", 1)
    with opened(browser, web.address) as page:
        wait_until_live(page)
        page.evaluate(SEEN, False)
        page.route("**/events*", lambda route: route.fulfill(status=502, body="bad gateway"))
        with page.expect_response("**/events*"):
            page.evaluate(SEEN, True)
        mark(web, match_id, "applied")
        page.unroute("**/events*")
        expect(page.locator(f"#m{match_id}")).to_have_class(re.compile("done"))
