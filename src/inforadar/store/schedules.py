"""The table `schedules`: when periodic work was last put, so that a restart neither forgets nor repeats it."""

from datetime import datetime

from inforadar.store.database import Tx


def last_runs(tx: Tx) -> dict[str, datetime]:
    """When each piece of work was last put, by its name."""
    return {row["name"]: row["last_run_at"] for row in tx.rows("schedule_all")}


def ran(tx: Tx, name: str, now: datetime) -> None:
    """Remember that a piece of work was put now."""
    tx.run("schedule_ran", name=name, now=now)
