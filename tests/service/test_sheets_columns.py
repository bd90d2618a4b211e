"""The user's columns renamed, deleted, doubled or called otherwise: what was heard of them stands, and that is told."""

from collections.abc import Callable, Iterator

import pytest

from service.sheets_rig import Rig, rig_over

KEYS = ("1", "2", "3")


@pytest.fixture
def rig(db) -> Iterator[Rig]:
    with rig_over(db) as made:
        yield made


@pytest.fixture
def applied(rig) -> list[int]:
    """Three matches on which the sheet decided, with a note each; one night later."""
    match_ids = rig.store(*KEYS)
    rig.run()
    for key in KEYS:
        rig.sheet.fill("Offers", f"hh:{key}", "feedback", "applied")
        rig.sheet.fill("Offers", f"hh:{key}", "note", "my note")
    rig.next_night()
    assert rig.run().feedback["decided"] == len(KEYS)
    rig.next_night()
    return match_ids


def rename(rig: Rig, name: str, to: str) -> None:
    rig.sheet.type("Offers", 1, rig.sheet.header("Offers").index(name) + 1, to)


def standing(rig: Rig, match_ids: list[int]) -> set[tuple[str, str | None]]:
    return {(rig.match(one).status, rig.match(one).note) for one in match_ids}


STANDS = {("APPLIED", "my note")}
NOTHING = {"decided": 0, "undone": 0, "noted": 0, "conflicts": 0}
WAYS: dict[str, Callable[[Rig], object]] = {
    "renamed": lambda rig: rename(rig, "feedback", "My feedback"),
    "deleted": lambda rig: (rig.sheet.delete_column("Offers", "feedback"), rig.sheet.delete_column("Offers", "note")),
    "doubled to the left": lambda rig: rig.sheet.add_column("Offers", "feedback", 1),
    "doubled to the right": lambda rig: rig.sheet.add_column("Offers", "note", 18),
    "another setting": lambda rig: rig.settings.update(feedback_column="decision"),
    "another setting for an empty column": lambda rig: (
        rig.sheet.add_column("Offers", "decision", 1),
        rig.settings.update(feedback_column="decision"),
    ),
}


@pytest.mark.parametrize("way", WAYS)
def test_a_column_that_went_undoes_no_decision_and_erases_no_note(rig, applied, way):
    WAYS[way](rig)
    for _ in range(3):
        assert rig.run().feedback == NOTHING
        rig.next_night()
    assert standing(rig, applied) == STANDS


def test_a_column_that_went_is_told_of_once(rig, applied):
    rename(rig, "feedback", "My feedback")
    rig.run()
    rig.run()
    assert rig.told() == [
        "the tab 'Offers' of the spreadsheet has no column 'feedback': what was heard of it stands, and nothing new is "
        "heard until a column has that name, or [sheets] feedback_column names another one"
    ]
    rig.settings["feedback_column"] = "decision"
    rig.run()
    assert "no column 'decision'" in rig.told()[0]
    assert len(rig.told()) == 2


def test_of_two_feedback_columns_neither_is_heard_and_that_is_told(rig):
    (match_id,) = rig.store("1")
    rig.run()
    rig.sheet.add_column("Offers", "feedback", 18)
    rig.sheet.type("Offers", 2, 18, "no")
    rig.sheet.type("Offers", 2, 16, "applied")
    rig.run()
    rig.run()
    assert rig.match(match_id).status == "SENT_TO_USER"
    (told,) = rig.told()
    assert "radar hears neither of them until one has another name" in told
    rig.sheet.type("Offers", 1, 18, "mine")
    rig.run()
    assert rig.match(match_id).status == "APPLIED"


def test_the_other_column_is_heard_while_one_is_away(rig, applied):
    rename(rig, "feedback", "My feedback")
    rig.sheet.fill("Offers", "hh:1", "note", "called them")
    rig.sheet.fill("Offers", "hh:2", "note", "")
    assert rig.run().feedback == {**NOTHING, "noted": 2}
    assert [(rig.match(one).status, rig.match(one).note) for one in applied] == [
        ("APPLIED", "called them"),
        ("APPLIED", None),
        ("APPLIED", "my note"),
    ]


def test_a_column_that_comes_back_is_heard_again_and_what_changed_meanwhile_too(rig, applied):
    rename(rig, "feedback", "oops")
    rig.run()
    rig.sheet.fill("Offers", "hh:2", "oops", "no")
    rig.next_night()
    assert rig.run().feedback == NOTHING
    rename(rig, "oops", "feedback")
    rig.next_night()
    assert rig.run().feedback == {**NOTHING, "decided": 1}
    assert [rig.match(one).status for one in applied] == ["APPLIED", "NOT_INTERESTED", "APPLIED"]
    rig.sheet.fill("Offers", "hh:1", "feedback", "")
    rig.next_night()
    assert rig.run().feedback == {**NOTHING, "undone": 1}


def test_an_empty_column_in_place_of_a_deleted_one_takes_nothing_back_and_is_heard_from_then_on(rig, applied):
    rig.sheet.delete_column("Offers", "feedback")
    rig.run()
    rig.sheet.add_column("Offers", "feedback", 1)
    rig.sheet.fill("Offers", "hh:1", "feedback", "no")
    rig.sheet.fill("Offers", "hh:2", "feedback", "a nice office")
    for _ in range(2):
        rig.next_night()
        rig.run()
        assert [rig.match(one).status for one in applied] == ["NOT_INTERESTED", "APPLIED", "APPLIED"]
    assert rig.match(applied[1]).note == "a nice office; my note"
    rig.sheet.fill("Offers", "hh:3", "feedback", "no")
    rig.sheet.fill("Offers", "hh:1", "feedback", "")
    rig.next_night()
    rig.run()
    assert [rig.match(one).status for one in applied] == ["APPLIED", "APPLIED", "NOT_INTERESTED"]


def test_the_users_name_for_a_column_may_become_the_setting(rig, applied):
    rename(rig, "feedback", "decision")
    rig.settings["feedback_column"] = "decision"
    assert rig.run().feedback == NOTHING
    rig.sheet.fill("Offers", "hh:1", "decision", "no")
    rig.next_night()
    assert rig.run().feedback == {**NOTHING, "decided": 1}
    assert rig.told() == []


def test_a_column_that_is_deleted_in_the_middle_of_a_sync_undoes_nothing(rig, applied):
    asked = []

    def meanwhile(request) -> None:
        asked.append(request)
        if request.path.endswith("values:batchGet") and "feedback" in rig.sheet.header("Offers") and len(asked) > 3:
            rig.sheet.delete_column("Offers", "feedback")

    rig.meanwhile = meanwhile
    rig.run()
    rig.meanwhile = None
    rig.run()
    assert standing(rig, applied) == STANDS
    assert "feedback" not in rig.sheet.header("Offers")
