"""The table `items`: what we hold, one row per (source, key).

Invariant: one row per (source, key), kept by the unique key; title and url are never empty, kept by CHECK.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from inforadar.domain.grouping import group_key_of
from inforadar.domain.item import Item, ItemId
from inforadar.store import companies, texts
from inforadar.store.companies import Named
from inforadar.store.database import Row, Tx
from inforadar.store.encoding import json_of, key_set, storable


def find(tx: Tx, source: str, keys: Collection[str]) -> dict[str, Item]:
    """The stored items of a source by key; keys we do not hold are absent."""
    if not keys:
        return {}
    return {row["key"]: _item(row) for row in tx.rows("item_find", source=source, keys=key_set(keys))}


def find_to_change(tx: Tx, source: str, keys: Collection[str]) -> dict[str, Item]:
    """As `find`, and nobody else changes them before this transaction ends: what is read here may be written back."""
    if keys:
        tx.rows("item_lock", source=source, keys=key_set(keys))
    return find(tx, source, keys)


def get(tx: Tx, item_id: ItemId) -> Item | None:
    """One item by its id."""
    row = tx.row("item_get", id=item_id, url=None)
    return _item(row) if row else None


def find_by_url(tx: Tx, url: str) -> Item | None:
    """The item at exactly this url; the one first stored, should two sources share it."""
    row = tx.row("item_get", id=None, url=url)
    return _item(row) if row else None


def of_watch(tx: Tx, watch: str, *, after: int, limit: int) -> dict[int, Item]:
    """The items of a watch's matches behind one match, by match."""
    rows = tx.rows("item_of_watch", watch=watch, after=after, limit=limit)
    return {int(row.pop("match_id")): _item(row) for row in rows}


def insert(tx: Tx, items: Sequence[Item]) -> dict[str, ItemId]:
    """Save items of one source that are new, leave stored ones alone; the ids of all of them by key."""
    if not items:
        return {}
    offering = _offering(tx, items)
    tx.many("item_insert", map(_row, items, offering))
    # Asking for the ids afterwards takes SQLite half the time of RETURNING them row by row.
    ids = _ids(tx, items)
    texts.add(tx, [(ids[item.key], item, one.name if one else None) for item, one in zip(items, offering, strict=True)])
    return ids


def update(tx: Tx, items: Sequence[Item]) -> None:
    """Write merged items of one source over the stored ones, by key."""
    if items:
        tx.many("item_update", map(_row, items, _offering(tx, items)))
        texts.change(tx, _ids(tx, items).values())


def touch(tx: Tx, source: str, keys: Collection[str], now: datetime) -> None:
    """Note that items were seen again, unchanged."""
    if keys:
        tx.run("item_touch", source=source, keys=key_set(keys), now=now)


def count(tx: Tx) -> int:
    """How many items we hold."""
    return int(tx.rows("item_count")[0]["n"])


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """When an item's own page was last looked up, since when it is said to be gone, and when that was confirmed."""

    checked_at: datetime | None
    gone_seen_at: datetime | None
    closed_at: datetime | None


def checked(tx: Tx, item_id: ItemId) -> Checked:
    """What is known of the item's own page."""
    row = tx.row("item_checked", id=item_id)
    return Checked(**row) if row else Checked(checked_at=None, gone_seen_at=None, closed_at=None)


def check(tx: Tx, item_id: ItemId, *, now: datetime, gone_seen_at: datetime | None) -> None:
    """Note that the item's own page was looked up; `gone_seen_at` is when it was first said to be gone.

    One that is there is open again, if it was closed.
    """
    if gone_seen_at is None and tx.run("item_open_again", id=item_id):
        companies.mark_of_items(tx, [item_id])
    tx.run("item_check", id=item_id, now=now, gone_seen_at=gone_seen_at)


@dataclass(frozen=True, slots=True, kw_only=True)
class Absent:
    """An item that its list does not show any more; `gone_seen_at` = since when that is known."""

    id: ItemId
    gone_seen_at: datetime | None


def absent(tx: Tx, source: str, key_prefix: str, shown: Collection[str]) -> list[Absent]:
    """The items of one whole list that are not closed yet, or not for everybody, and not among those shown."""
    rows = tx.rows("item_absent", source=source, prefix=key_prefix, length=len(key_prefix), keys=key_set(shown))
    return [Absent(id=ItemId(row["id"]), gone_seen_at=row["gone_seen_at"]) for row in rows]


def shown_again(tx: Tx, source: str, keys: Collection[str]) -> None:
    """Note that a list shows these items: none of them is gone, and none is closed."""
    if keys:
        closed = tx.rows("item_closed", source=source, keys=key_set(keys))
        tx.run("item_shown_again", source=source, keys=key_set(keys))
        companies.mark_of_items(tx, [row["id"] for row in closed])


def shown_whole(tx: Tx, source: str, keys: Collection[str], now: datetime) -> None:
    """Note that a list shows these items with all that their own pages could tell: they need not be looked up."""
    if keys:
        tx.run("item_shown_whole", source=source, keys=key_set(keys), now=now)


def missed(tx: Tx, ids: Collection[ItemId], now: datetime) -> None:
    """Note that a complete list did not show these items, for the first time."""
    if ids:
        tx.run("item_missed", ids=key_set(ids), now=now)


def close(tx: Tx, ids: Collection[ItemId], now: datetime) -> None:
    """Note that the closing of these items is confirmed: they are not open any more, whoever decided what on them."""
    if ids:
        tx.run("item_close", ids=key_set(ids), now=now)
        companies.mark_of_items(tx, ids)


def looked_up(tx: Tx, item_id: ItemId, now: datetime) -> None:
    """Note that the item's own page was asked for, whatever it said."""
    tx.run("item_look", id=item_id, now=now)


def forget_unmatched(tx: Tx, item_id: ItemId) -> bool:
    """Forget an item with its history if no match of it is left; whether it was."""
    tx.rows("item_hold", id=item_id)  # the questions below see what whoever had it until now has committed
    tx.run("item_forget_changes", id=item_id)
    is_forgotten = tx.run("item_forget", id=item_id) > 0
    if is_forgotten:
        texts.forget(tx, item_id)
    return is_forgotten


def _ids(tx: Tx, items: Sequence[Item]) -> dict[str, ItemId]:
    rows = tx.rows("item_ids", source=items[0].source, keys=key_set(item.key for item in items))
    return {row["key"]: ItemId(row["id"]) for row in rows}


def _offering(tx: Tx, items: Sequence[Item]) -> list[Named | None]:
    """The company of each item, saved if it is new; None for an item that names none."""
    keys = [_company_key(item) for item in items]
    names = {key: item.company or "" for key, item in zip(keys, items, strict=True) if key}
    found = companies.ensure(tx, items[0].source, names, items[0].last_seen_at)
    return [found.get(key) for key in keys]


def _company_key(item: Item) -> str:
    # A source that shows no id of the company is trusted to spell its name alike.
    return item.company_key or item.company or ""


def _row(item: Item, company: Named | None) -> Row:
    return {
        "source": item.source,
        "key": item.key,
        "kind": item.kind,
        "url": storable(item.url),
        "title": storable(item.title),
        "company_id": company.id if company else None,
        "published_at": item.published_at,
        "first_seen_at": item.first_seen_at,
        "last_seen_at": item.last_seen_at,
        "group_key": group_key_of(item, company.name if company else None),
        "data": json_of(item.data),
    }


def _item(row: Row) -> Item:
    return Item(**row)
