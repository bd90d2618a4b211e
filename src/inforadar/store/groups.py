"""The groups of items: which postings are one job. The key of its group stands in each item, written when it is saved.

Invariant: the key is what `group_key_of` says of the item; when a company gets another name, or the rule another
number, aggregation keeps it so.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from inforadar.domain.grouping import RULE, Sibling, group_key
from inforadar.domain.item import ItemId
from inforadar.store import cursors
from inforadar.store.database import Row, Tx
from inforadar.store.encoding import key_set

KEYED_BY = "group rule"
KEYED_UPTO = "group rule {rule}"
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
    rows = tx.rows("group_of_company", company_id=company_id)
    return len(_set(tx, [{**row, "name": name} for row in rows]))


def is_outdated(tx: Tx) -> bool:
    """Whether there may be items that were grouped by another rule than today's."""
    return cursors.get(tx, KEYED_BY) != RULE


def regroup_some(tx: Tx, most: int) -> list[ItemId]:
    """Group so many items by today's rule, from where the last ones were; those that changed.

    With the last of them all items are grouped by today's rule, and none is outdated any more.
    """
    place = KEYED_UPTO.format(rule=RULE)
    rows = tx.rows("group_after", after=cursors.get(tx, place) or 0, most=most)
    has_more = len(rows) == most
    cursors.put(tx, place, rows[-1]["id"] if has_more else 0)
    if not has_more:
        cursors.put(tx, KEYED_BY, RULE)
    return _set(tx, rows)


def _set(tx: Tx, rows: Sequence[Row]) -> list[ItemId]:
    """Write the groups of items that are in another one by now; which those are."""
    keys = {row["id"]: group_key(row["name"], row["title"], row["place"]) for row in rows}
    changed = [row["id"] for row in rows if keys[row["id"]] != row["group_key"]]
    tx.many("group_set", [{"id": one, "group_key": keys[one]} for one in changed])
    return [ItemId(one) for one in changed]
