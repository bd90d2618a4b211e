"""Open matches are looked up again: what is closed is archived everywhere, nothing else is; on both databases."""

from datetime import timedelta

import pytest

from inforadar.domain.errors import NoVerdict, RateLimited, Unavailable
from inforadar.domain.job import Snooze
from inforadar.domain.ports import Detail
from inforadar.store import jobs

CLOSED = Detail(availability="gone", is_closed=True)


def test_a_closed_one_is_archived_and_struck_through_where_it_was_sent(inbox):
    (one,) = inbox.judged("1")
    inbox.deliver_all()
    inbox.pages.says = CLOSED
    inbox.check(one)
    assert inbox.status(one) == "IN_ARCHIVE"
    inbox.edit_all()
    _, shown = inbox.chat.edited[-1]
    assert shown.cards[0].status == "IN_ARCHIVE"


def test_a_closed_one_that_was_not_sent_yet_is_not_sent(inbox):
    (one,) = inbox.judged("1")
    inbox.pages.says = CLOSED
    inbox.check(one)
    inbox.deliver_all()
    assert not inbox.chat.sent
    assert inbox.delivery(one).why == "closed before it was sent"


def test_not_found_once_archives_nothing(inbox):
    (one,) = inbox.judged("1")
    inbox.pages.says = Detail(availability="gone")
    outcome = inbox.check(one)
    assert isinstance(outcome, Snooze)
    assert inbox.status(one) == "ANALYZED"
    inbox.clock.at = outcome.until
    inbox.check(one)
    assert inbox.status(one) == "IN_ARCHIVE"


@pytest.mark.parametrize("says", [NoVerdict("wall"), Unavailable("timeout"), RateLimited("429")])
def test_what_says_nothing_changes_nothing(inbox, says):
    (one,) = inbox.judged("1")
    inbox.pages.says = says
    inbox.check(one)
    assert inbox.status(one) == "ANALYZED"


def test_what_the_user_decided_on_is_never_archived(inbox):
    (one,) = inbox.judged("1")
    with inbox.db.transaction() as tx:
        inbox.triage.mark(tx, [one], "applied", "web")
    inbox.pages.says = CLOSED
    inbox.check(one)
    assert inbox.status(one) == "APPLIED"


def test_each_open_item_is_looked_up_about_once_a_day_and_for_weeks_not_for_ever(inbox):
    inbox.judged("1", "2")
    (old,) = inbox.judged("3", published_at=inbox.clock.now() - timedelta(days=60))
    with inbox.db.transaction() as tx:
        assert inbox.checking.put(tx) == 0
    inbox.clock.pass_by(days=1, seconds=1)
    with inbox.db.transaction() as tx:
        assert inbox.checking.put(tx) == 2
        assert inbox.checking.put(tx) == 0
        assert old not in [job.args["match_id"] for job in jobs.search(tx, kind="check")]
