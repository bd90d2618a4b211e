"""A price as people write it, such as `1.234,50 EUR` or `US $12.00`: hundredths and currency, or nothing.

Nothing is guessed. A single separator before three digits may part thousands or decimals ("1.234 EUR", fuel at
"1,459 EUR"): such a text is not read, unless the currency has no smaller part. Neither is a range, or a text with
other words in it.
"""

import re
from decimal import Decimal
from typing import Any

from inforadar.domain.price import SIGNS

CENTS = 100
LARGEST = 2**53
LONGEST = 60
DOLLARS = {"US": "USD", "C": "CAD", "CA": "CAD", "A": "AUD", "AU": "AUD", "NZ": "NZD", "HK": "HKD", "SG": "SGD"}
WORDS = {"руб": "RUB", "руб.": "RUB", "р.": "RUB", "zł": "PLN", "Kč": "CZK", "Ft": "HUF", "R$": "BRL", "грн": "UAH"}
CODES = frozenset(
    re.findall(
        "[A-Z]{3}",
        "USD EUR GBP JPY RUB CHF CAD AUD NZD HKD SGD CNY INR KRW BRL MXN ARS CLP COP PEN PLN CZK HUF RON BGN SEK NOK "
        "DKK ISK TRY UAH KZT GEL AMD ILS AED SAR ZAR THB IDR MYR PHP VND TWD",
    )
)
WITHOUT_CENTS = frozenset(("JPY", "KRW", "VND", "CLP", "ISK"))

_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,3})?")
_MONEY = re.compile(r"(?P<before>[^0-9]*?) ?(?P<amount>[0-9](?:[0-9.,' ]*[0-9])?) ?(?P<after>[^0-9]*)")
_SPACES = re.compile(r"[\s\u00a0\u2007\u2009\u202f]+")
_GROUPED = re.compile(r"[0-9]{1,3}(?P<mark>[.,' ])[0-9]{3}(?:(?P=mark)[0-9]{3})*")

Money = tuple[int, str | None]


def read_money(value: Any) -> Money | None:
    """Hundredths and the currency that the text names, if it names one; None for what cannot be read for sure."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    text = _SPACES.sub(" ", str(value).replace("’", "'")).strip()
    if _NUMBER.fullmatch(text):
        return _money(text, None)
    found = _MONEY.fullmatch(text) if isinstance(value, str) and len(text) <= LONGEST else None
    if found is None:
        return None
    currency = _currency(found["before"].strip(), found["after"].strip())
    number = _plain_number(found["amount"], currency)
    return None if number is None or currency == "" else _money(number, currency)


def _money(number: str, currency: str | None) -> Money | None:
    try:
        cents = Decimal(number) * CENTS
    except ArithmeticError:  # what no number can be
        return None
    return (int(cents.to_integral_value()), currency) if cents.is_finite() and cents <= LARGEST else None


def _currency(before: str, after: str) -> str | None:
    """The currency that stands around an amount; None = there is nothing, empty = there is something else."""
    told = [_code(word) for word in (before, after) if word]
    if len(told) == 2 and before == "$" and told[1].endswith("D"):
        return told[1]
    return (told[0] if len(set(told)) == 1 else "") if told else None


def _code(word: str) -> str:
    if word.endswith("$") and word[:-1].strip() in DOLLARS:
        return DOLLARS[word[:-1].strip()]
    return word if word in CODES else SIGNS.get(word) or WORDS.get(word, "")


def _plain_number(amount: str, currency: str | None) -> str | None:
    """An amount as a program writes it."""
    whole, mark, part = _parted(amount)
    if mark and len(part) == 3 and not whole.startswith("0"):
        is_sure = currency in WITHOUT_CENTS or mark in " '" or not whole.isdecimal()
        whole, part = (amount, "") if is_sure else ("", "")
    elif mark and (mark in " '" or len(part) > 3):
        return None
    if not whole.isdecimal():
        grouped = _GROUPED.fullmatch(whole)
        whole = whole.replace(grouped["mark"], "") if grouped and (not part or grouped["mark"] != mark) else ""
    return f"{whole}.{part or 0}" if whole else None


def _parted(amount: str) -> tuple[str, str, str]:
    """What stands before the last separator, that separator, and what follows it."""
    marks = [at for at, char in enumerate(amount) if char in ".,' "]
    return (amount[: marks[-1]], amount[marks[-1]], amount[marks[-1] + 1 :]) if marks else (amount, "", "")
