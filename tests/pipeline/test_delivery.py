"""The outbox: everything good is sent once, held in quiet hours, gathered when it is much; on both databases."""

from dataclasses import replace
from datetime import time, timedelta

import pytest

from inforadar.domain.errors import BadQuery, Gone, RateLimited, Refused, Unavailable
from inforadar.domain.job import Done, Fail, Snooze
from inforadar.domain.schedule import DailyWindow
from inforadar.store import deliveries, matches
from pipeline.inbox import NOON, Inbox

NIGHT = DailyWindow(start=time(22), end=time(8), zone="Europe/Madrid")


def decide(inbox, match_id, verb="applied"):
    with inbox.db.transaction() as tx:
        return inbox.triage.mark(tx, [match_id], verb, "web")


def test_a_good_match_is_sent_once_and_marked_as_sent_with_the_time(inbox):
    (one,) = inbox.judged("1")
    inbox.deliver_all()
    inbox.deliver_all()
    (notice,) = inbox.chat.sent
    assert [card.title for card in notice.cards] == ["Python developer 1"]
    assert inbox.status(one) == "SENT_TO_USER"
    delivery = inbox.delivery(one)
    assert (delivery.state, delivery.reference, delivery.sent_at) == ("sent", "1:1", NOON)
    with inbox.db.reading() as tx:
        assert matches.get(tx, one).sent_at == NOON


def test_a_process_that_died_while_it_sent_sends_that_one_again(inbox):
    (one,) = inbox.judged("1")

    def die():
        raise KeyboardInterrupt

    inbox.chat.while_sending = die
    with pytest.raises(KeyboardInterrupt):
        inbox.deliver_all()
    assert inbox.delivery(one).state == "sending"
    inbox.chat.while_sending = lambda: None
    inbox.deliver_all()
    assert (len(inbox.chat.sent), inbox.delivery(one).state) == (1, "sent")


@pytest.mark.parametrize(
    ("error", "wait"),
    [
        (RateLimited("slow down", NOON + timedelta(seconds=35)), timedelta(seconds=35)),
        (Unavailable("reset"), timedelta(seconds=30)),
        (Refused("blocked"), timedelta(minutes=15)),
    ],
    ids=["rate limited", "unavailable", "refused"],
)
def test_what_a_sink_does_not_take_now_stays_in_the_outbox_however_long_that_lasts(inbox, error, wait):
    (one,) = inbox.judged("1")
    for turn in range(3):
        inbox.chat.errors.append(error)
        (outcome,) = inbox.deliver_all()
        assert isinstance(outcome, Snooze)
        delivery = inbox.delivery(one)
        assert (delivery.state, delivery.why, delivery.due_at) == ("waiting", str(error), outcome.until)
        if turn == 0:
            assert outcome.until == NOON + wait
        inbox.clock.at = outcome.until
        if isinstance(error, RateLimited):
            error = RateLimited("slow down", inbox.clock.at + timedelta(seconds=35))
    inbox.deliver_all()
    assert inbox.delivery(one).state == "sent"


def test_one_that_a_sink_will_never_take_is_shown_as_failed_and_the_others_go_on(inbox):
    bad, good = inbox.judged("1", "2")
    inbox.chat.errors.append(BadQuery("too long"))
    first, _second = inbox.deliver_all()
    assert isinstance(first, Fail)
    assert (inbox.delivery(bad).state, inbox.delivery(bad).why) == ("failed", "too long")
    assert (inbox.status(bad), inbox.status(good)) == ("ANALYZED", "SENT_TO_USER")


def test_in_quiet_hours_everything_is_held_and_then_comes_as_a_digest(db):
    inbox = Inbox(db, quiet_hours=NIGHT)
    inbox.clock.at = NOON.replace(hour=22)
    ids = inbox.judged("1", "2", "3")
    outcomes = inbox.deliver_all()
    ends_at = (NOON + timedelta(days=1)).replace(hour=7)  # 08:00 in Madrid
    assert outcomes == [Snooze(until=ends_at, reason="quiet hours")] * 3
    assert {inbox.delivery(one).state for one in ids} == {"held"}
    assert not inbox.chat.sent
    inbox.clock.at = ends_at
    inbox.deliver_all()
    (digest,) = inbox.chat.sent
    assert len(digest.cards) == 3
    assert {inbox.delivery(one).reference for one in ids} == {"1:1"}
    assert {inbox.status(one) for one in ids} == {"SENT_TO_USER"}


def test_a_single_match_held_overnight_comes_as_itself(db):
    inbox = Inbox(db, quiet_hours=NIGHT)
    inbox.clock.at = NOON.replace(hour=22)
    inbox.judged("1")
    (outcome,) = inbox.deliver_all()
    inbox.clock.at = outcome.until
    inbox.deliver_all()
    assert [len(notice.cards) for notice in inbox.chat.sent] == [1]


@pytest.mark.parametrize(("number", "messages"), [(10, [1] * 10), (11, [10, 1]), (25, [10, 10, 5])])
def test_more_than_ten_at_once_are_gathered(inbox, number, messages):
    inbox.judged(*(str(one) for one in range(number)))
    inbox.deliver_all()
    inbox.clock.pass_by(minutes=5)
    inbox.deliver_all()
    assert [len(notice.cards) for notice in inbox.chat.sent] == messages
    assert sum(messages) == number


def test_more_than_ten_in_a_short_while_are_gathered_too_and_none_waits_longer_than_five_minutes(inbox):
    for number in range(16):
        inbox.judged(str(number))
        inbox.deliver_all()
        inbox.clock.pass_by(seconds=10)
    assert [len(notice.cards) for notice in inbox.chat.sent] == [1] * 10
    inbox.clock.pass_by(minutes=5)
    inbox.deliver_all()
    assert [len(notice.cards) for notice in inbox.chat.sent] == [1] * 10 + [6]


def test_after_a_while_matches_go_by_themselves_again(inbox):
    inbox.judged(*(str(one) for one in range(10)))
    inbox.deliver_all()
    inbox.clock.pass_by(minutes=11)
    inbox.judged("another")
    inbox.deliver_all()
    assert len(inbox.chat.sent) == 11


def test_a_digest_that_is_not_taken_goes_one_by_one(inbox):
    ids = inbox.judged(*(str(one) for one in range(12)))
    inbox.chat.refuses_digests = True
    for _ in range(4):
        inbox.deliver_all()
        inbox.clock.pass_by(minutes=5)
    assert {inbox.delivery(one).state for one in ids} == {"sent"}
    assert sorted(len(notice.cards) for notice in inbox.chat.sent) == [1] * 12


def test_what_was_decided_before_it_was_sent_is_not_sent(inbox):
    (one,) = inbox.judged("1")
    decide(inbox, one, "not interested")
    inbox.deliver_all()
    assert not inbox.chat.sent
    assert inbox.delivery(one).state == "left out"


def test_what_is_decided_while_it_is_sent_is_shown_by_an_edit(inbox):
    (one,) = inbox.judged("1")
    inbox.chat.while_sending = lambda: decide(inbox, one)
    inbox.deliver_all()
    assert inbox.status(one) == "APPLIED"
    inbox.chat.while_sending = lambda: None
    inbox.edit_all()
    reference, notice = inbox.chat.edited[-1]
    assert (reference, notice.cards[0].status) == ("1:1", "APPLIED")


def test_a_decision_edits_the_message_and_an_undo_edits_it_back(inbox):
    (one,) = inbox.judged("1")
    inbox.deliver_all()
    act = decide(inbox, one)
    inbox.edit_all()
    _, shown = inbox.chat.edited[-1]
    assert (shown.cards[0].status, shown.cards[0].act_id) == ("APPLIED", act.id)
    with inbox.db.transaction() as tx:
        inbox.triage.undo(tx, "web")
    inbox.edit_all()
    _, shown = inbox.chat.edited[-1]
    assert (shown.cards[0].status, shown.cards[0].act_id) == ("SENT_TO_USER", None)


def test_an_edit_of_a_digest_shows_all_its_matches(inbox):
    ids = inbox.judged(*(str(one) for one in range(11)))
    inbox.deliver_all()
    decide(inbox, ids[0])
    inbox.edit_all()
    _, shown = inbox.chat.edited[-1]
    assert [card.status for card in shown.cards] == ["APPLIED"] + ["SENT_TO_USER"] * 9


def test_a_message_that_is_gone_is_not_edited_for_ever(inbox):
    (one,) = inbox.judged("1")
    inbox.deliver_all()
    decide(inbox, one)
    inbox.chat.errors.append(Gone("message to edit not found"))
    inbox.edit_all()
    assert not inbox.chat.edited


def test_what_is_put_off_comes_again_as_a_reminder_and_once(inbox):
    (one,) = inbox.judged("1")
    inbox.deliver_all()
    decide(inbox, one, "later")
    inbox.edit_all()
    _, shown = inbox.chat.edited[-1]
    assert shown.cards[0].later_until == NOON + timedelta(hours=24)
    (outcome,) = inbox.deliver_all()
    assert outcome == Snooze(until=NOON + timedelta(hours=24), reason="put off by the user")
    inbox.clock.pass_by(hours=24)
    inbox.deliver_all()
    inbox.deliver_all()
    assert [notice.cards[0].is_reminder for notice in inbox.chat.sent] == [False, True]
    assert inbox.delivery(one).reference == "1:2"
    with inbox.db.reading() as tx:
        assert matches.get(tx, one).later_until is None


def test_a_sink_that_is_not_set_up_here_is_waited_for(inbox):
    (one,) = inbox.store("1")
    with inbox.db.transaction() as tx:
        delivery_id = deliveries.add(tx, one, "sheets", state="waiting", due_at=NOON, now=NOON)
    assert isinstance(inbox.deliver(delivery_id), Snooze)
    assert isinstance(inbox.deliver(999), Done)


def test_a_write_from_another_state_changes_nothing(inbox):
    (one,) = inbox.judged("1")
    stored = inbox.delivery(one)
    with inbox.db.transaction() as tx:
        assert deliveries.write(tx, stored, replace(stored, state="sending"), NOON)
        assert not deliveries.write(tx, stored, replace(stored, state="failed"), NOON)
    assert inbox.delivery(one).state == "sending"
