"""The table `totals`: what is counted for good, the same for every process."""

from collections.abc import Mapping

from inforadar.store.database import Tx


def add(tx: Tx, counted: Mapping[str, int]) -> None:
    """Count things for good."""
    for name, value in sorted(counted.items()):
        tx.run("total_add", name=name, value=value)


def all(tx: Tx) -> dict[str, int]:  # noqa: A001 - read as totals.all
    """Everything that is counted for good."""
    return {row["name"]: int(row["value"]) for row in tx.rows("total_all")}
