"""The table `companies`: who offers an item, one row per source and key."""

from collections.abc import Mapping
from datetime import datetime

from inforadar.store.database import Tx
from inforadar.store.encoding import key_set, storable


def ensure(tx: Tx, source: str, names: Mapping[str, str], now: datetime) -> dict[str, int]:
    """Ids by company key; new companies are saved, and one that the source calls differently now is renamed."""
    names = {key: storable(name) for key, name in names.items()}
    if not names:
        return {}
    stored = {row["key"]: row for row in tx.rows("company_find", source=source, keys=key_set(names))}
    renamed = [row for key, row in stored.items() if names[key] and names[key] != row["name"]]
    tx.many("company_rename", [{"id": row["id"], "name": names[row["key"]], "now": now} for row in renamed])
    ids = {key: int(row["id"]) for key, row in stored.items()}
    unknown = {key: name for key, name in names.items() if key not in ids}
    return ids | _insert(tx, source, unknown, now)


def _insert(tx: Tx, source: str, names: Mapping[str, str], now: datetime) -> dict[str, int]:
    # Sorted, so that two processes that save the same companies cannot wait for each other in a circle.
    drafts = [{"source": source, "key": key, "name": names[key] or key, "now": now} for key in sorted(names)]
    ids = {row["key"]: int(row["id"]) for row in tx.many_rows("company_insert", drafts)}
    missed = [key for key in names if key not in ids]
    if missed:
        rows = tx.rows("company_find", source=source, keys=key_set(missed))
        ids |= {row["key"]: int(row["id"]) for row in rows}
    return ids
