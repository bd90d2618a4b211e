"""Money and place in words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inforadar.domain.money import money_of, place_of, price_of

JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)
NAMES = st.sampled_from(["salary", "salary_text", "place", "remote", "from", "to", "currency", "gross", "mode"])


@pytest.mark.parametrize(
    ("salary", "words"),
    [
        ({"from": 3000, "to": 4500, "currency": "EUR"}, "3,000–4,500 EUR"),
        ({"from": 3000, "currency": "EUR", "gross": True}, "from 3,000 EUR gross"),
        ({"to": 4500, "currency": "EUR", "gross": False}, "up to 4,500 EUR net"),
        ({"from": 10, "to": 10, "mode": "HOUR", "currency": "USD"}, "10 USD an hour"),
        ({"currency": "EUR"}, ""),
        ({}, ""),
    ],
)
def test_a_salary_is_told_as_far_as_it_is_known(salary, words):
    assert money_of({"salary": salary}) == words


def test_a_salary_in_the_sites_own_words_is_kept():
    assert money_of({"salary_text": " €40,000\n - €50,000 "}) == "€40,000 - €50,000"


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({"place": "Madrid", "remote": True}, "Madrid, remote"),
        ({"remote": True}, "remote"),
        ({"place": "Remote, Spain", "remote": True}, "Remote, Spain"),
        ({}, ""),
    ],
)
def test_a_place_is_told_with_whether_the_work_can_be_done_from_anywhere(data, words):
    assert place_of(data) == words


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({"price_cents": 17182, "currency": "USD"}, "171.82 USD"),
        ({"price_cents": 1234567}, "12,345.67"),
        ({"price_cents": None, "currency": "USD"}, ""),
        ({"price_cents": True}, ""),
        ({}, ""),
    ],
)
def test_a_price_is_told_as_people_write_money(data, words):
    assert price_of(data) == words


@given(st.dictionaries(NAMES, JSON | st.dictionaries(NAMES, JSON)))
def test_whatever_a_site_says_it_becomes_one_line(data):
    assert "\n" not in money_of(data)
    assert "\n" not in place_of(data)
    assert "\n" not in price_of(data)
