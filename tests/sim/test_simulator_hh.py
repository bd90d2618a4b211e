"""hh.ru's rules, seen over HTTP."""

from collections.abc import Iterator
from datetime import datetime, timedelta

import pytest

from inforadar.simulator.entry import Salary
from inforadar.simulator.rules import Rules
from inforadar.simulator.scenarios import still_world
from inforadar.simulator.server import Simulator
from inforadar.simulator.world import World
from sim.simulator_client import NOON, Reply, visit

NEWEST = {"order_by": "publication_time"}


@pytest.fixture(scope="module")
def stocked() -> Iterator[Simulator]:
    """A still world of 2,150 vacancies."""
    with Simulator(still_world(1, NOON, {"hh": 2150})) as simulator:
        yield simulator


@pytest.fixture
def empty() -> Iterator[Simulator]:
    with Simulator(World(seed=1, start_at=NOON)) as simulator:
        yield simulator


def vacancies(simulator: Simulator, headers: dict[str, str] | None = None, **params: object) -> Reply:
    return visit(simulator.base_urls["hh"] + "/vacancies", params, **(headers or {}))


def ids(reply: Reply) -> list[str]:
    return [item["id"] for item in reply.json["items"]]


def dates(reply: Reply) -> list[datetime]:
    return [datetime.fromisoformat(item["published_at"]) for item in reply.json["items"]]


def test_the_pages_are_the_list_of_the_truth_newest_first(stocked):
    params = {"text": "python", "area": "113", **NEWEST}
    pages = [vacancies(stocked, **params, per_page=100, page=page) for page in range(4)]
    search = stocked.internet.search("hh", params)
    assert [key for page in pages for key in ids(page)] == [entry.id for entry in stocked.world.listing(search)]
    assert pages[0].json["found"] == len(stocked.world.visible_ids(search))
    assert dates(pages[0]) == sorted(dates(pages[0]), reverse=True)


def test_different_queries_see_different_overlapping_lists(stocked):
    python, sql = (set(ids(vacancies(stocked, text=text, per_page=100, **NEWEST))) for text in ("python", "sql"))
    assert python & sql
    assert python - sql
    assert sql - python


def test_the_default_order_is_relevance_and_not_the_date(stocked):
    assert dates(vacancies(stocked, per_page=50)) != sorted(dates(vacancies(stocked, per_page=50)), reverse=True)


def test_pages_is_capped_while_found_is_not_and_past_2000_is_an_error(stocked):
    reply = vacancies(stocked, per_page=100, page=19)
    assert (reply.json["found"], reply.json["pages"], len(reply.json["items"])) == (2150, 20, 100)
    assert vacancies(stocked, per_page=1).json["pages"] == 2000
    beyond = vacancies(stocked, per_page=100, page=20)
    assert beyond.status == 400
    assert beyond.json["bad_argument"] == "page, per_page"
    assert beyond.json["description"] == "you can't look up more than 2000 items in the list"


def test_a_page_past_the_end_of_a_short_list_is_empty(empty):
    empty.world.add("hh")
    reply = vacancies(empty, per_page=20, page=3)
    assert (reply.status, reply.json["items"], reply.json["found"], reply.json["pages"]) == (200, [], 1, 1)


def test_unknown_parameters_are_ignored_silently(stocked):
    assert vacancies(stocked, txet="python").json["found"] == 2150


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("per_page", "101"),
        ("per_page", "0"),
        ("page", "-1"),
        ("page", "x"),
        ("order_by", "newest"),
        ("experience", "10years"),
        ("date_from", "yesterday"),
        ("date_from", "2026-01-05T12:00:00 0300"),
    ],
)
def test_a_bad_value_is_named(stocked, name, value):
    reply = vacancies(stocked, **{name: value})
    assert reply.status == 400
    assert reply.json["errors"] == [{"type": "bad_argument", "value": name}]


def test_area_and_experience_can_be_repeated(stocked):
    params = [("area", "1"), ("area", "2"), ("experience", "moreThan6"), ("per_page", "100")]
    items = visit(stocked.base_urls["hh"] + "/vacancies", params).json["items"]
    assert {item["area"]["id"] for item in items} == {"1", "2"}
    assert {item["experience"]["id"] for item in items} == {"moreThan6"}


def test_dates_are_rounded_to_five_minutes_and_both_ends_belong_to_the_window(empty):
    minutes = {
        minute: empty.world.add("hh", published_at=NOON + timedelta(minutes=minute)).id for minute in range(-20, 1)
    }

    def window(since: str, until: str) -> set[int]:
        found = ids(vacancies(empty, date_from=since, date_to=until, per_page=100, **NEWEST))
        return {minute for minute, key in minutes.items() if key in found}

    assert window("2026-01-05T14:50:00+0300", "2026-01-05T14:55:00+0300") == set(range(-10, -4))
    assert window("2026-01-05T11:52:00Z", "2026-01-05T11:53:00+00:00") == set(range(-10, -4))
    assert window("2026-01-05T14:53:00", "2026-01-05T15:00:00") == set(range(-5, 1))


def test_a_period_counts_days_back_from_now_and_excludes_dates(empty):
    empty.world.add("hh", published_at=NOON - timedelta(days=3))
    fresh = empty.world.add("hh", published_at=NOON - timedelta(hours=3))
    assert ids(vacancies(empty, period=1)) == [fresh.id]
    assert vacancies(empty, period=1, date_from="2026-01-01").status == 400


def test_dates_have_an_offset_without_colon_and_creation_equals_publication(empty):
    entry = empty.world.add("hh", published_at=NOON)
    empty.advance(3600)
    empty.world.bump("hh", entry.id)
    item = vacancies(empty).json["items"][0]
    detail = visit(f"{empty.base_urls['hh']}/vacancies/{entry.id}").json
    assert item["published_at"] == item["created_at"] == "2026-01-05T16:00:00+0300"
    assert detail["initial_created_at"] == "2026-01-05T15:00:00+0300"


def test_searched_words_are_marked_in_the_snippet(empty):
    empty.world.add("hh", title="Разработчик", tags=("Python", "SQL"))
    snippet = vacancies(empty, text="python").json["items"][0]["snippet"]
    assert snippet["requirement"].startswith("<highlighttext>Python</highlighttext>, SQL.")


def test_an_anonymous_employer_has_a_name_only(empty):
    empty.world.add("hh", is_anonymous=True)
    item = vacancies(empty).json["items"][0]
    assert item["type"]["id"] == "anonymous"
    assert set(item["employer"]) == {"name", "trusted"}


def test_a_salary_may_be_absent_or_hourly_and_the_old_field_hides_the_mode(empty):
    hourly = Salary(low=900, high=None, currency="RUR", gross=False, mode="HOUR")
    empty.world.add("hh", salary=None, published_at=NOON - timedelta(hours=1))
    empty.world.add("hh", salary=hourly)
    paid, unpaid = vacancies(empty, **NEWEST).json["items"]
    assert (unpaid["salary"], unpaid["salary_range"]) == (None, None)
    assert paid["salary"] == {"from": 900, "to": None, "currency": "RUR", "gross": False}
    assert (paid["salary_range"]["mode"]["id"], paid["salary_range"]["frequency"]) == ("HOUR", None)


def test_the_stock_holds_all_shapes_of_salary_address_and_employer(stocked):
    items = [item for page in range(20) for item in vacancies(stocked, per_page=100, page=page).json["items"]]
    ranges = [item["salary_range"] for item in items]
    assert {"HOUR", "MONTH"} == {pay["mode"]["id"] for pay in ranges if pay}
    assert None in ranges
    assert any(pay and pay["frequency"] is None for pay in ranges)
    assert any(item["address"] is None for item in items)
    assert any("id" not in item["employer"] for item in items)
    assert not any(item["archived"] for item in items)


def test_an_archived_vacancy_keeps_its_page_and_a_deleted_one_has_none(empty):
    archived, deleted, hidden = (empty.world.add("hh") for _ in range(3))
    empty.world.withdraw("hh", archived.id)
    empty.world.withdraw("hh", deleted.id, "deleted")
    empty.world.hide("hh", hidden.id)
    pages = {key: visit(f"{empty.base_urls['hh']}/vacancies/{key}") for key in (archived.id, deleted.id, hidden.id)}
    assert vacancies(empty).json["found"] == 0
    assert pages[archived.id].json["archived"] is True
    assert (pages[deleted.id].status, pages[deleted.id].json["errors"][0]["type"]) == (404, "not_found")
    assert (pages[hidden.id].status, pages[hidden.id].json["archived"]) == (200, False)
    assert pages[hidden.id].json["description"].startswith("<p>")


def test_a_visitor_without_a_name_or_with_a_library_name_is_refused(empty):
    unnamed = vacancies(empty, {"User-Agent": ""})
    library = vacancies(empty, {"User-Agent": "python-requests/2.31"})
    named = vacancies(empty, {"User-Agent": "", "HH-User-Agent": "App/1.0 (a@example.org)"})
    assert (unnamed.status, unnamed.json["errors"][0]["value"]) == (400, "unset")
    assert (library.status, library.json["errors"][0]["value"]) == (400, "blacklisted")
    assert named.status == 200


def test_without_a_token_only_the_first_request_is_answered_where_one_is_needed():
    rules = Rules(hh_needs_token=True, hh_token="good")
    with Simulator(World(seed=1, start_at=NOON), rules=rules) as simulator:
        first, second = vacancies(simulator), vacancies(simulator)
        wrong = vacancies(simulator, {"Authorization": "Bearer bad"})
        right = vacancies(simulator, {"Authorization": "Bearer good"})
    assert (first.status, second.status, right.status) == (200, 403, 200)
    assert second.json["errors"] == [{"type": "forbidden"}]
    assert wrong.json["errors"] == [{"value": "bad_authorization", "type": "oauth"}]
