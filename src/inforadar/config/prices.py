"""Reads what a configuration says of prices: the coin of a watch, how it is valued, currency rates, metal prices."""

import math
import re
from collections.abc import Mapping
from typing import Any

from inforadar.config.lines import Path
from inforadar.config.model import MetalsSettings
from inforadar.config.reading import Reading
from inforadar.config.schema import COIN, METALS, VALUATION
from inforadar.domain.coin import Coin
from inforadar.domain.item import Kind
from inforadar.domain.valuation import RATES_IN
from inforadar.domain.watch import ValuationTerms, Watch

_CURRENCY = re.compile(r"[A-Za-z]{3}")
MOST = 1e9


def read_coin(reading: Reading, raw: Mapping[str, Any], path: Path, kind: Kind | None) -> Coin | None:
    """The coin a watch looks for, None where it states none."""
    if "coin" not in raw or not _belongs(reading, (*path, "coin"), kind):
        return None
    at = (*path, "coin")
    values = _inner(reading, raw["coin"], COIN, at)
    if bool(values["metal"]) != (values["fine_oz"] is not None):
        missing = "fine_oz" if values["metal"] else "metal"
        reading.complain((*at, missing), "is missing", "State metal and fine_oz together, or neither")
    return Coin(**values)


def read_valuation(reading: Reading, raw: Mapping[str, Any], path: Path, kind: Kind | None) -> ValuationTerms:
    """How a watch wants to be valued."""
    if "valuation" not in raw or not _belongs(reading, (*path, "valuation"), kind):
        return ValuationTerms()
    at = (*path, "valuation")
    values = _inner(reading, raw["valuation"], VALUATION, at)
    return ValuationTerms(**{**values, "currency": _currency(reading, values["currency"], (*at, "currency"))})


def read_rates(reading: Reading, raw: Mapping[str, Any]) -> dict[str, float]:
    """What one unit of each currency is worth in US dollars."""
    table = raw.get("rates", {})
    if not isinstance(table, Mapping):
        reading.complain(("rates",), "is not a table", "Write [rates] with a line such as EUR = 1.08")
        return {}
    return {name.upper(): float(rate) for name, rate in table.items() if _is_rate(reading, name, rate)}


def read_metals(reading: Reading, raw: Mapping[str, Any], watches: tuple[Watch, ...]) -> MetalsSettings | None:
    """Where metal prices are asked for, None where the user does not want them."""
    if "metals" in raw:
        return MetalsSettings(**reading.section(raw, METALS, ("metals",)))
    for index, watch in enumerate(watches):
        if watch.coin and watch.coin.metal:
            sentence = "there is no [metals] table, so the metal's value is not asked for"
            reading.warn(("watch", index, "coin", "metal"), sentence)
    return None


def _belongs(reading: Reading, path: Path, kind: Kind | None) -> bool:
    if kind not in (None, "price"):
        reading.complain(path, f'the watch is of kind "{kind}"', 'Remove it, or make the watch one of kind "price"')
    return kind == "price"


def _inner(reading: Reading, raw: Any, settings: Any, path: Path) -> dict[str, Any]:
    """A table inside a watch; what is no table is told, and read as an empty one."""
    if not isinstance(raw, Mapping):
        reading.complain(path, "is not a table", f"Write it as [watch.{path[-1]}] below its [[watch]]")
        raw = {}
    return reading.table(raw, settings, path)


def _currency(reading: Reading, told: str | None, path: Path) -> str | None:
    if not told:
        return None
    if not _CURRENCY.fullmatch(told):
        reading.complain(path, f'is "{told}"', 'Write its three letters, such as "EUR"')
        return None
    return told.upper()


def _is_rate(reading: Reading, name: str, rate: Any) -> bool:
    path: Path = ("rates", name)
    is_number = isinstance(rate, int | float) and not isinstance(rate, bool) and math.isfinite(rate)
    if not _CURRENCY.fullmatch(name):
        reading.complain(path, "is not a currency", "Write its three letters, such as EUR = 1.08")
    elif not is_number or not 1 / MOST <= rate <= MOST:
        reading.complain(path, "is not a rate", f"Write what 1 {name} is worth in {RATES_IN}: {name} = 1.08")
    elif name.upper() == RATES_IN and rate != 1:
        reading.complain(path, f"rates are told in {RATES_IN}, which is worth 1", "Remove it")
    else:
        return True
    return False
