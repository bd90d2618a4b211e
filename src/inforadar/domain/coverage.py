"""Coverage: which stretches of a query's feed are completely collected.

A feed is ordered by rank (a time), newest first. A stretch is a part of it that was read without a break, every
entry of it stored or tombstoned. Stretches are half open, `after < rank <= upto`: many entries share one rank
and nothing orders them, so the rank at which reading stopped is not claimed until something older was read.

Invariant: stretches are disjoint and ordered newest first; the top never falls.
Two stretches may touch and still be two: they become one only when a walk has read across the seam.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

TAIL_LENGTH = 5
JUST_BELOW = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """One entry remembered by key and rank: a place to find again. A bumped entry has another rank."""

    key: str
    rank: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """A part of the feed read without a break; `count` entries, the last of them in `tail`.

    `is_ended`: the feed ended here, so nothing is left below.
    """

    upto: datetime
    after: datetime
    count: int
    tail: tuple[Mark, ...] = ()
    is_ended: bool = False

    @property
    def last_key(self) -> str:
        """The key of its last entry, as far as that is remembered."""
        return self.tail[-1].key if self.tail else ""

    def holds(self, rank: datetime) -> bool:
        """Whether an entry of this rank is certainly collected."""
        return rank <= self.upto and (rank > self.after or self.is_ended)

    def borders(self, rank: datetime) -> bool:
        """Whether this rank is inside the stretch or on the rank at which its reading stopped."""
        return rank <= self.upto and (rank >= self.after or self.is_ended)


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """A part of the feed not known to be collected: below `above`, down to `below` or to the floor."""

    above: Stretch
    below: Stretch | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """What one walk has read without a break, from `upto` down to (not including) `after`.

    `ranks` are those of the entries read that are not in `origin`, `fresh` those of them never seen before.
    `origin` is the stretch whose lower end the walk continued (None: it started at the top of the feed), `joined`
    the one it has read its way into, `drift` how many more entries `origin` was found to hold than counted.
    """

    upto: datetime
    after: datetime
    ranks: Sequence[datetime]
    fresh: Sequence[datetime] = ()
    tail: tuple[Mark, ...]
    is_ended: bool = False
    origin: Stretch | None = None
    joined: Stretch | None = None
    drift: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """All stretches of one query, newest first, and how far the rotating deep check has come (see `deep_check`)."""

    stretches: tuple[Stretch, ...] = ()
    deep_offset: int = 0
    deep_upto: datetime | None = None

    @property
    def top(self) -> Stretch | None:
        """The newest stretch."""
        return self.stretches[0] if self.stretches else None

    @property
    def last_seen_max(self) -> datetime | None:
        """The highest rank ever covered: the seeds' high-water mark."""
        return self.stretches[0].upto if self.stretches else None

    @property
    def last_complete_sweep_before(self) -> datetime | None:
        """The lower end of the lowest stretch: how deep the sweeps have come."""
        return self.stretches[-1].after if self.stretches else None

    @property
    def count(self) -> int:
        """How many entries are covered."""
        return sum(stretch.count for stretch in self.stretches)

    def ground(self, rank: datetime, below: Stretch | None = None) -> Stretch | None:
        """The stretch this rank lies in or borders on; of those below the one a walk came from, if it came from one."""
        first = next((place for place, s in enumerate(self.stretches, start=1) if s is below), 0)
        return next((s for s in self.stretches[first:] if s.borders(rank)), None)

    def reopened(self) -> "Coverage":
        """Nothing covered any more, with the high-water mark where it was: everything is read once again."""
        if not self.stretches:
            return self
        top = self.stretches[0].upto
        return Coverage(stretches=(Stretch(upto=top, after=top, count=0),))

    def opened(self, upto: datetime, down_to: datetime, place: int) -> "Coverage":
        """The coverage without these ranks, which held entries that are not collected; `place` entries stand above."""
        opened: list[Stretch] = []
        for stretch in self.stretches:
            opened += _without(stretch, upto, down_to, place)
            place -= stretch.count
        # where nothing is left of the first one it holds the high-water mark
        is_kept = [bool(number == 0 or s.upto > s.after) for number, s in enumerate(opened)]
        return replace(self, stretches=tuple(s for s, kept in zip(opened, is_kept, strict=True) if kept))

    def gaps(self, floor: datetime | None) -> Iterator[Gap]:
        """What is left, newest first: between stretches, and below the lowest down to the floor."""
        for above, below in zip(self.stretches, (*self.stretches[1:], None), strict=False):
            if below is not None or not (above.is_ended or reaches(above.after, floor)):
                yield Gap(above=above, below=below)

    def count_above(self, stretch: Stretch) -> int:
        """How many covered entries stand from the top down to the lower end of a stretch."""
        index = self.stretches.index(stretch)
        return sum(above.count for above in self.stretches[: index + 1])

    def moved(self, stretch: Stretch, drift: int) -> "Coverage":
        """The coverage after the lower end of a stretch was found to stand so many entries further down."""
        found = replace(stretch, count=max(0, stretch.count + drift))
        return replace(self, stretches=tuple(found if s is stretch else s for s in self.stretches))

    def claimed(self, claim: Claim, now: datetime) -> "Coverage":
        """The coverage with a walk's claim in it; nothing is claimed for the future."""
        merged = _merge(claim)
        if claim.origin is None:
            upto = max(min(merged.upto, now), self.last_seen_max or merged.after)
            merged = replace(merged, upto=upto, after=min(merged.after, upto))
        kept: list[Stretch] = []
        for stretch in self.stretches:
            if stretch is claim.origin or stretch is claim.joined or _is_swallowed(stretch, merged):
                continue
            if stretch.after < merged.after < stretch.upto and not merged.is_ended:
                merged = replace(merged, after=stretch.upto)
            kept.append(stretch)
        if claim.origin or not _adds_nothing(merged, kept):
            kept.append(merged)
        return replace(self, stretches=tuple(sorted(kept, key=lambda s: (s.upto, s.after), reverse=True)))


def reaches(rank: datetime, floor: datetime | None) -> bool:
    """Whether a walk down to this rank has nothing left above the floor."""
    return floor is not None and rank < floor


def _without(stretch: Stretch, upto: datetime, down_to: datetime, place: int) -> tuple[Stretch, ...]:
    """A stretch without some of its ranks: what is above them, and what is below."""
    is_in_reach = upto > stretch.after or stretch.is_ended
    if not is_in_reach or down_to > stretch.upto:
        return (stretch,)
    if upto <= stretch.after:
        return (replace(stretch, is_ended=False),)
    count = min(max(0, place), stretch.count)
    above = Stretch(upto=stretch.upto, after=min(upto, stretch.upto), count=count)
    below = replace(stretch, upto=down_to - JUST_BELOW, count=stretch.count - count)
    return (above, below) if below.upto > below.after else (above,)


def _merge(claim: Claim) -> Stretch:
    origin, joined = claim.origin, claim.joined
    own = len(claim.ranks)
    if joined:
        own = sum(rank > joined.upto for rank in claim.ranks) + sum(rank <= joined.upto for rank in claim.fresh)
    return Stretch(
        upto=origin.upto if origin else claim.upto,
        after=min(joined.after, claim.after) if joined else claim.after,
        count=max(0, own + claim.drift + (origin.count if origin else 0) + (joined.count if joined else 0)),
        tail=joined.tail if joined and joined.after < claim.after else claim.tail or (origin.tail if origin else ()),
        is_ended=claim.is_ended or bool(joined and joined.is_ended),
    )


def _is_swallowed(stretch: Stretch, by: Stretch) -> bool:
    if stretch.upto > by.upto:
        return False
    if by.is_ended or (stretch.after >= by.after and stretch.upto > by.after):
        return True
    is_same_tie = stretch.after == stretch.upto == by.after == by.upto
    return is_same_tie and by.count >= stretch.count


def _adds_nothing(merged: Stretch, kept: Sequence[Stretch]) -> bool:
    return merged.after >= merged.upto and any(stretch.upto >= merged.upto for stretch in kept)


def to_json(coverage: Coverage) -> dict[str, Any]:
    """The coverage as plain values, for the store."""
    return {
        "deep_offset": coverage.deep_offset,
        "deep_upto": coverage.deep_upto.isoformat() if coverage.deep_upto else None,
        "stretches": [
            {
                "upto": s.upto.isoformat(),
                "after": s.after.isoformat(),
                "count": s.count,
                "tail": [[mark.key, mark.rank.isoformat()] for mark in s.tail],
                "is_ended": s.is_ended,
            }
            for s in coverage.stretches
        ],
    }


def from_json(stored: Mapping[str, Any] | None) -> Coverage:
    """The coverage that `to_json` wrote; nothing stored is nothing covered."""
    if not stored:
        return Coverage()
    deep_upto = stored.get("deep_upto")
    return Coverage(
        deep_offset=int(stored["deep_offset"]),
        deep_upto=datetime.fromisoformat(deep_upto) if deep_upto else None,
        stretches=tuple(_stretch(row) for row in stored["stretches"]),
    )


def _stretch(row: Mapping[str, Any]) -> Stretch:
    return Stretch(
        upto=datetime.fromisoformat(row["upto"]),
        after=datetime.fromisoformat(row["after"]),
        count=int(row["count"]),
        tail=tuple(Mark(key=key, rank=datetime.fromisoformat(rank)) for key, rank in row["tail"]),
        is_ended=bool(row["is_ended"]),
    )
