"""The trail of a list without random access: what each page showed, and how the next one is asked for.

A cursor or a link only leads on. The sweep asks for places in a list, so the trail keeps what was shown in this sweep
and answers for it: a place that was passed asks its page again, a place at the end asks for the next page, a place
further down gets what there is and the sweep pages on. A place that a cursor names stays where it is, so that two
pages in a row always meet.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from inforadar.sources.rest_entry import Shown


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    """One page of the trail: the place of its first entry, and the cursor that asked for it (None = the first)."""

    start: int
    cursor: str | None = None


@dataclass(slots=True, kw_only=True)
class Trail:
    """What a list has shown so far; `following`: the cursor of the next page, None = there is none."""

    shown: list[Shown] = field(default_factory=list)
    following: str | None = None
    _stops: list[Stop] = field(default_factory=list)
    _doubted: Stop | None = None

    def step(self, offset: int) -> Stop:
        """The page to ask for so that the entry at `offset` can be shown, or comes nearer."""
        if offset == 0 or not self._stops:
            return Stop(start=0)
        if self.following is not None and offset >= self._stops[-1].start:
            return Stop(start=len(self.shown), cursor=self.following)
        return next(stop for stop in reversed(self._stops) if stop.start <= offset)

    def take(self, stop: Stop, entries: Sequence[Shown], following: str | None) -> bool:
        """Put a page where it belongs; False = it was empty in the middle of the list and must be asked for again."""
        if not entries and stop.start and self._doubted != stop:
            self._doubted = stop
            self.following = stop.cursor
            return False
        self._doubted = None
        del self.shown[stop.start :]
        self._stops = [*(kept for kept in self._stops if kept.start < stop.start), stop]
        self.shown += entries
        self.following = following if following != stop.cursor else None
        return True
