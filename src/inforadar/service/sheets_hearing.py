"""Which cells of the user are heard: those of a column that is in the header, and bears its name alone.

A column that was renamed, deleted, doubled, or is called otherwise in the settings says nothing: what was last heard of
it stands, and a person is told once. One that comes, or comes back, is heard where something is written in it; it takes
nothing back, for nobody emptied its cells.
Invariant: only a cell of a column that was there at the last reading too takes a decision or a note back.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal
from zlib import crc32

from inforadar.service.sheets_feedback import Heard, hear, read_wish
from inforadar.service.sheets_look import SeenRow
from inforadar.service.sheets_table import Table
from inforadar.service.triage import Triage
from inforadar.store import cursors, sheet_rows
from inforadar.store.database import Tx
from inforadar.store.sheet_rows import SheetRow

Part = Literal["feedback", "note"]
PARTS: tuple[Part, ...] = ("feedback", "note")
"""What the columns of the user are for, in the order of the plan."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One column of the user; `is_new`: it was not there, or was another one, at the last reading."""

    name: str
    is_new: bool

    def told(self, row: SeenRow, stored: str) -> tuple[str, str]:
        """What its cell in a row said before, as far as that can be taken back, and what it says now."""
        now = row.told.get(self.name)
        if now is None:
            return stored, stored
        takes_back = read_wish(now, "").verb is None
        return ("" if self.is_new and takes_back else stored), now


@dataclass(frozen=True, slots=True, kw_only=True)
class Hearing:
    """Hears what the user wrote into one table, for the matches of a sink."""

    table: Table
    triage: Triage
    sink: str
    on_heard: Callable[[Heard], None]

    def hear(
        self, seen: Mapping[str, SeenRow], known: Mapping[str, SheetRow], read_at: datetime
    ) -> dict[str, SheetRow]:
        """What is known of the rows once all that was seen at `read_at` is heard."""
        columns = self._columns()
        heard = dict(known)
        for key, row in seen.items():
            stored = known.get(key) or SheetRow(tab=self.table.plan.name, key=key, read_at=self._now())
            before, after = self._cells(columns, row, stored)
            if (after.feedback, after.note) != (stored.feedback, stored.note):
                self.table.desk.pulse()
                with self.table.desk.transaction() as tx:
                    heard |= self._hear(tx, before, after)
        with self.table.desk.transaction() as tx:
            self._remember(tx)
            sheet_rows.read(tx, self.table.plan.name, read_at)
        return {
            key: row if row.deleted_at else replace(row, read_at=max(row.read_at, read_at))
            for key, row in heard.items()
        }

    def _cells(self, columns: Mapping[Part, Column], row: SeenRow, stored: SheetRow) -> tuple[SheetRow, SheetRow]:
        """A row as it was last heard, without what nobody takes back, and as it is now."""
        feedback = columns["feedback"].told(row, stored.feedback)
        note = columns["note"].told(row, stored.note)
        before, after = (replace(stored, feedback=one, note=two) for one, two in zip(feedback, note, strict=True))
        return before, after

    def _hear(self, tx: Tx, before: SheetRow, after: SheetRow) -> dict[str, SheetRow]:
        now = self._now()
        source, _, key = before.key.partition(":")
        match_ids = sheet_rows.matches_of(tx, self.sink, source, key)
        if not match_ids:  # not one of ours, or its first write was never confirmed: heard once it is
            return {}
        old, new = (read_wish(one.feedback, one.note) for one in (before, after))
        self.on_heard(hear(tx, self.triage, match_ids, old, new, before.read_at, now))
        row = replace(after, read_at=now)
        sheet_rows.put(tx, row)
        return {row.key: row}

    def _columns(self) -> dict[Part, Column]:
        with self.table.desk.database.reading() as tx:
            marks = {part: cursors.get(tx, self._cursor(part)) for part in PARTS}
        return {
            part: Column(name=name, is_new=marks[part] not in (None, self._mark(name)))
            for part, name in zip(PARTS, self.table.plan.user_columns, strict=True)
        }

    def _remember(self, tx: Tx) -> None:
        """Which columns were heard; one that is not there any more is told of once."""
        for part, name in zip(PARTS, self.table.plan.user_columns, strict=True):
            mark = self._mark(name)
            if cursors.get(tx, self._cursor(part)) == mark:
                continue
            cursors.put(tx, self._cursor(part), mark)
            if name not in self.table.last.header:
                self.table.desk.tell(tx, self._missing_words(part, name))

    def _mark(self, name: str) -> int:
        """A number for how a column stands: another one for another name, and while it is away or doubled."""
        header = self.table.last.header
        return crc32(f"{name in header} {name in header.doubled} {name}".encode())

    def _cursor(self, part: Part) -> str:
        return f"sheets {self.table.plan.name} {part}"

    def _missing_words(self, part: Part, name: str) -> str:
        return (
            f"the tab {self.table.tab.title!r} of the spreadsheet has no column {name!r}: what was heard of it stands, "
            f"and nothing new is heard until a column has that name, or [sheets] {part}_column names another one"
        )

    def _now(self) -> datetime:
        return self.table.desk.clock.now()
