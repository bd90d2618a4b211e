"""One table of ours in the user's spreadsheet: where it is, and how rows get into it.

    look ──> look again; if nothing has moved, note a write under way, and write ──> look ──> note what stands
      ↑                    │ something has                                    │         │
      ├────────────────────┘                                                  │         │
      ├── something moved all the same: written once more ────────────────────┼─────────┘
      └── no answer: it may still take effect, so nobody writes before `UNSETTLED_FOR` is over

Google ends a request after 180 seconds, so that after `UNSETTLED_FOR` the sheet shows whether it took effect.
Rows go by their key, columns by their name in the header; a column or a row that the user added is never written to.
What is left is the moment between the second look and the write behind it, which Google cannot make one: whoever
moves columns or rows in it may find cells of ours in a wrong place. The third look finds that out.
Invariant: one row a key, whatever answers are lost, however often it is repeated.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from zlib import crc32

from inforadar.domain.errors import BadQuery, RadarError, RateLimited, Unavailable, Unreadable
from inforadar.domain.health import is_ahead
from inforadar.domain.sheet_columns import KEY
from inforadar.observe.log import get_log
from inforadar.service.sheets_desk import Desk, Plan, T
from inforadar.service.sheets_look import MOVING, TOP_ROWS, Look, header_of, look_at, top_range
from inforadar.service.sheets_rows import Row
from inforadar.sinks.sheets_api import SheetsApi, SpreadsheetFull, Tab
from inforadar.sinks.sheets_cells import Header, blocks_of, cell_text, header_block, rows_range
from inforadar.store import cursors, sheet_rows
from inforadar.store.database import Tx
from inforadar.store.sheet_rows import SheetRow

UNSETTLED_FOR = timedelta(seconds=200)
ROWS_AT_FIRST = 1000
MORE_ROWS = 500
TRIES = 3
LOOKS_IN_VAIN = 10
MOST_NAMED = 5

Lines = list[list[str]]

log = get_log("service")


class Unsettled(RateLimited):
    """An earlier write may still take effect; `retry_at` is when that is over."""


@dataclass(slots=True, kw_only=True)
class Table:
    """One table in its tab; `last` is how it was last seen."""

    desk: Desk
    plan: Plan
    tab: Tab
    last: Look

    def look(self) -> Look:
        """How the table stands now."""
        self.last = self._ask(lambda api: look_at(api, self.plan, self.tab, self.last.header))
        return self.last

    @property
    def ends_at_header(self) -> bool:
        """Whether there is no row below the header: Google refuses to read where a sheet has no row."""
        return self.tab.rows <= self.last.header.row

    def grow(self, api: SheetsApi, rows: int = MORE_ROWS) -> None:
        """Add empty rows at the end."""
        api.grow(self.tab, "ROWS", rows)
        self.tab = replace(self.tab, rows=self.tab.rows + rows)

    def write(self, batch: Sequence[Row], known: Mapping[str, SheetRow], then: Callable[[Tx, Row], None]) -> int:
        """Write rows, those with a key the sheet has to their places, others below; how many were not there yet.

        A row that was there once and is not any more is not written. `then` is called for each row that was, in the
        transaction that notes it.
        """
        owed: set[str] = set()
        added: set[str] = set()
        for _ in range(TRIES):
            before, rows = self._written(batch, known, owed)
            added |= {row.key for row in rows if row.key not in before.rows} - owed
            if not rows or self._stand(rows, before):
                self._note(rows, known, then)
                return len(added)
            owed = {row.key for row in rows}
        raise Unavailable(MOVING.format(title=self.tab.title))

    def _written(self, batch: Sequence[Row], known: Mapping[str, SheetRow], owed: set[str]) -> tuple[Look, list[Row]]:
        """Write what is to be written as soon as two looks in a row show the same; what was written, and the look.

        Raises Unavailable if they never do.
        """
        for _ in range(LOOKS_IN_VAIN):
            before = self.last
            rows = [row for row in batch if row.key in before.rows or row.key not in known or row.key in owed]
            if not rows:
                return before, rows
            room = self._room(before.free_from, sum(row.key not in before.rows for row in rows))
            if self._ask(lambda api, rows=rows, room=room: self._write_if_same(api, rows, room)):  # type: ignore[misc]
                return self.last, rows
        raise Unavailable(MOVING.format(title=self.tab.title))

    def _write_if_same(self, api: SheetsApi, rows: Sequence[Row], room: range) -> bool:
        """Look, and write only if all is where it was; False = it is not, and nothing is written."""
        if room and room.stop - 1 > self.tab.rows:  # rows were deleted since they were counted
            return False
        before = self.last
        self.last = look_at(api, self.plan, self.tab, before.header, room)
        if self.last.places != before.places:
            return False
        fresh = (row.key for row in rows if row.key not in before.rows)
        numbers = {key: row.number for key, row in before.rows.items()} | dict(zip(fresh, room, strict=True))
        cells = {numbers[row.key]: row.cells for row in rows}
        with self._under_way():
            api.write(blocks_of(self.tab.title, before.header.unmistakable(), cells))
        return True

    def _stand(self, rows: Sequence[Row], before: Look) -> bool:
        """Whether the rows stand where they were meant to. What they were written over is to be written anew."""
        after = self.look()
        mine = {row.key for row in rows}
        hit = before.rows.keys() - after.rows.keys() - mine if after.doubled & mine - before.doubled else set()
        is_well = after.header == before.header and mine <= after.rows.keys()
        if hit or not is_well:
            with self.desk.transaction() as tx:
                sheet_rows.forget(tx, self.plan.name, hit)
                self.desk.tell(tx, _moved_words(self.tab, sorted(mine | hit)))
        return is_well

    def _note(self, rows: Sequence[Row], known: Mapping[str, SheetRow], then: Callable[[Tx, Row], None]) -> None:
        now = self.desk.clock.now()
        with self.desk.transaction() as tx:
            sheet_rows.unsettled(tx, self.plan.name, None)
            for row in rows:
                stored = known.get(row.key) or SheetRow(tab=self.plan.name, key=row.key, read_at=now)
                sheet_rows.put(tx, replace(stored, digest=row.digest))
                then(tx, row)

    def _room(self, first: int, count: int) -> range:
        """So many rows from `first` on; the sheet grows where it must."""
        missing = first + count - 1 - self.tab.rows if count else 0
        if missing > 0:
            try:
                self._ask(lambda api: self.grow(api, max(missing, MORE_ROWS)))
            except SpreadsheetFull:
                self._ask(lambda api: self.grow(api, missing))
        return range(first, first + count)

    def _ask(self, question: Callable[[SheetsApi], T]) -> T:
        """The answer; a question that names what is not there any more is asked again once we know what is."""
        try:
            return self.desk.ask(question)
        except BadQuery:
            self.desk.ask(self._find_again)
            return self.desk.ask(question)

    def _find_again(self, api: SheetsApi) -> None:
        """The tab as it is called now, with as many rows and columns as it has now."""
        found = next((tab for tab in api.tabs() if tab.id == self.tab.id), None)
        if found is None:
            raise Unavailable(f"the tab {self.tab.title!r} was deleted while it was looked at")
        self.tab = found
        self.last = replace(self.last, header=header_of(self.plan, found, _lines(api, top_range(found))))
        if self.ends_at_header:
            self.grow(api)

    @contextmanager
    def _under_way(self) -> Iterator[None]:
        """Around a write: it is noted before it begins, and stays noted unless it surely came to nothing."""
        with self.desk.transaction() as tx:
            sheet_rows.unsettled(tx, self.plan.name, self.desk.paced_at(tx) + UNSETTLED_FOR)
        try:
            yield
        except (Unavailable, Unreadable):
            raise
        except RadarError:
            with self.desk.transaction() as tx:
                sheet_rows.unsettled(tx, self.plan.name, None)
            raise


def _moved_words(tab: Tab, keys: Sequence[str]) -> str:
    named = ", ".join(keys[:MOST_NAMED]) + (f" and {len(keys) - MOST_NAMED} more" if len(keys) > MOST_NAMED else "")
    return (
        f"rows or columns of the tab {tab.title!r} were moved while radar wrote the rows of {named}: look there, and "
        "in the version history of the spreadsheet, for cells that were written over"
    )


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
    table = Table(desk=desk, plan=plan, tab=tab, last=Look(header=_first_header(desk, plan, tab)))
    if kept is None:
        with desk.transaction() as tx:
            sheet_rows.put_tab(tx, plan.name, desk.api.spreadsheet_id, tab.id)
    if table.ends_at_header:
        desk.ask(table.grow)
    _tell_doubled(table)
    return table


def _check_settled(until: datetime | None, paced_now: datetime, now: datetime) -> None:
    if until is not None and is_ahead(until, paced_now, UNSETTLED_FOR):
        raise Unsettled("the answer to the last write was lost; it may still take effect", now + (until - paced_now))


def _made(desk: Desk, plan: Plan) -> Tab:
    log.info("a new tab in the spreadsheet", title=plan.title)
    return desk.ask(lambda api: api.add_tab(plan.title, rows=ROWS_AT_FIRST, columns=len(plan.names)))


def _first_header(desk: Desk, plan: Plan, tab: Tab) -> Header:
    """The header of a tab that was listed just now; raises Unavailable if it has other rows by now."""
    try:
        return _header(desk, plan, tab)
    except BadQuery as error:
        raise Unavailable(f"the tab {tab.title!r} cannot be read, or is being changed just now: {error}") from error


def _header(desk: Desk, plan: Plan, tab: Tab) -> Header:
    """The header as the user left it; a tab with nothing in it gets ours."""
    top = desk.ask(lambda api: _lines(api, top_range(tab)))
    if not top and not desk.ask(lambda api: _lines(api, _whole(tab))):
        if tab.columns < len(plan.names):
            desk.ask(lambda api: api.grow(tab, "COLUMNS", len(plan.names) - tab.columns))
        top = desk.ask(lambda api: _begun(api, plan, tab))
    return header_of(plan, tab, top)


def _begun(api: SheetsApi, plan: Plan, tab: Tab) -> Lines:
    """The header of a tab that was empty, unless somebody was faster."""
    if lines := _lines(api, _whole(tab)):
        return lines[:TOP_ROWS]
    api.write([header_block(tab.title, plan.names)])
    return [list(plan.names)]


def _whole(tab: Tab) -> str:
    return rows_range(tab.title, 1, tab.rows)


def _lines(api: SheetsApi, area: str) -> Lines:
    """What rows say; nothing if no cell of them says anything."""
    (found,) = api.read([area], by="ROWS")
    lines = [[cell_text(cell) for cell in line] for line in found]
    return lines if any(map(any, lines)) else []


def _tell_doubled(table: Table) -> None:
    """Say once that names stand over two columns each, and what that means."""
    plan, doubled = table.plan, sorted(table.last.header.doubled - {KEY})
    name, mark = f"sheets doubled {plan.name}", crc32("\n".join(doubled).encode()) if doubled else 0
    with table.desk.transaction() as tx:
        if (cursors.get(tx, name) or 0) == mark:
            return
        cursors.put(tx, name, mark)
        for column in doubled:
            does = (
                "radar hears neither of them until one has another name, and what was heard before stands"
                if column in plan.user_columns
                else "radar writes to neither of them until one has another name"
            )
            told = f"the tab {table.tab.title!r} of the spreadsheet has two columns called {column!r}: {does}"
            table.desk.tell(tx, told)
