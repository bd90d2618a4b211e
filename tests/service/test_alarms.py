"""Alarms and alerts: both are events and messages; only what is wrong is counted."""

from datetime import UTC, datetime, time

import pytest

from inforadar.domain.errors import Refused, Unavailable
from inforadar.domain.health import News
from inforadar.domain.job import Job, Retry, Snooze
from inforadar.domain.schedule import DailyWindow
from inforadar.domain.watch import Bounds, Query
from inforadar.observe.metrics import create_metrics
from inforadar.pipeline.asking import Asking
from inforadar.service.alarms import ALARM, ALERT, Alarms, Herald
from inforadar.service.meter import Meter
from inforadar.store import events, jobs
from pipeline.inbox import Clock, Door

CLOCK = Clock(at=datetime(2026, 1, 5, 12, tzinfo=UTC))
QUERY = Query(watch="news", source="feed", params={}, bounds=Bounds(), key="q1")


@pytest.fixture
def said() -> list[str]:
    return []


@pytest.fixture
def alarms(said: list[str]) -> Alarms:
    asking = Asking(gate=Door(), clock=CLOCK, wait=lambda _s: False)
    return Alarms(clock=CLOCK, heralds={"telegram": Herald(say=said.append, asking=asking)})


def counted(db) -> bytes:
    return Meter(metrics=create_metrics(), database=db, clock=CLOCK).render()


def put(db, kind: str) -> list[Job]:
    with db.reading() as tx:
        return jobs.search(tx, kind=kind)


def test_an_alert_is_told_and_is_no_alarm(db, alarms, said):
    with db.transaction() as tx:
        alarms.alert(tx, "prices", "morgan: the value rose")
        (event,) = events.recent(tx)
    assert (event.kind, event.source, event.message) == ("alert", "prices", "morgan: the value rose")
    assert b"radar_alarms_total 0.0" in counted(db)
    assert put(db, ALARM) == []
    (job,) = put(db, ALERT)
    alarms.tell(job, None)
    assert said == ["Info Radar: morgan: the value rose"]


def test_a_gap_is_an_alarm_of_its_own_kind_about_its_query(db, alarms, said):
    with db.transaction() as tx:
        alarms.sound_gap(tx, QUERY, "some may be lost")
        (event,) = events.recent(tx)
    assert (event.kind, event.source, event.query_key) == ("gap", "feed", "q1")
    assert b"radar_alarms_total 1.0" in counted(db)
    (job,) = put(db, ALARM)
    alarms.tell(job, None)
    assert said == ["Info Radar: some may be lost"]


@pytest.mark.parametrize("error", [Unavailable("reset"), Refused("blocked")], ids=["unavailable", "refused"])
def test_an_alarm_that_cannot_be_told_now_is_tried_again_and_not_given_up(db, error):
    def fail(_text: str) -> None:
        raise error

    asking = Asking(gate=Door(), clock=CLOCK, wait=lambda _s: False)
    alarms = Alarms(clock=CLOCK, heralds={"telegram": Herald(say=fail, asking=asking)})
    with db.transaction() as tx:
        alarms.sound(tx, "sheets", "the night failed")
    (job,) = put(db, ALARM)
    assert alarms.tell(job, None) == Retry(error=str(error))


def test_an_alarm_that_an_outage_brought_into_the_quiet_hours_waits_for_their_end(db, said):
    night = DailyWindow(start=time(22), end=time(8), zone="UTC")
    clock = Clock(at=datetime(2026, 1, 5, 21, 59, tzinfo=UTC))
    asking = Asking(gate=Door(), clock=clock, wait=lambda _s: False)
    alarms = Alarms(clock=clock, heralds={"telegram": Herald(say=said.append, asking=asking, quiet_hours=night)})
    with db.transaction() as tx:
        alarms.sound(tx, "sheets", "the night failed")
    (job,) = put(db, ALARM)
    clock.pass_by(minutes=5)
    outcome = alarms.tell(job, None)
    assert outcome == Snooze(until=datetime(2026, 1, 6, 8, tzinfo=UTC), reason="quiet hours")
    clock.at = outcome.until
    alarms.tell(job, None)
    assert said == ["Info Radar: the night failed"]


def test_a_gap_does_not_hide_that_a_list_was_told_to_be_empty(db, alarms):
    with db.transaction() as tx:
        events.add(tx, News(kind="outage", message="empty"), "feed", CLOCK.now(), "q1")
        alarms.sound_gap(tx, QUERY, "some may be lost")
        assert events.is_told_empty(tx, "feed", "q1")
