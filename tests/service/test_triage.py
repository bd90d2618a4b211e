"""What the user decides: once, undoable, as a batch, and shown wherever the match was sent; on both databases."""

from dataclasses import replace
from datetime import timedelta

import pytest

from inforadar.domain.delivery import DECIDED, PUT_OFF
from inforadar.domain.status import Status
from inforadar.service.triage import Triage
from inforadar.store import acts, deliveries, jobs, matches
from service.conftest import AT


class Now:
    """A clock that stands where it is put."""

    def __init__(self):
        self.at = AT

    def now(self):
        return self.at

    def mono(self):
        return self.at.timestamp()


@pytest.fixture
def clock():
    return Now()


@pytest.fixture
def triage(clock):
    return Triage(clock=clock, later=timedelta(hours=24))


def status(tx, match_id):
    return matches.get(tx, match_id).status


def sent(tx, match_id, reference="1:7"):
    delivery_id = deliveries.add(tx, match_id, "telegram", state="sending", due_at=AT, now=AT)
    stored = deliveries.get(tx, delivery_id)
    deliveries.write(tx, stored, replace(stored, state="sent", reference=reference, sent_at=AT), AT)
    deliveries.add_message(tx, reference, [delivery_id])
    return delivery_id


def waiting(tx, match_id):
    return deliveries.add(tx, match_id, "telegram", state="waiting", due_at=AT, now=AT)


@pytest.mark.parametrize(("verb", "expected"), [("applied", "APPLIED"), ("not interested", "NOT_INTERESTED")])
def test_a_decision_moves_the_match_and_is_logged_with_who_and_why(db, stored_matches, triage, verb, expected):
    (one,) = stored_matches(1)
    with db.transaction() as tx:
        act = triage.mark(tx, [one], verb, "web")
        assert (act.changed, dict(act.unchanged)) == ((one,), {})
        assert status(tx, one) == expected
        last = matches.events(tx, one)[-1]
    assert (last.who, last.from_status, last.to_status, last.why) == ("web", "QUEUED", expected, verb)


def test_deciding_the_same_again_changes_nothing(db, stored_matches, triage):
    (one,) = stored_matches(1)
    with db.transaction() as tx:
        triage.mark(tx, [one], "applied", "web")
        again = triage.mark(tx, [one], "applied", "api")
        assert (again.id, again.changed) == (None, ())
        assert "already" in again.unchanged[one]
        assert len(matches.events(tx, one)) == 2


def test_unknown_matches_are_named_and_the_others_decided(db, stored_matches, triage):
    (one,) = stored_matches(1)
    with db.transaction() as tx:
        act = triage.mark(tx, [one, 999], "applied", "api")
    assert act.changed == (one,)
    assert act.unchanged == {999: "there is no such match"}


def test_a_batch_is_undone_as_one_and_each_match_gets_its_own_status_back(db, stored_matches, triage):
    first, second, third = stored_matches(3)
    with db.transaction() as tx:
        matches.move(tx, second, Status.QUEUED, Status.ANALYZED, who="machine", why="good", now=AT)
        act = triage.mark(tx, [first, second, third], "not interested", "web")
        undone = triage.undo(tx, "web")
        assert undone.changed == (first, second, third)
        assert [status(tx, one) for one in (first, second, third)] == ["QUEUED", "ANALYZED", "QUEUED"]
        assert acts.get(tx, act.id).undone_by == undone.id


def test_undo_goes_back_one_act_at_a_time(db, stored_matches, triage):
    (one,) = stored_matches(1)
    with db.transaction() as tx:
        triage.mark(tx, [one], "applied", "web")
        triage.mark(tx, [one], "not interested", "web")
        triage.undo(tx, "web")
        assert status(tx, one) == "APPLIED"
        triage.undo(tx, "web")
        assert status(tx, one) == "QUEUED"
        assert triage.undo(tx, "web").changed == ()


def test_undoing_an_older_act_does_not_reverse_a_newer_decision(db, stored_matches, triage):
    one, other = stored_matches(2)
    with db.transaction() as tx:
        old = triage.mark(tx, [one, other], "applied", "telegram")
        triage.mark(tx, [one], "not interested", "web")
        undone = triage.undo(tx, "telegram", old.id)
        assert undone.changed == (other,)
        assert undone.unchanged == {one: "decided anew since"}
        assert [status(tx, match) for match in (one, other)] == ["NOT_INTERESTED", "QUEUED"]


def test_an_act_is_undone_once(db, stored_matches, triage):
    (one,) = stored_matches(1)
    with db.transaction() as tx:
        act = triage.mark(tx, [one], "applied", "web")
        triage.undo(tx, "web", act.id)
        assert triage.undo(tx, "web", act.id).changed == ()
        assert status(tx, one) == "QUEUED"


def test_one_match_of_a_batch_can_be_undone_by_itself_and_the_rest_later(db, stored_matches, triage):
    one, other = stored_matches(2)
    with db.transaction() as tx:
        act = triage.mark(tx, [one, other], "applied", "web")
        assert triage.undo(tx, "telegram", act.id, one).changed == (one,)
        assert [status(tx, match) for match in (one, other)] == ["QUEUED", "APPLIED"]
        assert triage.undo(tx, "telegram", act.id, one).changed == ()
        assert acts.get(tx, act.id).undone_by is None
        assert triage.undo(tx, "web").changed == (other,)
        assert acts.get(tx, act.id).undone_by is not None
        assert acts.latest(tx, only_undoable=True) == []


def test_undoing_an_act_that_never_was_changes_nothing(db, triage):
    with db.transaction() as tx:
        assert triage.undo(tx, "api", 12345).id is None
        assert triage.undo(tx, "api").id is None


def test_what_is_decided_is_not_sent_any_more_and_an_undo_sends_it(db, stored_matches, triage):
    (one,) = stored_matches(1)
    with db.transaction() as tx:
        waiting(tx, one)
        triage.mark(tx, [one], "applied", "web")
        (delivery,) = deliveries.of_match(tx, one)
        assert (delivery.state, delivery.why) == ("left out", DECIDED)
        triage.undo(tx, "web")
        (delivery,) = deliveries.of_match(tx, one)
        assert delivery.state == "waiting"
        assert [job.args for job in jobs.search(tx, kind="deliver")] == [{"delivery_id": delivery.id}]


def test_the_message_of_a_sent_match_is_refreshed_by_every_act(db, stored_matches, triage):
    (one,) = stored_matches(1)
    with db.transaction() as tx:
        sent(tx, one)
        triage.mark(tx, [one], "applied", "web")
        triage.undo(tx, "web")
        edits = jobs.search(tx, kind="edit")
    assert [job.args for job in edits] == [{"reference": "1:7", "sink": "telegram"}] * 2


def test_what_is_put_off_comes_again_when_its_time_has_come(db, stored_matches, triage):
    (one,) = stored_matches(1)
    with db.transaction() as tx:
        sent(tx, one)
        triage.mark(tx, [one], "later", "telegram")
        view = matches.get(tx, one)
        (delivery,) = deliveries.of_match(tx, one)
        (job,) = jobs.search(tx, kind="deliver")
    assert (view.status, view.later_until) == ("QUEUED", AT + timedelta(hours=24))
    assert (delivery.state, delivery.why, delivery.due_at) == ("held", PUT_OFF, AT + timedelta(hours=24))
    assert job.run_at == AT + timedelta(hours=24)


def test_undoing_a_later_leaves_the_sent_message_as_it_was(db, stored_matches, triage):
    (one,) = stored_matches(1)
    with db.transaction() as tx:
        sent(tx, one)
        triage.mark(tx, [one], "later", "telegram")
        triage.undo(tx, "telegram")
        assert matches.get(tx, one).later_until is None
        (delivery,) = deliveries.of_match(tx, one)
    assert (delivery.state, delivery.reference) == ("sent", "1:7")


def test_a_decision_ends_a_putting_off_and_its_undo_brings_it_back(db, stored_matches, triage):
    (one,) = stored_matches(1)
    with db.transaction() as tx:
        sent(tx, one)
        triage.mark(tx, [one], "later", "web")
        triage.mark(tx, [one], "applied", "web")
        assert matches.get(tx, one).later_until is None
        assert deliveries.of_match(tx, one)[0].state == "sent"
        triage.undo(tx, "web")
        assert matches.get(tx, one).later_until == AT + timedelta(hours=24)
        assert deliveries.of_match(tx, one)[0].state == "held"


def test_nothing_decided_can_be_put_off(db, stored_matches, triage):
    (one,) = stored_matches(1)
    with db.transaction() as tx:
        triage.mark(tx, [one], "applied", "web")
        assert triage.mark(tx, [one], "later", "web").changed == ()


def test_a_move_that_is_not_in_the_table_is_refused(db, stored_matches):
    (one,) = stored_matches(1)
    with db.transaction() as tx, pytest.raises(Exception, match="may not go from QUEUED to SENT_TO_USER"):
        matches.move(tx, one, Status.QUEUED, Status.SENT_TO_USER, who="machine", why="", now=AT)


def test_a_match_that_moved_meanwhile_is_left_alone(db, stored_matches, triage):
    (one,) = stored_matches(1)
    with db.transaction() as tx:
        triage.mark(tx, [one], "applied", "web")
        assert not matches.move(tx, one, Status.QUEUED, Status.ANALYZED, who="machine", why="late", now=AT)
        assert status(tx, one) == "APPLIED"
