"""Alarms and alerts: both are events and messages; only what is wrong is counted."""

from datetime import UTC, datetime

import pytest

from inforadar.domain.health import News
from inforadar.domain.job import Job
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


def test_a_gap_does_not_hide_that_a_list_was_told_to_be_empty(db, alarms):
    with db.transaction() as tx:
        events.add(tx, News(kind="outage", message="empty"), "feed", CLOCK.now(), "q1")
        alarms.sound_gap(tx, QUERY, "some may be lost")
        assert events.is_told_empty(tx, "feed", "q1")
