"""Deliveries that once got lost: without a job, decided on while they were sent, broken by one of their digest."""

import threading
from dataclasses import replace
from datetime import datetime, time, timedelta
from random import Random

import pytest

from inforadar.domain.errors import BadQuery, Stopped
from inforadar.domain.job import Done, Fail, Snooze
from inforadar.domain.schedule import DailyWindow
from inforadar.domain.verdict import Verdict
from inforadar.service.periodic import requeue
from inforadar.service.story_words import delivery_sentence
from inforadar.store import analyses, deliveries, jobs, matches
from inforadar.workers.step import Step
from inforadar.workers.worker import Worker
from pipeline.inbox import NOON, Inbox

MIDNIGHT = datetime.combine(NOON.date(), time(), NOON.tzinfo)


def mark(inbox, match_id, verb="applied"):
    with inbox.db.transaction() as tx:
        return inbox.triage.mark(tx, [match_id], verb, "web")


def undo(inbox):
    with inbox.db.transaction() as tx:
        return inbox.triage.undo(tx, "web")


def unfinished(inbox, kind):
    with inbox.db.reading() as tx:
        return [
            job for job in jobs.search(tx, kind=kind, limit=100) if job.status in ("pending", "running", "retryable")
        ]


def worker(inbox):
    steps = {"deliver": Step(run=inbox.outbox.send, concurrency=1), "edit": Step(run=inbox.outbox.edit, concurrency=1)}
    return Worker(database=inbox.db, steps=steps, clock=inbox.clock, chance=Random(1), stop=threading.Event())


def stop():
    raise Stopped("stopped while it waited for its turn")


def test_what_waits_without_a_job_gets_one(inbox):
    (one,) = inbox.judged("1")
    with inbox.db.transaction() as tx:
        tx.run_text("DELETE FROM jobs WHERE kind = 'deliver'")
        assert requeue(tx, NOON) == 1
        assert requeue(tx, NOON) == 0
    (job,) = unfinished(inbox, "deliver")
    assert job.args == {"delivery_id": inbox.delivery(one).id}


def test_one_whose_job_was_given_up_while_it_was_sent_is_shown_as_failed(inbox):
    (one,) = inbox.judged("1")
    with inbox.db.transaction() as tx:
        tx.run_text("UPDATE deliveries SET state = 'sending'")
        tx.run_text("UPDATE jobs SET status = 'failed' WHERE kind = 'deliver'")
        requeue(tx, NOON)
    assert inbox.delivery(one).state == "failed"
    assert unfinished(inbox, "deliver") == []


def test_one_whose_job_a_person_cancelled_stays_unsent_until_a_person_asks_for_it(inbox):
    (one,) = inbox.judged("1")
    (job,) = unfinished(inbox, "deliver")
    with inbox.db.transaction() as tx:
        jobs.cancel(tx, job.id, who="user")
        assert requeue(tx, NOON) == 0
    assert (inbox.delivery(one).state, inbox.delivery(one).why) == ("failed", "cancelled by user")
    told = delivery_sentence(inbox.delivery(one), replace(job, status="failed"), None, NOON)
    assert told == f"not sent to telegram: cancelled by user; `radar jobs retry {job.id}` tries again"
    with inbox.db.transaction() as tx:
        assert jobs.retry(tx, job.id, who="user")
    worker(inbox).once()
    assert inbox.delivery(one).state == "sent"


def test_a_failed_one_is_sent_when_a_person_asks_for_it(inbox):
    (one,) = inbox.judged("1")
    inbox.chat.errors.append(BadQuery("too long"))
    inbox.deliver_all()
    assert inbox.delivery(one).state == "failed"
    inbox.deliver_all()
    assert inbox.delivery(one).state == "sent"


def test_one_put_off_while_it_was_sent_comes_again_and_its_message_says_so(inbox):
    (one,) = inbox.judged("1")
    inbox.chat.while_sending = lambda: mark(inbox, one, "later")
    inbox.deliver_all()
    inbox.chat.while_sending = lambda: None
    assert (inbox.delivery(one).state, inbox.delivery(one).due_at) == ("held", NOON + timedelta(hours=24))
    inbox.edit_all()
    assert inbox.chat.edited[-1][1].cards[0].later_until == NOON + timedelta(hours=24)
    inbox.clock.pass_by(hours=24)
    inbox.deliver_all()
    assert [notice.cards[0].is_reminder for notice in inbox.chat.sent] == [False, True]


def test_one_put_off_while_radar_was_down_in_the_middle_of_sending_waits_for_its_time(inbox):
    (one,) = inbox.judged("1")
    inbox.chat.while_sending = stop
    with pytest.raises(Stopped):
        inbox.deliver_all()
    inbox.chat.while_sending = lambda: None
    mark(inbox, one, "later")
    assert isinstance(inbox.deliver_all()[0], Snooze)
    assert inbox.chat.sent == []
    inbox.clock.pass_by(hours=24)
    inbox.deliver_all()
    assert len(inbox.chat.sent) == 1


def test_one_decided_while_radar_was_down_in_the_middle_of_sending_is_sent_after_an_undo(inbox):
    (one,) = inbox.judged("1")
    inbox.chat.while_sending = stop
    with pytest.raises(Stopped):
        inbox.deliver_all()
    inbox.chat.while_sending = lambda: None
    mark(inbox, one)
    inbox.deliver_all()
    assert inbox.delivery(one).state == "left out"
    undo(inbox)
    inbox.deliver_all()
    assert (len(inbox.chat.sent), inbox.status(one)) == (1, "SENT_TO_USER")


def test_a_card_that_breaks_its_message_takes_none_of_its_digest_with_it(inbox):
    ids = inbox.judged(*(str(one) for one in range(12)))
    real = inbox.chat.send

    def send(notice):
        if any(card.key == "3" for card in notice.cards):
            raise ZeroDivisionError
        return real(notice)

    inbox.chat.send = send
    for _ in range(4):
        inbox.deliver_all()
        inbox.clock.pass_by(minutes=5)
    states = {inbox.delivery(one).state for one in ids}
    assert states == {"sent", "failed"}
    assert sum(len(notice.cards) for notice in inbox.chat.sent) == 11


def test_an_error_nobody_foresaw_fails_one_delivery_and_says_so(inbox):
    (one,) = inbox.judged("1")
    inbox.chat.errors.append(ZeroDivisionError("oh"))
    assert isinstance(inbox.deliver_all()[0], Fail)
    assert "nobody foresaw" in (inbox.delivery(one).why or "")


def test_a_worker_that_has_lost_its_job_sends_nothing(inbox):
    (one,) = inbox.judged("1")
    inbox.has_lost_its_job = True
    assert isinstance(inbox.deliver_all()[0], Done)
    assert inbox.chat.sent == []
    assert inbox.delivery(one).state == "waiting"


def test_a_reminder_held_by_quiet_hours_is_taken_back_by_an_undo(db):
    inbox = Inbox(db)
    (one,) = inbox.judged("1")
    inbox.deliver_all()
    mark(inbox, one, "later")
    inbox.quiet_hours = DailyWindow(start=time(0), end=time(23), zone="UTC")
    inbox.clock.pass_by(hours=24)
    inbox.deliver_all()
    undo(inbox)
    inbox.quiet_hours = None
    inbox.clock.pass_by(days=2)
    inbox.deliver_all()
    assert len(inbox.chat.sent) == 1


def test_after_a_reminder_both_messages_show_a_decision(inbox):
    (one,) = inbox.judged("1")
    inbox.deliver_all()
    mark(inbox, one, "later")
    inbox.clock.pass_by(hours=24)
    inbox.deliver_all()
    inbox.edit_all()
    inbox.chat.edited.clear()
    mark(inbox, one)
    inbox.edit_all()
    assert {(reference, notice.cards[0].status) for reference, notice in inbox.chat.edited} == {
        ("1:1", "APPLIED"),
        ("1:2", "APPLIED"),
    }


def test_the_cards_of_a_digest_keep_their_places(inbox):
    ids = inbox.judged(*(str(one) for one in range(11)))
    inbox.deliver(inbox.delivery(ids[5]).id)
    sent = [card.match_id for card in inbox.chat.sent[0].cards]
    mark(inbox, ids[0])
    inbox.edit_all()
    assert [card.match_id for card in inbox.chat.edited[-1][1].cards] == sent


def test_an_error_nobody_foresaw_skips_the_match_and_the_job_leaves_the_queue(inbox):
    (one,) = inbox.store("1")
    inbox.model.error = ZeroDivisionError("oh")
    assert isinstance(inbox.process(one), Done)
    assert inbox.status(one) == "SKIPPED"
    assert "nobody foresaw" in inbox.last_why(one)


@pytest.mark.parametrize(("hours_later", "state"), [(0, "left out"), (3, "waiting")])
def test_a_baseline_of_a_source_that_tells_days_leaves_out_what_was_there_and_not_what_came_the_same_day(
    inbox, hours_later, state
):
    inbox.for_watch(first_run="baseline")
    inbox.clock.pass_by(hours=hours_later)
    (one,) = inbox.judged("1", published_at=MIDNIGHT)
    assert inbox.delivery(one).state == state


def test_pages_that_say_nothing_do_not_keep_the_others_from_being_checked(inbox):
    from inforadar.domain.errors import NoVerdict

    ids = inbox.judged(*(str(one) for one in range(150)))
    inbox.clock.pass_by(days=1, seconds=1)
    inbox.pages.says = NoVerdict("login wall")
    asked = set()
    for _ in range(3):
        with inbox.db.transaction() as tx:
            inbox.checking.put(tx)
        for job in unfinished(inbox, "check"):
            asked.add(job.args["match_id"])
            inbox.check(job.args["match_id"])
            with inbox.db.transaction() as tx:
                jobs.cancel(tx, job.id, who="test")
    assert asked == set(ids)


def test_a_description_that_changed_in_substance_is_judged_again_and_shown(inbox):
    (one,) = inbox.judged("1")
    inbox.deliver_all()
    inbox.model.score = 0.2
    inbox.check(one)
    assert len(inbox.model.questions) == 1
    inbox.pages.says = type(inbox.pages.says)(availability="alive", full_text="We look for a florist now.")
    inbox.check(one)
    inbox.edit_all()
    with inbox.db.reading() as tx:
        view = matches.get(tx, one)
        assert [analysis.score for analysis in analyses.of_match(tx, one)] == [0.2, 0.9]
    assert (view.status, view.score) == ("SENT_TO_USER", 0.2)
    assert inbox.chat.edited[-1][1].cards[0].score == 0.2


def test_effects_of_a_batch_are_applied_in_the_order_of_their_matches(db):
    order = []
    steps = {
        "a": Step(run=lambda job, _context: Done(effects=lambda _tx: order.append(job.args["n"]), order=job.args["n"]))
    }
    from inforadar.domain.job import NewJob

    with db.transaction() as tx:
        jobs.put(tx, [NewJob(kind="a", args={"n": n}) for n in (3, 1, 2)])
    one = Worker(database=db, steps=steps, clock=Inbox(db).clock, chance=Random(1), stop=threading.Event())
    one.once()
    assert order == [1, 2, 3]


def test_a_verdict_is_measured_anew_when_the_watch_asks_for_less(inbox):
    (one,) = inbox.store("1")
    with inbox.db.transaction() as tx:
        verdict = Verdict(judge="model", score=0.5, reason="so so")
        for is_relevant in (False, True):
            analyses.add(tx, one, verdict, is_relevant=is_relevant, substance="s", now=NOON)
        assert [analysis.is_relevant for analysis in analyses.of_match(tx, one)] == [True]
        assert deliveries.of_match(tx, one) == []
