"""What becomes of an item when it is seen again."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inforadar.domain.item import Change, Draft
from inforadar.domain.merge import BUMPED_AT, SILENT, create, merge

DAY = datetime(2026, 1, 5, 12, tzinfo=UTC)
LATER = DAY + timedelta(hours=1)


def draft(**fields):
    known = {"key": "1", "rank": DAY, "url": "https://x/1", "title": "Title"}
    return Draft(**known | fields)


def item(kind="vacancy", **fields):
    return create(draft(**fields), "hh", kind, DAY)


def changes_of(stored_data, shown_data):
    merged = merge(item(data=stored_data), draft(data=shown_data), LATER)
    return merged.item.data, {change.field: (change.old, change.new) for change in merged.changes}


def test_a_new_item_holds_no_empty_values():
    stored = item(company="  ", data={"a": None, "b": "", "c": [None], "d": {"x": " "}, "e": 0, "f": False})
    assert stored.data == {"e": 0, "f": False}
    assert stored.company is None


def test_a_new_article_says_that_its_full_text_was_not_fetched():
    assert item(kind="article").data == {"full_text_state": "not_fetched"}
    assert item(kind="article", data={"full_text": "x"}).data["full_text_state"] == "fetched"
    assert item(kind="vacancy").data == {}


@pytest.mark.parametrize("empty", [None, "", " \n", [], {}, [None, ""], {"x": None}, [[]]])
def test_an_empty_value_never_replaces_a_filled_one(empty):
    assert changes_of({"f": "old"}, {"f": empty}) == ({"f": "old"}, {})


@pytest.mark.parametrize("new", [0, False, "new", [1], {"x": 1}])
def test_a_filled_value_is_taken_and_reported(new):
    assert changes_of({"f": "old"}, {"f": new}) == ({"f": new}, {"f": ("old", new)})


def test_a_field_shown_for_the_first_time_is_a_change_from_nothing():
    assert changes_of({}, {"views": 3}) == ({"views": 3}, {"views": (None, 3)})


def test_what_the_author_edited_is_taken():
    stored = item(title="Old", data={"snippet": "a", "tags": ["x"]})
    merged = merge(stored, draft(title="New", data={"snippet": "b", "tags": ["x", "y"]}), LATER)
    assert merged.changes == (
        Change(field="title", old="Old", new="New"),
        Change(field="snippet", old="a", new="b"),
        Change(field="tags", old=["x"], new=["x", "y"]),
    )


def test_the_order_of_tags_means_nothing():
    assert changes_of({"tags": ["a", "b"]}, {"tags": ["b", "a", "a"]}) == ({"tags": ["a", "b"]}, {})


def test_the_order_of_lists_of_tables_is_a_change():
    old, new = [{"id": 1}, {"id": 2}], [{"id": 2}, {"id": 1}]
    assert changes_of({"steps": old}, {"steps": new}) == ({"steps": new}, {"steps": (old, new)})


def test_inside_a_table_missing_and_empty_fields_keep_what_they_had():
    old = {"from": 100, "to": 200, "currency": "EUR", "period": {"id": "m", "name": "month"}}
    new = {"from": 150, "to": None, "period": {"id": "m", "name": ""}}
    salary = {**old, "from": 150}
    assert changes_of({"salary": old}, {"salary": new}) == ({"salary": salary}, {"salary": (old, salary)})
    assert changes_of({"salary": old}, {"salary": {"to": None}}) == ({"salary": old}, {})


def test_a_flag_is_not_a_number():
    assert changes_of({"remote": 1}, {"remote": True})[1] == {"remote": (1, True)}
    assert changes_of({"score": 1}, {"score": 1.0})[1] == {}


def test_company_title_and_url_are_never_emptied():
    stored = item(company="ACME", company_key="7")
    kept = merge(stored, draft(company=None, company_key="", title=" ", url=""), LATER)
    assert (kept.item.company, kept.item.company_key, kept.item.title, kept.item.url) == (
        "ACME", "7", "Title", "https://x/1",
    )  # fmt: skip
    assert kept.changes == ()


def test_another_address_is_taken_without_a_change():
    merged = merge(item(), draft(url="https://y/1"), LATER)
    assert (merged.item.url, merged.changes) == ("https://y/1", ())


def test_a_newer_rank_is_a_bump_and_not_a_change():
    stored = item()
    merged = merge(stored, draft(rank=LATER), LATER)
    assert (merged.is_bump, merged.changes, merged.item.published_at) == (True, (), DAY)
    assert merged.item.data[BUMPED_AT] == "2026-01-05T13:00:00+00:00"
    again = merge(merged.item, draft(rank=LATER), LATER)
    assert (again.is_bump, again.item) == (False, merged.item)


def test_an_older_rank_corrects_the_publication_date():
    merged = merge(item(), draft(rank=DAY - timedelta(days=2)), LATER)
    assert (merged.item.published_at, merged.is_bump, merged.changes) == (DAY - timedelta(days=2), False, ())


def test_a_fetched_full_text_stays_fetched():
    stored = item(kind="article", data={"full_text": "long", "full_text_state": "fetched"})
    merged = merge(stored, draft(data={"full_text": "", "full_text_state": "not_fetched"}), LATER)
    assert merged.item.data == stored.data


def test_a_sighting_moves_only_the_time_it_was_last_seen():
    merged = merge(item(), draft(), LATER)
    assert (merged.item.first_seen_at, merged.item.last_seen_at) == (DAY, LATER)
    assert merge(merged.item, draft(), DAY).item.last_seen_at == LATER


def test_drafts_of_another_item_are_refused():
    with pytest.raises(ValueError, match="cannot merge"):
        merge(item(), draft(key="2"), LATER)


blanks = st.sampled_from([None, "", " \n", [], {}])
scalars = st.one_of(blanks, st.integers(-2, 2), st.booleans(), st.sampled_from(["a", "b", "ё"]))
values = st.recursive(
    scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.sampled_from("xyz"), inner, max_size=3)),
    max_leaves=6,
)
drafts = st.builds(
    draft,
    title=st.sampled_from(["", " ", "T1", "T2"]),
    company=st.sampled_from([None, "", "C1", "C2"]),
    company_key=st.sampled_from([None, "", "k"]),
    url=st.sampled_from(["", "https://x/1", "https://x/2"]),
    rank=st.integers(-3, 3).map(lambda hours: DAY + timedelta(hours=hours)),
    data=st.dictionaries(st.sampled_from(["tags", "salary", "views", "full_text", "full_text_state"]), values),
)
kinds = st.sampled_from(["vacancy", "article"])


def is_empty(value):
    return value is None or value in ("", [], {}) or (isinstance(value, str) and not value.strip())


@given(drafts, st.lists(drafts, max_size=6), kinds)
def test_a_filled_field_never_becomes_empty(first, rest, kind):
    stored = create(first, "hh", kind, DAY)
    for shown in rest:
        merged = merge(stored, shown, LATER).item
        for name in ("title", "company", "company_key", "url"):
            assert not (getattr(stored, name) and is_empty(getattr(merged, name)))
        assert set(stored.data) <= set(merged.data)
        for name, old in stored.data.items():
            new = merged.data[name]
            if isinstance(old, dict) and isinstance(new, dict):
                assert all(not is_empty(inner) for inner in new.values())
                assert set(old) <= set(new)
        assert None not in merged.data.values()
        stored = merged


@given(drafts, st.lists(drafts, max_size=4), kinds)
def test_the_same_draft_again_changes_nothing(first, rest, kind):
    stored = create(first, "hh", kind, DAY)
    assert merge(stored, first, DAY).changes == ()
    for shown in rest:
        stored = merge(stored, shown, LATER).item
        again = merge(stored, shown, LATER)
        assert (again.item, again.changes, again.is_bump) == (stored, (), False)


@given(drafts, st.lists(drafts, max_size=6), kinds)
def test_replaying_the_changes_from_the_first_version_gives_the_current_one(first, rest, kind):
    stored = create(first, "hh", kind, DAY)
    replayed = tracked(stored)
    for shown in rest:
        merged = merge(stored, shown, LATER)
        for change in merged.changes:
            assert replayed.get(change.field) == change.old
            replayed[change.field] = change.new
        stored = merged.item
    assert replayed == tracked(stored)


def tracked(stored):
    data = {name: value for name, value in stored.data.items() if name not in SILENT}
    return {"title": stored.title, "company": stored.company, **data}
