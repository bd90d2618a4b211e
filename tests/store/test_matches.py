"""Matches, tombstones and jobs, on both databases."""

from datetime import timedelta
from typing import Any

import pytest

from inforadar.domain.item import Item
from inforadar.store import deliveries, items, jobs, matches, tombstones
from inforadar.store.database import Database, Tx
from inforadar.store.jobs import NewJob
from inforadar.store.matches import FILTERS, MatchEvent
from inforadar.store.statements import load_statements
from store.samples_of_rows import LATER, NOW, a_tombstone, an_item


def matched(tx: Tx, *wanted: Item, watch: str = "w") -> list[int]:
    """Save items of one source and match them; the ids of the new matches, in the order of the items."""
    ids = items.insert(tx, wanted)
    created = matches.create(tx, watch, "q1", list(ids.values()), NOW, "machine", "found")
    return [created[ids[item.key]] for item in wanted if ids[item.key] in created]


def test_a_new_match_is_queued_and_says_why(db: Database) -> None:
    with db.transaction() as tx:
        (match_id,) = matched(tx, an_item("1"))
    with db.reading() as tx:
        view = matches.get(tx, match_id)
        events = matches.events(tx, match_id)
    assert view is not None
    assert (view.status, view.watch, view.key, view.company, view.score) == ("QUEUED", "w", "1", "Acme", None)
    assert (view.data, view.published_at) == (an_item("1").data, NOW)
    assert events == [MatchEvent(at=NOW, who="machine", from_status=None, to_status="QUEUED", why="found")]


def test_matches_and_their_deliveries_are_called_by_the_title_of_their_item(db: Database) -> None:
    with db.transaction() as tx:
        first, second = matched(tx, an_item("1"), an_item("2"))
        deliveries.add(tx, second, "telegram", state="waiting", due_at=NOW, now=NOW)
        (delivery,) = deliveries.of_match(tx, second)
        assert matches.titles(tx, [first, second, 999]) == {first: an_item("1").title, second: an_item("2").title}
        assert deliveries.titles(tx, [delivery.id, 999]) == {delivery.id: an_item("2").title}
        assert matches.titles(tx, []) == deliveries.titles(tx, []) == {}


def test_a_match_is_made_once_per_watch(db: Database) -> None:
    with db.transaction() as tx:
        (first,) = matched(tx, an_item("1"))
        assert matched(tx, an_item("1")) == []
        (other,) = matched(tx, an_item("1"), watch="v")
        assert len(matches.events(tx, first)) == 1
        assert other != first
        assert matches.counts(tx) == {"QUEUED": 2}
        assert matches.create(tx, "w", "q1", [], NOW, "machine", "found") == {}


def test_a_watch_knows_its_matches_and_its_tombstones_only(db: Database) -> None:
    with db.transaction() as tx:
        matched(tx, an_item("mine"))
        matched(tx, an_item("of another watch"), watch="v")
        matched(tx, an_item("of another source", source="linkedin"))
        tombstones.add(tx, [a_tombstone("dead"), a_tombstone("dead elsewhere", watch="v")])
        keys = ["mine", "of another watch", "of another source", "dead", "dead elsewhere", "new"]
        assert matches.known(tx, "w", "hh", keys) == {"mine", "dead"}
        assert matches.known(tx, "w", "hh", []) == set()


def test_a_tombstone_keeps_its_first_reason(db: Database) -> None:
    with db.transaction() as tx:
        assert tombstones.add(tx, [a_tombstone("1"), a_tombstone("2", word=None, field=None)]) == 2
        assert tombstones.add(tx, [a_tombstone("1", reason="experience"), a_tombstone("1", watch="v")]) == 1
        assert tombstones.find(tx, source="hh", key="1", watch="w") == [a_tombstone("1")]
        assert {one.watch for one in tombstones.find(tx, source="hh", key="1")} == {"w", "v"}
        assert [one.key for one in tombstones.search(tx, watch="w")] == ["2", "1"]
        assert [one.key for one in tombstones.search(tx, watch="w", limit=1)] == ["2"]


def test_a_search_shows_the_newest_publication_first_and_pages_without_a_gap(db: Database) -> None:
    days = {"a": 3, "b": 9, "c": 1, "d": 9, "e": 5, "f": 9, "g": 4}
    with db.transaction() as tx:
        matched(tx, *(an_item(key, published_at=NOW.replace(day=day)) for key, day in days.items()))
        pages = [matches.search(tx, limit=2)]
        while pages[-1]:
            pages.append(matches.search(tx, limit=2, before_id=pages[-1][-1].id))
        assert matches.search(tx, before_id=10**9) == []
    assert [view.key for page in pages for view in page] == ["f", "d", "b", "e", "g", "a", "c"]


def test_a_search_upward_from_a_match_on_meets_the_search_downward(db: Database) -> None:
    with db.transaction() as tx:
        matched(tx, *(an_item(str(n), published_at=NOW + timedelta(minutes=n // 3)) for n in range(9)))
    with db.reading() as tx:
        down = [view.id for view in matches.search(tx)]
        last, middle = matches.search(tx)[-1], matches.search(tx)[4]
        assert [one.id for one in matches.search(tx, upward_from=(last.published_at, last.id))] == down[::-1]
        upward = matches.search(tx, upward_from=(middle.published_at, middle.id), limit=2)
        assert [one.id for one in upward] == [down[4], down[3]]


@pytest.mark.parametrize(
    "filters",
    [{}, {"watch": "w"}, {"source": "linkedin"}, {"text": "ACME"}, {"statuses": ["QUEUED", "NEW"]}, {"due_at": NOW}],
    ids=str,
)
def test_a_count_tells_how_many_a_search_finds_and_which_number_a_match_has(
    db: Database, filters: dict[str, Any]
) -> None:
    with db.transaction() as tx:
        ids = matched(tx, *(an_item(str(n), published_at=NOW + timedelta(minutes=n // 2)) for n in range(6)))
        matched(tx, an_item("7", source="linkedin"), watch="v")
        matches.put_off(tx, ids[2], LATER, NOW)
    with db.reading() as tx:
        found = matches.search(tx, **filters)
        assert matches.count(tx, **filters) == len(found) > 0
        places = [(one.published_at, one.id) for one in found]
        assert [matches.count(tx, **filters, down_to=place) for place in places] == list(range(1, len(found) + 1))


@pytest.mark.parametrize("place", [{}, {"below_at": NOW, "below_id": 7}], ids=["first page", "deep page"])
def test_a_page_of_a_long_list_is_read_off_the_index(db: Database, place: dict[str, Any]) -> None:
    with db.transaction() as tx:
        matched(tx, *(an_item(str(n), published_at=NOW + timedelta(minutes=n)) for n in range(3000)))
        tx.run_text("ANALYZE")
    asked = {"limit": 50, "downward": True, **place}
    with db.reading() as tx:
        text = load_statements(db.kind)["match_search"].text(dict.fromkeys(("id", *FILTERS)) | asked)
    connection = db.driver.connect()
    explain = "EXPLAIN QUERY PLAN " if db.kind == "sqlite" else "EXPLAIN "
    plan = str(connection.rows(explain + text, asked))
    connection.close()
    assert "items_by_publication" in plan, plan
    begins_at_the_place = "published_at<?" in plan or "Index Cond: (published_at <=" in plan
    assert begins_at_the_place == bool(place), plan


@pytest.mark.parametrize(
    ("filters", "keys"),
    [
        ({}, {"1", "2", "3"}),
        ({"watch": "v"}, {"3"}),
        ({"watch": "w", "source": "linkedin"}, {"2"}),
        ({"status": "QUEUED"}, {"1", "2", "3"}),
        ({"status": "APPLIED"}, set()),
        ({"text": "РАЗРАБОТЧИК"}, {"1"}),
        ({"text": "globex"}, {"2"}),
        ({"text": "ANN_lee"}, {"3"}),
        ({"text": "100%"}, {"3"}),
        ({"text": "100_"}, set()),
        ({"text": "\\"}, set()),
        ({"topic": "Базы Данных"}, {"3"}),
        ({"topic": "базы"}, set()),
        ({"text": "разработчик", "watch": "v"}, set()),
        ({"statuses": ["QUEUED", "APPLIED"]}, {"1", "2", "3"}),
        ({"statuses": ["APPLIED", "SKIPPED"]}, set()),
        ({"min_score": 0.7}, {"2"}),
        ({"min_score": 0.2}, {"1", "2"}),
        ({"published_after": NOW}, {"3"}),
        ({"put_off_at": NOW}, {"1"}),
        ({"put_off_at": LATER}, set()),
        ({"due_at": NOW}, {"2", "3"}),
        ({"due_at": LATER}, {"1", "2", "3"}),
        ({"below": (LATER, 0)}, {"1", "2"}),
        ({"below": (NOW, 2)}, {"1"}),
    ],
)
def test_a_search_narrows_by_every_filter(db: Database, filters: dict[str, str], keys: set[str]) -> None:
    with db.transaction() as tx:
        (first,) = matched(tx, an_item("1", title="Старший разработчик"))
        (second,) = matched(tx, an_item("2", source="linkedin", company="Globex", company_key="g"))
        data = {"hubs": ["базы данных"], "author": "ann_lee"}
        matched(tx, an_item("3", title="100% remote", data=data, published_at=LATER), watch="v")
        matches.judged(tx, first, score=0.2, reason="far off", now=NOW)
        matches.judged(tx, second, score=0.7, reason="close", now=NOW)
        matches.put_off(tx, first, LATER, NOW)
        assert {view.key for view in matches.search(tx, **filters)} == keys  # type: ignore[arg-type]


def test_an_unfinished_unique_key_takes_no_second_job(db: Database) -> None:
    job = jobs.process_job(7, published_at=NOW, run_at=LATER)
    free = NewJob(kind="sweep", args={}, unique_key=None, priority=0, run_at=NOW)
    with db.transaction() as tx:
        assert jobs.put(tx, [job, free]) == 2
        assert jobs.put(tx, [job, free]) == 1
        assert jobs.put(tx, []) == 0
        assert jobs.counts(tx) == {"pending": 3}
        tx.run_text("UPDATE jobs SET status = 'succeeded'")
        assert jobs.put(tx, [job]) == 1
        assert jobs.counts(tx) == {"pending": 1, "succeeded": 3}


def test_the_views_show_the_tables_under_the_names_people_know(db: Database) -> None:
    with db.transaction() as tx:
        matched(tx, an_item("1"))
        data = {"author": "ann", "views": 12, "tags": ["x"], "full_text_state": "not_fetched"}
        matched(tx, an_item("2", kind="article", data=data))
        jobs.put(tx, [jobs.process_job(1, published_at=NOW, run_at=NOW)])
    connection = db.driver.connect()
    vacancy = connection.rows("SELECT job_id, link, title, company, status, published_at, data FROM vacancies", {})
    offer = connection.rows("SELECT offer_id, client, company_name FROM offers", {})
    article = connection.rows("SELECT title, author, views + 1 AS more, full_text FROM articles", {})
    job = connection.rows("SELECT query_params, status, next_retry_at, locked_by, error_message FROM scrape_jobs", {})
    connection.close()
    item = an_item("1")
    assert vacancy == [
        {
            "job_id": "1",
            "link": item.url,
            "title": item.title,
            "company": "Acme",
            "status": "QUEUED",
            "published_at": NOW,
            "data": item.data,
        }
    ]
    assert offer == [{"offer_id": "1", "client": "hh", "company_name": "Acme"}]
    assert article == [{"title": "Python developer 2", "author": "ann", "more": 13, "full_text": None}]
    assert job[0]["query_params"] == {"match_id": 1}
    assert (job[0]["status"], job[0]["next_retry_at"]) == ("pending", None)


def test_topics_leave_what_their_queries_found_and_what_may_name_them_in_any_case(db):
    named = {
        "1": {"hubs": ["Админы"]},
        "2": {"hub": 'A "b" \\ c'},
        "3": {"tags": "ADMINS"},
        "4": {"tags": "administer"},
    }
    with db.transaction() as tx:
        ids = items.insert(tx, [an_item(key, data=data) for key, data in named.items()])
        matches.create(tx, "w", "q", [ids["1"], ids["2"], ids["3"]], NOW, "machine", "found")
        matches.create(tx, "w", "other", [ids["4"]], NOW, "machine", "found")

        def found(*topics, query_keys=()):
            return {one.key for one in matches.search(tx, topics=topics, query_keys=query_keys)}

        assert found("админы") == {"1"}
        assert found("админ") == set()
        assert found('a "b" \\ c') == {"2"}
        assert found("admins") == {"3"}
        assert found("admins", "админы") == {"1", "3"}
        assert found("nothing") == set()
        assert found("nothing", query_keys=["other", "gone"]) == {"4"}
        assert found("%") == set()
        assert found() == set(named)
