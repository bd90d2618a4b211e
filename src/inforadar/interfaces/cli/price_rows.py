"""The prices of a watch as rows of a table, and the steps of its median: the same on the command line and on screen."""

from collections.abc import Sequence
from datetime import datetime

from inforadar.domain.price import PricePoint
from inforadar.domain.valuation import money
from inforadar.observe.printable import printable
from inforadar.store.valuations import PastValuation

HEADERS = ("OBSERVED", "PRICE", "TYPE", "FITS", "TITLE", "WHY", "SOURCE")
TYPE, TITLE, WHY, SOURCE = 2, 4, 5, 6


def price_rows(points: Sequence[PricePoint]) -> list[tuple[str, ...]]:
    """One row a price, safe to show; amounts stand under each other."""
    amounts = [money(point.price.cents, point.price.currency) for point in points]
    widest = max(map(len, amounts), default=0)
    return [
        (
            point.observed_on.isoformat(),
            amount.rjust(widest),
            point.price.type,
            f"{point.match_strength:.2f}",
            printable(point.title),
            printable(point.why),
            printable(point.source),
        )
        for point, amount in zip(points, amounts, strict=True)
    ]


def median_steps(past: Sequence[PastValuation], currency: str | None) -> list[tuple[datetime, int]]:
    """How the median went, as far as it was in the currency of today."""
    return [(one.at, one.quantiles[50]) for one in past if one.currency == currency]
