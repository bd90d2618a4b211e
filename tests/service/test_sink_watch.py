"""A sink that was mended in the configuration: what its refusals held back goes at once."""

from dataclasses import replace
from datetime import timedelta

import pytest

from inforadar.config import AppriseSettings, TelegramSettings, WebhookSettings
from inforadar.domain.errors import BadQuery, Refused
from inforadar.domain.health import after_failure
from inforadar.domain.job import Fail
from inforadar.observe.secrets import Secret
from inforadar.pipeline.delivery import QUIET
from inforadar.pipeline.routes import deliver_job
from inforadar.service.periodic import requeue
from inforadar.service.sink_watch import welcome_sinks
from inforadar.store import cursors, deliveries, events, jobs, sources
from pipeline.inbox import NOON, Inbox

CURSOR = "sink identity: telegram"


@pytest.fixture
def inbox(db):
    made = Inbox(db)
    with db.transaction() as tx:
        sources.register(tx, "telegram", rate_limit_per_minute=20, enabled=True, paced_at=NOON)
    return made


def telegram(token: str | None = "1:right", chat_id: str = "7") -> TelegramSettings:
    return TelegramSettings(base_url="https://t.example", chat_id=chat_id, token=Secret(token) if token else None)


def welcome(inbox: Inbox, settings: TelegramSettings) -> list[str]:
    with inbox.db.transaction() as tx:
        return welcome_sinks(tx, {"telegram": settings}, inbox.clock.now())


def refuse(inbox: Inbox) -> int:
    """A match whose message was refused a moment ago; its id."""
    (one,) = inbox.judged("1")
    inbox.chat.errors = [Refused("Telegram does not know this bot")]
    outcome = inbox.deliver(inbox.delivery(one).id)
    with inbox.db.transaction() as tx:
        now = inbox.clock.now()
        sources.change(tx, "telegram", now, lambda health: after_failure(health, Refused("wrong"), now, 0.0))
    assert outcome.until > inbox.clock.now()
    return one


def not_taken(inbox: Inbox, error: Exception) -> int:
    """A match whose message was not taken, with what came of its job; its id."""
    (one,) = inbox.judged("1")
    inbox.chat.errors = [error]
    outcome = inbox.deliver(inbox.delivery(one).id)
    with inbox.db.transaction() as tx:
        for job in jobs.search(tx, kind="deliver", limit=10) if isinstance(outcome, Fail) else ():
            jobs.cancel(tx, job.id, who="the worker")
    return one


def to_be_delivered(inbox: Inbox) -> list[int]:
    with inbox.db.reading() as tx:
        found = jobs.search(tx, kind="deliver", limit=10)
    return [job.args["delivery_id"] for job in found if job.status == "pending"]


def test_a_mended_token_lets_what_the_wrong_one_held_back_go_at_once(inbox):
    welcome(inbox, telegram("1:wrong"))
    one = refuse(inbox)
    inbox.clock.pass_by(minutes=1)
    assert welcome(inbox, telegram()) == ["telegram"]
    inbox.deliver(inbox.delivery(one).id)
    assert inbox.delivery(one).state == "sent"
    with inbox.db.reading() as tx:
        assert sources.get(tx, "telegram").health.outage is None
        assert "changed in the configuration" in events.recent(tx, source="telegram", limit=1)[0].message


@pytest.mark.parametrize(
    "error",
    [Refused("Telegram does not know this chat"), BadQuery("Telegram does not take this (TOPIC_CLOSED)")],
    ids=["refused", "not taken"],
)
def test_what_a_wrong_chat_did_not_take_goes_to_the_right_one_by_itself(inbox, error):
    welcome(inbox, telegram(chat_id="8"))
    one = not_taken(inbox, error)
    inbox.clock.pass_by(minutes=1)
    assert welcome(inbox, telegram(chat_id="7")) == ["telegram"]
    assert to_be_delivered(inbox) == [inbox.delivery(one).id]
    assert inbox.delivery(one).due_at <= inbox.clock.now()
    inbox.deliver(inbox.delivery(one).id)
    assert inbox.delivery(one).state == "sent"


def test_what_failed_long_before_a_sink_was_changed_is_left_as_it_is(inbox):
    welcome(inbox, telegram(chat_id="8"))
    one = not_taken(inbox, BadQuery("Telegram does not take this"))
    inbox.clock.pass_by(days=8)
    welcome(inbox, telegram(chat_id="7"))
    assert inbox.delivery(one).state == "failed"
    assert to_be_delivered(inbox) == []


def test_what_a_person_cancelled_is_not_sent_because_the_sink_was_changed(inbox):
    welcome(inbox, telegram(chat_id="8"))
    (one,) = inbox.judged("1")
    with inbox.db.transaction() as tx:
        (job,) = jobs.search(tx, kind="deliver", limit=10)
        jobs.cancel(tx, job.id, who="user")
        requeue(tx, inbox.clock.now())
    assert inbox.delivery(one).state == "failed"
    welcome(inbox, telegram(chat_id="7"))
    assert (inbox.delivery(one).state, to_be_delivered(inbox)) == ("failed", [])


def test_the_same_settings_change_nothing(inbox):
    welcome(inbox, telegram("1:wrong"))
    one = refuse(inbox)
    assert welcome(inbox, telegram("1:wrong")) == []
    assert inbox.delivery(one).due_at > inbox.clock.now()
    with inbox.db.reading() as tx:
        assert sources.get(tx, "telegram").health.outage == "refused"


def test_a_process_without_the_token_says_nothing_about_the_sink(inbox):
    welcome(inbox, telegram())
    assert welcome(inbox, telegram(None)) == []
    assert welcome(inbox, telegram()) == []


def test_what_is_held_for_quiet_hours_stays_held(inbox):
    welcome(inbox, telegram("1:wrong"))
    (one,) = inbox.judged("1")
    held = inbox.delivery(one)
    until = NOON + timedelta(hours=8)
    with inbox.db.transaction() as tx:
        deliveries.write(tx, held, replace(held, state="held", why=QUIET, due_at=until), NOON)
    welcome(inbox, telegram())
    assert inbox.delivery(one).due_at == until


def test_nothing_of_a_token_is_kept_but_a_short_number(inbox):
    numbers = set()
    for settings in (telegram(), telegram("1:other"), telegram(chat_id="8")):
        welcome(inbox, settings)
        with inbox.db.reading() as tx:
            numbers.add(cursors.get(tx, CURSOR))
    assert len(numbers) == 3
    assert all(0 < number < 2**48 for number in numbers)


def test_the_first_message_that_is_taken_again_lets_those_go_that_were_put_off(inbox):
    one = refuse(inbox)
    (newer,) = inbox.judged("2")
    inbox.clock.pass_by(minutes=1)
    inbox.deliver(inbox.delivery(newer).id)
    assert inbox.delivery(newer).state == "sent"
    assert inbox.delivery(one).due_at == inbox.clock.now()


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("apprise", AppriseSettings(urls=(Secret("a://1"),)), AppriseSettings(urls=(Secret("a://2"),))),
        (
            "webhook",
            WebhookSettings(url=Secret("https://a.example"), secret=Secret("one")),
            WebhookSettings(url=Secret("https://a.example"), secret=Secret("two")),
        ),
    ],
)
def test_every_kind_of_sink_is_known_by_what_it_is_reached_with(db, name, before, after):
    with db.transaction() as tx:
        sources.register(tx, name, rate_limit_per_minute=20, enabled=True, paced_at=NOON)
        assert welcome_sinks(tx, {name: before}, NOON) == [name]
        assert welcome_sinks(tx, {name: before}, NOON) == []
        assert welcome_sinks(tx, {name: after}, NOON) == [name]


def test_the_jobs_that_wait_for_a_sink_are_woken(inbox):
    welcome(inbox, telegram("1:wrong"))
    with inbox.db.transaction() as tx:
        later = tx.store_now() + timedelta(minutes=14)
        jobs.put(tx, [deliver_job(1, "telegram", later), deliver_job(2, "webhook", later)])
    welcome(inbox, telegram())
    with inbox.db.reading() as tx:
        waits = {job.source: job.run_at > tx.store_now() for job in jobs.search(tx, kind="deliver")}
    assert waits == {"telegram": False, "webhook": True}
