"""Columns by name, ranges, and rows as few blocks that touch nothing of the user's."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inforadar.simulator.sheets.ranges import letters, read_range
from inforadar.sinks.sheets_cells import (
    LONGEST_CELL,
    Block,
    Header,
    blocks_of,
    column_name,
    column_range,
    find_header,
    header_block,
    read_header,
    rows_range,
    safe,
)


@pytest.mark.parametrize(("place", "name"), [(0, "A"), (25, "Z"), (26, "AA"), (51, "AZ"), (52, "BA"), (702, "AAA")])
def test_columns_are_named_as_google_names_them(place, name):
    assert column_name(place) == name == letters(place + 1)


def test_ranges_are_quoted_so_that_any_title_is_one():
    assert column_range("Ana's jobs", 27, 2) == "'Ana''s jobs'!AB2:AB"
    assert rows_range("Jobs", 2, 3) == "'Jobs'!2:3"


def test_a_header_is_read_by_name_whatever_the_order_and_the_case():
    header = read_header(["Note", "", "STATUS ", "mine", "key", "key"], ["key", "status", "note", "score"])
    assert header == Header(places={"key": 4, "status": 2, "note": 0}, doubled=frozenset({"key"}))
    assert header.unmistakable() == Header(places={"status": 2, "note": 0})
    assert "score" not in header


def test_the_very_name_counts_before_one_that_is_nearly_the_same():
    assert read_header(["Status", "status"], ["status"]) == Header(places={"status": 1})
    assert read_header(["Status", "STATUS"], ["status"]).doubled == {"status"}


NAMES = ("key", "title", "note")


@pytest.mark.parametrize(
    ("lines", "row"),
    [
        ([["key", "title", "note"], ["hh:1", "x"]], 1),
        ([[], ["", "title", "Key"]], 2),
        ([["Jobs of mine"], [], ["key"]], 3),
        ([["key"], ["key", "title"], ["hh:1", "Key"]], 2),
        ([["key", "note"], ["key", "note"]], 1),
    ],
)
def test_the_header_is_the_row_with_a_key_that_bears_most_of_the_names(lines, row):
    found = find_header(lines, NAMES, "key")
    assert found is not None
    assert found.row == found.unmistakable().row == row


@pytest.mark.parametrize("lines", [[], [[]], [["title", "note"]], [["oops", "title"], ["hh:1", "x"]]])
def test_rows_without_a_key_hold_no_header(lines):
    assert find_header(lines, NAMES, "key") is None


def test_a_header_to_write_begins_in_the_first_column():
    assert header_block("Jobs", ["key", "title"]) == Block(range="'Jobs'!A1:B1", values=[["key", "title"]])


def test_neighbouring_rows_and_columns_are_one_block():
    header = Header(places={"key": 0, "title": 1, "note": 2})
    rows = {2: {"key": "a", "title": "A"}, 3: {"key": "b", "title": None}, 7: {"key": "c", "title": "C"}}
    assert blocks_of("Jobs", header, rows) == [
        Block(range="'Jobs'!A2:B3", values=[["a", "A"], ["b", ""]]),
        Block(range="'Jobs'!A7:B7", values=[["c", "C"]]),
    ]


def test_a_long_cell_is_cut_and_nothing_is_an_empty_text():
    assert (safe("x" * (LONGEST_CELL + 1)), safe(None), safe(0.5), safe(0)) == ("x" * LONGEST_CELL, "", 0.5, 0)


@given(
    places=st.dictionaries(st.sampled_from("abcdefgh"), st.integers(0, 40), min_size=1).filter(
        lambda places: len(set(places.values())) == len(places)
    ),
    numbers=st.sets(st.integers(2, 60), min_size=1),
)
def test_blocks_write_every_cell_of_ours_once_and_no_other(places, numbers):
    rows = {number: {name: f"{name}{number}" for name in places} for number in numbers}
    written = {}
    for block in blocks_of("Jobs", Header(places=places), rows):
        area = read_range(block.range)
        for down, line in enumerate(block.values):
            for across, value in enumerate(line):
                place = (area.top + down, area.left + across)
                assert place not in written
                written[place] = value
        assert (area.bottom, area.right) == (area.top + len(block.values) - 1, area.left + len(block.values[0]) - 1)
    assert written == {(n, at + 1): f"{name}{n}" for n in numbers for name, at in places.items()}
