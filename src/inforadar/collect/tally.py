"""What one sweep has done so far, added up page by page."""

from dataclasses import dataclass, field
from typing import Any

from inforadar.collect.saving import SavedPage
from inforadar.domain.price_flaws import Flaw
from inforadar.domain.run import Counters
from inforadar.store.tombstones import Tombstone


@dataclass(slots=True, kw_only=True)
class Tally:
    """What one sweep has done so far; an item counts as updated once, and not if this sweep added it."""

    counters: Counters = field(default_factory=Counters)
    added: dict[str, str] = field(default_factory=dict)
    updated: dict[str, dict[str, list[Any]]] = field(default_factory=dict)
    currencies: dict[str, str] = field(default_factory=dict)
    filtered: list[Tombstone] = field(default_factory=list)
    price_flaws: dict[str, Flaw | None] = field(default_factory=dict)

    def updates(self, saved: SavedPage) -> int:
        """How many items a page updated that were not counted before."""
        return len(saved.updated.keys() - self.updated.keys() - self.added.keys())

    def add(self, saved: SavedPage, counters: Counters) -> None:
        """Add one page."""
        self.counters += counters
        for url in saved.updated.keys() - self.added.keys():
            known = self.updated.setdefault(url, {})
            for name, (old, new) in saved.updated[url].items():
                known[name] = [known[name][0] if name in known else old, new]
        self.currencies |= saved.currencies
        self.added |= saved.added
        self.filtered.extend(saved.filtered)
        self.price_flaws |= saved.price_flaws
