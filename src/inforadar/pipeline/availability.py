"""Availability: one look at an item's own page, which also brings its full text; the page is asked for once."""

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from inforadar.domain.availability import Alive, LookAgain, Over, Sighting, Unknown, is_fresh, sighting
from inforadar.domain.errors import Gone, NoVerdict, Refused, Unreadable
from inforadar.domain.item import ItemId
from inforadar.domain.merge import add_detail
from inforadar.domain.ports import Clock, Detail
from inforadar.store import item_changes, items
from inforadar.store.database import Database
from inforadar.store.matches import MatchView


class Details(Protocol):
    """Asks a source for one item's own page, at the source's pace."""

    def detail(self, source: str, key: str, url: str) -> Detail:
        """What the page says; raises SourceError, or Stopped."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Availability:
    """Looks items up."""

    database: Database
    clock: Clock
    details: Details

    def look(self, match: MatchView, *, anew: bool = False) -> Sighting:
        """Whether the item is there; a recent look is believed, unless asked `anew` or it was found gone or closed.

        Raises RateLimited, Unavailable and Stopped, which say nothing about the item.
        """
        with self.database.reading() as tx:
            known = items.checked(tx, match.item_id)
        is_doubted = anew or known.gone_seen_at is not None or known.closed_at is not None
        if not is_doubted and is_fresh(known.checked_at, self.clock.now()):
            return Alive()
        try:
            detail = self.details.detail(match.source, match.key, match.url)
        except Gone:
            detail = Detail(availability="gone")
        except (NoVerdict, Refused, Unreadable) as error:
            self.note(match)
            return Unknown(why=str(error))
        now = self.clock.now()
        seen = sighting(detail, known.gone_seen_at, now)
        self._save(match, detail, seen, now)
        return seen

    def note(self, match: MatchView) -> None:
        """Note that it was looked up in vain, so that others have their turn."""
        with self.database.transaction() as tx:
            items.looked_up(tx, match.item_id, self.clock.now())

    def _save(self, match: MatchView, detail: Detail, seen: Sighting, now: datetime) -> None:
        """Write down what the page said; a fact about the item, whatever becomes of the match."""
        with self.database.transaction() as tx:
            stored = items.find_to_change(tx, match.source, [match.key]).get(match.key)
            if stored is None or stored.id is None:
                return
            items.looked_up(tx, stored.id, now)
            merged = add_detail(stored, detail.full_text, detail.data)
            if merged.item != stored:
                items.update(tx, [merged.item])
                item_changes.add(tx, None, now, [(ItemId(stored.id), change) for change in merged.changes])
            # since when it is gone stays as it was: whoever dies before its end is acted on must find it again
            if isinstance(seen, Over):
                items.close(tx, [ItemId(stored.id)], now)
            elif isinstance(seen, (Alive, LookAgain)):
                since = seen.gone_seen_at if isinstance(seen, LookAgain) else None
                items.check(tx, stored.id, now=now, gone_seen_at=since)
