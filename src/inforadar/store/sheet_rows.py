"""The tables `sheet_tabs` and `sheet_rows`: what is known of the user's spreadsheet, and what is to be in it.

A row here says that its key was in the sheet once: missing there now, it was deleted by the user.
"""

from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from inforadar.domain.delivery import DeliveryState
from inforadar.domain.item import ItemId
from inforadar.store.database import Tx
from inforadar.store.encoding import key_set


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredTab:
    """Where one of our tables is; `unsettled_until`: a write without an answer may take effect so long."""

    name: str
    spreadsheet_id: str
    tab_id: int
    unsettled_until: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetRow:
    """One row as it was last written (`digest`) and read: what the user had written into it by `read_at`."""

    tab: str
    key: str
    digest: str = ""
    feedback: str = ""
    note: str = ""
    read_at: datetime
    deleted_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """One match that is in the sheet or due there, with its item."""

    delivery_id: int
    state: DeliveryState
    match_id: int
    item_id: ItemId
    watch: str
    status: str
    score: float | None
    reason: str | None
    later_until: datetime | None
    source: str
    key: str
    url: str
    title: str
    company: str | None
    group_key: str | None
    published_at: datetime
    first_seen_at: datetime
    last_seen_at: datetime
    data: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class CompanyCount:
    """One company with what was counted of it."""

    source: str
    key: str
    name: str
    offers_seen: int
    offers_open: int
    reposts: int
    first_seen_at: datetime
    last_seen_at: datetime


def tab(tx: Tx, name: str) -> StoredTab | None:
    """Where a table is; None before it was first found or made."""
    row = tx.row("sheet_tab_get", name=name)
    return StoredTab(**row) if row else None


def put_tab(tx: Tx, name: str, spreadsheet_id: str, tab_id: int) -> None:
    """A table is in this tab from now on; what was known of its rows in another one is forgotten."""
    tx.run("sheet_rows_forget", tab=name)
    tx.run("sheet_tab_put", name=name, spreadsheet_id=spreadsheet_id, tab_id=tab_id)


def unsettled(tx: Tx, name: str, until: datetime | None) -> None:
    """A write to this table may still take effect until a moment; None = it has, or never will."""
    tx.run("sheet_tab_unsettled", name=name, until=until)


def known(tx: Tx, name: str) -> dict[str, SheetRow]:
    """What is known of the rows of a table, by key."""
    return {row["key"]: SheetRow(**row) for row in tx.rows("sheet_rows_of", tab=name)}


def get(tx: Tx, name: str, key: str) -> SheetRow | None:
    """What is known of one row."""
    row = tx.row("sheet_row_get", tab=name, key=key)
    return SheetRow(**row) if row else None


def put(tx: Tx, row: SheetRow) -> None:
    """Write what is known of one row now."""
    tx.run("sheet_row_put", **asdict(row))


def read(tx: Tx, name: str, at: datetime) -> None:
    """Every row that is there was read at a moment, and says what is known of it."""
    tx.run("sheet_rows_read", tab=name, at=at)


def forget(tx: Tx, name: str, keys: Collection[str]) -> None:
    """These rows were never there, as far as we know: they are written anew."""
    tx.run("sheet_rows_forget_some", tab=name, keys=key_set(keys))


def offers(tx: Tx, sink: str, *, due_at: datetime, after_id: int, limit: int) -> list[Offer]:
    """All matches of the next `limit` items above `after_id` that are in the sheet, or due there by a moment."""
    rows = tx.rows("sheet_offers", sink=sink, due_at=due_at, after_id=after_id, limit=limit)
    return [Offer(**row) for row in rows]


def matches_of(tx: Tx, sink: str, source: str, key: str) -> list[int]:
    """The matches that the row of one item stands for."""
    return [int(row["id"]) for row in tx.rows("sheet_matches", sink=sink, source=source, key=key)]


def companies(tx: Tx, sink: str) -> list[CompanyCount]:
    """The companies of all that is in the sheet."""
    return [CompanyCount(**row) for row in tx.rows("sheet_companies", sink=sink)]
