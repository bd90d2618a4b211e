"""Prices as people write them: what is sure is read, what is not is left."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inforadar.sources.rest_money import CODES, LARGEST, read_money


@pytest.mark.parametrize(
    ("text", "cents", "currency"),
    [
        (12, 1200, None),
        (12.5, 1250, None),
        ("12.50", 1250, None),
        ("1e3", 100_000, None),
        ("0", 0, None),
        ("1.250", 125, None),
        ("€ 1,50", 150, "EUR"),
        ("1,50", 150, None),
        ("1.234,50 EUR", 123_450, "EUR"),
        ("EUR 1.234,50", 123_450, "EUR"),
        ("US $12.00", 1200, "USD"),
        ("US$ 1,234.00", 123_400, "USD"),
        ("$12.00 USD", 1200, "USD"),
        ("$12.00 CAD", 1200, "CAD"),
        ("AU $5", 500, "AUD"),
        ("1 200 ₽", 120_000, "RUB"),
        ("1\u00a0200\u202f000,5 руб.", 120_000_050, "RUB"),
        ("CHF 1'234.50", 123_450, "CHF"),
        ("CHF 1’234.50", 123_450, "CHF"),
        ("£1,234,567", 123_456_700, "GBP"),
        ("12,34,567.00", None, None),
        ("¥1,200", 120_000, "JPY"),
        ("0,459 €", 46, "EUR"),
        ("19 zł", 1900, "PLN"),
        ("R$ 10,00", 1000, "BRL"),
    ],
)
def test_a_price_is_read_as_it_is_written(text: Any, cents: int | None, currency: str | None) -> None:
    assert read_money(text) == (None if cents is None else (cents, currency))


@pytest.mark.parametrize(
    "text",
    [
        "1.234 EUR",
        "€1,459",
        "1,234",
        "$1,234",
        "from 12 EUR",
        "12-15 EUR",
        "12 EUR/month",
        "12 kr",
        "12 lbs",
        "€ 12 USD",
        "-5 EUR",
        "12 50",
        "1.23.4",
        "1,2345 €",
        "1 20 ₽",
        "1,234,5",
        "1.234.567.89",
        "free",
        "",
        "EUR",
        "1" * 400,
        "9e999",
        "NaN",
        "٣ EUR",
        None,
        True,
        [],
    ],
)
def test_what_is_not_sure_is_not_read(text: Any) -> None:
    assert read_money(text) is None


@given(st.integers(0, 10**9), st.sampled_from(sorted(CODES)), st.sampled_from([(".", ","), (",", "."), (" ", ",")]))
def test_an_amount_written_in_any_usual_way_is_read_back(cents: int, code: str, marks: tuple[str, str]) -> None:
    whole = f"{cents // 100:,}".replace(",", marks[0])
    assert read_money(f"{whole}{marks[1]}{cents % 100:02} {code}") == (cents, code)


@given(st.text(alphabet="0123456789.,' €$EURUSD-", max_size=14) | st.text(max_size=80))
def test_any_text_is_an_amount_or_none(text: str) -> None:
    money = read_money(text)
    assert money is None or 0 <= money[0] <= LARGEST
