"""The tables `companies` and `stale_companies`: who offers an item, one row per source and key, and what is counted.

What is counted is always counted anew from the items. A page notes, in its own transaction, whose counts it made
stale; who counts a company takes the note away in the transaction that writes the counts.
Invariant: a company whose items have changed since it was counted has a note.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime

from inforadar.domain.company import company_key
from inforadar.store import groups, jobs, texts
from inforadar.store.database import Tx
from inforadar.store.encoding import containing, key_set, storable

NO_RUN = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Stale:
    """A company to be counted, and the run that says so."""

    run_id: int
    company_id: int


@dataclass(frozen=True, slots=True)
class Named:
    """A company's id, and how it is called now."""

    id: int
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CompanyRow:
    """A company as one source knows it; rows with one `shown_key` are the same company."""

    shown_key: str
    id: int
    source: str
    name: str
    offers_seen: int
    offers_open: int
    reposts: int
    first_seen_at: datetime
    last_seen_at: datetime


def search(tx: Tx, *, text: str | None = None, limit: int = 50) -> list[CompanyRow]:
    """The rows of at most `limit` companies, those with most open vacancies first; `text` is looked for in names."""
    rows = tx.rows("company_search", text=containing(text) if text else None, limit=limit)
    return [CompanyRow(**row) for row in rows]


def mark(tx: Tx, run_id: int, source: str, keys: Collection[str]) -> None:
    """Note that a page of a run touched these items: their companies are to be counted."""
    if keys:
        tx.run("company_stale", run_id=run_id, source=source, keys=key_set(keys))


def mark_of_items(tx: Tx, ids: Collection[int]) -> None:
    """Note that items were closed or opened again; whoever counts next counts their companies.

    Call it after the items are written: whoever groups and counts locks the items first, and the note then.
    """
    if ids:
        tx.run("company_stale_of_items", ids=key_set(ids))


def stale(tx: Tx, run_id: int, limit: int) -> list[Stale]:
    """What is to be counted for a run, then what is for none."""
    return [Stale(**row) for row in tx.rows("company_stale_find", run_id=run_id, limit=limit)]


def put_counting(tx: Tx) -> int:
    """A job for each run that is over and has companies to be counted, also for one whose process died; how many."""
    return jobs.put(tx, [jobs.aggregate_job(int(row["run_id"])) for row in tx.rows("company_stale_runs")])


def aggregate(tx: Tx, one: Stale, now: datetime) -> None:
    """Count one company anew; when its name is another one by now, its items are grouped anew first."""
    row = tx.row("company_name", id=one.company_id)
    if row is not None:
        name_key = company_key(row["name"])
        if name_key != row["name_key"]:
            groups.regroup(tx, one.company_id, row["name"])
        # before the counting: what is noted from here on waits for us, and is counted by the next one
        _settle(tx, one, aggregated=1)
        tx.run("company_aggregate", id=one.company_id, name_key=name_key, now=now)


def regroup_some(tx: Tx, most: int) -> bool:
    """Group some more items by today's rule, should it be another one than before; whether there are more.

    The companies of those that changed are counted anew, and with them the spelling their names are compared by.
    """
    if not groups.is_outdated(tx):
        return False
    mark_of_items(tx, groups.regroup_some(tx, most))
    return groups.is_outdated(tx)


def give_up(tx: Tx, one: Stale) -> None:
    """Leave a company's counts as they are until a run touches it again."""
    _settle(tx, one, failed=1)


def _settle(tx: Tx, one: Stale, *, aggregated: int = 0, failed: int = 0) -> None:
    # whoever finds the note gone was outrun by another worker, and counts nothing
    if tx.run("company_stale_done", run_id=one.run_id, company_id=one.company_id):
        tx.run("run_count_company", run_id=one.run_id, aggregated=aggregated, failed=failed)


def ensure(tx: Tx, source: str, names: Mapping[str, str], now: datetime) -> dict[str, Named]:
    """Companies by their keys; new ones are saved, and one that the source calls differently now is renamed."""
    names = {key: storable(name) for key, name in names.items()}
    if not names:
        return {}
    stored = _find(tx, source, names)
    renamed = {key: one for key, one in stored.items() if names[key] and names[key] != one.name}
    tx.many("company_rename", [{"id": one.id, "name": names[key], "now": now} for key, one in renamed.items()])
    texts.rename(tx, [one.id for one in renamed.values()])
    unknown = {key: name for key, name in names.items() if key not in stored}
    called_now = {key: Named(one.id, names[key]) for key, one in renamed.items()}
    return stored | called_now | _insert(tx, source, unknown, now)


def _find(tx: Tx, source: str, keys: Collection[str]) -> dict[str, Named]:
    rows = tx.rows("company_find", source=source, keys=key_set(keys))
    return {row["key"]: Named(int(row["id"]), row["name"]) for row in rows}


def _insert(tx: Tx, source: str, names: Mapping[str, str], now: datetime) -> dict[str, Named]:
    # Sorted, so that two processes that save the same companies cannot wait for each other in a circle.
    called = {key: names[key] or key for key in sorted(names)}
    drafts = [
        {"source": source, "key": key, "name": name, "name_key": company_key(name), "now": now}
        for key, name in called.items()
    ]
    rows = tx.many_rows("company_insert", drafts)
    made = {row["key"]: Named(int(row["id"]), called[row["key"]]) for row in rows}
    missed = [key for key in names if key not in made]
    return made | _find(tx, source, missed) if missed else made
