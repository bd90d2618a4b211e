"""The same job twice: shown as one group, told once; on both databases."""

from datetime import timedelta

import pytest

from inforadar.sinks.telegram_message import render
from inforadar.store import matches
from pipeline.inbox import Inbox

JOB = {"title": "Python developer", "data": {"place": "Madrid"}}


def the_same(inbox: Inbox, key: str, **changed) -> int:
    """Another posting of the job, judged."""
    (one,) = inbox.judged(key, **(JOB | changed))
    return one


def decide(inbox: Inbox, match_id: int, verb: str) -> None:
    with inbox.db.transaction() as tx:
        inbox.triage.mark(tx, [match_id], verb, "web")


@pytest.mark.parametrize("verb", ["applied", "not interested"])
def test_a_repost_of_what_the_user_decided_on_is_not_sent_and_says_why(inbox, verb):
    first = the_same(inbox, "1")
    decide(inbox, first, verb)
    inbox.clock.pass_by(days=300)
    second = the_same(inbox, "2")
    inbox.deliver_all()
    assert inbox.chat.sent == []
    delivery = inbox.delivery(second)
    assert (delivery.state, delivery.why) == ("left out", f"the same job was decided before (match {first})")
    assert inbox.status(second) == "ANALYZED"


def test_a_repost_within_thirty_days_of_a_message_is_not_sent_and_one_after_them_is(inbox):
    first = the_same(inbox, "1")
    inbox.deliver_all()
    inbox.clock.pass_by(days=29)
    second = the_same(inbox, "2", source="linkedin", url="https://linkedin.com/jobs/view/2")
    inbox.deliver_all()
    assert inbox.delivery(second).why == f"the same job was sent before (match {first})"
    inbox.clock.pass_by(days=2)
    third = the_same(inbox, "3")
    inbox.deliver_all()
    assert inbox.delivery(third).state == "sent"
    assert len(inbox.chat.sent) == 2


def test_another_job_of_the_same_company_is_sent(inbox):
    the_same(inbox, "1")
    another = the_same(inbox, "2", title="Java developer")
    inbox.deliver_all()
    assert inbox.delivery(another).state == "sent"


def test_of_two_postings_that_wait_together_one_is_sent_and_the_other_left_out_by_that(inbox):
    first, second = the_same(inbox, "1"), the_same(inbox, "2")
    assert [inbox.delivery(one).state for one in (first, second)] == ["waiting", "waiting"]
    inbox.deliver_all()
    assert sorted(inbox.delivery(one).state for one in (first, second)) == ["left out", "sent"]
    assert len(inbox.chat.sent) == 1


def test_a_digest_holds_one_posting_of_a_job(inbox):
    ids = [the_same(inbox, str(number), title=f"Developer {number // 2}") for number in range(24)]
    inbox.deliver_all()
    inbox.clock.pass_by(hours=1)
    inbox.deliver_all()
    told = [card.title for notice in inbox.chat.sent for card in notice.cards]
    assert sorted(told) == sorted(f"Developer {number}" for number in range(12))
    assert sorted({inbox.delivery(one).state for one in ids}) == ["left out", "sent"]


def test_a_posting_whose_twin_was_closed_before_it_was_sent_is_sent_itself(inbox):
    first, second = the_same(inbox, "1"), the_same(inbox, "2")
    with inbox.db.transaction() as tx:
        tx.run_text(f"UPDATE matches SET status = 'IN_ARCHIVE' WHERE id = {first}")
    inbox.deliver_all()
    assert (inbox.delivery(first).state, inbox.delivery(second).state) == ("left out", "sent")


def test_what_the_user_put_off_comes_back_although_the_same_job_was_sent(inbox):
    first = the_same(inbox, "1")
    inbox.deliver_all()
    inbox.clock.pass_by(days=31)
    second = the_same(inbox, "2")
    inbox.deliver_all()
    decide(inbox, first, "later")
    inbox.clock.pass_by(days=2)
    inbox.deliver_all()
    assert [notice.cards[0].match_id for notice in inbox.chat.sent] == [first, second, first]


def test_a_message_says_where_else_the_job_is(inbox):
    the_same(inbox, "1", source="linkedin", url="https://linkedin.com/jobs/view/1")
    inbox.deliver_all()
    inbox.clock.pass_by(days=31)
    the_same(inbox, "2")
    the_same(inbox, "3")
    inbox.deliver_all()
    assert inbox.chat.sent[-1].cards[0].also_on == ("hh again", "linkedin")
    message = render(inbox.chat.sent[-1], "token")
    assert "Also on hh again, linkedin" in message.html
    assert "Also on hh again, linkedin" in message.plain


def test_a_match_of_another_watch_silences_nobody(inbox):
    first = the_same(inbox, "1")
    decide(inbox, first, "applied")
    with inbox.db.transaction() as tx:
        tx.run_text(f"UPDATE matches SET watch = 'another' WHERE id = {first}")
    second = the_same(inbox, "2")
    inbox.deliver_all()
    assert inbox.delivery(second).state == "sent"
    with inbox.db.reading() as tx:
        assert [one.match_id for one in matches.get(tx, second).also_on] == [first]


def test_thirty_days_are_counted_from_the_message(inbox):
    the_same(inbox, "1")
    inbox.deliver_all()
    sent_at = inbox.clock.now()
    inbox.clock.at = sent_at + timedelta(days=30)
    assert inbox.delivery(the_same(inbox, "2")).state == "waiting"
