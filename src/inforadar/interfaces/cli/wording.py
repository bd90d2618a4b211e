"""Small words of the command line: how many, and how long ago."""

from datetime import datetime

from inforadar.domain.wording import counted as counted

UNITS = (("d", 86_400), ("h", 3_600), ("min", 60))


def listed(counts: dict[str, int]) -> str:
    """Counts by name in one line."""
    return ", ".join(f"{count} {name}" for name, count in counts.items()) or "none"


def age(at: datetime, now: datetime) -> str:
    """How old something is, in the largest fitting unit; what lies ahead is "in" so much."""
    seconds = int((now - at).total_seconds())
    for unit, size in UNITS:
        if abs(seconds) >= size:
            return f"{'in ' if seconds < 0 else ''}{abs(seconds) // size} {unit}"
    return "now"


def published_age(at: datetime, now: datetime) -> str:
    """How old a publication is: one dated ahead of our clock, as by a server or a simulation that runs fast, is new."""
    return age(min(at, now), now)


def published_ago(at: datetime, now: datetime) -> str:
    """When something was published, as people say it; the same moment as its `published_age`."""
    return ago(min(at, now), now)


def ago(at: datetime | None, now: datetime) -> str:
    """When something happened, as people say it."""
    if at is None:
        return "never"
    old = age(at, now)
    return old if old == "now" or at > now else f"{old} ago"


def span(seconds: float) -> str:
    """How long something lasts, in its two largest units."""
    left = max(0, int(seconds))
    parts: list[str] = []
    for unit, size in (*UNITS, ("s", 1)):
        number, left = divmod(left, size)
        if number or parts:
            parts.append(f"{number} {unit}" if number else "")
    return " ".join(part for part in parts[:2] if part) or "0 s"


def took(seconds: float) -> str:
    """How long work took: short work to a tenth of a second."""
    return f"{seconds:.1f} s" if seconds < 60 else span(seconds)
