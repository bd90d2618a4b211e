"""The table `deliveries`: the outbox, one row for each match and sink.

Invariant: every match that is to be sent has its row before its job ends, in the same transaction.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from inforadar.domain.delivery import PUT_OFF, TABLES, DeliveryState
from inforadar.store.database import Tx
from inforadar.store.encoding import key_set

GIVEN_UP = "its job was given up while it was sent"


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """One match on its way to one sink; `reference` is how the sink calls the message."""

    id: int
    match_id: int
    sink: str
    state: DeliveryState
    why: str | None
    due_at: datetime
    tries: int
    reference: str | None
    sent_at: datetime | None
    created_at: datetime
    updated_at: datetime


def add(
    tx: Tx, match_id: int, sink: str, *, state: DeliveryState, due_at: datetime, now: datetime, why: str | None = None
) -> int | None:
    """A new row; its id, None = the match has one for this sink already."""
    row = tx.row("delivery_insert", match_id=match_id, sink=sink, state=state, why=why, due_at=due_at, now=now)
    return int(row["id"]) if row else None


def get(tx: Tx, delivery_id: int) -> Delivery | None:
    """One delivery by its id."""
    found = _search(tx, id=delivery_id, limit=1)
    return found[0] if found else None


def of_match(tx: Tx, match_id: int) -> list[Delivery]:
    """The deliveries of one match."""
    return _search(tx, match_id=match_id)


def of_message(tx: Tx, reference: str) -> list[Delivery]:
    """What one message shows, in its order."""
    return [Delivery(**row) for row in tx.rows("delivery_of_message", reference=reference)]


def messages(tx: Tx, delivery_id: int) -> list[str]:
    """The references of the messages that show one delivery: a reminder is another one."""
    return [row["reference"] for row in tx.rows("delivery_messages", delivery_id=delivery_id)]


def add_message(tx: Tx, reference: str, delivery_ids: Sequence[int]) -> None:
    """Remember what a message shows, in its order."""
    for place, delivery_id in enumerate(delivery_ids):
        tx.run("delivery_message_add", reference=reference, delivery_id=delivery_id, place=place)


def without_job(tx: Tx, *, limit: int) -> list[tuple[Delivery, str | None]]:
    """What is to be sent but has no job, each with why it had better not get one, if so."""
    rows = tx.rows("delivery_without_job", tables=key_set(TABLES), limit=limit)
    whys = [row.pop("cancelled") or (GIVEN_UP if row["is_given_up"] else None) for row in rows]
    for row in rows:
        del row["is_given_up"]
    return [(Delivery(**row), why) for row, why in zip(rows, whys, strict=True)]


def search(tx: Tx, *, state: DeliveryState | None = None, sink: str | None = None, limit: int = 50) -> list[Delivery]:
    """Deliveries, oldest first."""
    return _search(tx, state=state, sink=sink, limit=limit)


def due(tx: Tx, sink: str, now: datetime, *, limit: int) -> list[Delivery]:
    """What may go to a sink now, the oldest first."""
    return [Delivery(**row) for row in tx.rows("delivery_due", sink=sink, now=now, limit=limit)]


def sent_since(tx: Tx, sink: str, since: datetime) -> int:
    """How many were sent to a sink since a moment."""
    return int(tx.rows("delivery_sent_since", sink=sink, since=since)[0]["n"])


def write(tx: Tx, stored: Delivery, new: Delivery, now: datetime, *, of_try: int | None = None) -> bool:
    """Write a delivery as it is now; False = it is not in the state it was decided by, or not at its try `of_try`."""
    changed = tx.run(
        "delivery_write",
        id=stored.id,
        old=stored.state,
        of_try=of_try,
        state=new.state,
        why=new.why,
        due_at=new.due_at,
        tries=new.tries,
        reference=new.reference,
        sent_at=new.sent_at,
        now=now,
    )
    return changed > 0


def put_off(tx: Tx, sink: str, *, until: datetime, why: str, now: datetime) -> int:
    """What is due at a sink and was not sent is held until a moment; how many."""
    return tx.run("delivery_put_off", sink=sink, until=until, why=why, now=now)


def release(tx: Tx, sink: str, now: datetime) -> int:
    """What waits for another try at a sink is due now; how many."""
    return tx.run("delivery_release", sink=sink, now=now)


def try_again(tx: Tx, sink: str, *, since: datetime, now: datetime) -> list[int]:
    """What a sink did not take since a moment, and nobody cancelled, waits for another try; the ids of these."""
    return [int(row["id"]) for row in tx.rows("delivery_try_again", sink=sink, since=since, now=now)]


def titles(tx: Tx, delivery_ids: Collection[int]) -> dict[int, str]:
    """What the matches of these deliveries are called, as far as they are there."""
    if not delivery_ids:
        return {}
    return {row["id"]: row["title"] for row in tx.rows("delivery_titles", ids=key_set(delivery_ids))}


def counts(tx: Tx) -> dict[str, int]:
    """How many deliveries have each state."""
    return {row["state"]: int(row["n"]) for row in tx.rows("delivery_counts")}


@dataclass(frozen=True, slots=True, kw_only=True)
class Unsent:
    """Since when the oldest delivery waits to be sent, and when the next one is due.

    `oldest_at` None: all that is to be sent was put off by the user, and its time has not come.
    """

    oldest_at: datetime | None
    next_due_at: datetime


def unsent(tx: Tx, now: datetime) -> Unsent | None:
    """What still has to go out, taken together; None = nothing has."""
    row = tx.row("delivery_unsent", put_off=PUT_OFF, now=now)
    return Unsent(**row) if row else None


def _search(tx: Tx, *, limit: int = 1000, **wanted: Any) -> list[Delivery]:
    filters = dict.fromkeys(("id", "match_id", "state", "sink")) | wanted
    return [Delivery(**row) for row in tx.rows("delivery_search", limit=limit, **filters)]
