"""The groups of items: which postings are one job. The key of its group stands in each item, written when it is saved.

Invariant: the key is what `group_key_of` says of the item; when a company gets another name, aggregation keeps it so.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from inforadar.domain.grouping import Sibling, group_key
from inforadar.domain.item import ItemId
from inforadar.store.database import Tx
from inforadar.store.encoding import key_set

LISTED = 5
"""How many other items of its group a match of a list names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """One item of a group as it concerns one watch; without a watch where no match of it is left.

    `of_all`: how many items the group has.
    """

    item_id: ItemId
    source: str
    url: str
    match_id: int | None
    watch: str | None
    status: str | None
    sent_at: datetime | None
    of_all: int


def members(tx: Tx, keys: Collection[str], most: int | None = LISTED + 1) -> dict[str, list[Member]]:
    """Members of these groups, of each no more items than `most` (None = all): the newest of every source first."""
    if not keys:
        return {}
    found: dict[str, list[Member]] = {}
    for row in tx.rows("group_members", keys=key_set(keys), most=most):
        found.setdefault(row.pop("group_key"), []).append(Member(**row))
    return found


def siblings(group: Sequence[Member], item_id: ItemId, watch: str) -> tuple[Sibling, ...]:
    """The other items of a group as a watch sees them: each with that watch's match, or else with any."""
    chosen: dict[ItemId, Member] = {}
    for member in group:
        if member.item_id != item_id and (member.item_id not in chosen or member.watch == watch):
            chosen[member.item_id] = member
    return tuple(
        Sibling(
            source=one.source,
            url=one.url,
            match_id=one.match_id,
            watch=one.watch,
            status=one.status,
            sent_at=one.sent_at,
        )
        for one in chosen.values()
    )


def regroup(tx: Tx, company_id: int, name: str) -> int:
    """Say anew which groups a company's items are in, now that it is called so; how many changed."""
    changed = []
    for row in tx.rows("group_of_company", company_id=company_id):
        key = group_key(name, row["title"], row["place"])
        if key != row["group_key"]:
            changed.append({"id": row["id"], "group_key": key})
    return tx.many("group_set", changed)
