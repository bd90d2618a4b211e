"""The table `acts`: what the user decided, each act with its inverse in `match_events`."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from inforadar.domain.status import Status
from inforadar.store.database import Tx

Verb = Literal["applied", "not interested", "later", "undo"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ActView:
    """One act of the user; `matches` is how many it changed, `undone_by` the act that took all of it back."""

    id: int
    at: datetime
    who: str
    verb: Verb
    undone_by: int | None
    matches: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Deed:
    """What an act did to one match; `last_act` is the newest act on that match that is not undone."""

    match_id: int
    from_status: Status
    to_status: Status
    later_before: datetime | None
    last_act: int | None


def add(tx: Tx, *, verb: Verb, who: str, now: datetime) -> int:
    """A new act; its id."""
    return int(tx.rows("act_insert", at=now, who=who, verb=verb)[0]["id"])


def get(tx: Tx, act_id: int) -> ActView | None:
    """One act by its id."""
    row = tx.row("act_search", id=act_id, undoable=None, limit=1)
    return ActView(**row) if row else None


def latest(tx: Tx, *, only_undoable: bool = False, limit: int = 20) -> list[ActView]:
    """Acts, newest first."""
    return [ActView(**row) for row in tx.rows("act_search", id=None, undoable=only_undoable or None, limit=limit)]


def deeds(tx: Tx, act_id: int) -> list[Deed]:
    """What an act did to each of its matches, without what is undone."""
    return [
        Deed(**{**row, "from_status": Status(row["from_status"]), "to_status": Status(row["to_status"])})
        for row in tx.rows("act_events", id=act_id)
    ]


def undone(tx: Tx, act_id: int, match_id: int, *, by: int) -> bool:
    """Note that what an act did to one match is undone; False = it was already."""
    return tx.run("act_undone", id=act_id, match_id=match_id, by=by) > 0


def last_of_match(tx: Tx, match_id: int) -> int | None:
    """The last act on a match that can be undone."""
    row = tx.row("act_last_of_match", match_id=match_id)
    return int(row["id"]) if row and row["id"] is not None else None
