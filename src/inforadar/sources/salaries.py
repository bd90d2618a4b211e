"""What openings of company boards pay, in the shape all vacancy sources share."""

from typing import Any

from inforadar.sources.reading import as_int, as_text, without_empty
from inforadar.sources.text import clean_line

MODES = {"year": "YEAR", "month": "MONTH", "week": "WEEK", "day": "DAY", "hour": "HOUR"}


def salary(lowest: Any, highest: Any, currency: Any, period: Any) -> dict[str, Any]:
    """The pay between two numbers for a period such as "per-year-salary", "1 YEAR", "month"; {} without numbers."""
    ends = {"from": as_int(lowest), "to": as_int(highest)}
    if not any(ends.values()):
        return {}
    words = as_text(period).lower()
    mode = next((mode for word, mode in MODES.items() if word in words), None)
    return without_empty({**ends, "currency": clean_line(as_text(currency)).upper()[:8], "mode": mode})
