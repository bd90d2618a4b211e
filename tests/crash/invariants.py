"""The promises a crash may not break (TRUST I1-I6, I16, I17), as predicates over what the database holds."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from crash.tables import answers, decoded
from inforadar.domain.coverage import Coverage, from_json
from inforadar.store.database import open_database
from inforadar.store.maintenance import check

EMPTY: tuple[Any, ...] = (None, "", [], {})
Identity = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Holding:
    """What a database holds at one moment, as far as the promises speak of it.

    `items` by source and key, each with its fields that are not empty; `coverages` and `marks` (their high-water
    marks) by source and key of the query; `token`: of the run lease; `sweeps`: how many were begun; `cut_short`: how
    many of them have no end.
    """

    items: Mapping[Identity, Mapping[str, Any]]
    coverages: Mapping[Identity, Coverage]
    token: int
    sweeps: int
    cut_short: int

    @property
    def marks(self) -> dict[Identity, datetime]:
        """The high-water mark of each query that has one."""
        return {query: held.last_seen_max for query, held in self.coverages.items() if held.last_seen_max}


def holding(url: str) -> Holding:
    """What a database holds now."""
    found, states, tokens, cut_short = answers(
        url,
        "SELECT source, key, url, title, company_id, published_at, data FROM items",
        "SELECT source, query_key, coverage, sweeps FROM query_state",
        "SELECT token FROM leases",
        "SELECT id FROM ingestion_runs WHERE finished_at IS NULL",
    )
    return Holding(
        items={(row[0], row[1]): _fields(row[2:]) for row in found},
        coverages={(source, key): from_json(decoded(stored)) for source, key, stored, _ in states},
        token=max((token for (token,) in tokens), default=0),
        sweeps=sum(sweeps for *_, sweeps in states),
        cut_short=len(cut_short),
    )


def broken_promises(url: str, before: Holding, after: Holding) -> list[str]:
    """Every promise broken between two moments of one database; sentences, best none."""
    return [*_found_by_check(url), *_doubles(url), *_lost(before, after), *_fallen(before, after)]


def _found_by_check(url: str) -> Iterator[str]:
    database = open_database(url)
    try:
        yield from map(str, check(database))
    finally:
        database.close()


def _doubles(url: str) -> Iterator[str]:
    """I1 and I3 once more, in words of their own."""
    doubles, matches, jobless, matchless = answers(
        url,
        "SELECT source, key FROM items GROUP BY 1, 2 HAVING count(*) > 1",
        "SELECT item_id, watch FROM matches GROUP BY 1, 2 HAVING count(*) > 1",
        "SELECT id FROM matches WHERE 'process:' || CAST(id AS TEXT) NOT IN (SELECT unique_key FROM jobs)",
        "SELECT id FROM items WHERE id NOT IN (SELECT item_id FROM matches)",
    )
    yield from (f"{row} is stored twice" for row in doubles)
    yield from (f"{row} is matched twice" for row in matches)
    yield from (f"match {row} has no job" for row in jobless)
    yield from (f"item {row} has no match" for row in matchless)


def _lost(before: Holding, after: Holding) -> Iterator[str]:
    for identity, fields in before.items.items():
        if identity not in after.items:
            yield f"{identity} was stored and is gone"
            continue
        emptied = fields.keys() - after.items[identity].keys()
        if emptied:
            yield f"{identity}: {emptied} became empty"


def _fallen(before: Holding, after: Holding) -> Iterator[str]:
    for query, mark in before.marks.items():
        if query not in after.marks or after.marks[query] < mark:
            yield f"the high-water mark of {query} fell from {mark} to {after.marks.get(query)}"
    if after.token < before.token:
        yield f"the token of the lease fell from {before.token} to {after.token}"
    if after.sweeps > before.sweeps and after.token == before.token:
        yield "a sweep began without a new token"


def _fields(row: tuple[Any, ...]) -> dict[str, Any]:
    url, title, company, published_at, data = row
    fields = {"url": url, "title": title, "company": company, "published_at": published_at, **decoded(data)}
    return {name: value for name, value in fields.items() if value not in EMPTY}
