"""Saving one page: items, changes, matches, tombstones and first jobs, inside the caller's transaction."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from inforadar.collect.observing import observe
from inforadar.domain.item import Change, Draft, Item, ItemId
from inforadar.domain.merge import Merged, create, merge
from inforadar.domain.price_flaws import Flaw
from inforadar.domain.run import Counters
from inforadar.domain.screening import BanList, exclusion
from inforadar.domain.walk import Sorted
from inforadar.domain.watch import Query, Watch
from inforadar.store import companies, item_changes, items, jobs, matches, tombstones
from inforadar.store.database import Tx
from inforadar.store.tombstones import Tombstone


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedPage:
    """What a page brought: counters, the titles added by url, and what changed in items known before.

    `currencies`: of what changed, by url, the money its price is in. `price_flaws`: of the listings of a price watch,
    by key, why each tells no usable price; None where it does.
    """

    counters: Counters
    added: dict[str, str]
    updated: dict[str, dict[str, list[Any]]]
    filtered: tuple[Tombstone, ...]
    currencies: Mapping[str, str]
    price_flaws: Mapping[str, Flaw | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class PageSaver:
    """Saves the pages of one sweep of one query."""

    watch: Watch
    query: Query
    ban_list: BanList
    run_id: int
    now: datetime

    def save(self, tx: Tx, entries: Sorted) -> SavedPage:
        """Save what a sorted page brings; nothing of it is visible before the caller commits."""
        source = self.query.source
        stored = items.find_to_change(tx, source, [draft.key for draft in (*entries.new, *entries.seen)])
        dead = self._screened(entries.new)
        excluded = {tombstone.key for tombstone in dead}
        tombstones.add(tx, dead)
        wanted = [draft for draft in entries.new if draft.key not in excluded]
        added = self._add(tx, [draft for draft in wanted if draft.key not in stored])
        held = (stored[draft.key] for draft in wanted if draft.key in stored)
        self._match(tx, added | {item.id: item for item in held if item.id is not None})
        shown = (*entries.new, *entries.seen)
        merged = [merge(stored[draft.key], draft, self.now) for draft in shown if draft.key in stored]
        # before as well: an offer may leave one company for another
        companies.mark(tx, self.run_id, source, [result.item.key for result in merged if _leaves(stored, result.item)])
        changed = self._update(tx, merged)
        companies.mark(tx, self.run_id, source, [draft.key for draft in shown])
        is_priced = self.watch.kind == "price"
        flaws = observe(tx, self.watch, source, shown, self.now) if is_priced else {}
        return SavedPage(
            counters=Counters(unseen=len(entries.new), added=len(added), filtered=len(dead)),
            added={item.url: item.title for item in added.values()},
            updated={result.item.url: _old_new(result) for result in changed},
            filtered=tuple(dead),
            currencies={result.item.url: str(result.item.data.get("currency") or "") for result in changed},
            price_flaws=flaws,
        )

    def _screened(self, drafts: Sequence[Draft]) -> list[Tombstone]:
        verdicts = [(draft, exclusion(draft, self.ban_list, self.watch.max_experience_years)) for draft in drafts]
        return [
            Tombstone(
                watch=self.watch.name,
                source=self.query.source,
                key=draft.key,
                reason=verdict.reason,
                word=verdict.word,
                field=verdict.field,
                title=draft.title,
                url=draft.url,
                at=self.now,
            )
            for draft, verdict in verdicts
            if verdict
        ]

    def _add(self, tx: Tx, drafts: Sequence[Draft]) -> dict[ItemId, Item]:
        fresh = [create(draft, self.query.source, self.watch.kind, self.now) for draft in drafts]
        ids = items.insert(tx, fresh)
        return {ids[item.key]: item for item in fresh}

    def _match(self, tx: Tx, by_id: dict[ItemId, Item]) -> None:
        why = f"found by {self.query.key}"
        created = matches.create(tx, self.watch.name, self.query.key, by_id.keys(), self.now, "machine", why)
        jobs.put(
            tx,
            [
                jobs.process_job(match_id, published_at=by_id[item_id].published_at, source=self.query.source)
                for item_id, match_id in created.items()
            ],
        )

    def _update(self, tx: Tx, merged: Sequence[Merged]) -> list[Merged]:
        """Bring what is stored up to date; gives back what changed."""
        touched = [result for result in merged if result.changes or result.is_bump]
        items.update(tx, [result.item for result in touched])
        moved = {result.item.key for result in touched}
        items.touch(tx, self.query.source, {result.item.key for result in merged} - moved, self.now)
        item_changes.add(tx, self.run_id, self.now, _changes(touched))
        return [result for result in touched if result.changes]


def _leaves(stored: Mapping[str, Item], item: Item) -> bool:
    before = stored[item.key]
    return (before.company_key, before.company) != (item.company_key, item.company)


def _changes(merged: Sequence[Merged]) -> list[tuple[ItemId, Change]]:
    return [(result.item.id, change) for result in merged if result.item.id for change in result.changes]


def _old_new(result: Merged) -> dict[str, list[Any]]:
    return {change.field: [change.old, change.new] for change in result.changes}
