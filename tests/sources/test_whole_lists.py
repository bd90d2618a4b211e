"""The contract of sources whose whole list is read: nothing is lost, and only a complete list closes anything."""

from datetime import timedelta

import pytest

from flows.rig import NOON
from inforadar.domain.run import StopReason
from inforadar.net.http import HttpClient
from inforadar.observe.clock import SystemClock
from inforadar.simulator.faults import Fault
from inforadar.simulator.server import Simulator
from inforadar.store.database import Database
from sources.whole_lists import BOARD_CASES, FEED_CASES, PAGED, WholeListCase, WholeListTrial

NO_ANSWER = ("server_error", "cut_body", "reset", "timeout", "forbidden", "rate_limited", "unreadable_page")


@pytest.fixture(params=(*BOARD_CASES, *FEED_CASES), ids=lambda case: case.name)
def case(request: pytest.FixtureRequest) -> WholeListCase:
    return request.param


@pytest.fixture(params=BOARD_CASES, ids=lambda case: case.name)
def board(request: pytest.FixtureRequest, sqlite_db: Database) -> WholeListTrial:
    return WholeListTrial(request.param, sqlite_db)


@pytest.fixture
def trial(case: WholeListCase, sqlite_db: Database) -> WholeListTrial:
    return WholeListTrial(case, sqlite_db)


def test_one_sweep_collects_the_whole_list(trial):
    report = trial.sweep()
    assert trial.stored == trial.visible
    assert (report.status, report.left, report.stop_reason) == ("SUCCESS", 0, StopReason.END_OF_FEED)
    assert report.counters.added == report.counters.unseen == len(trial.entries)
    assert (report.counters.pages, report.counters.requests, report.counters.errors) == (1, 1, 0)
    assert report.last_processed_date == min(entry.published_at for entry in trial.entries).date()
    assert not report.warnings


def test_a_second_sweep_of_a_still_list_adds_nothing_and_changes_nothing(trial):
    trial.sweep()
    report = trial.sweep()
    assert report.counters.added == report.counters.unseen == report.counters.updated == 0
    assert (report.status, report.left, report.stop_reason) == ("SUCCESS", 0, StopReason.END_OF_FEED)


def test_an_empty_list_is_a_complete_sweep_of_nothing(case, sqlite_db):
    report = WholeListTrial(case, sqlite_db, entries=0).sweep()
    assert (report.status, report.left, report.stop_reason) == ("SUCCESS", 0, StopReason.END_OF_FEED)


def test_an_entry_of_any_age_is_found_at_once(trial):
    trial.sweep()
    old, new = trial.add(NOON - timedelta(days=300)), trial.add()
    assert trial.sweep().counters.added == 2
    assert {trial.case.key_of(old.id), trial.case.key_of(new.id)} <= trial.stored


def test_a_limit_takes_the_newest_first_and_the_rest_next_time(case, sqlite_db):
    trial = WholeListTrial(case, sqlite_db, limit=5)
    report = trial.sweep()
    assert (report.stop_reason, report.counters.unseen, report.left) == (StopReason.LIMIT_REACHED, 5, 7)
    if case.name != "workable":  # which tells days only
        assert trial.stored == {trial.key(place) for place in range(5)}
    assert trial.sweep().counters.unseen == 5
    last = trial.sweep()
    assert (last.counters.unseen, last.left, last.stop_reason) == (2, 0, StopReason.END_OF_FEED)
    assert trial.stored == trial.visible


def test_nothing_below_the_cutoff_is_collected(case, sqlite_db):
    trial = WholeListTrial(case, sqlite_db, entries=40, cutoff_date=NOON.date())
    report = trial.sweep()
    assert report.counters.added == sum(entry.published_at.date() >= NOON.date() for entry in trial.entries)
    assert (report.status, report.left) == ("SUCCESS", 0)


def test_an_edit_is_a_change_and_not_a_new_item(trial):
    trial.sweep()
    trial.world.edit(trial.case.site, trial.entries[3].id, title="Something quite different now")
    report = trial.sweep()
    assert (report.counters.added, report.counters.updated) == (0, 1)
    assert [list(fields) for fields in report.updated.values()] == [["title"]]


def test_an_unreadable_entry_is_counted_and_the_rest_is_kept(trial):
    trial.faults(Fault(kind="unreadable_entry", count=1))
    report = trial.sweep()
    assert len(trial.visible - trial.stored) == 1
    assert any("could not be read" in warning for warning in report.warnings)
    trial.faults()
    trial.sweep()
    assert trial.stored == trial.visible


@pytest.mark.parametrize("kind", ["server_error", "cut_body", "reset"])
def test_a_fault_of_the_wire_is_tried_again(trial, kind):
    trial.faults(Fault(kind=kind, count=2))
    report = trial.sweep()
    assert (report.status, report.left, report.counters.errors) == ("SUCCESS", 0, 2)
    assert trial.stored == trial.visible


@pytest.mark.parametrize("kind", NO_ANSWER)
def test_a_list_that_cannot_be_had_stores_nothing_and_fails_the_sweep(trial, kind):
    trial.faults(Fault(kind=kind))
    report = trial.sweep()
    assert (report.status, report.last_seen_max) == ("ERROR", None)
    assert report.left > 0
    assert report.error
    trial.faults()
    trial.sweep()
    assert trial.stored == trial.visible


def test_over_real_http_the_same_holds(case, sqlite_db):
    trial = WholeListTrial(case, sqlite_db)
    with Simulator(trial.world) as simulator, HttpClient(clock=SystemClock(), allow=[simulator.url]) as http:
        trial.internet = simulator.internet
        base_url = simulator.base_urls[case.site]
        trial.radar = trial.process(transport=http, sites={trial.source.name: base_url})
        assert trial.sweep().counters.added == len(trial.entries)
        assert trial.sweep().counters.added == 0
    assert trial.stored == trial.visible


def test_gone_from_two_complete_lists_is_closed_and_not_before(board):
    board.sweep()
    board.take_off(2, 7)
    board.sweep()
    assert board.missed() == {board.key(2), board.key(7)}
    assert set(board.statuses().values()) == {"QUEUED"}
    report = board.sweep_later()
    gone = {key for key, status in board.statuses().items() if status == "IN_ARCHIVE"}
    assert gone == {board.key(2), board.key(7)}
    assert any("archived: 2" in warning for warning in report.warnings)
    assert not any("archived" in warning for warning in board.sweep_later().warnings)


def test_two_looks_a_moment_apart_close_nothing(board):
    board.sweep()
    board.take_off(2)
    for _ in range(3):
        board.sweep_later(timedelta(minutes=3))
        assert set(board.statuses().values()) == {"QUEUED"}
    board.sweep_later(timedelta(minutes=3))
    board.sweep_later(timedelta(minutes=3))
    assert board.statuses()[board.key(2)] == "IN_ARCHIVE"


def test_what_comes_back_is_not_gone(board):
    board.sweep()
    board.world.hide(board.case.site, board.entries[1].id)
    board.sweep()
    board.world.show(board.case.site, board.entries[1].id)
    board.sweep()
    assert board.missed() == set()
    board.world.hide(board.case.site, board.entries[1].id)
    board.sweep()
    assert set(board.statuses().values()) == {"QUEUED"}


@pytest.mark.parametrize("kind", NO_ANSWER)
def test_a_list_that_cannot_be_had_closes_nothing(board, kind):
    board.sweep()
    board.take_off(4)
    board.sweep()
    board.faults(Fault(kind=kind))
    board.sweep()
    assert set(board.statuses().values()) == {"QUEUED"}


def test_a_list_with_an_unreadable_entry_closes_nothing(board):
    board.sweep()
    board.faults(Fault(kind="unreadable_entry"))
    board.sweep(times=3)
    assert board.missed() == set()
    assert set(board.statuses().values()) == {"QUEUED"}


def test_a_list_that_closes_nothing_because_of_an_entry_without_a_name_says_so(board):
    board.sweep()
    board.take_off(5)
    board.faults(Fault(kind="unreadable_entry"))
    assert any("nothing is closed" in warning for warning in board.sweep().warnings)


def test_an_entry_that_stays_without_a_title_keeps_no_other_open(board):
    board.sweep()
    board.world.edit(board.case.site, board.entries[3].id, title="")
    board.take_off(5)
    report = board.sweep()
    assert any("could not be read: 1" in warning for warning in report.warnings)
    assert board.missed() == {board.key(5)}
    board.sweep_later()
    assert {key for key, status in board.statuses().items() if status == "IN_ARCHIVE"} == {board.key(5)}


def test_a_list_that_is_empty_for_hours_closes_nothing_and_is_told(board):
    board.sweep()
    board.faults(Fault(kind="empty_page"))
    for _ in range(5):
        report = board.sweep_later()
        assert report.counters.requests > 1
    assert set(board.statuses().values()) == {"QUEUED"}
    board.faults()
    assert board.sweep_later().counters.known == len(board.entries)
    assert board.missed() == set()


def test_a_board_that_stays_empty_closes_its_last_openings(board):
    board.sweep()
    board.take_off(*range(len(board.entries)))
    board.sweep_later(timedelta(days=1))
    assert set(board.statuses().values()) == {"QUEUED"}
    report = board.sweep_later(timedelta(days=1))
    assert set(board.statuses().values()) == {"IN_ARCHIVE"}
    assert (report.status, report.left) == ("SUCCESS", 0)
    new = board.add()
    assert board.sweep_later().counters.added == 1
    assert board.statuses()[board.case.key_of(new.id)] == "QUEUED"


def test_an_empty_answer_between_two_good_ones_is_not_believed(board):
    board.sweep()
    new = board.add()
    board.faults(Fault(kind="empty_page", count=1))
    report = board.sweep()
    assert (report.left, report.counters.added) == (0, 1)
    assert board.case.key_of(new.id) in board.stored


def test_an_unknown_board_is_a_mistake_in_the_query(board):
    board.watch, board.query = board.asking({"board": "nobody-at-all"})
    report = board.sweep()
    if board.case is PAGED:
        assert (report.status, report.counters.seen) == ("SUCCESS", 0)
    else:
        assert (report.stop_reason, report.is_bad_query) == (StopReason.REFUSED, True)
        assert "`board`" in report.error


def test_filters_of_ours_narrow_a_board_and_close_nothing(board):
    board.watch, board.query = board.asking({**board.case.params, "department": ["sales"]})
    board.sweep()
    asked_for = {board.case.key_of(entry.id) for entry in board.entries if int(entry.id) % 3 == 1}
    assert board.stored == asked_for
    board.sweep(times=2)
    assert set(board.statuses().values()) <= {"QUEUED"}


def test_two_watches_of_one_board_share_its_items(board):
    board.sweep()
    board.watch, board.query = board.asking({**board.case.params, "department": ["sales"]}, watch="other")
    board.take_off(0, 1, 2)
    board.sweep()
    board.sweep_later()
    closed = {key for key, status in board.statuses().items() if status == "IN_ARCHIVE"}
    assert closed == {board.key(place) for place in range(3)}


@pytest.mark.parametrize("apart", [timedelta(0), timedelta(hours=2)])
def test_two_watches_of_one_board_do_not_confirm_each_other_within_one_run(board, apart):
    """However slow the run is: each reads the list once in it."""
    first, second = (board.watch, board.query), board.asking(board.case.params, watch="other")

    def run():
        board.radar.fetch(first)
        board.internet.advance(apart.total_seconds())
        board.radar.fetch(second)

    run()
    board.take_off(0)
    board.internet.advance(3600)
    run()
    assert set(board.statuses().values()) == {"QUEUED"}
    board.internet.advance(3600)
    run()
    assert board.statuses()[board.key(0)] == "IN_ARCHIVE"


class TestPages:
    """A board of several pages, which may move while it is read."""

    @pytest.fixture
    def paged(self, sqlite_db: Database) -> WholeListTrial:
        return WholeListTrial(PAGED, sqlite_db, entries=250)

    def test_all_pages_are_read(self, paged):
        report = paged.sweep()
        assert paged.stored == paged.visible
        assert (report.counters.pages, report.left, report.stop_reason) == (3, 0, StopReason.END_OF_FEED)

    def test_entries_deleted_between_two_pages_hide_nothing_and_close_nothing(self, paged):
        paged.before_page(2, lambda: paged.take_off(*range(0, 250, 5)))
        report = paged.sweep()
        assert paged.visible <= paged.stored
        assert (report.left, report.counters.pages) == (0, 3 + 3)
        assert paged.missed() <= paged.stored - paged.visible

    def test_entries_added_between_two_pages_are_neither_lost_nor_double(self, paged):
        paged.before_page(3, lambda: [paged.add() for _ in range(30)])
        paged.sweep()
        assert paged.stored == paged.visible

    def test_a_list_that_never_stands_still_is_told_and_closes_nothing(self, paged):
        for number in range(2, 40):
            paged.before_page(number, lambda: paged.add())
        report = paged.sweep()
        assert (report.status, report.stop_reason) == ("ERROR", StopReason.UNREADABLE_PAGE)
        assert report.left > 0
        assert paged.missed() == set()

    def test_a_page_that_fails_keeps_those_before_it_and_closes_nothing(self, paged):
        paged.sweep()
        paged.take_off(5)
        paged.sweep()
        paged.faults(Fault(kind="server_error", after=1))
        report = paged.sweep()
        assert (report.status, report.counters.pages) == ("ERROR", 1)
        assert set(paged.statuses().values()) == {"QUEUED"}

    def test_fewer_pages_than_the_list_has_are_told_as_partial(self, sqlite_db):
        trial = WholeListTrial(PAGED, sqlite_db, entries=250, max_pages=2)
        report = trial.sweep()
        assert (report.stop_reason, report.left) == (StopReason.MAX_PAGES, 51)
        assert any("no progress" in warning for warning in trial.sweep().warnings)
