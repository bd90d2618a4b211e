"""What the user writes into the sheet becomes triage once, can be undone, and gives way to what was decided later."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from inforadar.service.sheets_feedback import Wish, is_after_cell, read_wish
from inforadar.store import acts, matches
from service.sheets_rig import Rig, rig_over


@pytest.fixture
def rig(db) -> Iterator[Rig]:
    with rig_over(db) as made:
        yield made


@pytest.fixture
def written(rig) -> int:
    """A match that stands in the sheet."""
    (match_id,) = rig.store("1")
    rig.run()
    return match_id


def fill(rig: Rig, text: str, column: str = "feedback") -> None:
    rig.sheet.fill("Offers", "hh:1", column, text)
    rig.pass_by(hours=1)


def verbs(rig: Rig) -> list[tuple[str, str]]:
    """Every act, oldest first: who and what."""
    with rig.db.reading() as tx:
        return [(act.who, act.verb) for act in acts.latest(tx)][::-1]


@pytest.mark.parametrize(
    ("text", "verb"),
    [
        *((text, "applied") for text in ("applied", " Applied! ", "APPLIED", "Откликнулся", "postulado", "✅ applied")),
        *((text, "not interested") for text in ("not interested", "no", "Не интересно", "No me interesa", "мимо")),
        *((text, "later") for text in ("later", "Позже", "más tarde", "después", "maybe")),
    ],
)
def test_a_decision_is_read_in_three_languages(text, verb):
    assert read_wish(text, "") == Wish(verb=verb)


@pytest.mark.parametrize(
    ("feedback", "note", "wish"),
    [
        ("", "", Wish()),
        ("call them on Monday", "", Wish(note="call them on Monday")),
        ("", "nice office", Wish(note="nice office")),
        ("applied: sent the long CV", "", Wish(verb="applied", note="sent the long CV")),
        ("no, too far", "", Wish(verb="not interested", note="too far")),
        ("applied (twice)", "asks for references", Wish(verb="applied", note="twice; asks for references")),
        ("they said no", "", Wish(note="they said no")),
        ("rejected", "", Wish(note="rejected")),
        ("no-code platform", "", Wish(note="no-code platform")),
        ("=1+1", "\x1b[31mred", Wish(note="=1+1; red")),
    ],
)
def test_any_other_text_is_a_note(feedback, note, wish):
    assert read_wish(feedback, note) == wish


def test_a_filled_cell_becomes_a_decision_once(rig, written):
    fill(rig, "applied")
    assert rig.run().feedback == {"decided": 1, "undone": 0, "noted": 0, "conflicts": 0}
    assert rig.match(written).status == "APPLIED"
    assert rig.rows()[0]["status"] == "applied"
    rig.run()
    rig.run()
    assert verbs(rig) == [("sheets", "applied")]


def test_a_note_is_kept_with_its_match_and_taken_away_with_its_cell(rig, written):
    fill(rig, "ask Ana", "note")
    assert rig.run().feedback["noted"] == 1
    assert (rig.match(written).note, rig.match(written).status) == ("ask Ana", "SENT_TO_USER")
    fill(rig, "", "note")
    rig.run()
    assert rig.match(written).note is None


def test_a_cleared_cell_takes_its_decision_back(rig, written):
    fill(rig, "not interested")
    rig.run()
    fill(rig, "")
    assert rig.run().feedback["undone"] == 1
    assert rig.match(written).status == "SENT_TO_USER"


def test_a_decision_from_the_sheet_can_be_undone_and_its_old_cell_does_not_bring_it_back(rig, written):
    fill(rig, "applied")
    rig.run()
    with rig.db.transaction() as tx:
        rig.sync().triage.undo(tx, "telegram")
    rig.next_night()
    rig.run()
    assert rig.match(written).status == "SENT_TO_USER"
    assert verbs(rig) == [("sheets", "applied"), ("telegram", "undo")]


def test_a_later_decision_elsewhere_wins_over_a_cell_that_has_not_changed(rig, written):
    fill(rig, "applied")
    rig.run()
    with rig.db.transaction() as tx:
        rig.sync().triage.mark(tx, [written], "not interested", "telegram")
    rig.next_night()
    assert rig.run().feedback["conflicts"] == 0
    assert rig.match(written).status == "NOT_INTERESTED"
    assert rig.rows()[0] | {"status": "not interested", "feedback": "applied"} == rig.rows()[0]


def decide(rig: Rig, match_id: int, verb: str, who: str = "telegram") -> None:
    with rig.db.transaction() as tx:
        rig.sync().triage.mark(tx, [match_id], verb, who)


def told(rig: Rig, match_id: int) -> list[tuple[str, str]]:
    """What the history of a match says last, of two decisions."""
    with rig.db.reading() as tx:
        return [(event.who, event.why) for event in matches.events(tx, match_id)][-2:]


@pytest.mark.parametrize(
    ("hours", "is_later"), [(0, False), (1, False), (11, False), (13, True), (23, True), (24, True)]
)
def test_a_cell_counts_as_changed_in_the_middle_between_two_readings(hours, is_later):
    read_at = datetime(2026, 1, 6, 3, tzinfo=UTC)
    decided_at = read_at + timedelta(hours=hours)
    assert is_after_cell(decided_at, read_at, read_at + timedelta(hours=24)) == is_later


def test_a_cell_filled_in_the_evening_wins_over_a_decision_of_the_morning_and_both_are_kept(rig, written, capsys):
    rig.pass_by(hours=5)
    decide(rig, written, "not interested")
    rig.pass_by(hours=10)
    fill(rig, "applied")
    rig.next_night()
    report = rig.run()
    assert (report.feedback["conflicts"], rig.match(written).status) == (1, "APPLIED")
    assert verbs(rig) == [("telegram", "not interested"), ("sheets", "applied")]
    assert [who for who, _ in told(rig, written)] == ["telegram", "sheets"]
    assert "decided twice" in capsys.readouterr().out


def test_a_decision_of_the_evening_wins_over_a_cell_filled_in_the_morning_and_both_are_kept(rig, written, capsys):
    rig.pass_by(hours=6)
    fill(rig, "applied")
    rig.pass_by(hours=8)
    decide(rig, written, "not interested")
    rig.next_night()
    report = rig.run()
    assert report.feedback == {"decided": 0, "undone": 0, "noted": 0, "conflicts": 1}
    assert rig.match(written).status == "NOT_INTERESTED"
    assert told(rig, written) == [
        ("telegram", "not interested"),
        ("sheets", "applied, but not interested was decided later (telegram)"),
    ]
    assert "decided twice" in capsys.readouterr().out
    rig.next_night()
    assert rig.run().feedback["conflicts"] == 0
    assert rig.match(written).status == "NOT_INTERESTED"
    assert rig.rows()[0] | {"status": "not interested", "feedback": "applied"} == rig.rows()[0]


@pytest.mark.parametrize("nights", [1, 3])
def test_a_decision_from_before_the_last_reading_is_no_rival_of_a_cell_changed_after_it(rig, written, nights):
    """Nights that find nothing new count as readings, whether or not the row was written again."""
    rig.pass_by(hours=20)
    decide(rig, written, "not interested")
    for _ in range(nights):
        rig.next_night()
        rig.run()
    rig.pass_by(hours=2)
    fill(rig, "applied")
    rig.next_night()
    assert rig.run().feedback["conflicts"] == 0
    assert rig.match(written).status == "APPLIED"


def test_a_remark_added_to_an_old_decision_decides_nothing_anew(rig, written):
    fill(rig, "applied")
    rig.run()
    decide(rig, written, "not interested")
    fill(rig, "applied: sent the long CV")
    rig.next_night()
    report = rig.run()
    assert (report.feedback["conflicts"], report.feedback["noted"]) == (0, 1)
    assert rig.match(written).status == "NOT_INTERESTED"


def test_the_same_decision_in_two_places_is_no_conflict(rig, written):
    fill(rig, "applied")
    decide(rig, written, "applied")
    assert rig.run().feedback == {"decided": 0, "undone": 0, "noted": 0, "conflicts": 0}


def test_a_cleared_cell_leaves_a_newer_decision_alone(rig, written):
    fill(rig, "applied")
    rig.run()
    with rig.db.transaction() as tx:
        rig.sync().triage.mark(tx, [written], "not interested", "web")
    fill(rig, "")
    rig.run()
    assert rig.match(written).status == "NOT_INTERESTED"


def test_later_puts_a_match_off_and_its_row_says_so_and_comes_not_again(rig, written):
    fill(rig, "позже")
    rig.run()
    assert rig.match(written).later_until is not None
    assert rig.rows()[0]["status"].startswith("later, 2026-01-07")
    assert rig.delivery(written).state == "sent"
    rig.next_night()
    rig.next_night()
    rig.run()
    assert (rig.keys(), rig.rows()[0]["status"]) == (["hh:1"], "open")


def test_one_cell_counts_for_all_watches_that_share_the_row(rig, written):
    (other,) = rig.store("1", watch="v")
    rig.run()
    fill(rig, "applied")
    rig.run()
    assert [rig.match(one).status for one in (written, other)] == ["APPLIED", "APPLIED"]


def test_what_is_heard_goes_by_the_header_and_not_by_the_place(rig, written):
    rig.sheet.move_column("Offers", "feedback", 1)
    fill(rig, "no")
    rig.run()
    assert rig.match(written).status == "NOT_INTERESTED"


def test_a_match_decided_before_its_night_is_not_written_and_an_undo_brings_it_into_the_next(rig, written):
    (other,) = rig.store("2")
    with rig.db.transaction() as tx:
        rig.sync().triage.mark(tx, [other], "not interested", "telegram")
    rig.run()
    assert (rig.keys(), rig.delivery(other).state) == (["hh:1"], "left out")
    with rig.db.transaction() as tx:
        rig.sync().triage.undo(tx, "telegram")
    rig.run()
    assert (rig.keys(), rig.delivery(other).state) == (["hh:1", "hh:2"], "sent")


def test_other_words_for_the_columns_may_be_chosen(db):
    with rig_over(db) as rig:
        rig.settings = {"feedback_column": "Решение", "note_column": "Nota", "offers_sheet": "Вакансии"}
        (match_id,) = rig.store("1")
        rig.run()
        rig.sheet.fill("Вакансии", "hh:1", "Решение", "отклик")
        rig.sheet.fill("Вакансии", "hh:1", "Nota", "buena")
        rig.run()
        assert (rig.match(match_id).status, rig.match(match_id).note) == ("APPLIED", "buena")
