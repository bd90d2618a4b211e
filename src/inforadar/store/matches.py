"""The tables `matches` and `match_events`: items as they concern a watch, and every change of their status."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from inforadar.domain.errors import StoreError
from inforadar.domain.grouping import Sibling
from inforadar.domain.item import ItemId, Kind
from inforadar.domain.status import Status, Who, may_move
from inforadar.store import groups, texts
from inforadar.store.database import Row, Tx
from inforadar.store.encoding import containing, key_set
from inforadar.store.groups import Member

FILTERS = (
    *("watch", "source", "status", "statuses", "text", "latin", "topic", "topics", "min_score", "published_after"),
    *("put_off_at", "due_at", "before_id", "below_at", "from_at", "upward", "item_ids", "match_ids"),
)

SHOWN = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchView:
    """One match together with what a person wants to see of its item, and where else the same job is.

    `also_on` names a few other postings where the match is one of a list, and all where it was asked for alone;
    `others` is the number of all.
    """

    id: int
    watch: str
    item_id: ItemId
    source: str
    key: str
    kind: Kind
    url: str
    title: str
    company: str | None
    published_at: datetime
    status: str
    score: float | None
    reason: str | None
    query_key: str
    version: int
    recoveries: int
    later_until: datetime | None
    sent_at: datetime | None
    created_at: datetime
    updated_at: datetime
    data: Mapping[str, Any]
    note: str | None = None
    group_key: str | None = None
    also_on: tuple[Sibling, ...] = ()
    others: int = 0

    @property
    def also_shown(self) -> tuple[Sibling, ...]:
        """As many other postings of the job as one page shows."""
        return self.also_on[:SHOWN]


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchEvent:
    """One change of a match's status: who moved it and why, and by which act of the user."""

    at: datetime
    who: str
    from_status: str | None
    to_status: str
    why: str
    act_id: int | None = None


def known(tx: Tx, watch: str, source: str, keys: Collection[str]) -> set[str]:
    """Which of these keys the watch has dealt with before: a match or a tombstone."""
    if not keys:
        return set()
    return {row["key"] for row in tx.rows("match_known", watch=watch, source=source, keys=key_set(keys))}


def create(
    tx: Tx, watch: str, query_key: str, item_ids: Collection[ItemId], now: datetime, who: str, why: str
) -> dict[ItemId, int]:
    """Match items with a watch, status QUEUED, each with its first event; ids of the new matches by item."""
    if not item_ids:
        return {}
    rows = tx.rows("match_insert", watch=watch, query_key=query_key, item_ids=key_set(item_ids), now=now)
    created = {ItemId(row["item_id"]): int(row["id"]) for row in rows}
    if created:
        tx.run("match_event_insert", match_ids=key_set(created.values()), now=now, who=who, why=why)
    return created


def search(
    tx: Tx,
    *,
    watch: str | None = None,
    source: str | None = None,
    status: str | None = None,
    statuses: Collection[str] = (),
    text: str | None = None,
    topic: str | None = None,
    min_score: float | None = None,
    published_after: datetime | None = None,
    put_off_at: datetime | None = None,
    due_at: datetime | None = None,
    limit: int = 50,
    before_id: int | None = None,
    below: tuple[datetime, int] | None = None,
    upward_from: tuple[datetime, int] | None = None,
    sought: Mapping[str, Any] | None = None,
    is_grouped: bool = True,
    topics: Collection[str] = (),
    query_keys: Collection[str] = (),
) -> list[MatchView]:
    """Matches, newest publication first, below the match `before_id` or below a publication time and a match id.

    `text` is looked for in title, company and author, `topic` among the values of the item's data; `put_off_at` leaves
    those that are put off at that moment, `due_at` the others. `upward_from`: the oldest first instead, from a
    publication time and a match id on. `sought`: what `texts.sought` says of the text, where it was asked already;
    without `is_grouped` nobody asks where else the jobs are. `topics` leaves those whose data may name one of them, and
    those that one of the queries of these `query_keys` found.
    """
    if len(statuses) == 1:  # one is looked up by its index
        (status,) = statuses
    rows = tx.rows(
        "match_search",
        id=None,
        match_ids=None,
        watch=watch,
        source=source,
        status=status,
        statuses=key_set(statuses) if len(statuses) > 1 else None,
        **(sought or texts.sought(tx, text)),
        topic=containing(f'"{topic}"') if topic else None,
        topics=key_set(form for one in topics for form in texts.naming(one)) if topics else None,
        query_keys=key_set(query_keys),
        min_score=min_score,
        published_after=published_after,
        put_off_at=put_off_at,
        due_at=due_at,
        limit=limit,
        before_id=before_id,
        below_at=below[0] if below else None,
        below_id=below[1] if below else None,
        from_at=upward_from[0] if upward_from else None,
        from_id=upward_from[1] if upward_from else None,
        upward=True if upward_from else None,
        downward=None if upward_from else True,
    )
    return _views(tx, rows, groups.LISTED if is_grouped else 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a match stands in the order of publication."""

    id: int
    item_id: ItemId
    published_at: datetime


def places(
    tx: Tx,
    *,
    watch: str | None,
    statuses: Collection[str],
    below: tuple[datetime, int] | None,
    limit: int,
) -> list[Place]:
    """Where the matches of a search stand, newest publication first: to read many of them, page by page, at ease."""
    rows = tx.rows(
        "match_places",
        watch=watch,
        statuses=key_set(statuses) if statuses else None,
        below_at=below[0] if below else None,
        below_id=below[1] if below else None,
        limit=limit,
    )
    return [Place(**row) for row in rows]


def count(
    tx: Tx,
    *,
    watch: str | None = None,
    source: str | None = None,
    statuses: Collection[str] = (),
    text: str | None = None,
    due_at: datetime | None = None,
    down_to: tuple[datetime, int] | None = None,
) -> int:
    """How many matches a search would find; `down_to`: only down to a publication time and a match id."""
    rows = tx.rows(
        "match_count",
        watch=watch,
        source=source,
        statuses=key_set(statuses) if statuses else None,
        **texts.sought(tx, text),
        due_at=due_at,
        from_at=down_to[0] if down_to else None,
        from_id=down_to[1] if down_to else None,
    )
    return int(rows[0]["n"])


def get(tx: Tx, match_id: int) -> MatchView | None:
    """One match by its id."""
    row = tx.row("match_search", **dict.fromkeys(FILTERS), id=match_id, downward=True, limit=1)
    return _views(tx, [row], most=None)[0] if row else None


def several(tx: Tx, item_ids: Mapping[int, ItemId], *, is_grouped: bool = True) -> list[MatchView]:
    """These matches, each with the item it is of, newest publication first."""
    if not item_ids:
        return []
    chosen = {"match_ids": key_set(item_ids), "item_ids": key_set(item_ids.values())}
    rows = tx.rows("match_search", **dict.fromkeys(FILTERS) | chosen, id=None, downward=True, limit=len(item_ids))
    return _views(tx, rows, groups.LISTED if is_grouped else 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """Where a match stands, read to be changed."""

    id: int
    status: Status
    later_until: datetime | None


def lock(tx: Tx, match_ids: Collection[int]) -> dict[int, Standing]:
    """Where these matches stand, and nobody else moves them before this transaction ends; unknown ids are absent."""
    rows = tx.rows("match_lock", ids=key_set(match_ids))
    return {row["id"]: Standing(**{**row, "status": Status(row["status"])}) for row in rows}


def move(
    tx: Tx, match_id: int, old: Status, new: Status, *, who: Who, why: str, now: datetime, act: "Act | None" = None
) -> bool:
    """Move one match and log it; False = it does not stand at `old` any more, and nothing is changed.

    Raises StoreError for a move that is not in the table of moves.
    """
    if not may_move(old, new, who):
        raise StoreError(f"A match may not go from {old} to {new} by {who}.")
    if not tx.run("match_move", id=match_id, old=old.value, new=new.value, who=who, now=now):
        return False
    note(tx, match_id, old, new, who=act.who if act else who, why=why, now=now, act=act)
    return True


def note(
    tx: Tx, match_id: int, old: Status, new: Status, *, who: str, why: str, now: datetime, act: "Act | None" = None
) -> None:
    """Log what happened to a match."""
    tx.run(
        "match_event_add",
        match_id=match_id,
        now=now,
        who=who,
        from_status=old.value,
        to_status=new.value,
        why=why,
        act_id=act.id if act else None,
        later_before=act.later_before if act else None,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Act:
    """The act of a user that moves a match: who it was, and until when the match was put off before."""

    id: int
    who: str
    later_before: datetime | None = None


def judged(tx: Tx, match_id: int, *, score: float, reason: str, now: datetime) -> None:
    """Write what the judge said."""
    tx.run("match_judge", id=match_id, score=score, reason=reason, now=now)


def sent(tx: Tx, match_id: int, now: datetime) -> None:
    """Note when a match was sent to the user; the first time stays."""
    tx.run("match_sent", id=match_id, now=now)


def put_off(tx: Tx, match_id: int, until: datetime | None, now: datetime) -> None:
    """Put a match off until a moment; None = show it again."""
    tx.run("match_put_off", id=match_id, later_until=until, now=now)


def annotate(tx: Tx, match_id: int, note: str | None, now: datetime) -> None:
    """Keep what the user noted on a match; None = nothing any more."""
    tx.run("match_annotate", id=match_id, note=note, now=now)


def delete(tx: Tx, match_id: int) -> None:
    """Forget a match with all its history."""
    tx.run("match_delete", id=match_id)


def of_item(tx: Tx, item_id: ItemId) -> list[int]:
    """The ids of all matches of one item."""
    return [int(row["id"]) for row in tx.rows("match_of_item", item_id=item_id)]


def events(tx: Tx, match_id: int) -> list[MatchEvent]:
    """Every status change of one match, oldest first."""
    return [MatchEvent(**row) for row in tx.rows("match_events_of", match_id=match_id)]


def titles(tx: Tx, match_ids: Collection[int]) -> dict[int, str]:
    """What these matches are called, as far as they are there."""
    return {row["id"]: row["title"] for row in tx.rows("match_titles", ids=key_set(match_ids))} if match_ids else {}


def counts(tx: Tx) -> dict[str, int]:
    """How many matches have each status."""
    return {row["status"]: int(row["n"]) for row in tx.rows("match_counts")}


def _views(tx: Tx, rows: Sequence[Row], most: int | None = groups.LISTED) -> list[MatchView]:
    keys = {row["group_key"] for row in rows if row["group_key"]}
    members = groups.members(tx, keys, None if most is None else most + 1) if most != 0 else {}
    return [_view(row, members.get(row["group_key"], ()), most) for row in rows]


def _view(row: Row, members: Sequence[Member], most: int | None) -> MatchView:
    item_id = ItemId(row["item_id"])
    also_on = groups.siblings(members, item_id, row["watch"])[:most]
    others = members[0].of_all - 1 if members else 0
    return MatchView(**{**row, "item_id": item_id}, also_on=also_on, others=others)
