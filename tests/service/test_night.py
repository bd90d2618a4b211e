"""Work for the night is put and run only in its window, by local time, also when summer time begins or ends."""

from dataclasses import replace
from datetime import UTC, datetime, time
from types import SimpleNamespace

import pytest

from inforadar.config import ScheduleSettings
from inforadar.domain.job import Done, Job, JobId, Snooze
from inforadar.domain.schedule import DailyWindow, Every
from inforadar.service.night import at_night
from inforadar.service.periodic import periodic_work
from inforadar.workers.step import Step
from service.schedule_settings import all_work

NIGHT = DailyWindow(start=time(3), end=time(6), zone="Europe/Madrid")
JOB = Job(id=JobId(1), kind="prune", args={}, attempt=1, max_attempts=5, retry_count=0)
SETTINGS = all_work(Every(seconds=3600), night=NIGHT, night_work=("recheck", "prune"))


def at(text: str) -> SimpleNamespace:
    """A clock that stands at a moment."""
    moment = datetime.fromisoformat(text).replace(tzinfo=UTC)
    return SimpleNamespace(now=lambda: moment, mono=lambda: 0.0)


def outcome_at(text: str):
    step = at_night(Step(run=lambda _job, _context: Done()), NIGHT)
    return step.run(JOB, SimpleNamespace(clock=at(text)))


@pytest.mark.parametrize(
    ("moment", "opening"),
    [
        ("2026-01-05T12:00", "2026-01-06T02:00"),  # winter: 03:00 is 02:00 UTC
        ("2026-07-05T12:00", "2026-07-06T01:00"),  # summer: 03:00 is 01:00 UTC
        ("2026-03-28T12:00", "2026-03-29T01:00"),  # the night in which 02:00 becomes 03:00
        ("2026-10-24T12:00", "2026-10-25T02:00"),  # the night in which 03:00 becomes 02:00
        ("2026-01-06T05:00", "2026-01-07T02:00"),  # just over
    ],
)
def test_a_job_claimed_by_day_goes_back_until_the_window_opens(moment, opening):
    expected = datetime.fromisoformat(opening).replace(tzinfo=UTC)
    assert outcome_at(moment) == Snooze(until=expected, reason="it may only run at night")


@pytest.mark.parametrize("moment", ["2026-01-06T02:00", "2026-01-06T04:59", "2026-07-06T01:00", "2026-07-06T03:59"])
def test_a_job_claimed_at_night_is_done(moment):
    assert isinstance(outcome_at(moment), Done)


def allowed(text: str, settings: ScheduleSettings = SETTINGS) -> set[str]:
    """What may be put at a moment."""
    work = periodic_work(settings, [], closed_sources=lambda _tx: (), put_checks=lambda _tx: 0, clock=at(text))
    asks_the_store = ("recovery", "first fetch")
    return {one.name for one in work if one.name not in asks_the_store and one.may_begin(None)}


def test_by_day_only_what_is_not_for_the_night_is_put():
    assert allowed("2026-01-05T12:00") == {"fetch", "requeue", "fulltext"}
    assert allowed("2026-01-06T03:00") == {"fetch", "requeue", "fulltext", "recheck", "prune"}


def test_without_a_night_everything_is_put_at_any_time():
    assert "prune" in allowed("2026-01-05T12:00", replace(SETTINGS, night=None))
