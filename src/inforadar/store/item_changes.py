"""The table `item_changes`: the history of every field of every item."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from inforadar.domain.item import Change, ItemId
from inforadar.store.database import Tx
from inforadar.store.encoding import json_of


@dataclass(frozen=True, slots=True, kw_only=True)
class PastChange:
    """One change with when and by which run it was seen."""

    change: Change
    changed_at: datetime
    run_id: int | None


def add(tx: Tx, run_id: int | None, now: datetime, changes: Iterable[tuple[ItemId, Change]]) -> None:
    """Note changes of items, in this order."""
    rows = [
        {
            "item_id": item_id,
            "run_id": run_id,
            "changed_at": now,
            "field": change.field,
            "old": json_of(change.old),
            "new": json_of(change.new),
        }
        for item_id, change in changes
    ]
    tx.many("item_change_insert", rows)


def of_item(tx: Tx, item_id: ItemId) -> list[PastChange]:
    """The history of one item, oldest first."""
    return [
        PastChange(
            change=Change(field=row["field"], old=row["old"], new=row["new"]),
            changed_at=row["changed_at"],
            run_id=row["run_id"],
        )
        for row in tx.rows("item_change_of_item", item_id=item_id)
    ]
