"""Where the matches of a list come from."""

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from inforadar.interfaces.tui.match_grid import Way
from inforadar.interfaces.tui.match_pages import MatchRow, Place, Window


@dataclass(frozen=True, slots=True, kw_only=True)
class Walk:
    """A long walk for the few matches that fit: how many were found, and back to when."""

    found: int
    back_to: datetime


class MatchReader(Protocol):
    """Reads matches for a list; `walk`: how far a long walk for them has come."""

    walk: Walk | None

    async def pages(self, way: Way) -> list[MatchRow]:
        """The matches that a way leads to."""
        ...

    async def window(self, at: Place | None) -> Window:
        """Whole pages around a place; None = at the end."""
        ...
