"""The valuation: a pure function of the points, whatever their order, repetition and unit."""

from dataclasses import replace
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inforadar.domain.price import Price, PricePoint
from inforadar.domain.valuation import (
    QUANTILES,
    Amount,
    Valuation,
    alert_words,
    basis_words,
    converted,
    movement,
    value,
)
from inforadar.domain.watch import ValuationTerms

TODAY = date(2026, 1, 5)
TERMS = ValuationTerms(min_points=5)


def point(key, cents, *, currency="USD", kind="ask", days_ago=0, strength=1.0, number=None, item=None) -> PricePoint:
    return PricePoint(
        id=number,
        watch="morgan",
        source="ebay",
        dedupe_key=f"ext_{key}",
        item_key=str(item or key),
        url=f"https://www.ebay.com/itm/{key}",
        title="1921 Morgan Dollar",
        price=Price(cents=cents, currency=currency, type=kind),
        observed_on=TODAY - timedelta(days=days_ago),
        match_strength=strength,
        why="",
    )


def points(*cents, **given):
    start = given.pop("start", 0)
    return [point(start + number, amount, **given) for number, amount in enumerate(cents)]


def valued(some, terms=TERMS, **given) -> Valuation:
    return value(some, terms, today=TODAY, **given)


@st.composite
def some_points(draw, least=0, cents=None):
    amounts = draw(st.lists(cents or st.integers(1, 10**7), min_size=least, max_size=30))
    return [
        point(
            number,
            amount,
            kind=draw(st.sampled_from(["sold", "ask", "bid"])),
            currency=draw(st.sampled_from(["USD", "USD", "EUR", "GBP"])),
            days_ago=draw(st.integers(0, 1200)),
            strength=draw(st.sampled_from([0.2, 0.5, 1.0])),
            number=number + 1,
            item=draw(st.integers(0, 20)),
        )
        for number, amount in enumerate(amounts)
    ]


@given(some_points(), st.randoms(use_true_random=False))
def test_the_order_of_points_does_not_matter(some, chance):
    shuffled = chance.sample(some, len(some))
    assert valued(shuffled, rates={"EUR": 1.08}) == valued(some, rates={"EUR": 1.08})


@given(some_points(least=1), st.data())
def test_a_point_told_twice_does_not_matter(some, data):
    again = data.draw(st.lists(st.sampled_from(some), max_size=20))
    assert valued(some + again) == valued(some)


@given(some_points(), st.sampled_from([2, 10, 100]))
def test_prices_in_a_smaller_unit_give_the_same_value_in_it(some, factor):
    larger = [replace(one, price=replace(one.price, cents=one.price.cents * factor)) for one in some]
    before, after = valued(some), valued(larger)
    assert (after.count, after.basis, after.outliers) == (before.count, before.basis, before.outliers)
    for q in before.quantiles:
        assert after.quantiles[q] == pytest.approx(before.quantiles[q] * factor, abs=factor)


@given(some_points())
def test_quantiles_rise_and_lie_among_the_prices(some):
    found = valued(some, ValuationTerms(currency="USD", min_points=1))
    amounts = [one.price.cents for one in some if one.price.currency == "USD"]
    ordered = [found.quantiles[q] for q in QUANTILES if found.quantiles]
    assert ordered == sorted(ordered)
    assert not ordered or (min(amounts) <= ordered[0] and ordered[-1] <= max(amounts))


@given(st.lists(st.integers(3000, 9000), min_size=5, max_size=40), st.integers(10**6, 10**12))
def test_a_far_outlier_moves_the_median_by_no_more_than_a_neighbour(amounts, far):
    some, odd = points(*amounts), point("odd", far)
    ordered, before = sorted(amounts), valued(some).median_cents
    after = valued([*some, odd])
    middle = len(ordered) // 2
    assert before is not None
    assert ordered[max(0, middle - 2)] <= after.median_cents <= ordered[min(len(ordered) - 1, middle + 1)]
    assert after.outliers >= 1


def test_the_median_of_even_numbers_lies_between():
    assert valued(points(1000, 2000, 3000, 4000, 5000, 6000)).median_cents == 3500


def test_quantiles_of_an_even_spread():
    found = valued(points(*range(1000, 2001, 10)))
    assert found.quantiles == {10: 1096, 25: 1248, 50: 1500, 75: 1752, 90: 1904}
    assert (found.count, found.currency, found.basis) == (101, "USD", "ask")


def test_below_the_least_number_there_is_no_value():
    found = valued(points(1000, 1100, 1200, 1300))
    assert (found.quantiles, found.median_cents, found.basis, found.count) == ({}, None, None, 4)
    assert basis_words(found) == "4 too few prices"


def test_no_points_at_all_are_no_value():
    assert valued([]) == Valuation()


def test_prices_paid_count_before_prices_asked():
    asks, sales = points(*[9000] * 20), points(*[5000] * 5, kind="sold", start=100)
    assert valued(asks + sales).median_cents == 5000
    assert valued(asks + sales).basis == "sold"
    assert valued(asks + sales[:4]).basis == "ask"


def test_few_of_each_kind_count_together():
    mixed = points(5000, 5000, kind="sold") + points(6000, 6000, start=10) + points(4000, kind="bid", start=20)
    found = valued(mixed)
    assert (found.basis, found.count) == ("all", 5)
    assert {kind: one.count for kind, one in found.by_type.items()} == {"sold": 2, "ask": 2, "bid": 1}


def test_old_prices_weigh_less():
    old, new = points(*[1000] * 6, days_ago=270), points(*[2000] * 5, start=50)
    assert valued(old + new).median_cents == 2000
    assert valued([replace(one, observed_on=TODAY) for one in old] + new).median_cents < 1500


def test_very_old_prices_are_left_out_and_counted():
    found = valued(points(*[1000] * 6, days_ago=901))
    assert (found.count, found.left_out) == (0, {"too old": 6})


def test_weak_matches_are_left_out_and_counted():
    found = valued(points(*[1000] * 6) + points(9, 9, strength=0.49, start=50))
    assert (found.median_cents, found.left_out) == (1000, {"not what is looked for": 2})


def test_a_match_of_just_the_least_strength_counts():
    assert valued(points(*[1000] * 5, strength=0.5)).count == 5


@given(st.permutations(range(1, 9)))
def test_which_of_two_equal_prices_was_stored_first_does_not_matter(numbers):
    ages = (0, 0, 90, 400, 30, 60, 5, 200)
    some = [
        point(at, 5000 + at // 4 * 700, days_ago=age, number=number)
        for at, (age, number) in enumerate(zip(ages, numbers, strict=True))
    ]
    assert valued(some) == valued([replace(one, id=None) for one in some])


def test_of_a_listing_only_its_latest_price_counts():
    steady = points(*[5000] * 5, start=50)
    lowered = [point("a", 9000, number=1, item="x"), point("b", 5000, number=2, item="x")]
    found = valued(lowered + steady)
    assert (found.count, found.quantiles[90]) == (6, 5000)
    assert found.left_out == {"earlier prices of the same listing": 1}


def test_every_sale_of_one_listing_counts():
    sales = [point(f"a{day}", 5000, kind="sold", item="x", days_ago=day) for day in range(9)]
    found = valued(sales)
    assert (found.count, found.left_out) == (9, {})


def test_currencies_are_told_apart_without_a_rate():
    found = valued(points(*[1000] * 6) + points(*[900] * 5, currency="EUR", start=50))
    assert (found.currency, found.median_cents, found.left_out) == ("USD", 1000, {"no rate from EUR to USD": 5})


def test_currencies_are_converted_by_a_rate():
    found = valued(points(*[1000] * 3, currency="EUR") + points(*[1080] * 2, start=50), rates={"EUR": 1.08})
    assert (found.currency, found.count, found.median_cents) == ("EUR", 5, 1000)
    in_dollars = replace(TERMS, currency="USD")
    assert valued(points(*[1000] * 5, currency="EUR"), in_dollars, rates={"EUR": 1.08}).median_cents == 1080


def test_a_rate_leads_both_ways_and_from_one_currency_to_another():
    rates = {"EUR": 1.1, "GBP": 1.32}
    assert converted(110, "USD", "EUR", rates) == pytest.approx(100)
    assert converted(100, "GBP", "EUR", rates) == pytest.approx(120)
    assert converted(100, "CHF", "EUR", rates) is None


def test_an_outlier_is_cut_off_on_both_sides():
    found = valued(points(5000, 5100, 5200, 5300, 5400, 5500, 1, 99_000_000))
    assert (found.count, found.outliers) == (6, 2)
    assert found.quantiles[90] <= 5500


def test_prices_within_a_factor_of_two_are_never_outliers():
    assert valued(points(*[5000] * 10, 9000, 2600)).outliers == 0


def test_the_metal_is_the_floor():
    found = valued(points(*[1000] * 6), melt=Amount(cents=2300, currency="USD"))
    assert (found.median_cents, found.melt_cents) == (2300, 2300)
    assert valued(points(*[3000] * 6), melt=Amount(cents=2300, currency="USD")).median_cents == 3000


def test_the_metal_alone_is_told_though_there_is_not_enough_data():
    found = valued([], melt=Amount(cents=2300, currency="USD"))
    assert (found.quantiles, found.melt_cents, found.currency) == ({}, 2300, "USD")


def test_the_metal_is_converted_like_any_price():
    found = valued(points(*[1000] * 6, currency="EUR"), melt=Amount(cents=2160, currency="USD"), rates={"EUR": 1.08})
    assert found.median_cents == 2000


@pytest.mark.parametrize(
    ("before", "after", "percent", "moved"),
    [
        (5000, 5501, 10, 10.02),
        (5000, 5500, 10, None),
        (5000, 4400, 10, -12),
        (5000, 9000, 0, None),
        (None, 9000, 10, None),
        (5000, None, 10, None),
    ],
)
def test_only_a_movement_beyond_the_threshold_is_worth_an_alert(before, after, percent, moved):
    assert movement(before, after, percent) == (None if moved is None else pytest.approx(moved))


def test_an_alert_says_what_moved_from_where_and_on_what_it_rests():
    found = valued(points(*[123_460] * 6))
    told = alert_words("morgan", Amount(cents=100_000, currency="USD"), found)
    assert told == "morgan: the value rose by 23.5 % to 1,234.60 USD, from 1,000.00 USD; it rests on 6 asking prices."
