"""What the user decides over the REST API, on both databases: once, undoable, in batches, by many at a time."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import pairwise

import pytest

from inforadar.store import acts
from store.samples_of_rows import an_item

VERBS = {"mark-applied": "APPLIED", "mark-not-interested": "NOT_INTERESTED"}


@pytest.mark.parametrize(("verb", "status"), VERBS.items())
def test_a_vacancy_is_marked_in_every_watch_that_has_it(api_on_both, verb, status):
    api = api_on_both
    (one,) = api.seed(an_item("1"))
    (other,) = api.seed(an_item("1"), watch="v")
    (bystander,) = api.seed(an_item("2"))
    vacancy = api.item_id(one)
    told = api.post(f"/api/vacancies/{vacancy}/{verb}").json()
    assert told["changed"] == [one, other]
    assert told["unchanged"] == []
    assert [api.status(match_id) for match_id in (one, other, bystander)] == [status, status, "QUEUED"]
    again = api.post(f"/api/vacancies/{vacancy}/{verb}")
    assert (again.status_code, again.json()["act_id"], again.json()["changed"]) == (200, None, [])
    assert {unchanged["id"] for unchanged in again.json()["unchanged"]} == {one, other}
    (event,) = api.get(f"/api/items/{one}").json()["events"][1:]
    assert (event["who"], event["from"], event["to"]) == ("api", "QUEUED", status)


def test_a_vacancy_is_put_off(api_on_both):
    (match_id,) = api_on_both.seed_one()
    vacancy = api_on_both.item_id(match_id)
    assert api_on_both.post(f"/api/vacancies/{vacancy}/mark-later").json()["changed"] == [match_id]
    shown = api_on_both.get(f"/api/items/{match_id}").json()
    assert shown["status"] == "QUEUED"
    assert shown["later_until"] is not None


def test_only_a_vacancy_that_is_there_can_be_marked(api):
    (article,) = api.seed(replace(an_item("1"), source="habr", kind="article"))
    for vacancy in (api.item_id(article), 999):
        answer = api.post(f"/api/vacancies/{vacancy}/mark-applied")
        assert (answer.status_code, answer.json()["detail"]) == (404, f"There is no vacancy {vacancy}.")
    assert [api.post(f"/api/vacancies/{odd}/mark-applied").status_code for odd in ("0", "-1", "x", 2**63)] == [422] * 4
    assert api.status(article) == "QUEUED"


@pytest.mark.parametrize("verb", ["not interested", "not-interested"])
def test_a_decision_may_be_spelled_as_addresses_spell_it(api, verb):
    (match_id,) = api.seed_one()
    told = api.post("/api/items/mark", {"ids": [match_id], "verb": verb})
    assert (told.status_code, told.json()["verb"], api.status(match_id)) == (200, "not interested", "NOT_INTERESTED")


@pytest.mark.parametrize(
    ("path", "status", "remedy"),
    [
        ("/api/items/99", 404, "GET /api/items"),
        ("/api/jobs/99", 404, "GET /api/jobs"),
        ("/api/nowhere", 404, "/openapi.json"),
        ("/api/items?limit=0", 422, "`errors`"),
        ("/api/items?wach=w", 422, "`errors`"),
        ("/api/items/x", 422, "`errors`"),
        ("/api/why?q=nonsense", 422, "`errors`"),
    ],
)
def test_what_is_refused_is_told_with_the_way_out(api, path, status, remedy):
    answer = api.client.get(path)
    assert (answer.status_code, answer.headers["content-type"]) == (status, "application/problem+json")
    assert remedy in answer.json()["remedy"]


def test_a_batch_is_one_act_and_one_undo_takes_it_back(api_on_both):
    api = api_on_both
    ids = api.seed(*(an_item(str(n)) for n in range(5)))
    api.post("/api/items/mark", {"ids": ids[:1], "verb": "applied"})
    told = api.post("/api/items/mark", {"ids": [*ids, 999, ids[1]], "verb": "applied"}).json()
    assert told["changed"] == ids[1:]
    assert [one["id"] for one in told["unchanged"]] == [ids[0], 999]
    undone = api.post("/api/undo", {"act_id": told["act_id"]}).json()
    assert (undone["verb"], undone["changed"]) == ("undo", ids[1:])
    assert [api.status(match_id) for match_id in ids] == ["APPLIED", *["QUEUED"] * 4]
    again = api.post("/api/undo", {"act_id": told["act_id"]})
    assert again.status_code == 409


def test_undo_without_an_act_takes_back_the_last_one(api_on_both):
    api = api_on_both
    first, second = api.seed(an_item("1"), an_item("2"))
    api.post("/api/items/mark", {"ids": [first], "verb": "applied"})
    api.post("/api/items/mark", {"ids": [second], "verb": "not interested"})
    assert [one["matches"] for one in api.get("/api/acts", can_undo="true").json()["acts"]] == [1, 1]
    assert api.post("/api/undo").json()["changed"] == [second]
    assert api.post("/api/undo", {}).json()["changed"] == [first]
    nothing = api.post("/api/undo", {"act_id": None})
    assert (nothing.status_code, nothing.json()["detail"]) == (409, "There is nothing to undo.")
    told = api.get("/api/acts").json()["acts"]
    assert [(one["verb"], one["can_undo"]) for one in told] == [
        *(("undo", False), ("undo", False), ("not interested", False), ("applied", False)),
    ]
    assert api.get("/api/acts", can_undo="true").json() == {"acts": []}


def test_an_act_that_is_not_there_or_is_an_undo_cannot_be_undone(api):
    (match_id,) = api.seed_one()
    api.post("/api/items/mark", {"ids": [match_id], "verb": "applied"})
    undo = api.post("/api/undo").json()["act_id"]
    assert api.post("/api/undo", {"act_id": 999}).status_code == 404
    assert api.post("/api/undo", {"act_id": undo}).status_code == 409
    assert api.status(match_id) == "QUEUED"


def test_marks_at_the_same_time_change_each_match_once(api_on_both):
    api = api_on_both
    ids = api.seed(*(an_item(str(n)) for n in range(30)))
    orders = [ids, ids[::-1], ids[::2] + ids[1::2]] * 4

    def mark(order: list[int]) -> list[int]:
        answer = api.post("/api/items/mark", {"ids": order, "verb": "applied"})
        assert answer.status_code == 200
        return list(answer.json()["changed"])

    with ThreadPoolExecutor(12) as pool:
        changed = [match_id for one in pool.map(mark, orders) for match_id in one]
    assert sorted(changed) == sorted(ids)
    assert {api.status(match_id) for match_id in ids} == {"APPLIED"}


def test_opposite_marks_and_undos_at_the_same_time_leave_what_the_last_act_says(api_on_both):
    api = api_on_both
    ids = api.seed(*(an_item(str(n)) for n in range(6)))

    def act(number: int) -> int:
        if number % 3 == 2:
            return int(api.post("/api/undo").status_code)
        verb = ("applied", "not interested")[number % 2]
        return int(api.post("/api/items/mark", {"ids": ids, "verb": verb}).status_code)

    with ThreadPoolExecutor(8) as pool:
        codes = set(pool.map(act, range(36)))
    assert codes <= {200, 409}
    for match_id in ids:
        shown = api.get(f"/api/items/{match_id}").json()
        moves = [(event["from"], event["to"]) for event in shown["events"]]
        assert shown["status"] == moves[-1][1]
        assert all(before[1] == after[0] for before, after in pairwise(moves))
    with api.app.database.reading() as tx:
        undone = [act for act in acts.latest(tx, limit=100) if act.undone_by]
    assert len({act.undone_by for act in undone}) == len(undone)


def test_undos_of_one_act_at_the_same_time_take_it_back_once(api_on_both):
    api = api_on_both
    ids = api.seed(*(an_item(str(n)) for n in range(40)))
    for _ in range(3):
        act_id = api.post("/api/items/mark", {"ids": ids, "verb": "applied"}).json()["act_id"]

        def undo(_number: int, act_id: int = act_id) -> int:
            return int(api.post("/api/undo", {"act_id": act_id}).status_code)

        with ThreadPoolExecutor(6) as pool:
            assert sorted(pool.map(undo, range(6))) == [200, *[409] * 5]
    events = api.get(f"/api/items/{ids[0]}").json()["events"]
    assert [event["to"] for event in events] == ["QUEUED", *["APPLIED", "QUEUED"] * 3]


def test_an_undo_that_waits_for_a_newer_decision_does_not_take_it_back(api_on_both):
    api = api_on_both
    (match_id,) = api.seed_one()
    act_id = api.post("/api/items/mark", {"ids": [match_id], "verb": "applied"}).json()["act_id"]
    with ThreadPoolExecutor(1) as pool:
        with api.app.database.transaction() as tx:
            api.app.triage().mark(tx, [match_id], "not interested", "user")
            waiting = pool.submit(api.post, "/api/undo", {"act_id": act_id})
            with pytest.raises(TimeoutError):
                waiting.result(0.5)
        assert waiting.result(20).status_code == 409
    assert api.status(match_id) == "NOT_INTERESTED"
