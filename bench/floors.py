"""The floors: the least a database must do for the same rows, with bare statements and nothing else.

`items`: the items table alone, INSERT ... ON CONFLICT DO NOTHING. `upsert`: the same with DO UPDATE. `rows`: every
row that ours writes for the same page; it is told beforehand which rows are new, known or changed, and their ids.
Rows and companies are there when the clock starts. One transaction a page, as durable as ours.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal, Protocol

import apsw
import msgspec
import psycopg

from bench.pages import CHANGED_EVERY, COMPANIES
from inforadar.domain.grouping import group_key_of
from inforadar.domain.item import Draft, Item
from inforadar.domain.merge import create
from inforadar.store.encoding import time_text

State = Literal["new", "known", "changed"]
SEEN_AT: dict[State, datetime] = {
    "new": datetime(2026, 1, 2, tzinfo=UTC),
    "known": datetime(2026, 1, 3, tzinfo=UTC),
    "changed": datetime(2026, 1, 4, tzinfo=UTC),
}
UPDATE = (
    "UPDATE SET url = excluded.url, title = excluded.title, company_id = excluded.company_id, "
    "last_seen_at = excluded.last_seen_at, data = excluded.data"
)
COLUMNS = "source, key, kind, url, title, company_id, published_at, first_seen_at, last_seen_at, data, group_key"

COMPANY = "INSERT INTO companies (id, source, key, name, created_at, updated_at) {overriding} VALUES ({marks})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """The rows of one page, ready to be written; `first_id` is the id of the first, `at` the time of sighting.

    `changed`: places on the page whose title is another now.
    """

    state: State
    first_id: int
    at: Any
    items: Sequence[tuple[Any, ...]]
    changed: frozenset[int]

    @property
    def ids(self) -> range:
        """The ids of the page's items, matches, events and jobs."""
        return range(self.first_id, self.first_id + len(self.items))


class Floor(Protocol):
    """One kind of floor in one database."""

    def write(self, rows: Rows) -> None:
        """Write one page in one transaction."""
        ...

    def close(self) -> None:
        """Close the connection."""
        ...


def rows_of(drafts: Sequence[Draft], state: State, first: int, *, as_text: bool) -> Rows:
    """The rows of a page that begins with item number `first`; SQLite takes times as text."""
    when: Any = time_text if as_text else lambda moment: moment
    at = when(SEEN_AT[state])
    items = [create(draft, "hh", "vacancy", SEEN_AT[state]) for draft in drafts]
    changed = [place for place in range(len(items)) if (first + place) % CHANGED_EVERY == 0]
    return Rows(
        state=state,
        first_id=first + 1,
        at=at,
        items=[_item_row(item, 1 + (first + place) % COMPANIES, when, at) for place, item in enumerate(items)],
        changed=frozenset(changed if state == "changed" else ()),
    )


def _item_row(item: Item, company_id: int, when: Any, at: Any) -> tuple[Any, ...]:
    data = msgspec.json.encode(item.data).decode()
    group = group_key_of(item, item.company)
    return ("hh", item.key, "vacancy", item.url, item.title, company_id, when(item.published_at), at, at, data, group)


def _companies(at: Any) -> list[tuple[Any, ...]]:
    """Every company the items name; they are there before the clock starts."""
    return [(number + 1, "hh", str(number), f"Компания {number}", at, at) for number in range(COMPANIES)]


class SqliteItems:
    """The items table alone, by executemany."""

    INSERT = f"INSERT INTO items ({COLUMNS}) VALUES (?,?,?,?,?,?,?,?,?,?,?) ON CONFLICT (source, key) DO NOTHING"

    def __init__(self, path: str) -> None:
        self.raw = apsw.Connection(path)
        for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "cache_size=-16000"):
            self.raw.execute(f"PRAGMA {pragma}").fetchall()
        self.raw.execute("PRAGMA wal_autocheckpoint = 4000")
        at = time_text(SEEN_AT["new"])
        with self.raw:
            self.raw.executemany(COMPANY.format(overriding="", marks="?, ?, ?, ?, ?, ?"), _companies(at))

    def write(self, rows: Rows) -> None:
        """Write one page in one transaction."""
        self.raw.execute("BEGIN IMMEDIATE")
        self.put(rows)
        self.raw.execute("COMMIT")

    def put(self, rows: Rows) -> None:
        """The statements between begin and commit."""
        self.raw.executemany(self.INSERT, rows.items)

    def close(self) -> None:
        """Close the connection."""
        self.raw.close()


class SqliteUpsert(SqliteItems):
    """The items table alone, known items written over whether they changed or not."""

    INSERT = SqliteItems.INSERT.replace("NOTHING", UPDATE)


class SqliteRows(SqliteItems):
    """All the rows, by executemany."""

    MATCH = (
        "INSERT INTO matches (id, watch, item_id, query_key, status, created_at, updated_at) "
        "VALUES (?, 'bench', ?, 'hh:1', 'QUEUED', ?, ?)"
    )
    EVENT = (
        "INSERT INTO match_events (match_id, at, who, to_status, why) "
        "VALUES (?, ?, 'machine', 'QUEUED', 'found by hh:1')"
    )
    JOB = "INSERT INTO jobs (kind, args, unique_key, priority, run_at) VALUES ('process', ?, ?, ?, ?)"
    TOUCH = "UPDATE items SET last_seen_at = ? WHERE id = ?"
    EDIT = "UPDATE items SET title = ?, data = ?, last_seen_at = ? WHERE id = ?"
    CHANGE = (
        "INSERT INTO item_changes (item_id, changed_at, field, old, new) "
        "VALUES (?, ?, 'title', '\"before\"', '\"after\"')"
    )

    def put(self, rows: Rows) -> None:
        """The statements between begin and commit."""
        many, now = self.raw.executemany, rows.at
        if rows.state == "new":
            many(self.INSERT, rows.items)
            many(self.MATCH, [(number, number, now, now) for number in rows.ids])
            many(self.EVENT, [(number, now) for number in rows.ids])
            many(self.JOB, [(f'{{"match_id":{n}}}', f"process:{n}", n, now) for n in rows.ids])
            return
        many(self.TOUCH, [(now, number) for place, number in enumerate(rows.ids) if place not in rows.changed])
        edited = [(rows.items[place], rows.ids[place]) for place in sorted(rows.changed)]
        many(self.EDIT, [(row[4], row[9], now, number) for row, number in edited])
        many(self.CHANGE, [(number, now) for _, number in edited])


class PostgresItems:
    """The items table alone: COPY into a temporary table, then INSERT ... ON CONFLICT."""

    INSERT = f"INSERT INTO items ({COLUMNS}) SELECT {COLUMNS} FROM fresh ON CONFLICT (source, key) DO NOTHING"

    def __init__(self, url: str) -> None:
        self.raw = psycopg.connect(url, autocommit=True, prepare_threshold=2)
        self.raw.execute(
            "CREATE TEMPORARY TABLE fresh (source TEXT, key TEXT, kind TEXT, url TEXT, title TEXT, company_id BIGINT, "
            "published_at TIMESTAMPTZ, first_seen_at TIMESTAMPTZ, last_seen_at TIMESTAMPTZ, data JSONB, "
            "group_key TEXT) ON COMMIT DELETE ROWS"
        )
        with self.raw.cursor() as cursor:
            companies = _companies(SEEN_AT["new"])
            cursor.executemany(
                COMPANY.format(overriding="OVERRIDING SYSTEM VALUE", marks="%s, %s, %s, %s, %s, %s"), companies
            )

    def write(self, rows: Rows) -> None:
        """Write one page in one transaction."""
        self.raw.execute("BEGIN")
        self.put(rows)
        self.raw.execute("COMMIT")

    def put(self, rows: Rows) -> None:
        """The statements between begin and commit."""
        self.copy(f"fresh ({COLUMNS})", rows.items)
        self.raw.execute(self.INSERT)

    def close(self) -> None:
        """Close the connection."""
        self.raw.close()

    def copy(self, target: str, rows: Sequence[tuple[Any, ...]]) -> None:
        """COPY rows as text."""
        with self.raw.cursor() as cursor, cursor.copy(f"COPY {target} FROM STDIN") as copy:
            for row in rows:
                copy.write_row(row)


class PostgresUpsert(PostgresItems):
    """The items table alone, known items written over whether they changed or not."""

    INSERT = PostgresItems.INSERT.replace("NOTHING", UPDATE)


class PostgresRows(PostgresItems):
    """All the rows: COPY straight into their tables, and joined updates."""

    UPDATE = (
        "UPDATE items i SET title = coalesce(f.title, i.title), data = coalesce(f.data, i.data), "
        "last_seen_at = f.last_seen_at FROM fresh f WHERE i.key = f.key AND i.source = f.source"
    )

    def put(self, rows: Rows) -> None:
        """The statements between begin and commit."""
        if rows.state == "new":
            super().put(rows)
            self.copy(
                "matches (id, watch, item_id, query_key, status, created_at, updated_at)",
                [(number, "bench", number, "hh:1", "QUEUED", rows.at, rows.at) for number in rows.ids],
            )
            self.copy(
                "match_events (match_id, at, who, to_status, why)",
                [(number, rows.at, "machine", "QUEUED", "found by hh:1") for number in rows.ids],
            )
            self.copy(
                "jobs (kind, args, unique_key, priority, run_at)",
                [("process", f'{{"match_id":{n}}}', f"process:{n}", n, rows.at) for n in rows.ids],
            )
            return
        self.copy("fresh (source, key, last_seen_at, title, data)", list(_sightings(rows)))
        self.raw.execute(self.UPDATE)
        self.copy(
            "item_changes (item_id, changed_at, field, old, new)",
            [(rows.ids[place], rows.at, "title", '"before"', '"after"') for place in sorted(rows.changed)],
        )


def _sightings(rows: Rows) -> Iterator[tuple[Any, ...]]:
    """Source, key and time of every item; title and data of the changed ones alone."""
    for place, row in enumerate(rows.items):
        yield row[0], row[1], rows.at, *((row[4], row[9]) if place in rows.changed else (None, None))
