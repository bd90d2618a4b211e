"""What lists and stories say, and how little room they need for it."""

import re

import pytest

from inforadar.domain.health import Health
from inforadar.domain.item import Change
from inforadar.domain.limits import full
from inforadar.interfaces.cli.field_words import change_words, field_words
from inforadar.interfaces.cli.standing_words import last_success, state_words, success_words
from inforadar.interfaces.cli.wording import counted
from inforadar.interfaces.source_standing import SourceStanding
from inforadar.store.sources import SourceHealth
from interfaces.command_line import NOON


def test_a_table_is_told_in_words():
    assert field_words({"Seniority level": "Entry", "Type": ["Full-time", "Remote"], "Pay": None}, 80) == (
        "Seniority level Entry, Type Full-time, Remote"
    )
    assert field_words(None, 80) == field_words([], 80) == field_words({}, 80) == "nothing"
    assert field_words(False, 80) == "no"
    assert field_words("a\x1b[2Jb\nc", 80) == "ab c"
    assert field_words("x" * 50, 10) == "xxxxxxxxx…"


def test_a_changed_price_is_told_as_money():
    change = Change(field="price_cents", old=12345, new=12500)
    assert change_words(change, {"currency": "EUR"}, 60) == "price: 123.45 EUR -> 125.00 EUR"
    assert change_words(Change(field="price_cents", old=None, new=12500), {"currency": "EUR"}, 60) == (
        "price: nothing -> 125.00 EUR"
    )


def test_two_long_texts_that_begin_alike_are_told_from_where_they_differ():
    change = Change(field="full_text", old="same " * 50 + "old end", new="same " * 50 + "new end")
    told = change_words(change, {}, 30)
    assert told == "full text: …same same old end -> …same same new end"


def service(requests: int, health: Health) -> SourceStanding:
    known = SourceHealth(name="judge", enabled=True, bucket=full(60, NOON), requests_total=requests, health=health)
    return SourceStanding(name="judge", is_enabled=True, rate_limit_per_minute=60, known=known)


@pytest.mark.parametrize(
    ("requests", "health", "words"),
    [
        (0, Health(), ("never asked", "never")),
        # the first answer of a slow model is still to come, or the judge was changed after it was asked
        (120, Health(), ("no answer yet", "not yet")),
        (120, Health(last_success_at=NOON), ("ok", "now")),
        (3, Health(failure_streak=3, last_error="down"), ("failing, 3 in a row", "not yet")),
    ],
)
def test_a_service_that_was_asked_is_never_called_never_asked(requests, health, words):
    one = service(requests, health)
    assert (state_words(one, NOON), success_words(one, NOON)) == words


def test_the_company_stays_where_the_list_is_narrow(radar):
    radar("fetch")
    radar.env["COLUMNS"] = "80"
    head = radar("items").out.splitlines()[0]
    assert "COMPANY/AUTHOR" in head
    assert max(map(len, radar("items").out.splitlines())) <= 80


def test_a_moment_in_a_field_is_told_as_all_others_and_its_field_by_a_name_people_use():
    change = Change(field="initial_created_at", old=None, new="2026-11-16T05:38:42+00:00")
    assert change_words(change, {}, 60) == "first posted: nothing -> 2026-11-16 05:38 UTC"


def test_show_and_why_tell_times_in_one_form(radar):
    radar("fetch")
    shown, told = radar("show", "1").out, radar("why", "1").out
    assert re.search(r"published \d{4}-\d\d-\d\d \d\d:\d\d UTC", shown)
    assert not re.search(r"\d{4}-\d\d-\d\dT\d\d:\d\d", shown + told)


@pytest.mark.parametrize(("at", "words"), [(None, "no success yet"), (NOON, "last success now")])
def test_what_never_succeeded_has_no_last_success(at, words):
    assert last_success(at, NOON) == words


@pytest.mark.parametrize(("number", "words"), [(0, "0 queries"), (1, "1 query"), (2, "2 queries")])
def test_a_number_stands_with_its_noun(number, words):
    assert counted(number, "query", "queries") == words
