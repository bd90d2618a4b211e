"""The two specifications taken literally: what each would collect, and how many pages it would ask for."""

from dataclasses import dataclass, field
from datetime import datetime

from domain.feeds import Feed
from inforadar.domain.paging import Position


@dataclass
class Literal:
    """A store and a page count for a literal reading of a specification."""

    feed: Feed
    stored: list[str] = field(default_factory=list)
    pages: int = 0

    def ask(self, number: int) -> list[tuple[str, datetime]]:
        self.pages += 1
        size = self.feed.paging.size
        page = self.feed.serve(Position(offset=number * size, size=size))
        return [(draft.key, draft.rank) for draft in page.drafts]

    def fetch(self, cutoff: datetime) -> tuple[list[str], list[str]]:
        """The `fetch` pseudo-code with its two flags: what it adds and what it looks at for updates."""
        seen_existing = found_new_inside_window = False
        added: list[str] = []
        updated: list[str] = []
        number = 0
        while True:
            items = self.ask(number)
            number += 1
            for key, date in items:
                if date < cutoff:
                    if seen_existing and not found_new_inside_window:
                        return added, updated
                    continue
                if key not in self.stored:
                    self.stored.append(key)
                    added.append(key)
                    if seen_existing:
                        found_new_inside_window = True
                    continue
                seen_existing = True
                updated.append(key)
            if not any(date >= cutoff for _, date in items):
                return added, updated

    def discover(self, limit: int) -> list[str]:
        """The limit-L discovery loop: from the top, past duplicates, until L unseen or the list is exhausted."""
        unseen: list[str] = []
        number = 0
        while len(unseen) < limit:
            items = self.ask(number)
            number += 1
            if not items:
                break
            for key, _ in items:
                if key not in self.stored and len(unseen) < limit:
                    self.stored.append(key)
                    unseen.append(key)
        return unseen
