"""One table of ours in the user's spreadsheet: where it is, what stands in it, and how rows get into it.

    read the keys ──> note that a write is under way ──> write at computed places ──> note what was written
                              │
                              └── no answer: it may still take effect, so nobody writes before `UNSETTLED_FOR` is over,
                                  and then the keys are read again: what took effect is found there

Google ends a request after 180 seconds, so that after `UNSETTLED_FOR` the sheet shows whether it took effect.
Rows go by their key, columns by their name in the header; a column or a row that the user added is never written to.
Invariant: one row a key, whatever answers are lost, however often it is repeated.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TypeVar

from inforadar.domain.errors import RateLimited, Refused, Stopped
from inforadar.domain.health import is_ahead
from inforadar.domain.ports import Clock
from inforadar.observe.log import get_log
from inforadar.pipeline.asking import Asking
from inforadar.service.sheets_rows import KEY, Row
from inforadar.sinks.sheets_api import SheetsApi, Tab
from inforadar.sinks.sheets_cells import (
    HEADER_ROW,
    Header,
    blocks_of,
    cell_text,
    column_range,
    header_block,
    header_range,
    read_header,
    rows_range,
)
from inforadar.store import leases, sheet_rows
from inforadar.store.database import Database, Tx
from inforadar.store.leases import Lease
from inforadar.store.sheet_rows import SheetRow

UNSETTLED_FOR = timedelta(seconds=200)
ROWS_AT_FIRST = 1000
MORE_ROWS = 500

log = get_log("service")
T = TypeVar("T")


class Unsettled(RateLimited):
    """An earlier write may still take effect; `retry_at` is when that is over."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """What one sync works with: the spreadsheet behind its gate, the store, and the lease that keeps others out.

    `pulse` is called before every request and raises Stopped where the sync must end. `paced_at` tells the time that
    all who share the store go by.
    """

    database: Database
    clock: Clock
    api: SheetsApi
    asking: Asking
    lease: Lease
    pulse: Callable[[], None]
    paced_at: Callable[[Tx], datetime]

    def ask(self, question: Callable[[SheetsApi], T]) -> T:
        """The answer of the spreadsheet, asked at its pace and only while it may be asked."""

        def asked() -> T:
            self.pulse()
            return question(self.api)

        return self.asking.ask(asked)

    @contextmanager
    def transaction(self) -> Iterator[Tx]:
        """A writing transaction that only the holder of the lease can commit; raises LeaseLost."""
        with self.database.transaction() as tx:
            leases.guard(tx, self.lease)
            yield tx


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """One table as it should be: our name for it, its title at first, our columns and those that are the user's."""

    name: str
    title: str
    columns: tuple[str, ...]
    user_columns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenRow:
    """A row as it stands in the sheet: its number, and what the user wrote into it, by column."""

    number: int
    told: Mapping[str, str]


@dataclass(slots=True, kw_only=True)
class Table:
    """One table in its tab."""

    desk: Desk
    plan: Plan
    tab: Tab
    header: Header

    def seen(self) -> dict[str, SeenRow]:
        """Every row with a key, the first one of a key that is there twice."""
        names = [name for name in (KEY, *self.plan.user_columns) if name in self.header]
        ranges = [column_range(self.tab.title, self.header.places[name]) for name in names]
        found = self.desk.ask(lambda api: api.read(ranges, by="COLUMNS"))
        columns = [lines[0] if lines else [] for lines in found]
        told = dict(zip(names, columns, strict=True))
        rows: dict[str, SeenRow] = {}
        for place, cell in enumerate(told.pop(KEY)):
            key = cell_text(cell)
            if key in rows:
                log.warning(
                    "a key stands in two rows of the sheet: the first one is kept up", tab=self.tab.title, key=key
                )
            elif key:
                own = {name: cell_text(cells[place]) if place < len(cells) else "" for name, cells in told.items()}
                rows[key] = SeenRow(number=HEADER_ROW + 1 + place, told=own)
        return rows

    def write(self, batch: Sequence[Row], known: Mapping[str, SheetRow], then: Callable[[Tx, Row], None]) -> int:
        """Write rows, those with a key the sheet has to their places, others below; how many were not there yet.

        A row that was there once and is not any more is not written. `then` is called for each row that was, in the
        transaction that notes it.
        """
        seen = self.seen()
        written = [row for row in batch if row.key in seen or row.key not in known]
        fresh = [row.key for row in written if row.key not in seen]
        free = self._free_rows(max((row.number for row in seen.values()), default=HEADER_ROW) + 1, len(fresh))
        numbers = {key: one.number for key, one in seen.items()} | dict(zip(fresh, free, strict=True))
        cells = {numbers[row.key]: row.cells for row in written}
        blocks = blocks_of(self.tab.title, self.header, cells)
        with self._under_way():
            self.desk.ask(lambda api: api.write(blocks))
        now = self.desk.clock.now()
        with self.desk.transaction() as tx:
            sheet_rows.unsettled(tx, self.plan.name, None)
            for row in written:
                stored = known.get(row.key) or SheetRow(tab=self.plan.name, key=row.key, read_at=now)
                sheet_rows.put(tx, replace(stored, digest=row.digest))
                then(tx, row)
        return len(fresh)

    def _free_rows(self, first: int, count: int) -> range:
        """Row numbers from `first` on below which nothing of the user's stands; the sheet grows where it must."""
        while count:
            missing = first + count - 1 - self.tab.rows
            if missing > 0:
                more = max(missing, MORE_ROWS)
                self.desk.ask(lambda api, more=more: api.grow(self.tab, "ROWS", more))  # type: ignore[misc]
                self.tab = replace(self.tab, rows=self.tab.rows + more)
            target = rows_range(self.tab.title, first, first + count - 1, self.tab.columns)
            (lines,) = self.desk.ask(lambda api, target=target: api.read([target], by="ROWS"))  # type: ignore[misc]
            if not lines:
                break
            first += len(lines)
        return range(first, first + count)

    @contextmanager
    def _under_way(self) -> Iterator[None]:
        """Around a write: it is noted before it begins, and stays noted unless it surely came to nothing."""
        with self.desk.transaction() as tx:
            sheet_rows.unsettled(tx, self.plan.name, self.desk.paced_at(tx) + UNSETTLED_FOR)
        try:
            yield
        except (RateLimited, Refused, Stopped):
            with self.desk.transaction() as tx:
                sheet_rows.unsettled(tx, self.plan.name, None)
            raise


def open_table(desk: Desk, plan: Plan, tabs: Sequence[Tab]) -> Table:
    """The table in the tab it was last in, whatever that is called now, else by its title, else in a new one.

    Raises Unsettled while an earlier write may still take effect, and Refused where the tab is not one of ours.
    """
    with desk.database.reading() as tx:
        stored, paced_now = sheet_rows.tab(tx, plan.name), desk.paced_at(tx)
    if stored and stored.spreadsheet_id == desk.api.spreadsheet_id:
        _check_settled(stored.unsettled_until, paced_now, desk.clock.now())
        kept = next((tab for tab in tabs if tab.id == stored.tab_id), None)
    else:
        kept = None
    tab = kept or next((tab for tab in tabs if tab.title == plan.title), None) or _made(desk, plan)
    if kept is None:
        with desk.transaction() as tx:
            sheet_rows.put_tab(tx, plan.name, desk.api.spreadsheet_id, tab.id)
    return Table(desk=desk, plan=plan, tab=tab, header=_header(desk, plan, tab))


def _check_settled(until: datetime | None, paced_now: datetime, now: datetime) -> None:
    if until is not None and is_ahead(until, paced_now, UNSETTLED_FOR):
        raise Unsettled("the answer to the last write was lost; it may still take effect", now + (until - paced_now))


def _made(desk: Desk, plan: Plan) -> Tab:
    width = len(plan.columns) + len(plan.user_columns)
    log.info("a new tab in the spreadsheet", title=plan.title)
    return desk.ask(lambda api: api.add_tab(plan.title, rows=ROWS_AT_FIRST, columns=width))


def _header(desk: Desk, plan: Plan, tab: Tab) -> Header:
    """The header as the user left it; an empty tab gets ours."""
    names = (*plan.columns, *plan.user_columns)
    ((*lines,),) = desk.ask(lambda api: api.read([header_range(tab.title)], by="ROWS"))
    cells = lines[0] if lines else []
    if not any(cell_text(cell) for cell in cells):
        if tab.columns < len(names):
            desk.ask(lambda api: api.grow(tab, "COLUMNS", len(names) - tab.columns))
        desk.ask(lambda api: api.write([header_block(tab.title, names)]))
        cells = list(names)
    header = read_header(cells, names)
    if KEY not in header:
        raise Refused(
            f"the tab {tab.title!r} of the spreadsheet has no column {KEY!r}: give its column back that name, "
            "or give the tab another title, then a new one is made"
        )
    return header
