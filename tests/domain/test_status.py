"""The one table of moves of a match."""

import pytest

from inforadar.domain.status import MOVES, WORDS, Status, may_move, status_words

MACHINE = {
    (None, "QUEUED"), ("NEW", "QUEUED"), ("NEW", "SKIPPED"),
    ("QUEUED", "IN_ARCHIVE"), ("QUEUED", "ANALYZED"), ("QUEUED", "NOT_SUITABLE"),
    ("QUEUED", "SKIPPED"), ("QUEUED", None),
    ("ANALYZED", "SENT_TO_USER"), ("ANALYZED", "SKIPPED"), ("ANALYZED", "IN_ARCHIVE"), ("SENT_TO_USER", "IN_ARCHIVE"),
}  # fmt: skip
RECOVERY = {("SKIPPED", "NEW"), ("SKIPPED", None)}
PLACES = [None, *Status]


def allowed(who):
    return {(old, new) for old in PLACES for new in PLACES if may_move(old, new, who)}


def test_the_machine_makes_exactly_these_moves():
    assert allowed("machine") == MACHINE


def test_recovery_only_gives_skipped_matches_another_chance_or_deletes_them():
    assert allowed("recovery") == RECOVERY


@pytest.mark.parametrize("final", [Status.NOT_SUITABLE, Status.IN_ARCHIVE])
def test_final_statuses_are_final_for_the_machine(final):
    assert not any(may_move(final, new, who) for new in PLACES for who in ("machine", "recovery"))


def test_the_user_may_decide_on_any_match_but_only_in_two_ways():
    assert allowed("user") == {(old, new) for old in Status for new in ("APPLIED", "NOT_INTERESTED") if old != new}


def test_undo_restores_whatever_was_before_and_neither_creates_nor_deletes():
    assert allowed("undo") == {(old, new) for old in Status for new in Status if old != new}


def test_the_machine_never_takes_back_what_the_user_decided():
    for who in ("machine", "recovery"):
        assert Status.APPLIED not in MOVES[who]
        assert Status.NOT_INTERESTED not in MOVES[who]


def test_every_status_has_its_own_words_and_they_fit_a_column():
    assert set(WORDS) == set(Status)
    assert len(set(WORDS.values())) == len(WORDS)
    assert max(map(len, WORDS.values())) <= 14


def test_a_status_of_a_newer_program_is_told_as_it_is():
    assert status_words("SENT_TO_USER") == "sent"
    assert status_words("DREAMT_OF") == "DREAMT_OF"
