"""Full texts: fetched apart from sweeps, one item at a time, never overwritten by nothing.

An article whose text cannot be had is asked for later, each time after a longer pause, and given up in the end; a
person may ask for it again.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from inforadar.collect.governor import Governor, Pulse, no_pulse
from inforadar.domain.errors import Gone, RateLimited, Refused, SourceError
from inforadar.domain.fulltext import UNAVAILABLE, next_try
from inforadar.domain.item import FETCHED, FULL_TEXT, FULL_TEXT_STATE, Change, Item
from inforadar.domain.ports import Clock, Source
from inforadar.observe.log import get_log
from inforadar.store import full_texts, item_changes, items
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


@dataclass(slots=True, kw_only=True)
class _Round:
    """What came of the articles asked for so far, and which sources are left alone for the rest of it."""

    fetched: int = 0
    gone: int = 0
    errors: list[str] = field(default_factory=list)
    closed: set[str] = field(default_factory=set)


@dataclass(frozen=True, slots=True, kw_only=True)
class FullTexts:
    """Gets the full text of articles that have none yet: the least tried first, then the newest."""

    database: Database
    clock: Clock
    sources: Mapping[str, Source]
    governors: Mapping[str, Governor]

    def get(
        self, *, watch: str | None = None, limit: int = 50, only_due: bool = False, pulse: Pulse = no_pulse
    ) -> FullTextReport:
        """Fetch up to `limit` texts; a source that turns us away is left alone for the rest of the run.

        `only_due`: not those that are to be tried later, or were given up.
        """
        due_at = self.clock.now() if only_due else None
        with self.database.reading() as tx:
            waiting = full_texts.waiting(tx, due_at=due_at, watch=watch, limit=limit)
        done = _Round()
        for item in waiting:
            pulse()
            if item.source not in done.closed:
                self._ask(item, done)
        with self.database.reading() as tx:
            left = full_texts.count(tx, due_at=due_at, watch=watch)
        return FullTextReport(fetched=done.fetched, gone=done.gone, errors=tuple(done.errors), left=left)

    def _ask(self, item: Item, done: _Round) -> None:
        try:
            state = self._get_one(item)
        except SourceError as error:
            done.errors.append(f"{item.url}: {error}")
            log.warning("no full text", url=item.url, error=str(error))
            is_closed = self.governors[item.source].gate.closed() is not None
            if is_closed or isinstance(error, (RateLimited, Refused)):
                done.closed.add(item.source)
            if isinstance(error, Refused) or not (is_closed or isinstance(error, RateLimited)):
                self._put_off(item)
            return
        if state is None:
            self._put_off(item)
        done.fetched += state == FETCHED
        done.gone += state == GONE

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
            stored = items.find_to_change(tx, item.source, [item.key]).get(item.key)
            if stored is None or stored.id is None:
                return state
            old = stored.data.get(FULL_TEXT)
            data = {**stored.data, FULL_TEXT_STATE: state} | ({FULL_TEXT: text} if text else {})
            items.update(tx, [replace(stored, data=data)])
            full_texts.forget(tx, stored.id)
            if text and old and text != old:
                item_changes.add(tx, None, now, [(stored.id, Change(field=FULL_TEXT, old=old, new=text))])
        return state

    def _put_off(self, item: Item) -> None:
        """This article was asked for in vain: later again, or not any more."""
        now = self.clock.now()
        with self.database.transaction() as tx:
            stored = items.find_to_change(tx, item.source, [item.key]).get(item.key)
            if stored is None or stored.id is None:
                return
            tries = full_texts.tried(tx, stored.id)
            next_try_at = next_try(tries, now)
            full_texts.put_off(tx, stored.id, next_try_at)
            if next_try_at is None:
                items.update(tx, [replace(stored, data={**stored.data, FULL_TEXT_STATE: UNAVAILABLE})])
                log.warning("full text given up; `radar fulltext` asks for it again", url=item.url, tries=tries)
