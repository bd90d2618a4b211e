"""What a watch leaves out at the door, as it was at a sweep, so that a later one can tell what was loosened."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from inforadar.domain.watch import Watch


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """The ban words and the experience limit of a watch; 0 = no limit."""

    ban_words: frozenset[str]
    max_experience_years: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Loosened:
    """What was taken out of the filters: words, and whether more experience is let through."""

    words: frozenset[str]
    experience: bool

    def __bool__(self) -> bool:
        return bool(self.words) or self.experience


def filters_of(watch: Watch) -> Filters:
    """The filters of a watch as it stands."""
    return Filters(ban_words=frozenset(watch.ban_words), max_experience_years=watch.max_experience_years or 0)


def loosened(before: Filters | None, now: Filters) -> Loosened:
    """What is let in now that was left out before."""
    if before is None:
        return Loosened(words=frozenset(), experience=False)
    was, limit = before.max_experience_years, now.max_experience_years
    is_more_let_in = was > 0 and (limit == 0 or limit > was)
    return Loosened(words=before.ban_words - now.ban_words, experience=is_more_let_in)


def to_json(filters: Filters) -> dict[str, Any]:
    """The filters as plain values, for the store."""
    return {"ban_words": sorted(filters.ban_words), "max_experience_years": filters.max_experience_years}


def from_json(stored: Mapping[str, Any] | None) -> Filters | None:
    """The filters that `to_json` wrote, None if it never did."""
    if not stored:
        return None
    years = int(stored["max_experience_years"])
    return Filters(ban_words=frozenset(stored["ban_words"]), max_experience_years=years)
