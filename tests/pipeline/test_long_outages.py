"""Senders that freeze and sinks that are away for long: nothing is sent anew for it, and no edit is given up."""

import threading
from dataclasses import replace
from datetime import time, timedelta
from random import Random
from types import SimpleNamespace

import pytest

from inforadar.bootstrap import STEPS
from inforadar.domain.errors import LeaseLost, RateLimited, Refused, Unavailable
from inforadar.domain.health import MustWait
from inforadar.domain.job import Job, JobId, Retry, Snooze, settlement
from inforadar.domain.schedule import DailyWindow
from inforadar.pipeline.asking import DAYS_OF_TRIES, Asking
from inforadar.pipeline.delivery import Deliveries, Outlet
from inforadar.pipeline.routes import EDIT
from inforadar.service.alarms import ALARM, ALERT
from inforadar.service.periodic import requeue
from inforadar.store import deliveries
from pipeline.inbox import NOON, Door, Inbox, a_job


def decided(inbox):
    """A match that was sent and decided on since; the job of its edit."""
    (one,) = inbox.judged("1")
    inbox.deliver_all()
    with inbox.db.transaction() as tx:
        inbox.triage.mark(tx, [one], "applied", "web")
    return a_job(reference="1:1", sink="telegram")


def test_a_frozen_sender_whose_try_fails_late_brings_nothing_back_that_another_is_sending(inbox):
    (one,) = inbox.judged("1")
    delivery_id = inbox.delivery(one).id
    is_frozen, goes_on = threading.Event(), threading.Event()

    def freeze_then_fail():
        is_frozen.set()
        goes_on.wait(30)
        raise Unavailable("the connection is gone")

    frozen = threading.Thread(target=inbox.deliver, args=(delivery_id,))

    def sending():
        if threading.current_thread() is frozen:
            freeze_then_fail()
        goes_on.set()  # its job was reclaimed meanwhile, and is being done by another worker
        frozen.join(30)

    inbox.chat.while_sending = sending
    frozen.start()
    assert is_frozen.wait(30)
    inbox.deliver(delivery_id)
    assert inbox.delivery(one).state == "sent"
    with inbox.db.transaction() as tx:
        requeue(tx, NOON)
    inbox.deliver_all()
    assert len(inbox.chat.sent) == 1


def test_a_frozen_sender_whose_message_went_out_late_leaves_it_sent_though_the_other_fails(inbox):
    (one,) = inbox.judged("1")
    delivery_id = inbox.delivery(one).id
    is_frozen, goes_on = threading.Event(), threading.Event()
    frozen = threading.Thread(target=inbox.deliver, args=(delivery_id,))

    def sending():
        if threading.current_thread() is frozen:
            is_frozen.set()
            goes_on.wait(30)
            return
        goes_on.set()
        frozen.join(30)
        raise Unavailable("the connection is gone")

    inbox.chat.while_sending = sending
    frozen.start()
    assert is_frozen.wait(30)
    inbox.deliver(delivery_id)
    assert (inbox.delivery(one).state, inbox.status(one)) == ("sent", "SENT_TO_USER")


def test_a_sender_that_froze_while_it_waited_for_its_turn_does_not_send_what_another_has_sent(inbox):
    (one,) = inbox.judged("1")
    delivery_id = inbox.delivery(one).id
    door = Door(queue=MustWait(seconds=3, longest_s=30))

    def freeze(_seconds):
        door.queue = None
        inbox.deliver(delivery_id)  # its job was reclaimed meanwhile, and another worker did it
        return False

    outlet = Outlet(sink=inbox.chat, asking=Asking(gate=door, clock=inbox.clock, wait=freeze))
    frozen = Deliveries(database=inbox.db, clock=inbox.clock, outlets={"telegram": outlet})
    with pytest.raises(LeaseLost):
        frozen.send(a_job(delivery_id=delivery_id), inbox)
    assert (len(inbox.chat.sent), inbox.delivery(one).state) == (1, "sent")


def test_a_sender_that_froze_before_it_began_does_not_send_what_another_is_about_to_send(inbox):
    (one,) = inbox.judged("1")
    delivery = inbox.delivery(one)
    with inbox.db.transaction() as tx:  # a worker died while it sent
        deliveries.write(tx, delivery, replace(delivery, state="sending", tries=1), NOON)
    is_frozen, goes_on = threading.Event(), threading.Event()

    def freeze():
        is_frozen.set()
        goes_on.wait(30)
        return False

    late = (a_job(delivery_id=delivery.id), SimpleNamespace(is_lost=freeze))
    frozen = threading.Thread(target=inbox.outbox.send, args=late)
    frozen.start()
    assert is_frozen.wait(30)
    door = Door(queue=MustWait(seconds=3, longest_s=30))

    def thaw_the_other(_seconds):
        door.queue = None
        goes_on.set()
        frozen.join(30)
        return False

    outlet = Outlet(sink=inbox.chat, asking=Asking(gate=door, clock=inbox.clock, wait=thaw_the_other))
    Deliveries(database=inbox.db, clock=inbox.clock, outlets={"telegram": outlet}).send(late[0], inbox)
    assert (len(inbox.chat.sent), inbox.delivery(one).state) == (1, "sent")


def test_what_the_quiet_hours_held_comes_as_a_digest_though_its_first_try_came_to_nothing(db):
    inbox = Inbox(db, quiet_hours=DailyWindow(start=time(22), end=time(8), zone="UTC"))
    inbox.clock.at = NOON.replace(hour=22)
    (one, *_others) = inbox.judged("1", "2", "3")
    (held, *_rest) = inbox.deliver_all()
    inbox.clock.at = held.until
    for _ in range(2):
        inbox.chat.errors.append(Unavailable("reset"))
        inbox.deliver(inbox.delivery(one).id)
        inbox.clock.at = inbox.delivery(one).due_at
    assert inbox.delivery(one).why == "quiet hours; reset"
    inbox.deliver_all()
    assert [len(notice.cards) for notice in inbox.chat.sent] == [3]


def test_a_part_of_a_digest_that_was_not_taken_goes_by_itself_though_a_try_came_to_nothing(inbox):
    inbox.judged(*(str(one) for one in range(11)))
    inbox.chat.refuses_digests = True
    with inbox.db.reading() as tx:
        first = deliveries.search(tx)[0]
    inbox.deliver(first.id)
    inbox.chat.errors.append(Unavailable("reset"))
    inbox.deliver(first.id)
    inbox.clock.pass_by(minutes=10)
    inbox.judged(*(str(one) for one in range(11, 23)))
    inbox.deliver(first.id)
    assert [len(notice.cards) for notice in inbox.chat.sent] == [1]


@pytest.mark.parametrize(
    "error", [Unavailable("reset"), Refused("blocked"), RateLimited("slow down")], ids=lambda one: type(one).__name__
)
def test_an_edit_outlasts_days_of_outage(inbox, error):
    job, waited = decided(inbox), timedelta()
    for attempt in range(1, DAYS_OF_TRIES):
        inbox.chat.errors.append(error)
        outcome = inbox.outbox.edit(job, inbox)
        assert isinstance(outcome, Retry)
        counted = Job(
            id=JobId(1),
            kind="edit",
            args=job.args,
            attempt=attempt,
            max_attempts=DAYS_OF_TRIES,
            retry_count=attempt - 1,
        )
        settled = settlement(outcome, counted, NOON, Random(1))
        assert settled.status == "retryable"
        waited += settled.delay
    assert waited > timedelta(days=3)
    inbox.outbox.edit(job, inbox)
    ((_, notice),) = inbox.chat.edited
    assert notice.cards[0].status == "APPLIED"


def test_an_edit_waits_as_long_as_its_sink_asks_for(inbox):
    job = decided(inbox)
    inbox.chat.errors.append(RateLimited("slow down", NOON + timedelta(seconds=35)))
    assert inbox.outbox.edit(job, inbox) == Snooze(until=NOON + timedelta(seconds=35), reason="slow down")


@pytest.mark.parametrize("kind", [EDIT, ALARM, ALERT])
def test_what_is_told_outside_beside_matches_is_tried_for_days(kind):
    bench = SimpleNamespace(deliveries=SimpleNamespace(edit=None), alarms=SimpleNamespace(tell=None))
    assert STEPS[kind](bench).max_attempts == DAYS_OF_TRIES
