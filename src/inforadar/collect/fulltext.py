"""Full texts: fetched apart from sweeps, one item at a time, never overwritten by nothing."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from inforadar.collect.governor import Governor
from inforadar.domain.errors import Gone, RateLimited, Refused, SourceError
from inforadar.domain.item import FETCHED, FULL_TEXT, FULL_TEXT_STATE, Change, Item
from inforadar.domain.ports import Clock, Source
from inforadar.observe.log import get_log
from inforadar.store import item_changes, items
from inforadar.store.database import Database

GONE = "gone"

log = get_log("collect")


@dataclass(frozen=True, slots=True, kw_only=True)
class FullTextReport:
    """How many texts were fetched, how many articles are gone, and what went wrong."""

    fetched: int
    gone: int
    errors: Sequence[str]
    left: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FullTexts:
    """Gets the full text of articles that have none yet, newest first."""

    database: Database
    clock: Clock
    sources: Mapping[str, Source]
    governors: Mapping[str, Governor]

    def get(self, *, watch: str | None = None, limit: int = 50) -> FullTextReport:
        """Fetch up to `limit` texts; a source that turns us away is left alone for the rest of the run."""
        with self.database.reading() as tx:
            waiting = items.without_full_text(tx, watch=watch, limit=limit)
        fetched, gone, errors, closed = 0, 0, [], set[str]()
        for item in waiting:
            if item.source in closed:
                continue
            try:
                state = self._get_one(item)
            except SourceError as error:
                errors.append(f"{item.url}: {error}")
                log.warning("no full text", url=item.url, error=str(error))
                if isinstance(error, (RateLimited, Refused)) or self.governors[item.source].gate.closed():
                    closed.add(item.source)
                continue
            fetched, gone = fetched + (state == FETCHED), gone + (state == GONE)
        return FullTextReport(fetched=fetched, gone=gone, errors=tuple(errors), left=self._left(watch))

    def _get_one(self, item: Item) -> str | None:
        try:
            detail = self.governors[item.source].detail(self.sources[item.source], item.key, item.url)
        except Gone:
            return self._save(item, None, GONE)
        if detail.availability == "gone":
            return self._save(item, detail.full_text, GONE)
        return self._save(item, detail.full_text, FETCHED) if detail.full_text else None

    def _save(self, item: Item, text: str | None, state: str) -> str:
        """Write the text with its state; what was there before stays in the history."""
        now = self.clock.now()
        with self.database.transaction() as tx:
            stored = items.find_to_change(tx, item.source, [item.key])[item.key]
            old = stored.data.get(FULL_TEXT)
            data = {**stored.data, FULL_TEXT_STATE: state} | ({FULL_TEXT: text} if text else {})
            items.update(tx, [replace(stored, data=data)])
            if text and old and text != old and stored.id is not None:
                item_changes.add(tx, None, now, [(stored.id, Change(field=FULL_TEXT, old=old, new=text))])
        return state

    def _left(self, watch: str | None) -> int:
        with self.database.reading() as tx:
            return items.count_without_full_text(tx, watch=watch)
