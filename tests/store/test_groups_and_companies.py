"""Groups of items and counts of companies, on both databases."""

from datetime import timedelta
from itertools import permutations

import pytest

from inforadar.collect.saving import PageSaver
from inforadar.domain.item import Draft
from inforadar.domain.screening import compile_ban_words
from inforadar.domain.walk import Sorted
from inforadar.domain.watch import Bounds, Query, Watch
from inforadar.store import companies, groups, items, matches, query_states, runs
from inforadar.store.companies import NO_RUN, Stale
from inforadar.store.database import Database, open_database
from inforadar.store.migrate import known_migrations, upgrade
from store.samples_of_rows import LATER, NOW, an_item

HH = an_item("1", title="Python developer", data={"place": "Madrid"})
AGAIN = an_item("2", title="Python Developer", data={"place": "Madrid, Spain"}, company="Acme S.L.")
LINKEDIN = an_item(
    "3", source="linkedin", title="Python developer (m/f)", data={"place": "Madrid, Community of Madrid, Spain"}
)
ANOTHER = an_item("4", title="Java developer", data={"place": "Madrid"})


def save(db: Database, *saved, watch: str = "w") -> dict[str, int]:
    """Store items and match them; match ids by key."""
    found = {}
    with db.transaction() as tx:
        for item in saved:
            (item_id,) = items.insert(tx, [item]).values()
            created = matches.create(tx, watch, "q", [item_id], NOW, "machine", "found")
            found[item.key] = created[item_id]
    return found


def show(db: Database, draft: Draft) -> None:
    """Save a page that shows one entry, and count whatever company it concerns."""
    query = Query(watch="w", source="hh", params={}, key="q", bounds=Bounds())
    watch = Watch(name="w", kind="vacancy", queries=(query,))
    with db.transaction() as tx:
        query_states.ensure(tx, query, NOW)
        run_id = runs.start(tx, "q", "w", "hh", NOW)
        saver = PageSaver(watch=watch, query=query, ban_list=compile_ban_words(())[0], run_id=run_id, now=NOW)
        saver.save(tx, Sorted(new=(draft,), seen=(), prefix=(), untaken=(), too_old=0))
        for one in companies.stale(tx, run_id, 100):
            companies.aggregate(tx, one, NOW)


def group_of(db: Database, match_id: int) -> list[tuple[str, int | None]]:
    with db.reading() as tx:
        return [(one.source, one.match_id) for one in matches.get(tx, match_id).also_on]


def counted(db: Database, *saved, run_id: int = NO_RUN) -> None:
    """Count the companies of these items, as a page of a run would ask for."""
    with db.transaction() as tx:
        for item in saved:
            companies.mark(tx, run_id, item.source, [item.key])
        for one in companies.stale(tx, run_id, 100):
            companies.aggregate(tx, one, NOW)


@pytest.mark.parametrize("order", list(permutations((HH, AGAIN, LINKEDIN, ANOTHER)))[::5])
def test_the_same_job_is_one_group_whatever_came_first(db, order):
    ids = save(db, *order)
    assert set(group_of(db, ids["1"])) == {("hh", ids["2"]), ("linkedin", ids["3"])}
    assert set(group_of(db, ids["3"])) == {("hh", ids["1"]), ("hh", ids["2"])}
    assert group_of(db, ids["4"]) == []


def test_a_list_shows_the_group_of_each_match(db):
    ids = save(db, HH, LINKEDIN, ANOTHER)
    with db.reading() as tx:
        shown = {one.id: [other.source for other in one.also_on] for one in matches.search(tx)}
    assert shown == {ids["1"]: ["linkedin"], ids["3"]: ["hh"], ids["4"]: []}


def test_the_match_of_the_same_watch_is_named_before_that_of_another(db):
    mine = save(db, HH, LINKEDIN, watch="mine")
    theirs = save(db, LINKEDIN, watch="theirs")
    assert group_of(db, mine["1"]) == [("linkedin", mine["3"])]
    assert group_of(db, theirs["3"]) == [("hh", mine["1"])]


def test_an_item_that_changes_leaves_its_group(db):
    ids = save(db, HH, LINKEDIN)
    with db.transaction() as tx:
        items.update(tx, [an_item("1", title="Java developer", data={"place": "Madrid"})])
    assert group_of(db, ids["1"]) == []


def test_articles_have_no_groups(db):
    one, other = (an_item(key, kind="article", title="On indexes") for key in ("8", "9"))
    assert group_of(db, save(db, one, other)["8"]) == []


def test_a_company_is_counted_with_its_reposts_and_what_is_open(db):
    closed = an_item("5", title="Go developer", first_seen_at=NOW - timedelta(days=3), last_seen_at=LATER)
    ids = save(db, HH, AGAIN, ANOTHER, closed)
    with db.transaction() as tx:
        items.close(tx, [matches.get(tx, ids["5"]).item_id], NOW)
    counted(db, HH)
    with db.reading() as tx:
        (row,) = companies.search(tx)
    assert (row.name, row.source, row.offers_seen, row.offers_open, row.reposts) == ("Acme", "hh", 4, 3, 1)
    assert (row.first_seen_at, row.last_seen_at) == (NOW - timedelta(days=3), LATER)


def test_counting_twice_changes_nothing(db):
    save(db, HH, AGAIN)
    counted(db, HH)
    with db.reading() as tx:
        first = companies.search(tx)
    counted(db, HH, AGAIN)
    with db.reading() as tx:
        assert companies.search(tx) == first


def test_a_company_is_one_however_sources_spell_it_and_is_found_by_a_part_of_any_spelling(db):
    russian = an_item("6", company="ООО «Озон»", company_key="77")
    latin = an_item("3", source="linkedin", company="Ozon")
    save(db, russian, latin, an_item("7", company="Apex", company_key="c9"))
    counted(db, russian, latin, an_item("7"))
    with db.reading() as tx:
        found = companies.search(tx, text="ОЗОН")
        assert {row.source for row in found} == {"hh", "linkedin"}
        assert len({row.shown_key for row in found}) == 1
        assert {row.name for row in companies.search(tx, text="ape")} == {"Apex"}
        assert len({row.shown_key for row in companies.search(tx, limit=1)}) == 1
        assert companies.search(tx, text="%") == []


def test_a_run_knows_how_many_companies_were_counted_for_it_and_each_is_counted_once(db):
    save(db, HH, LINKEDIN)
    with db.transaction() as tx:
        run_id = runs.start(tx, "q", "w", "hh", NOW)
        companies.mark(tx, run_id, "hh", ["1"])
        companies.mark(tx, run_id, "hh", ["1"])
        companies.mark(tx, run_id, "linkedin", ["3"])
        first, second = companies.stale(tx, run_id, 10)
        companies.aggregate(tx, first, NOW)
        companies.aggregate(tx, first, NOW)
        companies.give_up(tx, second)
        (run,) = runs.recent(tx)
        assert (run.companies_aggregated, run.companies_failed) == (1, 1)
        assert companies.stale(tx, run_id, 10) == []


def test_what_is_closed_or_found_there_again_is_counted_by_whoever_counts_next(db):
    ids = save(db, HH)
    counted(db, HH)

    def open_after(change) -> int:
        with db.transaction() as tx:
            change(tx, matches.get(tx, ids["1"]).item_id)
            (note,) = companies.stale(tx, 99, 10)
            companies.aggregate(tx, note, NOW)
            return companies.search(tx)[0].offers_open

    assert open_after(lambda tx, one: items.close(tx, [one], NOW)) == 0
    assert open_after(lambda tx, one: items.check(tx, one, now=LATER, gone_seen_at=None)) == 1
    assert open_after(lambda tx, one: items.close(tx, [one], NOW)) == 0
    assert open_after(lambda tx, _: items.shown_again(tx, "hh", ["1"])) == 1


def test_an_offer_that_moves_to_another_company_is_counted_for_that_one_alone(db):
    for company in ("Agency", "Client"):
        show(db, Draft(key="1", rank=NOW, url="https://hh.test/1", title="Dev", company=company, company_key=company))
    with db.reading() as tx:
        assert [(one.name, one.offers_seen, one.offers_open) for one in companies.search(tx)] == [("Client", 1, 1)]


def test_a_company_that_is_renamed_is_grouped_anew(db):
    one, other = an_item("1", title="Cook"), an_item("3", source="linkedin", title="Cook", company="Zenith")
    ids = save(db, one, other)
    assert group_of(db, ids["1"]) == []
    renamed = an_item("2", title="Waiter", company="Zenith GmbH")
    save(db, renamed)
    counted(db, renamed)
    assert group_of(db, ids["1"]) == [("linkedin", ids["3"])]


def test_an_offer_that_tells_its_company_by_key_alone_is_grouped_by_the_name_we_know(db):
    ids = save(db, HH, an_item("2", title="Python developer", data={"place": "Madrid"}, company=None))
    assert group_of(db, ids["1"]) == [("hh", ids["2"])]


def test_the_offers_view_says_what_is_open_and_what_was_posted_again(db):
    save(db, HH, AGAIN, LINKEDIN, ANOTHER)
    with db.reading() as tx:
        text = "SELECT offer_id, company_name, place, is_open, reposts, other_clients FROM offers ORDER BY offer_id"
        shown = [tuple(row.values()) for row in tx._connection.rows(text, {})]
    assert shown[0] == ("1", "Acme", "Madrid", True, 1, 1)
    assert [row[3:] for row in shown[2:]] == [(True, 0, 1), (True, 0, 0)]


def test_items_from_before_groups_existed_are_grouped_by_the_first_job_after_the_upgrade(tmp_path):
    db = open_database(f"sqlite:///{tmp_path / 'old.db'}")
    old = [one for one in known_migrations() if one.name < "0009"]
    upgrade(db, old)
    with db.transaction() as tx:
        tx.run_text(
            "INSERT INTO companies (id, source, key, name, created_at, updated_at) VALUES (1, 'hh', 'c', 'Me', '', '')"
        )
        for number in (1, 2):
            tx.run_text(
                "INSERT INTO items (id, source, key, kind, url, title, company_id, published_at, first_seen_at,"
                f" last_seen_at, data) VALUES ({number}, 'hh', '{number}', 'vacancy', 'u', 'Cook', 1,"
                " '2026-01-05T12:00:00.000000Z', '2026-01-05T12:00:00.000000Z', '2026-01-05T12:00:00.000000Z', '{}')"
            )
    upgrade(db)
    with db.transaction() as tx:
        (job,) = tx._connection.rows("SELECT kind, args, unique_key FROM jobs", {})
        assert (job["kind"], job["args"], job["unique_key"]) == ("aggregate", {"run_id": 0}, "aggregate:0")
        assert companies.stale(tx, 0, 10) == [Stale(run_id=0, company_id=1)]
        companies.aggregate(tx, Stale(run_id=0, company_id=1), NOW)
        assert [row.reposts for row in companies.search(tx)] == [1]
        (key,) = {row["group_key"] for row in tx._connection.rows("SELECT group_key FROM items", {})}
        assert len(groups.members(tx, {key})[key]) == 2
    db.close()


def test_an_upgrade_knows_what_was_closed_before_and_calls_open_what_one_list_missed(tmp_path):
    db = open_database(f"sqlite:///{tmp_path / 'old.db'}")
    upgrade(db, [one for one in known_migrations() if one.name < "0022"])
    at = "'2026-01-05T12:00:00.000000Z'"
    with db.transaction() as tx:
        for number in (1, 2):
            tx.run_text(
                "INSERT INTO items (id, source, key, kind, url, title, published_at, first_seen_at, last_seen_at,"
                f" gone_seen_at, data) VALUES ({number}, 'hh', '{number}', 'vacancy', 'u', 'Cook', {at}, {at}, {at},"
                f" {at}, '{{}}')"
            )
        tx.run_text(
            "INSERT INTO matches (watch, item_id, query_key, status, created_at, updated_at)"
            f" VALUES ('w', 1, 'q', 'IN_ARCHIVE', {at}, {at})"
        )
    upgrade(db)
    with db.reading() as tx:
        shown = tx._connection.rows("SELECT offer_id, is_open, closed_at FROM offers ORDER BY offer_id", {})
    assert [(row["is_open"], row["closed_at"] is None) for row in shown] == [(0, False), (1, True)]
    db.close()


def test_a_job_posted_often_is_named_a_few_times_in_lists_with_the_number_of_all(db):
    again = [an_item(str(n), title=HH.title, data=HH.data) for n in range(10, 90)]
    created = save(db, HH, *again, LINKEDIN)
    with db.reading() as tx:
        listed = matches.search(tx, limit=100)
        alone = matches.get(tx, created["1"])
        ungrouped = matches.search(tx, limit=100, is_grouped=False)
    assert len(listed) == len(created) == 82
    for one in listed:
        assert (len(one.also_on), one.others) == (5, 81)
        assert one.id not in {other.match_id for other in one.also_on}
        assert one.source == "linkedin" or "linkedin" in {other.source for other in one.also_on}
    assert (len(alone.also_on), len(alone.also_shown), alone.others) == (81, 50, 81)
    assert {one.also_on for one in ungrouped} == {()}
