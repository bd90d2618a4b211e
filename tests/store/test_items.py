"""The table `items` with its companies and changes, on both databases."""

import threading
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import apsw
import psycopg
import pytest

from inforadar.domain.item import Change
from inforadar.store import companies, item_changes, items, runs
from inforadar.store.database import Database
from store.samples_of_rows import LATER, NOW, a_query, an_item


def test_an_item_comes_back_as_it_was_saved(db: Database) -> None:
    item = an_item("1", title="Разработчик 😀", data={"a": None, "b": [1, 2.5, "x"], "c": {"d": True}})
    with db.transaction() as tx:
        ids = items.insert(tx, [item])
    with db.reading() as tx:
        assert items.find(tx, "hh", ["1", "2"]) == {"1": replace(item, id=ids["1"])}
        assert items.get(tx, ids["1"]) == replace(item, id=ids["1"])
        assert items.find_by_url(tx, item.url) == replace(item, id=ids["1"])
        assert items.find_by_url(tx, "https://nowhere") is None
        assert items.find(tx, "linkedin", ["1"]) == {}
        assert items.find(tx, "hh", []) == {}


def test_an_item_is_stored_once_and_the_first_saving_stays(db: Database) -> None:
    with db.transaction() as tx:
        first = items.insert(tx, [an_item("1")])
    with db.transaction() as tx:
        again = items.insert(tx, [an_item("1", title="other"), an_item("2")])
    assert again["1"] == first["1"]
    assert set(again) == {"1", "2"}
    with db.reading() as tx:
        assert items.count(tx) == 2
        assert items.find(tx, "hh", ["1"])["1"].title == "Python developer 1"


def test_the_same_key_of_two_sources_is_two_items(db: Database) -> None:
    with db.transaction() as tx:
        one = items.insert(tx, [an_item("1")])
        two = items.insert(tx, [an_item("1", source="linkedin")])
    assert one["1"] != two["1"]


def test_an_update_writes_the_merged_item_and_keeps_the_first_sighting(db: Database) -> None:
    with db.transaction() as tx:
        items.insert(tx, [an_item("1"), an_item("2")])
        items.update(tx, [an_item("1", title="new", data={"x": 1}, last_seen_at=LATER, first_seen_at=LATER)])
    with db.reading() as tx:
        found = items.find(tx, "hh", ["1", "2"])
    assert (found["1"].title, found["1"].data, found["1"].last_seen_at) == ("new", {"x": 1}, LATER)
    assert found["1"].first_seen_at == NOW
    assert found["2"].title == "Python developer 2"


def test_an_update_without_company_keeps_the_company(db: Database) -> None:
    with db.transaction() as tx:
        items.insert(tx, [an_item("1")])
        items.update(tx, [an_item("1", company=None, company_key=None)])
        assert items.find(tx, "hh", ["1"])["1"].company == "Acme"


def test_the_time_of_sighting_never_goes_back(db: Database) -> None:
    earlier = NOW - timedelta(hours=1)
    with db.transaction() as tx:
        items.insert(tx, [an_item("1"), an_item("2"), an_item("3")])
        items.touch(tx, "hh", ["1"], LATER)
        items.touch(tx, "hh", ["2"], earlier)
        items.update(tx, [an_item("3", last_seen_at=earlier)])
        seen = {key: item.last_seen_at for key, item in items.find(tx, "hh", ["1", "2", "3"]).items()}
    assert seen == {"1": LATER, "2": NOW, "3": NOW}


@pytest.mark.parametrize("field", ["title", "url"])
def test_a_title_or_url_never_becomes_empty(db: Database, field: str) -> None:
    with db.transaction() as tx:
        items.insert(tx, [an_item("1")])
    with pytest.raises((apsw.ConstraintError, psycopg.errors.CheckViolation)), db.transaction() as tx:
        items.update(tx, [an_item("1", **{field: ""})])
    with db.reading() as tx:
        assert items.find(tx, "hh", ["1"])["1"] == replace(an_item("1"), id=items.find(tx, "hh", ["1"])["1"].id)


@pytest.mark.parametrize("key", ['a"b', "c\\d", "новость/1", "x y\tz", "😀", "%_", "' OR 1=1 --", "1.0", "null"])
def test_any_key_is_found_again(db: Database, key: str) -> None:
    with db.transaction() as tx:
        assert set(items.insert(tx, [an_item(key), an_item("other")])) == {key, "other"}
        assert set(items.find(tx, "hh", [key])) == {key}
        items.touch(tx, "hh", [key], LATER)
        assert items.find(tx, "hh", [key])[key].last_seen_at == LATER


def test_text_that_no_database_can_hold_is_cleaned(db: Database) -> None:
    dirty = an_item("1", title="a\0b\ud800c", data={"text": "x\0y", "half\udfff": ["\ud800"]}, company="A\0")
    with db.transaction() as tx:
        items.insert(tx, [dirty])
        stored = items.find(tx, "hh", ["1"])["1"]
    assert (stored.title, stored.company) == ("ab?c", "A")
    assert stored.data == {"text": "xy", "half?": ["?"]}


def test_sqlite_holds_json_and_times_as_text_that_people_can_read(sqlite_db: Database) -> None:
    with sqlite_db.transaction() as tx:
        item_id = items.insert(tx, [an_item("1", data={"имя": 5})])["1"]
        item_changes.add(tx, None, NOW, [(item_id, Change(field="views", old=None, new=5))])
    connection = sqlite_db.driver.connect()
    held = "SELECT typeof(data) AS type, CAST(data AS TEXT) AS data, published_at || '' AS published_at FROM items"
    assert connection.rows(held, {}) == [
        {"type": "text", "data": '{"имя":5}', "published_at": "2026-01-05T12:00:00.123456Z"}
    ]
    change = "SELECT typeof(old) AS old, typeof(new) AS new FROM item_changes"
    assert connection.rows(change, {}) == [{"old": "text", "new": "text"}]
    connection.close()


def test_a_backslash_before_u0000_is_text_and_stays(db: Database) -> None:
    with db.transaction() as tx:
        items.insert(tx, [an_item("1", data={"text": "\\u0000"})])
        assert items.find(tx, "hh", ["1"])["1"].data == {"text": "\\u0000"}


def test_times_of_any_zone_are_the_same_moment_in_utc(db: Database) -> None:
    moscow = datetime(2026, 1, 5, 15, 0, tzinfo=timezone(timedelta(hours=3)))
    with db.transaction() as tx:
        items.insert(tx, [an_item("1", published_at=moscow)])
        published_at = items.find(tx, "hh", ["1"])["1"].published_at
    assert published_at == moscow
    assert published_at.utcoffset() == timedelta(0)
    assert published_at.isoformat() == datetime(2026, 1, 5, 12, 0, tzinfo=UTC).isoformat()


def test_a_company_is_one_row_by_its_key_and_follows_its_name(db: Database) -> None:
    with db.transaction() as tx:
        first = companies.ensure(tx, "hh", {"c1": "Acme", "c2": "Beta"}, NOW)
        again = companies.ensure(tx, "hh", {"c1": "Acme Ltd", "c3": "Gamma"}, LATER)
        unnamed = companies.ensure(tx, "hh", {"c2": ""}, LATER)
        items.insert(tx, [an_item("1", company="Acme Ltd")])
        assert items.find(tx, "hh", ["1"])["1"].company == "Acme Ltd"
        items.insert(tx, [an_item("2", company="Beta", company_key="c2")])
        assert items.find(tx, "hh", ["2"])["2"].company == "Beta"
    assert (first["c1"].id, again["c1"].name) == (again["c1"].id, "Acme Ltd")
    assert unnamed == {"c2": first["c2"]}
    assert len({one.id for one in (*first.values(), *again.values())}) == 3


def test_a_company_without_key_goes_by_its_name(db: Database) -> None:
    with db.transaction() as tx:
        items.insert(tx, [an_item("1", company="Beta", company_key=None), an_item("2", company=None, company_key=None)])
        found = items.find(tx, "hh", ["1", "2"])
    assert (found["1"].company, found["2"].company) == ("Beta", None)


def test_changes_keep_their_order_and_every_kind_of_value(db: Database) -> None:
    changes = [
        Change(field="title", old="a", new="b"),
        Change(field="views", old=None, new=5),
        Change(field="rating", old=1.5, new=2),
        Change(field="tags", old=[], new=["x"]),
        Change(field="number as text", old="1", new="1.0"),
    ]
    query = a_query()
    with db.transaction() as tx:
        item_id = items.insert(tx, [an_item("1")])["1"]
        run_id = runs.start(tx, query.key, query.watch, query.source, NOW)
        item_changes.add(tx, run_id, LATER, [(item_id, change) for change in changes])
        past = item_changes.of_item(tx, item_id)
    assert [one.change for one in past] == changes
    assert {(one.changed_at, one.run_id) for one in past} == {(LATER, run_id)}


def test_an_item_read_to_be_changed_waits_for_whoever_changes_it(db: Database) -> None:
    with db.transaction() as tx:
        items.insert(tx, [an_item("1")])
    order: list[str] = []
    has_read = threading.Event()

    def other() -> None:
        has_read.wait(30)
        with db.transaction() as tx:
            stored = items.find_to_change(tx, "hh", ["1"])["1"]
            order.append(stored.title)

    thread = threading.Thread(target=other)
    thread.start()
    with db.transaction() as tx:
        stored = items.find_to_change(tx, "hh", ["1"])["1"]
        has_read.set()
        items.update(tx, [replace(stored, title="changed")])
    thread.join(30)
    assert order == ["changed"]
