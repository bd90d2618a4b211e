"""The table `cursors`: how far something that is read once has been read, kept with what was made of it."""

from inforadar.store.database import Tx


def get(tx: Tx, name: str) -> int | None:
    """Where to read on; None before the first time."""
    row = tx.row("cursor_get", name=name)
    return int(row["value"]) if row else None


def put(tx: Tx, name: str, value: int) -> None:
    """Read on from here, once this transaction is committed."""
    tx.run("cursor_put", name=name, value=value)
