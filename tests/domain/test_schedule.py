"""When periodic work is due."""

from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inforadar.domain.schedule import Cron, DailyWindow, Every, is_due, next_run, read_rhythm

NOON = datetime(2026, 3, 10, 12, tzinfo=UTC)
NIGHT = DailyWindow(start=time(3), end=time(6), zone="Europe/Madrid")


@pytest.mark.parametrize(
    ("text", "rhythm"),
    [
        ("90s", Every(seconds=90)),
        ("15 min", Every(seconds=900)),
        ("15m", Every(seconds=900)),
        ("6h", Every(seconds=21_600)),
        ("1d", Every(seconds=86_400)),
        ("*/15 * * * *", Cron(text="*/15 * * * *")),
        ("0 7 * * 1-5 Europe/Madrid", Cron(text="0 7 * * 1-5", zone="Europe/Madrid")),
    ],
)
def test_a_rhythm_is_an_interval_or_a_cron_text(text, rhythm):
    assert read_rhythm(text) == rhythm


@pytest.mark.parametrize(
    "text",
    ["", "soon", "0s", "* * *", "99 * * * *", "0 7 * * * Europe/Nowhere", "0 7 * * * ../x", "-5m", "15 fortnights"],
)
def test_a_rhythm_that_cannot_be_read_is_a_sentence(text):
    with pytest.raises(ValueError, match=r"interval|cron"):
        read_rhythm(text)


def test_work_that_never_ran_is_due():
    assert is_due(Every(seconds=900), None, NOON)


def test_work_is_due_when_its_interval_is_over_and_not_before():
    assert not is_due(Every(seconds=900), NOON, NOON + timedelta(seconds=899))
    assert is_due(Every(seconds=900), NOON, NOON + timedelta(seconds=900))


def test_many_missed_ticks_give_one_run():
    runs, last, now = 0, NOON, NOON + timedelta(days=3)
    while is_due(Every(seconds=900), last, now):
        runs, last = runs + 1, now
    assert runs == 1


@pytest.mark.parametrize(
    ("rhythm", "ahead", "due"),
    [
        (Every(seconds=900), timedelta(days=400), True),
        (Every(seconds=900), timedelta(hours=1), True),
        (Every(seconds=900), timedelta(minutes=10), False),
        (Every(seconds=86_400), timedelta(hours=1), False),
        (Cron(text="*/15 * * * *"), timedelta(hours=1), True),
        (Cron(text="0 3 * * *"), timedelta(hours=1), False),
        (Cron(text="0 3 * * *"), timedelta(days=400), True),
    ],
)
def test_a_clock_put_back_costs_at_most_one_turn(rhythm, ahead, due):
    assert is_due(rhythm, NOON + ahead, NOON) == due


@pytest.mark.parametrize("day", [datetime(2026, 3, 27, 12, tzinfo=UTC), datetime(2026, 10, 23, 12, tzinfo=UTC)])
@pytest.mark.parametrize("text", ["30 2 * * *", "0 3 * * *", "30 1 * * *"])
def test_daily_work_runs_once_a_day_over_both_clock_changes(day, text):
    rhythm = read_rhythm(f"{text} Europe/Madrid")
    runs, last = 0, day
    for minute in range(3 * 24 * 60):
        now = day + timedelta(minutes=minute)
        if is_due(rhythm, last, now):
            runs, last = runs + 1, now
    assert runs == 3


def test_cron_times_are_local():
    rhythm = Cron(text="0 4 * * *", zone="Europe/Madrid")
    assert next_run(rhythm, datetime(2026, 7, 1, 12, tzinfo=UTC)) == datetime(2026, 7, 2, 2, tzinfo=UTC)
    assert next_run(rhythm, datetime(2026, 12, 1, 12, tzinfo=UTC)) == datetime(2026, 12, 2, 3, tzinfo=UTC)


def test_a_window_keeps_its_local_hours_over_both_clock_changes():
    for day in (datetime(2026, 3, 29, tzinfo=UTC), datetime(2026, 10, 25, tzinfo=UTC)):
        minutes = [day + timedelta(minutes=minute) for minute in range(24 * 60)]
        opened = [minute for minute in minutes if NIGHT.is_open(minute)]
        hours = {minute.astimezone(ZoneInfo("Europe/Madrid")).hour for minute in opened}
        assert hours == {3, 4, 5}
        assert len(opened) == 180


def test_a_window_that_ends_in_the_hour_that_comes_twice_closes_the_same_night():
    early = DailyWindow(start=time(1), end=time(2, 30), zone="Europe/Madrid")
    again = datetime(2026, 10, 25, 1, 15, tzinfo=UTC)  # 02:15 for the second time
    assert early.is_open(again)
    assert early.next_closing(again) == datetime(2026, 10, 25, 1, 30, tzinfo=UTC)


def test_a_window_may_reach_over_midnight():
    late = DailyWindow(start=time(22), end=time(2), zone="UTC")
    assert late.is_open(NOON.replace(hour=23))
    assert late.is_open(NOON.replace(hour=1))
    assert not late.is_open(NOON)


def test_a_window_that_starts_when_it_ends_is_never_open():
    never = DailyWindow(start=time(3), end=time(3), zone="UTC")
    assert not never.is_open(NOON.replace(hour=3))
    assert never.next_opening(NOON) is None


@given(
    minutes=st.integers(0, 366 * 24 * 60),
    start=st.times(),
    end=st.times(),
    zone=st.sampled_from(["Europe/Madrid", "UTC", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu"]),
)
def test_the_next_opening_is_open_and_not_far(minutes, start, end, zone):
    window = DailyWindow(
        start=start.replace(second=0, microsecond=0), end=end.replace(second=0, microsecond=0), zone=zone
    )
    now = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(minutes=minutes)
    opening = window.next_opening(now)
    if window.start == window.end:
        assert opening is None
        return
    assert now <= opening <= now + timedelta(hours=49)
    assert window.is_open(opening)


@pytest.mark.parametrize(
    ("start", "end", "opens", "closes"),
    [
        (time(2, 30), time(3, 30), datetime(2026, 3, 29, 1, tzinfo=UTC), datetime(2026, 3, 29, 1, 30, tzinfo=UTC)),
        (time(22), time(2, 30), datetime(2026, 3, 28, 21, tzinfo=UTC), datetime(2026, 3, 29, 1, tzinfo=UTC)),
        (time(2, 15), time(2, 45), datetime(2026, 3, 30, 0, 15, tzinfo=UTC), datetime(2026, 3, 30, 0, 45, tzinfo=UTC)),
    ],
    ids=["begins in the hour that is left out", "ends in it", "lies in it"],
)
def test_in_the_night_that_lacks_an_hour_a_window_opens_and_closes_when_the_clocks_jump(start, end, opens, closes):
    window = DailyWindow(start=start, end=end, zone="Europe/Madrid")
    opening = window.next_opening(datetime(2026, 3, 28, 20, tzinfo=UTC))
    assert (opening, window.next_closing(opening)) == (opens, closes)


@given(
    minutes=st.integers(0, 366 * 24 * 60),
    start=st.integers(0, 24 * 60 - 1),
    length=st.integers(1, 24 * 60 - 1),
    day=st.sampled_from([datetime(2026, 3, 28, 12, tzinfo=UTC), datetime(2026, 10, 24, 12, tzinfo=UTC)]),
)
def test_over_both_clock_changes_no_window_opens_or_closes_before_the_time_it_tells(minutes, start, length, day):
    end = (start + length) % (24 * 60)
    window = DailyWindow(start=time(*divmod(start, 60)), end=time(*divmod(end, 60)), zone="Europe/Madrid")
    now = day + timedelta(minutes=minutes % (24 * 60))
    is_open = window.is_open(now)
    turn = window.next_closing(now) if is_open else window.next_opening(now)
    assert window.is_open(turn) != is_open
    steps = range(0, int((turn - now).total_seconds() // 60), 5)
    assert all(window.is_open(now + timedelta(minutes=step)) == is_open for step in steps)
