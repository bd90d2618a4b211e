"""A whole list as a pure machine: what it takes, when it believes what it read, and what follows from absence."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inforadar.domain.coverage import Coverage, Stretch
from inforadar.domain.item import Draft
from inforadar.domain.paging import Page, Paging
from inforadar.domain.run import StopReason
from inforadar.domain.watch import Bounds
from inforadar.domain.whole_list import WholeList, mark

NOW = datetime(2026, 1, 5, tzinfo=UTC)
BOARD = Paging(kind="offset", size=3, absence_closes=True)
FEED = Paging(kind="page", size=3)


def draft(number, **given):
    key = f"b/{number}"
    return Draft(key=key, rank=NOW - timedelta(hours=number), url="https://x.test/", title=key, **given)


def drafts(*numbers):
    return tuple(map(draft, numbers))


def had(count=4):
    return Coverage(stretches=(Stretch(upto=NOW, after=NOW - timedelta(days=1), count=count, is_ended=True),))


def sweep(*, paging=BOARD, coverage=None, **given):
    bounds = Bounds(**{name: given.pop(name) for name in ("limit", "max_pages", "cutoff_date") if name in given})
    return WholeList(coverage or Coverage(), paging, bounds, NOW, **given)


def test_an_entry_that_could_not_be_read_but_tells_its_key_is_on_the_list():
    whole = sweep()
    whole.take(Page(drafts=drafts(1), is_last=True, unreadable=1, unreadable_keys=("b/2",)), ())
    assert (whole.shown, whole.nameless) == ({"b/1", "b/2"}, 0)


def test_an_entry_that_could_not_be_read_and_stands_on_two_pages_hides_no_other():
    whole = sweep()
    whole.take(Page(drafts=drafts(1, 2), total=5, is_last=False, unreadable=1, unreadable_keys=("b/3",)), ())
    whole.take(Page(drafts=drafts(5), total=5, is_last=True, unreadable=1, unreadable_keys=("b/3",)), ())
    assert (whole.position.offset, whole.shown) == (0, None)


def test_one_answer_is_the_whole_list():
    whole = sweep()
    taken = whole.take(Page(drafts=drafts(2, 1), is_last=True), ())
    assert [one.key for one in taken.new] == ["b/1", "b/2"]
    assert (whole.position, whole.stop_reason, whole.left) == (None, StopReason.END_OF_FEED, 0)
    assert whole.shown == {"b/1", "b/2"}
    assert whole.coverage.stretches[0].is_ended


def test_pages_whose_total_changed_are_read_again():
    whole = sweep()
    whole.take(Page(drafts=drafts(1, 2, 3), total=4, is_last=False), ())
    assert whole.position.offset == 2
    whole.take(Page(drafts=drafts(3, 5), total=5, is_last=True), ())
    assert (whole.position.offset, whole.stop_reason, whole.shown) == (0, None, None)


def test_pages_that_do_not_join_are_read_again_though_the_total_is_the_same():
    whole = sweep()
    whole.take(Page(drafts=drafts(1, 2, 3), total=5, is_last=False), ())
    whole.take(Page(drafts=drafts(5, 6, 7), total=5, is_last=True), ())
    assert (whole.position.offset, whole.shown) == (0, None)


def test_a_page_that_leads_nowhere_ends_the_passage():
    whole = sweep()
    for _ in range(2):
        whole.take(Page(drafts=drafts(1), is_last=False), ())
        whole.take(Page(drafts=drafts(1), is_last=False), ())
    assert whole.stop_reason is StopReason.END_OF_FEED


def test_a_total_that_was_not_shown_is_not_believed():
    whole = sweep()
    whole.take(Page(drafts=drafts(1, 2), total=3, is_last=True), ())
    assert whole.position.offset == 0
    whole.take(Page(drafts=drafts(1, 2, 3), total=3, is_last=True), ())
    assert whole.shown == {"b/1", "b/2", "b/3"}


def test_three_passages_alike_are_taken_though_the_total_says_otherwise_but_close_nothing():
    whole = sweep()
    for _ in range(3):
        assert whole.stop_reason is None
        whole.take(Page(drafts=drafts(1, 2), total=3, is_last=True), ())
    assert (whole.stop_reason, whole.shown) == (StopReason.END_OF_FEED, None)


@pytest.mark.parametrize(("paging", "is_believed"), [(BOARD, False), (FEED, True)])
def test_a_board_that_shows_an_entry_twice_is_read_again(paging, is_believed):
    whole = sweep(paging=paging)
    whole.take(Page(drafts=drafts(1, 1, 2), is_last=True), ())
    assert (whole.position is None) is is_believed


def test_a_list_that_tells_of_entries_and_shows_none_is_never_believed():
    whole = sweep()
    while whole.position:
        whole.take(Page(drafts=(), total=3, is_last=True), ())
    assert (whole.stop_reason, whole.pages) == (StopReason.UNREADABLE_PAGE, 5)


def test_pages_without_a_total_are_believed_the_second_time():
    whole = sweep()
    for _ in range(2):
        whole.take(Page(drafts=drafts(1, 2, 3)), ())
        whole.take(Page(drafts=()), ())
    assert (whole.stop_reason, whole.pages) == (StopReason.END_OF_FEED, 4)


def test_an_empty_answer_where_there_were_entries_is_asked_for_again():
    whole = sweep(coverage=had())
    whole.take(Page(drafts=(), is_last=True), ())
    assert whole.position is not None
    whole.take(Page(drafts=(), is_last=True), ())
    assert (whole.stop_reason, whole.coverage, whole.shown) == (StopReason.END_OF_FEED, had(), frozenset())


def test_a_list_that_contradicts_itself_for_ever_is_given_up():
    whole = sweep()
    for number in range(5):
        whole.take(Page(drafts=drafts(number), total=9, is_last=True), ())
    assert (whole.stop_reason, whole.shown, whole.coverage) == (StopReason.UNREADABLE_PAGE, None, Coverage())


@pytest.mark.parametrize(
    "page", [Page(drafts=drafts(1), is_last=True, unreadable=1), Page(drafts=drafts(1), undated=1)]
)
def test_nothing_follows_from_a_list_that_could_not_be_read_in_full(page):
    whole = sweep()
    whole.take(page, ())
    assert whole.shown is None


def test_a_limit_claims_only_what_is_above_the_newest_left_out():
    whole = sweep(limit=2)
    whole.take(Page(drafts=drafts(4, 1, 3, 2), is_last=True), {"b/4"})
    assert (whole.stop_reason, whole.left) == (StopReason.LIMIT_REACHED, 1)
    (stretch,) = whole.coverage.stretches
    assert (stretch.after, stretch.is_ended) == (draft(3).rank, False)
    assert whole.shown == {f"b/{number}" for number in range(1, 5)}


def test_what_the_query_does_not_ask_for_is_not_taken_but_shown():
    whole = sweep(wants=lambda one: one.key == "b/1")
    taken = whole.take(Page(drafts=drafts(1, 2, 3), is_last=True), {"b/2"})
    assert ([one.key for one in taken.new], [one.key for one in taken.seen]) == (["b/1"], ["b/2"])
    assert (whole.shown, whole.left) == ({"b/1", "b/2", "b/3"}, 0)


def test_an_entry_without_a_date_is_as_new_as_its_first_sight():
    taken = sweep().take(Page(drafts=(draft(5, is_dated=False),), is_last=True), ())
    assert taken.new[0].rank == NOW


def test_unchanged_leaves_everything_as_it_was():
    whole = sweep(paging=FEED, coverage=had(), remembered=[mark("b/1")])
    whole.take(Page(drafts=(), is_last=True, is_unchanged=True), ())
    assert (whole.is_complete, whole.coverage, whole.has_rolled_over) == (True, had(), False)


@pytest.mark.parametrize(("remembered", "is_gap"), [((), False), ((1, 9), False), ((8, 9), True)])
def test_a_feed_rolled_over_when_it_shows_nothing_of_the_last_sweep(remembered, is_gap):
    whole = sweep(paging=FEED, remembered=[mark(f"b/{number}") for number in remembered])
    whole.take(Page(drafts=drafts(1, 2), is_last=True), ())
    assert whole.has_rolled_over is is_gap
    assert whole.shown is None


def test_an_empty_feed_keeps_what_was_remembered():
    whole = sweep(paging=FEED, remembered=[mark("b/1")])
    whole.take(Page(drafts=(), is_last=True), ())
    assert (whole.has_rolled_over, whole.marks) == (False, [mark("b/1")])


@pytest.mark.parametrize(
    ("bounds", "is_kept"), [({}, True), ({"limit": 1}, False), ({"cutoff_date": NOW.date()}, False)]
)
def test_what_a_source_wants_to_recall_is_kept_only_when_all_is_taken(bounds, is_kept):
    whole = sweep(paging=FEED, **bounds)
    whole.take(Page(drafts=drafts(1, 2), is_last=True, memory={"etag": "1"}), ())
    assert (whole.memory is not None) is is_kept


def test_fewer_pages_than_there_are_leave_something():
    whole = sweep(max_pages=1)
    whole.take(Page(drafts=drafts(1, 2, 3), total=9, is_last=False), ())
    assert (whole.stop_reason, whole.left, whole.shown) == (StopReason.MAX_PAGES, 6, None)


@settings(max_examples=400, deadline=None)
@given(
    start=st.sets(st.integers(0, 30), max_size=14),
    moves=st.lists(st.lists(st.tuples(st.booleans(), st.integers(0, 30)), max_size=3), max_size=12),
    limit=st.none() | st.integers(1, 5),
)
def test_what_stays_visible_through_a_complete_sweep_is_taken_and_never_missing(start, moves, limit):
    """A paged list that changes between any two requests."""
    visible, always, steps = set(start), set(start), iter(moves)
    whole, taken, asked = sweep(limit=limit), set(), 0
    while whole.position:
        asked += 1
        numbers = sorted(visible, key=lambda number: (number * 7) % 31)
        shown = numbers[whole.position.offset : whole.position.offset + 3]
        is_last = whole.position.offset + len(shown) >= len(numbers)
        entries = whole.take(Page(drafts=drafts(*shown), total=len(numbers), is_last=is_last), ())
        taken |= {one.key for one in entries.new}
        for is_added, number in next(steps, ()):
            (visible.add if is_added else visible.discard)(number)
            always &= visible
        assert asked < 200
    keys = {f"b/{number}" for number in always}
    if whole.shown is not None:
        assert keys <= whole.shown
    if whole.is_complete:
        assert keys <= taken
    elif limit is not None and whole.stop_reason is StopReason.LIMIT_REACHED:
        assert len(taken) == limit
        assert whole.left >= len(keys - taken)
