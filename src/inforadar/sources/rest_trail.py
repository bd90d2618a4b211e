"""The trail of a list without random access: how each of its pages is asked for, as far as this sweep has come.

A cursor or a link only leads on. The sweep asks for places in a list, so a trail answers for them: a place that was
passed asks its page again, a place at the end asks for the next page, a place further down gets an empty page, which
brings it one page nearer.

What a cursor names decides how two pages in a row are known to meet. One that names a number (`?page=3`, or an offset
in disguise) shows other entries when something above it comes or goes: such a list is a `PageTrail`, whose pages the
sweep proves by really asking for the page before once more. One that names an entry (a keyset) stays where it is: what
follows it is what followed it, and a `StableTrail`, which the user must ask for, adds the entry before from memory.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from inforadar.domain.item import Draft
from inforadar.domain.paging import Page, Position
from inforadar.sources.rest_entry import Loose, Shown, page_of


class Trail(Protocol):
    """How far a list was followed."""

    def cursor(self, position: Position) -> str | None:
        """What asks for the page at a position, or for one that brings it nearer; None = the first page."""
        ...

    def take(self, position: Position, shown: Sequence[Shown], following: str | None) -> Page:
        """The page at a position, of what the answer to `cursor` showed; `following`: the cursor it told."""
        ...


@dataclass(slots=True)
class PageTrail:
    """A list whose places move: page n of it is whatever its cursor shows now, and nothing is added from memory."""

    _cursors: list[str | None] = field(default_factory=lambda: [None])
    _keys: dict[int, tuple[str, ...]] = field(default_factory=dict)
    _doubted: int | None = None
    _last: tuple[int, tuple[str, ...]] | None = None

    def cursor(self, position: Position) -> str | None:
        """The cursor that led to a page, or the last one known."""
        return self._cursors[self._nearest(position)]

    def take(self, position: Position, shown: Sequence[Shown], following: str | None) -> Page:
        """The entries of one page, and whether another one follows."""
        number = self._nearest(position)
        if self._repeats(number, shown, following) and self._doubted != number:
            self._doubted = number
            return page_of((), is_last=False)
        following = following if following != self._cursors[number] else None
        if number and not shown:
            return self._take_empty(number, following)
        self._doubted, self._keys[number] = None, _keys(shown)
        self._cursors[number + 1 :] = self._below(number, following)
        is_last = following is None or self._last == (number, self._keys[number])
        return page_of(shown if number == position.page_number else (), is_last=is_last)

    def _repeats(self, number: int, shown: Sequence[Shown], following: str | None) -> bool:
        """Whether a page shows the one above once more, and so leads to itself: it is asked for twice, too."""
        return number > 0 and following == self._cursors[number] and _keys(shown) == self._keys.get(number - 1)

    def _nearest(self, position: Position) -> int:
        return min(position.page_number, len(self._cursors) - 1)

    def _below(self, number: int, following: str | None) -> list[str | None]:
        """The cursors below a page: asking for it again renews the next one, and leaves those further down."""
        return [] if following is None else [following, *self._cursors[number + 2 :]]

    def _take_empty(self, number: int, following: str | None) -> Page:
        """An empty page below the first is asked for twice; if none follows it, the page above is the last.

        One that another page follows is never passed over: its entries may only be hidden for a moment.
        """
        is_sure = self._doubted == number and following is None
        self._doubted = number
        if is_sure:
            # The page above counts as the last only while it is as it was: else entries may have slid down again.
            self._last = (number - 1, self._keys.get(number - 1, ()))
        return page_of((), is_last=is_sure)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    """One page of a stable trail: the place of its first entry, and the cursor that asked for it (None = the first)."""

    start: int
    cursor: str | None = None


@dataclass(slots=True)
class StableTrail:
    """A list whose cursors stay where they are; `following`: the cursor of the next page, None = there is none."""

    shown: list[Shown] = field(default_factory=list)
    following: str | None = None
    _stops: list[Stop] = field(default_factory=list)
    _doubted: Stop | None = None

    def cursor(self, position: Position) -> str | None:
        """The cursor of the page that holds the entry at an offset, or comes nearer to it."""
        return self._step(position.offset).cursor

    def take(self, position: Position, shown: Sequence[Shown], following: str | None) -> Page:
        """The entries from an offset on, those of the page before included."""
        is_taken = self._put(self._step(position.offset), shown, following)
        return page_of(self.shown[position.offset :], is_last=is_taken and self.following is None)

    def _step(self, offset: int) -> Stop:
        if offset == 0 or not self._stops:
            return Stop(start=0)
        if self.following is not None and offset >= self._stops[-1].start:
            return Stop(start=len(self.shown), cursor=self.following)
        return next(stop for stop in reversed(self._stops) if stop.start <= offset)

    def _put(self, stop: Stop, entries: Sequence[Shown], following: str | None) -> bool:
        """Put a page where it belongs; False = it cannot be what stands there and must be asked for again.

        It was empty in the middle of the list, or showed the page before once more and led to itself.
        """
        is_odd = not entries or (following == stop.cursor and self._repeats(stop, entries))
        if is_odd and stop.start and self._doubted != stop:
            self._doubted = stop
            self.following = stop.cursor
            return False
        self._doubted = None
        del self.shown[stop.start :]
        self._stops = [*(kept for kept in self._stops if kept.start < stop.start), stop]
        self.shown += entries
        self.following = following if following != stop.cursor else None
        return True

    def _repeats(self, stop: Stop, entries: Sequence[Shown]) -> bool:
        before = next((kept.start for kept in reversed(self._stops) if kept.start < stop.start), 0)
        return _keys(entries) == _keys(self.shown[before : stop.start])


def _keys(shown: Sequence[Shown]) -> tuple[str, ...]:
    return tuple(map(_key, shown))


def _key(one: Shown) -> str:
    if isinstance(one, Loose):
        return one.draft.key
    return one.key if isinstance(one, Draft) else one
