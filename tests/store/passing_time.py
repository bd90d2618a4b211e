"""Lets time pass for the jobs of a database: all their times move into the past."""

from inforadar.store.database import Database

COLUMNS = ("run_at", "locked_at", "heartbeat_at", "created_at", "completed_at")


def let_pass(db: Database, seconds: float) -> None:
    """So many seconds go by; fewer than none = the clock was set back by so many."""
    if db.kind == "sqlite":
        moved = [
            f"{column} = strftime('%Y-%m-%dT%H:%M:%f', {column}, '{-seconds} seconds') || '000Z'" for column in COLUMNS
        ]
    else:
        moved = [f"{column} = {column} + interval '{-seconds} seconds'" for column in COLUMNS]
    with db.transaction() as tx:
        tx.run_text(f"UPDATE jobs SET {', '.join(moved)}")
