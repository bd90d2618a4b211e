"""What lists and stories say, and how little room they need for it."""

from inforadar.interfaces.cli.field_words import field_words


def test_a_table_is_told_in_words():
    assert field_words({"Seniority level": "Entry", "Type": ["Full-time", "Remote"], "Pay": None}, 80) == (
        "Seniority level Entry, Type Full-time, Remote"
    )
    assert field_words(None, 80) == field_words([], 80) == field_words({}, 80) == "nothing"
    assert field_words(False, 80) == "no"
    assert field_words("a\x1b[2Jb\nc", 80) == "ab c"
    assert field_words("x" * 50, 10) == "xxxxxxxxx…"


def test_the_company_stays_where_the_list_is_narrow(radar):
    radar("fetch")
    radar.env["COLUMNS"] = "80"
    head = radar("items").out.splitlines()[0]
    assert "COMPANY/AUTHOR" in head
    assert max(map(len, radar("items").out.splitlines())) <= 80
