"""When an opening that is not on its list any more is closed."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inforadar.domain.closing import CONFIRM_AFTER, CONFIRM_MANY_AFTER, Absence, to_close

NOW = datetime(2026, 1, 5, 12, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
HOUR = timedelta(hours=1)


def absences(count: int, since: datetime | None) -> list[Absence]:
    return [Absence(id=number, since=since) for number in range(count)]


def test_the_first_absence_is_noted_and_one_that_the_last_reading_missed_too_is_closed():
    absent = [Absence(id=1, since=None), Absence(id=2, since=NOW - HOUR)]
    assert to_close(absent, shown=5, read_at=NOW - HOUR, now=NOW) == ([1], [2])


def test_what_another_query_missed_since_this_one_read_the_list_is_not_confirmed_by_it():
    assert to_close(absences(1, NOW - HOUR), shown=5, read_at=NOW - 2 * HOUR, now=NOW) == ([], [])
    assert to_close(absences(1, NOW - HOUR), shown=5, read_at=None, now=NOW) == ([], [])


@pytest.mark.parametrize(
    ("count", "shown", "wait"),
    [
        (2, 9, CONFIRM_AFTER),
        (2, 0, CONFIRM_AFTER),
        (3, 9, CONFIRM_AFTER),
        (3, 0, CONFIRM_MANY_AFTER),
        (40, 12, CONFIRM_MANY_AFTER),
    ],
)
def test_two_looks_a_moment_apart_are_one_and_more_time_passes_where_most_of_a_list_is_gone(count, shown, wait):
    for passed, is_closed in ((wait - MINUTE, False), (wait, True)):
        since = NOW - passed
        missed, closed = to_close(absences(count, since), shown=shown, read_at=since, now=NOW)
        assert missed == []
        assert closed == (list(range(count)) if is_closed else [])


def test_a_clock_that_was_put_back_begins_the_wait_anew():
    assert to_close(absences(1, NOW + HOUR), shown=5, read_at=NOW + HOUR, now=NOW) == ([0], [])


@given(
    st.lists(st.none() | st.integers(-100, 3000), max_size=8),
    st.integers(0, 8),
    st.none() | st.integers(-100, 3000),
)
def test_nothing_is_both_missed_and_closed_and_nothing_is_closed_at_first_sight(minutes, shown, read):
    absent = [
        Absence(id=number, since=None if ago is None else NOW - ago * MINUTE) for number, ago in enumerate(minutes)
    ]
    read_at = None if read is None else NOW - read * MINUTE
    missed, closed = to_close(absent, shown=shown, read_at=read_at, now=NOW)
    assert not set(missed) & set(closed)
    assert all(minutes[one] is not None and minutes[one] >= 10 for one in closed)
