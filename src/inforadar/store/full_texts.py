"""The table `full_text_tries`: how often the full text of an article was asked for in vain, and when to try next."""

from datetime import datetime

from inforadar.domain.item import Item, ItemId
from inforadar.store.database import Tx


def waiting(tx: Tx, *, due_at: datetime | None, watch: str | None = None, limit: int = 50) -> list[Item]:
    """Articles without their full text, the least tried first, then the newest; of one watch or of all.

    Those that are due by a moment; None = all, even those given up.
    """
    return [Item(**row) for row in tx.rows("full_text_waiting", due_at=due_at, watch=watch, limit=limit)]


def count(tx: Tx, *, due_at: datetime | None, watch: str | None = None) -> int:
    """How many articles `waiting` would find without a limit."""
    return int(tx.rows("full_text_count", due_at=due_at, watch=watch)[0]["n"])


def tried(tx: Tx, item_id: ItemId) -> int:
    """Count one more try in vain; how many there were."""
    return int(tx.rows("full_text_tried", item_id=item_id)[0]["tries"])


def put_off(tx: Tx, item_id: ItemId, next_try_at: datetime | None) -> None:
    """Try again at a moment; None = only when a person asks for it."""
    tx.run("full_text_put_off", item_id=item_id, next_try_at=next_try_at)


def forget(tx: Tx, item_id: ItemId) -> None:
    """There is nothing more to try."""
    tx.run("full_text_forget", item_id=item_id)
