"""What goes wrong on the way, and what a run makes of it: one source, one query, one page at a time."""

import re

import pytest

from flows.rig import NOON, Radar, rows
from flows.scenes import PAGE, Scene, ids
from inforadar.collect.governor import next_try
from inforadar.collect.progress import Nobody, Progress
from inforadar.domain.errors import StoreError, Unavailable
from inforadar.domain.run import StopReason
from inforadar.domain.watch import Query
from inforadar.simulator.faults import Fault
from inforadar.store.database import Connection, Database


@pytest.fixture
def scene(db: Database) -> Scene:
    return Scene(db)


def test_a_refusal_ends_its_source_with_a_remedy_and_the_next_source_goes_on(scene):
    scene.publish(PAGE)
    articles = scene.publish(3, "habr")
    scene.faults(Fault(kind="oauth", source="hh"))
    first, second, other = scene.ask(), scene.ask(params={"text": "python"}), scene.ask("habr")
    report = scene.process().fetch(first, second, other)
    assert [query.status for query in report.queries] == ["ERROR", "ERROR", "SUCCESS"]
    assert "token" in report.queries[0].error
    assert report.queries[1].error.startswith("not asked: ")
    assert report.queries[1].counters.requests == 0
    assert scene.keys() == ids(articles)
    assert report.exit_code == 3
    assert scene.state(first[1]).consecutive_failures == 1


def test_a_rate_limited_source_is_not_asked_again_in_this_run(scene):
    scene.publish(3 * PAGE)
    scene.faults(Fault(kind="rate_limited", source="hh", after=1, seconds=3600))
    report = scene.process().fetch(scene.ask(), scene.ask(params={"text": "python"}))
    assert [query.stop_reason for query in report.queries] == [StopReason.RATE_LIMITED] * 2
    assert report.queries[1].error.startswith("not asked: ")
    assert len(scene.internet.log) == 2
    assert len(scene.keys()) == PAGE


def test_an_outage_of_one_query_does_not_stop_the_next_one_of_the_same_source(scene):
    entries = scene.publish(PAGE, title="Python developer")
    scene.faults(Fault(kind="server_error", source="hh", count=4))
    report = scene.process().fetch(scene.ask(), scene.ask(params={"text": "python"}))
    assert report.queries[0].stop_reason is StopReason.UNAVAILABLE
    assert report.queries[1].status == "SUCCESS"
    assert scene.keys() == ids(entries)


@pytest.mark.parametrize("kind", ["ddos_guard", "unreadable_page", "captive_portal"])
def test_habr_is_read_by_its_other_door_when_the_first_is_closed(scene, kind):
    articles = scene.publish(30, "habr")
    scene.faults(Fault(kind=kind, source="habr", count=1))
    report = scene.sweep(scene.ask("habr"))
    assert (report.status, report.left) == ("SUCCESS", 0)
    assert report.counters.errors == 1
    assert scene.keys() == ids(articles)
    paths = [line.path for line in scene.internet.log]
    assert paths[0].startswith("/kek/")
    assert paths[-1].startswith("/ru/articles")


def test_the_other_door_goes_on_where_the_first_one_was_shut(scene):
    articles = scene.publish(70, "habr")
    scene.faults(Fault(kind="forbidden", source="habr", after=2, count=1))
    report = scene.sweep(scene.ask("habr"))
    assert report.left == 0
    assert report.counters.added == 70
    assert scene.keys() == ids(articles)


def test_both_doors_closed_is_an_error_that_keeps_what_was_read(scene):
    scene.publish(70, "habr")
    scene.faults(Fault(kind="forbidden", source="habr", after=1))
    report = scene.sweep(scene.ask("habr"))
    assert (report.status, report.stop_reason) == ("ERROR", StopReason.REFUSED)
    assert len(scene.keys()) == 20
    assert report.left > 0


def test_a_stop_by_the_user_keeps_what_was_saved_and_skips_the_rest(scene):
    entries = scene.publish(3 * PAGE)
    first, second = scene.ask(), scene.ask("linkedin")
    radar = scene.process()
    radar.listener = StopsAfterAPage(radar)
    report = radar.fetch(first, second)
    assert [query.stop_reason for query in report.queries] == [StopReason.STOPPED_BY_USER] * 2
    assert report.exit_code == 130
    assert len(scene.internet.log) == 1
    assert len(scene.keys()) == PAGE
    assert (scene.runs(first[1])[0].status, scene.runs(first[1])[0].left) == ("PARTIAL", 2 * PAGE)
    assert scene.sweep(first).left == 0
    assert scene.keys() == ids(entries)


def test_a_stop_ends_a_wait_for_another_try(scene):
    scene.publish(3 * PAGE)
    scene.faults(Fault(kind="server_error", source="hh", after=1))
    asked = scene.ask()
    radar = scene.process()
    radar.listener = StopsAfterAPage(radar)
    assert radar.fetch_one(*asked).stop_reason is StopReason.STOPPED_BY_USER
    assert radar.waiting.waits == []


def test_a_stop_before_the_first_page_is_not_blamed_on_the_limits(scene):
    scene.publish(3 * PAGE)
    asked = scene.ask()
    radar = scene.process()
    radar.governors["hh"].wait = lambda _seconds: True
    report = radar.fetch_one(*asked)
    assert (report.stop_reason, list(report.warnings)) == (StopReason.STOPPED_BY_USER, [])
    assert report.left
    assert report.run_id is not None


class Writes(Nobody):
    """A watcher who writes down what he is told, and how long had been waited by then."""

    def __init__(self) -> None:
        self.told: list[str] = []

    def recorded(self, query: Query, message: str) -> None:
        self.told.append(message)


def test_whoever_watches_is_told_of_each_try_before_it_is_waited_for(scene):
    scene.publish(PAGE)
    scene.faults(Fault(kind="server_error", source="hh", count=2))
    watcher = Writes()
    assert scene.sweep(scene.ask(), listener=watcher).status == "SUCCESS"
    first, second = watcher.told
    assert re.fullmatch(r"no page from hh: .*\(HTTP 50\d\); try 2 of 4 in [12] s", first), first
    assert re.fullmatch(r"no page from hh: .*\(HTTP 50\d\); try 3 of 4 in [23] s", second), second


def test_whoever_watches_is_told_that_a_source_wants_us_to_wait(scene):
    scene.publish(PAGE)
    scene.faults(Fault(kind="rate_limited", source="hh", count=1, seconds=8))
    watcher = Writes()
    assert scene.sweep(scene.ask(), listener=watcher).status == "SUCCESS"
    (told,) = watcher.told
    assert re.fullmatch(r"no page from hh: .*\(HTTP 429\); try 2 of 4 in 8 s", told), told


@pytest.mark.parametrize(
    ("base_url", "error", "told"),
    [
        ("http://127.0.0.1:1876", "127.0.0.1:1876: it was refused.", "no page from 127.0.0.1:1876: it was refused"),
        ("https://hh.ru", "hh.ru: it was refused", "no page from hh.ru: it was refused"),
        ("https://hh.ru", "else.ru: it was refused", "no page from hh.ru: else.ru: it was refused"),
        ("https://hh.ru", "no answer", "no page from hh.ru: no answer"),
    ],
)
def test_the_host_that_gives_no_page_is_told_once(base_url, error, told):
    assert next_try(base_url, Unavailable(error), 2, 1.0) == f"{told}; try 2 of 4 in 1 s"


def test_whoever_watches_is_told_when_the_pace_of_a_source_holds_it_up(scene):
    scene.publish(9 * PAGE)
    watcher = Writes()
    assert scene.sweep(scene.ask(), listener=watcher, per_minute=6).status == "SUCCESS"
    assert "its rate_limit_per_minute lets the next request go in 10 s" in watcher.told


class StopsAfterAPage(Nobody):
    """A watcher who stops the run once he has seen a page."""

    def __init__(self, radar: Radar) -> None:
        self._radar = radar

    def progressed(self, progress: Progress) -> None:
        self._radar.waiting.is_stopped = True


def test_a_wrong_question_ends_its_own_query_alone(scene):
    articles = scene.publish(3, "habr")
    wrong, right = scene.ask("habr", params={"hub": "no-such-hub"}), scene.ask("habr")
    report = scene.process().fetch(wrong, right)
    assert [query.status for query in report.queries] == ["ERROR", "SUCCESS"]
    assert "`hub`" in report.queries[0].error
    assert report.left == 0
    assert scene.keys() == ids(articles)
    assert scene.process().fetch(right).exit_code == 0


def test_an_item_read_twice_in_one_sweep_is_updated_once_and_an_added_one_not_at_all(scene):
    scene.publish(30, "linkedin")
    report = scene.sweep(scene.ask("linkedin"))
    assert report.counters.updated == len(report.updated) == 0
    assert len(report.titles) == len(report.added) == report.counters.added


def test_unreadable_entries_are_counted_and_told(scene):
    scene.publish(PAGE)
    scene.faults(Fault(kind="unreadable_entry", source="hh", count=1))
    report = scene.sweep(scene.ask())
    assert len(scene.keys()) == PAGE - 1
    assert "entries of a page could not be read: 1" in report.warnings
    assert scene.runs()[0].warnings == report.warnings


def test_entries_without_a_valid_date_are_skipped_and_told(scene):
    articles = scene.publish(10, "habr")
    scene.faults(Fault(kind="unreadable_entry", source="habr", count=1))
    report = scene.sweep(scene.ask("habr"))
    assert len(scene.keys()) == len(articles) - 1
    assert report.warnings


@pytest.mark.parametrize("kind", ["gzip_bomb", "wrong_encoding", "authwall", "captive_portal"])
@pytest.mark.parametrize("source", ["hh", "linkedin"])
def test_a_hostile_body_fails_the_sweep_clearly_and_loses_nothing(scene, source, kind):
    entries = scene.publish(12, source)
    scene.faults(Fault(kind=kind, source=source, after=1))
    asked = scene.ask(source)
    report = scene.sweep(asked)
    assert report.status == "ERROR"
    assert report.error
    assert report.left > 0
    assert scene.state(asked[1]).last_error == report.error
    scene.faults()
    assert scene.sweep(asked).left == 0
    assert scene.keys() == ids(entries)


def test_a_full_disk_is_a_clear_error_and_loses_nothing(sqlite_db):
    scene = Scene(sqlite_db)
    first = scene.publish(PAGE)
    asked = scene.ask()
    scene.sweep(asked)
    scene.internet.advance(3600)
    more = scene.publish(20 * PAGE, hours_apart=0.001, title="x" * 20_000)
    cramped = Database(Cramped(sqlite_db.driver))
    with pytest.raises(StoreError, match="disk is full"):
        scene.sweep(asked, database=cramped, holder="cramped")
    cramped.close()
    assert set(ids(first)) <= set(scene.keys())
    assert len(scene.keys()) % PAGE == 0
    report = scene.sweep(asked, holder="next", dead=["cramped"])
    assert report.left == 0
    assert scene.keys() == ids(first + more)
    assert rows(sqlite_db, "PRAGMA integrity_check")[0]["integrity_check"] == "ok"


class Cramped:
    """A driver whose database may grow by a few pages only."""

    def __init__(self, inner) -> None:
        self.kind, self.name, self.types = inner.kind, inner.name, inner.types
        self._inner = inner

    def connect(self) -> Connection:
        connection = self._inner.connect()
        pages = connection.rows("PRAGMA page_count", {})[0]["page_count"]
        connection.rows(f"PRAGMA max_page_count = {pages + 30}", {})
        return connection


def test_the_present_moment_of_a_run_is_the_clock_it_was_given(scene):
    scene.publish(PAGE)
    scene.sweep(scene.ask())
    (run,) = scene.runs()
    assert run.started_at == run.finished_at == NOON
