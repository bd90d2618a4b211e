"""Archiving what its source has closed: the matches, what was to be sent of them, and the messages that show them."""

from collections.abc import Collection
from dataclasses import replace
from datetime import datetime

from inforadar.domain.delivery import WAITING
from inforadar.domain.item import ItemId
from inforadar.domain.status import Status
from inforadar.store import deliveries, jobs, matches
from inforadar.store.database import Tx

CLOSED = "closed before it was sent"
IN_INBOX = (Status.ANALYZED, Status.SENT_TO_USER)
IN_WORK = (Status.QUEUED, *IN_INBOX)


def archive(tx: Tx, item_id: ItemId, *, why: str, now: datetime, standing_at: Collection[Status] = IN_INBOX) -> int:
    """Archive every match of an item that stands at one of these statuses, wherever it was sent; how many."""
    archived = 0
    for one in matches.lock(tx, matches.of_item(tx, item_id)).values():
        if one.status not in standing_at:
            continue
        matches.move(tx, one.id, one.status, Status.IN_ARCHIVE, who="machine", why=why, now=now)
        _withdraw(tx, one.id, now)
        archived += 1
    return archived


def _withdraw(tx: Tx, match_id: int, now: datetime) -> None:
    """What was not sent yet stays here; what was sent shows that it is over."""
    for delivery in deliveries.of_match(tx, match_id):
        if delivery.state in WAITING:
            deliveries.write(tx, delivery, replace(delivery, state="left out", why=CLOSED), now)
        for reference in deliveries.messages(tx, delivery.id):
            jobs.put(tx, [jobs.edit_job(reference, delivery.sink, f"closed {match_id}")])
