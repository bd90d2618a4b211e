"""What is wrong with a date in a line of TOML: the reader of the format tells only that it is none."""

import re
from calendar import monthrange

_WRITTEN = re.compile(r"[=\[,]\s*(?P<date>(?P<year>[0-9]{4})-(?P<month>[0-9]{1,2})-(?P<day>[0-9]{1,2}))(?![0-9])")


def date_flaw(line: str) -> str | None:
    """Why the first impossible date among the values of a line is none; None where there is no such date."""
    found = ((match["date"], _flaw(match["year"], match["month"], match["day"])) for match in _WRITTEN.finditer(line))
    return next((f"{written} is no date: {flaw}" for written, flaw in found if flaw), None)


def _flaw(year: str, month: str, day: str) -> str | None:
    if int(year) == 0:
        return "there is no year 0000"
    if not 1 <= int(month) <= 12:
        return f"there is no month {month}"
    if not 1 <= int(day) <= monthrange(int(year), int(month))[1]:
        return f"there is no day {day} in {year}-{month}"
    return "month and day have two digits each" if len(month + day) < 4 else None
