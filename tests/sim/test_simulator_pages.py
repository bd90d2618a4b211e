"""The pages of single entries in every state a test can put them, over HTTP as the sources ask for them."""

from collections.abc import Iterator

import pytest

from inforadar.simulator.faults import PAGE_STATES, Fault
from inforadar.simulator.server import Simulator
from inforadar.simulator.world import World
from sim.simulator_client import NOON, SEARCH, Reply, control, visit

PAGES = {
    "hh": "/vacancies/{}",
    "linkedin": "/jobs-guest/jobs/api/jobPosting/{}",
    "habr": "/kek/v2/articles/{}/",
}
LISTS = {"hh": "/vacancies", "linkedin": SEARCH, "habr": "/kek/v2/articles/"}
NO_VERDICT = {
    "withheld": {"hh": 403, "linkedin": 403, "habr": 403},
    "forbidden": {"hh": 403, "linkedin": 403, "habr": 403},
    "captcha": {"hh": 403, "linkedin": 403, "habr": 403},
    "rate_limited": {"hh": 429, "linkedin": 429, "habr": 429},
    "login_wall": {"hh": 200, "linkedin": 200, "habr": 200},
    "empty": {"hh": 200, "linkedin": 200, "habr": 200},
    "unavailable": {"hh": 503, "linkedin": 503, "habr": 503},
}


@pytest.fixture
def simulator() -> Iterator[Simulator]:
    with Simulator(World(seed=1, start_at=NOON)) as simulator:
        yield simulator


def page(simulator: Simulator, source: str, entry_id: str) -> Reply:
    return visit(simulator.base_urls[source] + PAGES[source].format(entry_id))


@pytest.mark.parametrize("source", PAGES)
def test_a_page_is_open_until_it_is_put_into_a_state_and_the_list_goes_on_showing_it(simulator, source):
    entry = simulator.world.add(source, kind="article" if source == "habr" else "vacancy")
    other = simulator.world.add(source)
    assert page(simulator, source, entry.id).status == 200
    simulator.world.set_page(source, entry.id, "gone")
    assert (page(simulator, source, entry.id).status, page(simulator, source, other.id).status) == (404, 200)
    assert entry.id.encode() in visit(simulator.base_urls[source] + LISTS[source]).body
    simulator.world.set_page(source, entry.id, "open")
    assert page(simulator, source, entry.id).status == 200


def test_a_closed_page_says_so_as_its_site_does(simulator):
    ids = {source: simulator.world.add(source).id for source in PAGES}
    for source, entry_id in ids.items():
        simulator.world.set_page(source, entry_id, "closed")
    assert page(simulator, "hh", ids["hh"]).json["archived"] is True
    closed = page(simulator, "linkedin", ids["linkedin"])
    assert closed.html.css_first("figcaption.closed-job__flavor--closed") is not None
    assert page(simulator, "habr", ids["habr"]).status == 404
    assert visit(f"{simulator.base_urls['habr']}/ru/articles/{ids['habr']}/").status == 404


@pytest.mark.parametrize("source", PAGES)
@pytest.mark.parametrize("state", NO_VERDICT)
def test_a_page_can_give_no_verdict_in_every_way(simulator, source, state):
    entry = simulator.world.add(source, title="A title to be looked for")
    simulator.world.set_page(source, entry.id, state)
    reply = page(simulator, source, entry.id)
    assert reply.status == NO_VERDICT[state][source]
    assert b"looked for" not in reply.body


def test_every_state_is_tried_here():
    assert set(NO_VERDICT) | {"closed", "gone"} == set(PAGE_STATES)


@pytest.mark.parametrize("source", PAGES)
def test_a_page_that_is_not_found_can_come_back_after_some_visits(simulator, source):
    entry = simulator.world.add(source)
    simulator.world.set_page(source, entry.id, "gone", visits=2)
    assert [page(simulator, source, entry.id).status for _ in range(4)] == [404, 404, 200, 200]
    assert simulator.world.page_state(source, entry.id) == "open"


def test_pages_can_flicker_by_chance_as_a_fault(simulator):
    entry = simulator.world.add("hh")
    simulator.switch(Fault(kind="gone_page", scope="detail", probability=0.5))
    seen = {page(simulator, "hh", entry.id).status for _ in range(20)}
    assert seen == {200, 404}
    assert visit(simulator.base_urls["hh"] + "/vacancies").json["found"] == 1


def test_the_door_sets_the_state_of_a_page_and_knows_no_other_states(simulator):
    entry = simulator.world.add("linkedin")
    control(simulator, "page", body={"source": "linkedin", "id": entry.id, "state": "login_wall", "visits": 1})
    assert b"authwall" in page(simulator, "linkedin", entry.id).body
    assert b"authwall" not in page(simulator, "linkedin", entry.id).body
    wrong = control(simulator, "page", body={"source": "linkedin", "id": entry.id, "state": "melted"})
    assert (wrong.status, "melted" in wrong.json["error"]) == (400, True)
    assert control(simulator, "page", body={"source": "hh", "id": "1", "state": "gone"}).status == 400


@pytest.mark.parametrize("source", PAGES)
def test_notes_stand_in_the_full_text_alone_and_an_edit_changes_them(simulator, source):
    entry = simulator.world.add(source, notes=("We ask for <zebra> riding.",))
    assert b"We ask for &lt;zebra&gt; riding." in page(simulator, source, entry.id).body
    assert b"zebra" not in visit(simulator.base_urls[source] + LISTS[source]).body
    simulator.world.edit(source, entry.id, notes=("Quite another thing.",))
    assert b"Quite another thing." in page(simulator, source, entry.id).body


def test_a_vacancy_of_hh_names_its_key_skills(simulator):
    entry = simulator.world.add("hh", tags=("Python", "SQL"))
    assert page(simulator, "hh", entry.id).json["key_skills"] == [{"name": "Python"}, {"name": "SQL"}]
