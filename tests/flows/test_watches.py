"""Watches: what is left out at the door, what is shared, what changes."""

import pytest

from flows.rig import NOON, rows
from flows.scenes import HOUR, PAGE, Scene, ids
from inforadar.simulator.entry import Salary
from inforadar.store import tombstones
from inforadar.store.database import Database


@pytest.fixture
def scene(db: Database) -> Scene:
    return Scene(db)


def test_a_banned_entry_leaves_a_tombstone_with_its_reason_and_never_comes_back(scene):
    wanted = scene.publish(2, title="Python developer")
    banned = scene.publish(1, title="Разработчик 1С")
    asked = scene.ask(ban_words=("1С",))
    report = scene.sweep(asked)
    assert scene.keys() == ids(wanted)
    assert (report.counters.added, report.counters.filtered, report.counters.unseen) == (2, 1, 3)
    with scene.database.reading() as tx:
        (stone,) = tombstones.search(tx, watch="watch")
    assert (stone.key, stone.reason, stone.word, stone.field) == (banned[0].id, "ban word", "1С", "title")
    assert (stone.title, stone.at) == ("Разработчик 1С", NOON)
    scene.world.bump("hh", banned[0].id)
    again = scene.sweep(asked)
    assert (again.counters.filtered, again.counters.unseen, again.counters.added) == (0, 0, 0)
    assert scene.keys() == ids(wanted)


@pytest.mark.parametrize("source", ["hh", "linkedin", "habr"])
def test_what_a_removed_ban_word_left_out_comes_back(scene, source):
    entries = scene.publish(60, source, title="Python developer")
    banned = scene.publish(1, source, title="Golang developer")
    later = scene.publish(40, source, title="Python developer")
    scene.sweep(scene.ask(source, ban_words=("golang", "cobol")))
    assert scene.keys() == ids(entries + later)
    top = scene.state(scene.ask(source)[1]).coverage["stretches"][0]["upto"]
    report = scene.sweep(scene.ask(source, ban_words=("cobol",)))
    assert (report.counters.added, report.counters.unseen) == (1, 1)
    assert scene.keys() == ids(entries + banned + later)
    assert scene.state(scene.ask(source)[1]).coverage["stretches"][0]["upto"] >= top
    calm = scene.sweep(scene.ask(source, ban_words=("cobol", "new")))
    assert calm.counters.unseen == 0


def test_a_raised_experience_limit_lets_in_what_it_left_out(scene):
    old = scene.publish(3, experience="moreThan6")
    scene.sweep(scene.ask(max_experience_years=6))
    assert scene.keys() == []
    scene.sweep(scene.ask(max_experience_years=0))
    assert scene.keys() == ids(old)


def test_a_pattern_bans_as_a_word_does(scene):
    scene.publish(1, title="Summer internship in data")
    scene.sweep(scene.ask(ban_words=(r"re:\bintern(ship)?\b",)))
    assert scene.keys() == []
    assert rows(scene.database, "SELECT word FROM tombstones") == [{"word": r"re:\bintern(ship)?\b"}]


def test_too_much_experience_leaves_a_tombstone_and_zero_switches_the_filter_off(scene):
    old = scene.publish(1, experience="moreThan6")
    young = scene.publish(1, experience="between1And3")
    scene.sweep(scene.ask(watch="strict", max_experience_years=6))
    assert scene.matches("strict") == ids(young)
    (stone,) = rows(scene.database, "SELECT reason, word, field FROM tombstones")
    assert stone == {"reason": "experience", "word": "moreThan6", "field": "experience"}
    scene.sweep(scene.ask(watch="open", max_experience_years=0))
    assert scene.matches("open") == ids(old + young)


def test_a_tombstone_of_one_watch_does_not_bind_another(scene):
    entries = scene.publish(1, title="Golang developer")
    scene.sweep(scene.ask(watch="no go", ban_words=("golang",)))
    assert scene.keys() == []
    scene.sweep(scene.ask(watch="go"))
    assert scene.matches("go") == ids(entries)
    assert scene.matches("no go") == []


def test_two_watches_with_the_same_query_each_get_their_matches_of_items_stored_once(scene):
    entries = scene.publish(2 * PAGE)
    first, second = scene.ask(watch="first"), scene.ask(watch="second")
    report = scene.process().fetch(first, second)
    assert [query.counters.added for query in report.queries] == [2 * PAGE, 0]
    assert [query.counters.unseen for query in report.queries] == [2 * PAGE, 2 * PAGE]
    assert scene.keys() == scene.matches("first") == scene.matches("second") == ids(entries)
    assert len(rows(scene.database, "SELECT id FROM jobs WHERE kind = 'process'")) == 4 * PAGE
    assert scene.state(first[1]).coverage == scene.state(second[1]).coverage


def test_an_item_of_two_queries_of_one_watch_is_stored_and_matched_once(scene):
    both = scene.publish(1, title="Python and Go developer")
    python = scene.publish(1, title="Python developer")
    report = scene.process().fetch(scene.ask(params={"text": "python"}), scene.ask(params={"text": "go"}))
    assert scene.keys() == scene.matches("watch") == ids(both + python)
    assert [query.counters.added for query in report.queries] == [2, 0]
    assert len(rows(scene.database, "SELECT id FROM jobs WHERE kind = 'process'")) == 2


def test_a_change_is_kept_as_old_and_new_and_told_in_the_report(scene):
    (entry,) = scene.publish(1, title="Developer")
    asked = scene.ask()
    scene.sweep(asked)
    scene.world.edit("hh", entry.id, title="Senior developer")
    report = scene.sweep(asked)
    ((url, fields),) = report.updated.items()
    assert url.endswith(entry.id)
    assert fields["title"] == ["Developer", "Senior developer"]
    changes = rows(scene.database, "SELECT field, old, new, run_id FROM item_changes WHERE field = 'title'")
    assert changes == [{"field": "title", "old": "Developer", "new": "Senior developer", "run_id": report.run_id}]
    assert (report.counters.updated, report.counters.added) == (1, 0)


def test_an_empty_value_never_replaces_one_that_is_there(scene):
    (entry,) = scene.publish(1, salary=Salary(low=100_000, high=None, currency="RUR", gross=True))
    asked = scene.ask()
    scene.sweep(asked)
    (before,) = rows(scene.database, "SELECT data, company_id FROM items")
    scene.world.edit("hh", entry.id, salary=None, is_anonymous=True)
    report = scene.sweep(asked)
    (after,) = rows(scene.database, "SELECT data, company_id FROM items")
    assert before["data"]["salary"]
    assert after["data"]["salary"] == before["data"]["salary"]
    assert after["company_id"] == before["company_id"]
    assert not any({"salary", "company"} & set(fields) for fields in report.updated.values())


def test_a_bump_is_a_sighting_and_no_change_of_substance(scene):
    entries = scene.publish(3)
    asked = scene.ask()
    scene.sweep(asked)
    scene.internet.advance(HOUR.total_seconds())
    scene.world.bump("hh", entries[-1].id)
    report = scene.sweep(asked)
    assert report.counters.added == 0
    assert report.updated == {}
    assert scene.keys() == ids(entries)
    (stored,) = rows(scene.database, "SELECT last_seen_at FROM items WHERE key = :key", key=entries[-1].id)
    assert stored["last_seen_at"] == NOON + HOUR


def test_hostile_titles_are_stored_and_break_nothing(scene):
    titles = ["<script>alert(1)</script>", "\x1b[31mred\x00", "' OR 1=1 --", "\u202egnp.exe", "a" * 5000]
    for title in titles:
        scene.world.add("hh", title=title)
    report = scene.sweep(scene.ask())
    assert report.status == "SUCCESS"
    assert len(scene.keys()) == len(titles)
    stored = [row["title"] for row in rows(scene.database, "SELECT title FROM items")]
    assert all("\x00" not in title for title in stored)
