"""Sorting the entries of pages into new, seen, too old and beyond the budget."""

from collections.abc import Container
from dataclasses import dataclass, field
from datetime import datetime

from inforadar.domain.item import Draft
from inforadar.domain.paging import Page
from inforadar.domain.run import StopReason
from inforadar.domain.walk import Sorted


@dataclass(slots=True)
class Sorter:
    """Counts and sorts the entries of one sweep; an entry stored by this very sweep is not "known".

    `seen` counts different entries. `allowed`: how many unseen entries may be taken now, never more than `limit`;
    entries of the deepest gap, not newer than `tail_from`, may use the whole limit at any time.
    `seen_existing` and `found_new_inside_window` are what the fetch specification calls so.
    """

    floor: datetime | None
    limit: int | None
    max_items: int | None
    allowed: int | None = None
    tail_from: datetime | None = None
    seen: int = 0
    unseen: int = 0
    untaken: int = 0
    seen_existing: bool = False
    found_new_inside_window: bool = False
    _keys: set[str] = field(default_factory=set)

    def is_spent(self, rank: datetime | None) -> bool:
        """Whether no unseen entry of this rank may be taken now."""
        is_in_tail = self.tail_from is not None and rank is not None and rank <= self.tail_from
        allowed = self.limit if is_in_tail else self.allowed
        return allowed is not None and self.unseen >= allowed

    @property
    def stop_reason(self) -> StopReason | None:
        """Why the whole sweep must end here, if it must."""
        if self.limit is not None and self.unseen >= self.limit:
            return StopReason.LIMIT_REACHED
        if self._is_at_most_items:
            return StopReason.MAX_ITEMS
        return None

    def has_taken(self, key: str) -> bool:
        """Whether an entry was shown to this sweep and not held back by its budget."""
        return key in self._keys

    def sort(self, page: Page, known: Container[str]) -> Sorted:
        """Sort one page in the source's order; an entry that stands on it twice counts once."""
        piles: dict[str, list[Draft]] = {"new": [], "seen": [], "too old": [], "untaken": []}
        prefix: list[Draft] = []
        for draft in {draft.key: draft for draft in page.drafts}.values():
            pile = self._pile(draft, known)
            piles[pile].append(draft)
            if not piles["untaken"]:
                prefix.append(draft)
        self.untaken = len(piles["untaken"])
        return Sorted(
            new=tuple(piles["new"]),
            seen=tuple(piles["seen"]),
            prefix=tuple(prefix),
            untaken=tuple(piles["untaken"]),
            too_old=len(piles["too old"]),
        )

    def _pile(self, draft: Draft, known: Container[str]) -> str:
        if draft.key in self._keys:
            return "too old" if self._is_too_old(draft) else "seen"
        pile = self._pile_of_new_sight(draft, known)
        if pile != "untaken":
            self.seen += 1
            self._keys.add(draft.key)
        return pile

    def _pile_of_new_sight(self, draft: Draft, known: Container[str]) -> str:
        if self._is_too_old(draft):
            return "too old"
        if draft.key in known:
            self.seen_existing = True
            return "seen"
        if self.is_spent(draft.rank) or self._is_at_most_items:
            return "untaken"
        self.unseen += 1
        self.found_new_inside_window = self.found_new_inside_window or self.seen_existing
        return "new"

    @property
    def _is_at_most_items(self) -> bool:
        return self.max_items is not None and self.unseen >= self.max_items

    def _is_too_old(self, draft: Draft) -> bool:
        return self.floor is not None and draft.rank < self.floor
