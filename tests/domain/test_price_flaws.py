"""Why listings tell no usable price, in words a user can act on."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inforadar.domain.price import price_in
from inforadar.domain.price_flaws import flaw_words, price_flaw


@pytest.mark.parametrize(
    ("data", "flaw"),
    [
        ({"price_cents": 100, "currency": "EUR"}, None),
        ({}, "tell none"),
        ({"price_text": "on request"}, "cannot be read for sure"),
        ({"price_cents": 0, "currency": "EUR"}, "are zero or too high"),
        ({"price_cents": 10**15, "currency": "EUR"}, "are zero or too high"),
        ({"price_cents": 100}, "name no currency"),
        ({"price_cents": 100, "currency": "dollars"}, "name no currency"),
        ({"price_cents": 100, "currency": "EUR", "price_type": "guess"}, "are of another type"),
    ],
)
def test_what_is_wrong_with_a_price_has_a_name(data, flaw):
    assert price_flaw(data) == flaw


def test_a_currency_that_the_watch_states_is_enough():
    assert price_flaw({"price_cents": 100}, "EUR") is None


@given(
    st.fixed_dictionaries(
        {},
        optional={
            "price_cents": st.none() | st.integers() | st.booleans() | st.text(max_size=3),
            "currency": st.none() | st.sampled_from(["EUR", "", "x", "$"]),
            "price_type": st.sampled_from(["ask", "sold", "x"]),
            "price_text": st.text(max_size=3),
        },
    ),
    st.none() | st.just("EUR"),
)
def test_a_price_has_a_flaw_exactly_if_it_cannot_be_used(data, currency):
    assert (price_flaw(data, currency) is None) == (price_in(data, currency) is not None)


def test_the_flaws_of_a_run_are_told_once_with_their_remedies():
    told = flaw_words({"1": None, "2": "name no currency", "3": "tell none", "4": "name no currency"})
    assert told.startswith("3 of 4 listings tell no usable price: 2 name no currency (state `currency` in")
    assert "; 1 tell none (check the path" in told


def test_good_prices_need_no_words():
    assert flaw_words({}) is None
    assert flaw_words({"1": None}) is None
