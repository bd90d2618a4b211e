"""The nightly job: only in the window whatever the season, three retries, then an alarm; TRUST I24, F11, F13."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest

from inforadar.domain.errors import Stopped
from inforadar.domain.job import Done, Fail, Retry, Snooze
from inforadar.domain.schedule import DailyWindow, is_due, next_run
from inforadar.observe.metrics import create_metrics
from inforadar.pipeline.asking import Asking
from inforadar.service.alarms import ALARM, Alarms, Herald
from inforadar.service.meter import Meter
from inforadar.service.sheets_job import sheets_step, sheets_work
from inforadar.service.triage import Triage
from inforadar.simulator.faults import Fault
from inforadar.store import deliveries, events, jobs
from pipeline.inbox import Door
from service.sheets_rig import MADRID, Rig, a_job, rig_over

NOON = datetime(2026, 1, 5, 12, tzinfo=UTC)


@pytest.fixture
def rig(sqlite_db) -> Iterator[Rig]:
    with rig_over(sqlite_db) as made:
        yield made


def herald(rig: Rig, said: list[str], **more) -> Herald:
    asking = Asking(gate=Door(), clock=rig.clock, wait=lambda _s: False)
    return Herald(say=said.append, asking=asking, **more)


def alarms_of(rig: Rig) -> list[str]:
    with rig.db.reading() as tx:
        return [event.message for event in events.recent(tx) if event.kind == "alarm"]


def test_a_job_in_the_window_writes_what_is_due(rig):
    rig.store("1")
    assert isinstance(rig.step(), Done)
    assert rig.keys() == ["hh:1"]


def test_outside_the_window_the_job_waits_for_it_and_nobody_is_asked(sqlite_db):
    with rig_over(sqlite_db, at=NOON) as rig:
        rig.store("1")
        outcome = rig.step()
        assert isinstance(outcome, Snooze)
        assert outcome.until == datetime(2026, 1, 6, 2, tzinfo=UTC)
        assert rig.asked_at() == []


def test_a_machine_with_a_wrong_clock_goes_by_the_time_of_the_store(rig):
    rig.store("1")
    rig.paced_at = lambda _tx: rig.clock.now() - timedelta(hours=2)
    outcome = rig.step()
    assert isinstance(outcome, Snooze)
    assert outcome.until == rig.clock.now() + timedelta(hours=1, minutes=30)
    assert rig.asked_at() == []


def test_what_is_not_due_yet_waits_in_the_outbox(rig):
    (match_id,) = rig.store("1")
    with rig.db.transaction() as tx:
        deliveries.put_off(tx, "sheets", until=rig.clock.now() + timedelta(days=1), why="x", now=rig.clock.now())
    rig.step()
    assert (rig.keys(), rig.delivery(match_id).state) == ([], "held")


@pytest.mark.parametrize(
    "day",
    [
        datetime(2026, 3, 28, 12, tzinfo=UTC),
        datetime(2026, 10, 24, 12, tzinfo=UTC),
        datetime(2026, 7, 1, 12, tzinfo=UTC),
    ],
    ids=["summer time begins", "summer time ends", "summer"],
)
def test_over_three_nights_every_request_lies_in_the_window_by_the_clocks_of_madrid(sqlite_db, day):
    """Somebody tries every ten minutes, through the change of the clocks."""
    with rig_over(sqlite_db, at=day) as rig:
        for number in range(6 * 72):
            if number % 20 == 0:
                rig.store(str(number))
            rig.step()
            rig.pass_by(minutes=10)
        local = [at.astimezone(ZoneInfo("Europe/Madrid")) for at in rig.asked_at()]
        assert len({at.date() for at in local}) == 3
        assert all(time(3) <= at.time() < time(6) for at in local)
        assert len(rig.keys()) == len(set(rig.keys())) >= 18


def test_a_sync_that_is_cut_off_by_the_end_of_the_window_goes_on_next_night(rig):
    rig.store(*(str(number) for number in range(700)))
    rig.simulator.advance(to=datetime(2026, 1, 6, 4, 59, 10, tzinfo=UTC))
    rig.request_s = 2.0
    outcome = rig.step()
    assert isinstance(outcome, Snooze)
    assert outcome.until == datetime(2026, 1, 7, 2, tzinfo=UTC)
    assert max(rig.asked_at()) < datetime(2026, 1, 6, 5, tzinfo=UTC)
    assert 0 < len(rig.keys()) < 700
    rig.simulator.advance(to=outcome.until)
    assert isinstance(rig.step(), Done)
    assert len(rig.keys()) == len(set(rig.keys())) == 700


@pytest.mark.parametrize("before_s", range(5, 230, 15))
def test_with_slow_answers_no_request_of_any_kind_is_under_way_outside_the_window(rig, before_s):
    """A question may be a token, some looks and a write: each of them is a request of its own."""
    rig.store("0")
    rig.step()
    rig.store(*(str(number) for number in range(1, 300)))
    rig.request_s = 25.0
    closing = datetime(2026, 1, 6, 5, tzinfo=UTC)
    rig.simulator.advance(to=closing - timedelta(seconds=before_s))
    rig.sheet.account.forget_tokens()
    assert isinstance(rig.step(), Snooze)
    assert all(at + timedelta(seconds=rig.request_s) <= closing for at in rig.asked_at())
    rig.next_night()
    rig.request_s = 0.0
    assert isinstance(rig.step(), Done)
    assert len(rig.keys()) == len(set(rig.keys())) == 300


def test_a_token_that_is_taken_back_in_the_last_moment_is_not_asked_for_anew(rig):
    sync = rig.sync()
    sync.run(lambda: None, rig.tell)
    rig.request_s = 25.0
    rig.simulator.advance(to=datetime(2026, 1, 6, 4, 59, 25, tzinfo=UTC))
    before = len(rig.asked_at())
    rig.sheet.account.forget_tokens()
    assert isinstance(sheets_step(sync, Alarms(clock=rig.clock)).run(a_job(), rig), Snooze)
    assert len(rig.asked_at()) == before + 1


def test_a_worker_that_stops_between_look_and_write_writes_nothing_and_owes_nothing(rig):
    rig.store("1")
    rig.step()
    rig.store("2")
    before = rig.writes()

    def meanwhile(request) -> None:
        if len([1 for name, _ in request.params if name == "ranges"]) > 4:  # the look that belongs to a write
            rig.stop.set()

    rig.meanwhile = meanwhile
    with pytest.raises(Stopped):
        rig.step()
    assert rig.writes() == before
    rig.meanwhile = None
    rig.stop.clear()
    assert isinstance(rig.step(), Done)
    assert rig.keys() == ["hh:1", "hh:2"]


@pytest.mark.parametrize("kind", ["server_error", "rate_limited", "reset", "captive_portal"])
def test_trouble_is_tried_again_three_times_then_an_alarm_is_sounded_and_the_next_night_tries_anew(rig, kind):
    (match_id,) = rig.store("1")
    rig.simulator.switch(Fault(kind=kind, source="sheets"))
    for attempt in (1, 2, 3):
        assert isinstance(rig.step(attempt=attempt), Retry)
        rig.pass_by(minutes=7)
    assert alarms_of(rig) == []
    assert isinstance(rig.step(attempt=4), Fail)
    (told,) = alarms_of(rig)
    assert "after 3 retries" in told
    held = rig.delivery(match_id)
    assert (held.state, held.due_at) == ("held", datetime(2026, 1, 7, 2, tzinfo=UTC))
    rig.simulator.switch()
    rig.next_night()
    assert isinstance(rig.step(), Done)
    assert rig.keys() == ["hh:1"]


def test_the_quota_asks_for_a_minute(rig):
    rig.store("1")
    rig.simulator.switch(Fault(kind="rate_limited", source="sheets", method="values.batchGet"))
    outcome = rig.step()
    assert isinstance(outcome, Retry)
    assert outcome.delay == timedelta(minutes=1)
    assert "Quota exceeded for quota metric 'Read requests'" in outcome.error


def test_what_only_a_person_can_mend_is_an_alarm_at_once(rig):
    rig.sheet.share(False)
    assert isinstance(rig.step(), Fail)
    (told,) = alarms_of(rig)
    assert "share the spreadsheet with info-radar@simulated.iam.gserviceaccount.com" in told


def test_an_alarm_is_counted_and_told_by_every_sink_that_can_speak(rig):
    said: list[str] = []
    rig.alarms = Alarms(clock=rig.clock, heralds={name: herald(rig, said) for name in ("telegram", "apprise")})
    rig.sheet.share(False)
    rig.step()
    with rig.db.reading() as tx:
        told = jobs.search(tx, kind=ALARM)
    assert sorted(job.source for job in told) == ["apprise", "telegram"]
    for job in told:
        rig.alarms.tell(replace(a_job(), args=job.args), rig)
    assert len(said) == 2
    assert said[0].startswith("Info Radar: the spreadsheet could not be brought up to date: ")
    meter = Meter(metrics=create_metrics(), database=rig.db, clock=rig.clock)
    assert b"radar_alarms_total 1.0" in meter.render()


def test_an_alarm_keeps_the_quiet_hours(rig):
    quiet = DailyWindow(start=time(22), end=time(8), zone="UTC")
    rig.alarms = Alarms(clock=rig.clock, heralds={"telegram": herald(rig, [], quiet_hours=quiet)})
    rig.sheet.share(False)
    rig.step()
    with rig.db.reading() as tx:
        (job,) = jobs.search(tx, kind=ALARM)
    assert job.run_at == datetime(2026, 1, 6, 8, tzinfo=UTC)


def test_without_telegram_an_alarm_is_an_event_and_no_job(rig):
    rig.sheet.share(False)
    rig.step()
    with rig.db.reading() as tx:
        assert jobs.search(tx, kind=ALARM) == []
    assert len(alarms_of(rig)) == 1


def test_a_job_whose_worker_stops_goes_on_at_once_elsewhere(rig):
    rig.store("1")
    rig.stop.set()
    with pytest.raises(Exception, match="stopped in the middle"):
        rig.step()
    rig.stop.clear()
    assert isinstance(rig.step(), Done)


def test_an_unsettled_write_makes_the_job_wait_without_costing_a_try(rig):
    rig.store("1")
    rig.step()
    rig.store("2")
    rig.simulator.switch(Fault(kind="reply_lost", source="sheets", method="values.batchUpdate", count=1))
    assert isinstance(rig.step(), Retry)
    outcome = rig.step(attempt=2)
    assert isinstance(outcome, Snooze)
    assert outcome.until == rig.clock.now() + timedelta(seconds=200)
    rig.simulator.advance(to=outcome.until)
    assert isinstance(rig.step(attempt=3), Done)
    assert rig.keys() == ["hh:1", "hh:2"]


def test_the_job_is_put_once_a_night_when_the_window_is_open(rig):
    work = sheets_work(MADRID, lambda _tx: rig.clock.now())
    with rig.db.transaction() as tx:
        assert work.may_begin(tx)
        assert (work.put(tx), work.put(tx)) == (1, 0)
    opening = datetime(2026, 1, 6, 2, tzinfo=UTC)
    assert next_run(work.rhythm, opening) == opening + timedelta(days=1)
    assert is_due(work.rhythm, None, opening)
    rig.pass_by(hours=5)
    with rig.db.reading() as tx:
        assert not work.may_begin(tx)


@pytest.mark.parametrize(
    ("before", "opening"),
    [
        (datetime(2026, 3, 28, 2, tzinfo=UTC), datetime(2026, 3, 29, 1, tzinfo=UTC)),
        (datetime(2026, 10, 24, 1, tzinfo=UTC), datetime(2026, 10, 25, 2, tzinfo=UTC)),
    ],
    ids=["summer time begins", "summer time ends"],
)
def test_the_job_is_due_when_the_window_opens_whatever_the_season(rig, before, opening):
    work = sheets_work(MADRID, lambda _tx: rig.clock.now())
    assert next_run(work.rhythm, before) == opening == MADRID.next_opening(before + timedelta(hours=12))


def test_a_decision_on_a_written_match_puts_no_job_for_the_table(rig):
    (match_id,) = rig.store("1")
    rig.step()
    with rig.db.transaction() as tx:
        Triage(clock=rig.clock).mark(tx, [match_id], "later", "telegram")
    with rig.db.reading() as tx:
        assert jobs.search(tx, kind="deliver") == []
