"""Where the header stands: rows above it, none below it, and a tab that only looks empty."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import pytest

from inforadar.domain.errors import Refused, Unavailable
from inforadar.domain.ports import Request
from inforadar.domain.sheet_columns import OFFER_COLUMNS
from service.sheets_rig import Rig, rig_over

MOST_PULSES = 400
LAST_LOOK = 4
"""Behind this read of a sync the rows are known to stand; whoever deletes them then means it."""


@pytest.fixture
def rig(sqlite_db) -> Iterator[Rig]:
    with rig_over(sqlite_db) as made:
        yield made


def typed(rig: Rig) -> dict[tuple[int, int], object]:
    return {(row, column): cell.value for row, column, cell in cells(rig) if cell.option == "typed"}


def cells(rig: Rig):
    return [(row, column, cell) for tab, row, column, cell in rig.sheet.cells() if tab == "Offers"]


def column(rig: Rig, at: int) -> dict[int, object]:
    """What stands in a column, by row."""
    return {row: cell.value for row, place, cell in sorted(cells(rig), key=lambda one: one[:2]) if place == at}


def run_briefly(rig: Rig):
    """A sync that is ended if it goes on and on."""
    pulses = iter(range(MOST_PULSES))
    return rig.sync().run(lambda: next(pulses), rig.tell, takes_all=True)


@contextmanager
def before_read(rig: Rig, number: int, edit: Callable[[], None]) -> Iterator[None]:
    """Within the block the owner edits the sheet once, right before the so-manieth read of its cells."""
    reads = 0

    def meanwhile(request: Request) -> None:
        nonlocal reads
        reads += request.path.endswith("values:batchGet")
        if reads == number:
            rig.meanwhile = None
            edit()

    rig.meanwhile = meanwhile
    yield
    rig.meanwhile = None


@pytest.mark.parametrize("above", [1, 3])
def test_rows_above_the_header_are_left_alone_and_the_table_below_is_kept_up(rig, above):
    (match_id, _) = rig.store("1", "2")
    rig.run()
    rig.sheet.add_column("Offers", "mine", 1)
    for row in (2, 3):
        rig.sheet.type("Offers", row, 1, f"my text {row}")
    rig.sheet.type("Offers", 2, 17, "applied")
    for _ in range(above):
        rig.insert_row(1)
    rig.store("3")
    rig.store("1", watch="v")
    report = rig.run()
    assert (report.offers.added, report.offers.updated, report.offers.deleted_by_user) == (1, 1, 0)
    assert rig.match(match_id).status == "APPLIED"
    assert column(rig, 2) == {above + 1: "key", above + 2: "hh:1", above + 3: "hh:2", above + 4: "hh:3"}
    assert column(rig, 15)[above + 2] == "w, v"
    mine = {(1, 1): "mine", (2, 1): "my text 2", (3, 1): "my text 3", (2, 17): "applied"}
    assert typed(rig) == {(row + above, place): text for (row, place), text in mine.items()}
    assert min(row for row, _, _ in cells(rig)) == above + 1
    assert run_briefly(rig).offers.updated == 0


def test_a_title_above_the_header_is_no_header(rig):
    rig.store("1")
    rig.run()
    rig.insert_row(1)
    rig.sheet.type("Offers", 1, 3, "Key")
    rig.store("2")
    assert rig.run().offers.deleted_by_user == 0
    assert column(rig, 1) == {2: "key", 3: "hh:1", 4: "hh:2"}


@pytest.mark.parametrize("number", range(1, 9))
def test_a_row_inserted_above_the_header_in_the_middle_of_a_sync_is_followed(rig, number):
    rig.store("1")
    rig.run()
    rig.store("2")
    rig.store("1", watch="v")
    with before_read(rig, number, lambda: rig.insert_row(1)):
        run_briefly(rig)
    assert run_briefly(rig).offers.deleted_by_user == 0
    assert sorted(filter(lambda text: str(text).startswith("hh:"), column(rig, 1).values())) == ["hh:1", "hh:2"]


def test_a_header_too_far_down_is_refused_with_the_remedy_and_nothing_is_written_or_given_up(rig):
    rig.store("1")
    rig.run()
    before = [cell.value for _, _, cell in cells(rig)]
    for _ in range(25):
        rig.insert_row(1)
    rig.store("2")
    with pytest.raises(Refused, match="delete empty rows above the header"):
        rig.run()
    assert [cell.value for _, _, cell in cells(rig)] == before
    tab = rig.sheet.book.tab("Offers")
    tab.cells = {(row - 25, place): cell for (row, place), cell in tab.cells.items()}
    assert rig.run().offers.deleted_by_user == 0
    assert rig.keys() == ["hh:1", "hh:2"]


def test_a_tab_of_the_users_that_is_empty_at_the_top_is_not_taken_and_another_title_helps(rig):
    rig.store("1")
    rig.sheet.rename_tab("Sheet1", "Offers")
    rig.sheet.type("Offers", 30, 1, "my own list")
    with pytest.raises(Refused, match="give it another title"):
        rig.run()
    assert typed(rig) == {(30, 1): "my own list"}
    assert len(cells(rig)) == 1
    rig.sheet.rename_tab("Offers", "Mine")
    rig.run()
    assert rig.keys() == ["hh:1"]


def test_an_empty_tab_gets_the_header_in_its_first_row(rig):
    rig.store("1")
    rig.sheet.rename_tab("Sheet1", "Offers")
    rig.run()
    assert rig.sheet.header("Offers") == [*OFFER_COLUMNS, "feedback", "note"]
    assert rig.keys() == ["hh:1"]


def test_a_tab_with_its_header_alone_grows_before_it_is_read(rig):
    rig.store("1")
    rig.run()
    rig.cut_below(1)
    rig.cut_below(1, "Companies")
    rig.store("2")
    report = rig.run()
    assert (report.offers.added, report.offers.deleted_by_user) == (1, 1)
    assert rig.keys() == ["hh:2"]


@pytest.mark.parametrize("number", range(1, 8))
def test_rows_that_are_all_deleted_in_the_middle_of_a_sync_end_it_well(rig, number):
    rig.store("1")
    rig.run()
    rig.store("2")
    rig.store("1", watch="v")
    # it was listed with more rows than it has
    with before_read(rig, number, lambda: rig.cut_below(1)), suppress(Unavailable):
        run_briefly(rig)
    run_briefly(rig)
    keys = list(filter(None, rig.keys()))
    assert len(keys) == len(set(keys))
    assert "hh:2" in keys or number > LAST_LOOK


@pytest.mark.parametrize("number", range(1, 8))
def test_a_row_inserted_into_a_full_tab_does_not_keep_an_update_from_ending(rig, number):
    keys = [str(one) for one in range(5)]
    rig.store(*keys)
    rig.run()
    rig.sheet.book.tab("Offers").rows = 6
    rig.store(*keys, watch="v")
    with before_read(rig, number, lambda: rig.insert_row(3)):
        run_briefly(rig)
    run_briefly(rig)
    assert [(row["key"], row["watch"]) for row in rig.rows() if row["key"]] == [(f"hh:{key}", "w, v") for key in keys]


def test_rows_that_never_stand_still_end_the_try(rig):
    rig.store("1", "2")
    rig.run()
    rig.store("1", watch="v")
    rig.meanwhile = lambda request: rig.insert_row(2) if request.path.endswith("values:batchGet") else None
    with pytest.raises(Unavailable, match="being moved"):
        run_briefly(rig)
    rig.meanwhile = None
    assert rig.run().offers.updated == 1
