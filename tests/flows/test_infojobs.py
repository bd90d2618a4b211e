"""InfoJobs day after day: seeded backward in time, then asked for what is new, whatever the pauses were."""

from datetime import timedelta

import pytest

from flows.rig import NOON
from inforadar.contract.trial import PostingWire, Trial
from inforadar.domain.run import StopReason
from inforadar.simulator.faults import Fault
from inforadar.simulator.happenings import Pace, drive
from inforadar.store.database import Database
from sources.contract import CASES

INFOJOBS = next(case for case in CASES if case.name == "infojobs")


class Seeker(Trial):
    """Somebody who watches InfoJobs; `buckets`: the `sinceDate` of every request of a list since the last look."""

    def __init__(self, database: Database, *, pages: float = 1.5, **bounds: object) -> None:
        super().__init__(INFOJOBS, database, pages=pages, **bounds)
        self.asked: list[str | None] = []
        wire = PostingWire(self.internet, before=lambda asked: self.asked.append(dict(asked.params).get("sinceDate")))
        self.radar = self.process(transport=wire)

    def buckets(self) -> list[str | None]:
        asked, self.asked = self.asked, []
        return asked

    def pause(self, **time: float) -> None:
        self.internet.advance(timedelta(**time).total_seconds())


@pytest.fixture
def seeker(sqlite_db: Database) -> Seeker:
    return Seeker(sqlite_db)


def test_the_first_sweep_sees_the_whole_list_and_a_daily_one_a_week_of_it(seeker):
    seeker.sweep()
    assert set(seeker.buckets()) == {None}
    seeker.pause(days=1)
    seeker.add()
    report = seeker.sweep()
    assert seeker.buckets()[0] == "_7_DAYS"
    assert (report.status, report.left, report.counters.added) == ("SUCCESS", 0, 1)


@pytest.mark.parametrize(
    ("days", "bucket"), [(0.5, "_7_DAYS"), (4.5, "_7_DAYS"), (6, "_15_DAYS"), (12, "_15_DAYS"), (14, None), (90, None)]
)
def test_the_bucket_covers_the_pause_and_the_lookback(seeker, days, bucket):
    seeker.sweep()
    seeker.buckets()
    seeker.pause(days=days)
    seeker.sweep()
    assert seeker.buckets()[0] == bucket


def test_without_a_lookback_an_hourly_sweep_asks_for_one_day(sqlite_db):
    seeker = Seeker(sqlite_db, lookback_days=0)
    seeker.sweep()
    seeker.buckets()
    seeker.pause(hours=1)
    seeker.sweep()
    assert seeker.buckets()[0] == "_24_HOURS"


@pytest.mark.parametrize("days", [0.2, 1, 3, 5, 6.9, 12, 20])
def test_nothing_that_came_during_a_pause_is_lost(seeker, days):
    drive(seeker.world, "infojobs", Pace(arrivals=3))
    seeker.sweep()
    for _ in range(3):
        seeker.pause(days=days)
        report = seeker.sweep()
        assert (report.status, report.left) == ("SUCCESS", 0)
        assert seeker.visible <= seeker.stored


def test_a_sweep_that_failed_does_not_shorten_the_next_bucket(seeker):
    seeker.sweep()
    seeker.pause(days=3)
    seeker.faults(Fault(kind="server_error"))
    assert seeker.sweep().status == "ERROR"
    seeker.faults()
    seeker.pause(days=4)
    seeker.add(seeker.world.now - timedelta(days=6))
    seeker.buckets()
    seeker.sweep()
    assert seeker.buckets()[0] == "_15_DAYS"
    assert seeker.visible <= seeker.stored


def test_seeding_goes_backward_in_time_and_says_which_day_it_has_reached(sqlite_db):
    seeker = Seeker(sqlite_db, pages=3.9, limit=25)
    reached, reports = [], []
    while not reports or reports[-1].left:
        assert len(reports) < 30
        reports.append(seeker.sweep())
        reached.append(seeker.state.last_processed_date)
    assert reports[0].stop_reason is StopReason.LIMIT_REACHED
    assert reached == sorted(reached, reverse=True)
    assert reached[0] > reached[-1] == min(entry.published_at for entry in seeker.entries).date()
    assert set(seeker.buckets()) == {None}
    assert seeker.stored == seeker.visible
    seeker.pause(hours=1)
    seeker.sweep()
    assert seeker.buckets()[0] == "_7_DAYS"
    assert seeker.state.last_processed_date == reached[-1]


def test_seeding_stops_at_the_cutoff_and_is_daily_from_then_on(sqlite_db):
    cutoff = (NOON - timedelta(days=2)).date()
    seeker = Seeker(sqlite_db, pages=4, cutoff_date=cutoff)
    assert seeker.sweep().stop_reason is StopReason.CUTOFF_REACHED
    assert seeker.state.last_processed_date == cutoff
    assert seeker.stored == {entry.id for entry in seeker.entries if entry.published_at.date() >= cutoff}
    seeker.buckets()
    seeker.pause(days=1)
    assert seeker.sweep().left == 0
    assert seeker.buckets()[0] == "_7_DAYS"
