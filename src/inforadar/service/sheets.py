"""The nightly sync with the user's spreadsheet: what the user wrote there is heard, then rows are written.

Companies and offers have a tab each. What is written are the matches of watches that deliver to `sheets`: a row in
the outbox waits until the window opens, is sent when its row is known to be in the sheet, and is kept up while it is
there. A row that the user deleted stays away; a tab that the user deleted is made anew.
Invariant: one sync at a time on one store, kept by a lease; every transaction of a sync is guarded by it.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from itertools import groupby, islice

from inforadar.config import SheetsSettings
from inforadar.domain.delivery import WAITING
from inforadar.domain.errors import RadarError, Refused
from inforadar.domain.ports import Clock
from inforadar.domain.sheet_columns import COMPANY_COLUMNS, OFFER_COLUMNS
from inforadar.domain.status import Status
from inforadar.observe import process
from inforadar.observe.log import get_log
from inforadar.pipeline.asking import Asking
from inforadar.service.sheets_desk import Desk, Plan, Pulsed, Tell
from inforadar.service.sheets_feedback import Heard
from inforadar.service.sheets_hearing import Hearing
from inforadar.service.sheets_look import SeenRow
from inforadar.service.sheets_rows import Row, company_row, is_over, offer_row
from inforadar.service.sheets_table import Table, open_table
from inforadar.service.triage import Triage
from inforadar.sinks.sheets_api import REQUEST_S, SheetsApi, SpreadsheetFull
from inforadar.store import deliveries, groups, leases, matches, sheet_rows
from inforadar.store.database import Database, Tx
from inforadar.store.leases import Held, Lease
from inforadar.store.sheet_rows import Offer, SheetRow

SHEETS = "sheets"
LEASE_TTL_S = 300.0
ITEMS_AT_ONCE = 500
ROWS_AT_ONCE = 200
CLOSED = "closed before it was written"
ROW_DELETED = "its row was deleted in the sheet"
EVER = datetime(9999, 1, 1, tzinfo=UTC)

log = get_log("service")


class Busy(RadarError):
    """Another sync is under way."""


@dataclass(slots=True, kw_only=True)
class TableReport:
    """What became of the rows of one table."""

    added: int = 0
    updated: int = 0
    deleted_by_user: int = 0


@dataclass(slots=True, kw_only=True)
class SyncReport:
    """What a sync did."""

    offers: TableReport = field(default_factory=TableReport)
    companies: TableReport = field(default_factory=TableReport)
    feedback: dict[str, int] = field(
        default_factory=lambda: {"decided": 0, "undone": 0, "noted": 0, "conflicts": 0},
    )

    def add(self, heard: Heard) -> None:
        """Count what came of one changed row."""
        for name in self.feedback:
            self.feedback[name] += getattr(heard, name)


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetsSync:
    """Brings store and spreadsheet together; `paced_at` tells the time that all who share the store go by."""

    database: Database
    clock: Clock
    api: SheetsApi
    asking: Asking
    triage: Triage
    settings: SheetsSettings
    holder: str
    is_dead: Callable[[str], bool]
    paced_at: Callable[[Tx], datetime] = Tx.store_now

    def is_night(self) -> bool:
        """Whether a request begun now ends in the window, however slow it is and whatever this machine's clock says."""
        now, window = self._paced_now(), self.settings.window
        return window.is_open(now) and window.is_open(now + timedelta(seconds=REQUEST_S))

    def until_next_night(self) -> timedelta:
        """How long it is until the window opens next, after it has closed if it is open."""
        now, window = self._paced_now(), self.settings.window
        return (window.next_opening(window.next_closing(now)) or now) - now

    def run(self, pulse: Callable[[], None], tell: Tell, *, takes_all: bool = False) -> SyncReport:
        """One sync; `takes_all`: also what waits for the window. Raises SourceError, Stopped, Busy or LeaseLost.

        `tell` is for what a person should mend, once each. What is wrong with one table alone does not keep the other
        one from being written.
        """
        with self._leased() as lease:
            desk = Desk(
                database=self.database,
                clock=self.clock,
                api=self.api.through(Pulsed(transport=self.api.transport, pulse=pulse)),
                asking=self.asking,
                lease=lease,
                pulse=pulse,
                paced_at=self.paced_at,
                tell=tell,
            )
            report = SyncReport()
            tabs = desk.ask(lambda api: api.tabs())
            problem: Refused | None = None
            try:
                self._sync_offers(open_table(desk, self.offers_plan, tabs), report, takes_all=takes_all)
            except Refused as error:
                problem = error
            self._sync_companies(open_table(desk, self.companies_plan, tabs), report)
            if problem:
                raise problem
            return report

    def _paced_now(self) -> datetime:
        with self.database.reading() as tx:
            return self.paced_at(tx)

    @property
    def offers_plan(self) -> Plan:
        """The table of offers; two of its columns are the user's."""
        own = (self.settings.feedback_column, self.settings.note_column)
        return Plan(name="offers", title=self.settings.offers_sheet, columns=OFFER_COLUMNS, user_columns=own)

    @property
    def companies_plan(self) -> Plan:
        """The table of companies."""
        return Plan(name="companies", title=self.settings.companies_sheet, columns=COMPANY_COLUMNS)

    @contextmanager
    def _leased(self) -> Iterator[Lease]:
        with self.database.transaction() as tx:
            taken = leases.acquire(tx, SHEETS, self.holder, LEASE_TTL_S, self.is_dead)
        if isinstance(taken, Held):
            raise Busy(f"another sync with the spreadsheet is under way ({process.told(taken.holder)})")
        try:
            yield taken
        finally:
            with self.database.transaction() as tx:
                leases.release(tx, taken)

    def _sync_offers(self, table: Table, report: SyncReport, *, takes_all: bool) -> None:
        read_at = self.clock.now()
        seen = self._seen(table)
        known = self._compared(table, seen, report.offers)
        hearing = Hearing(table=table, triage=self.triage, sink=SHEETS, on_heard=report.add)
        known = hearing.hear(seen, known, read_at)
        due_at = EVER if takes_all else self.clock.now()
        self._write(table, known, self._offer_rows(table, seen, due_at), report.offers)

    def _sync_companies(self, table: Table, report: SyncReport) -> None:
        known = self._compared(table, self._seen(table), report.companies)
        with self.database.reading() as tx:
            rows = [company_row(one) for one in sheet_rows.companies(tx, SHEETS)]
        self._write(table, known, iter(rows), report.companies)

    def _seen(self, table: Table) -> Mapping[str, SeenRow]:
        """The rows as they stand now, the first one of a key that is there twice."""
        look = table.look()
        for key in sorted(look.doubled):
            log.warning("a key stands in two rows of the sheet: the first one is kept up", tab=table.tab.title, key=key)
        return look.rows

    def _compared(self, table: Table, seen: Mapping[str, SeenRow], report: TableReport) -> dict[str, SheetRow]:
        """What is known of the rows, after a look at which of them are there; what the user deleted is noted."""
        now = self.clock.now()
        with table.desk.transaction() as tx:
            known = sheet_rows.known(tx, table.plan.name)
            for key, row in known.items():
                if (key in seen) == (row.deleted_at is not None):
                    known[key] = replace(row, deleted_at=None if key in seen else now)
                    sheet_rows.put(tx, known[key])
                    report.deleted_by_user += key not in seen
        return known

    def _offer_rows(self, table: Table, seen: Collection[str], due_at: datetime) -> Iterator[Row]:
        """The rows of all items that are in the sheet or due there, read some at a time."""
        after_id = 0
        while True:
            with self.database.reading() as tx:
                found = sheet_rows.offers(tx, SHEETS, due_at=due_at, after_id=after_id, limit=ITEMS_AT_ONCE)
                members = groups.members(tx, {one.group_key for one in found if one.group_key})
            if not found:
                return
            for item_id, group in groupby(found, lambda offer: offer.item_id):
                offers = list(group)
                also_on = groups.siblings(members.get(offers[0].group_key or "", ()), item_id, offers[0].watch)
                row = offer_row(offers, also_on, self.clock.now())
                if is_over(offers) and row.key not in seen:
                    self._leave_out(table, offers, CLOSED)
                else:
                    yield row
            after_id = found[-1].item_id

    def _write(self, table: Table, known: Mapping[str, SheetRow], rows: Iterator[Row], report: TableReport) -> None:
        """Write what has changed; where there is no room for more, what is there is kept up before that is told."""
        changed, full = self._changed(table, known, rows), None
        while batch := list(islice(changed, ROWS_AT_ONCE)):
            try:
                self._write_some(table, known, batch if full is None else _there(table, batch), report)
            except SpreadsheetFull as error:
                full = error
                self._write_some(table, known, _there(table, batch), report)
            table.desk.pulse()
        if full is not None:
            raise full

    def _write_some(
        self, table: Table, known: Mapping[str, SheetRow], batch: Sequence[Row], report: TableReport
    ) -> None:
        added = table.write(batch, known, lambda tx, row: self._sent(tx, row.unwritten))
        report.added += added
        report.updated += len(batch) - added

    def _changed(self, table: Table, known: Mapping[str, SheetRow], rows: Iterator[Row]) -> Iterator[Row]:
        """The rows to write; what needs no writing is settled here."""
        for row in rows:
            stored = known.get(row.key)
            if stored is None:
                if row.is_current:
                    yield row
            elif stored.deleted_at is not None:
                self._leave_out(table, row.unwritten, ROW_DELETED)
            elif stored.digest != row.digest:
                yield row
            elif row.unwritten:
                with table.desk.transaction() as tx:
                    self._sent(tx, row.unwritten)

    def _sent(self, tx: Tx, offers: Sequence[Offer]) -> None:
        """These matches are in front of the user now."""
        now = self.clock.now()
        standing = matches.lock(tx, [offer.match_id for offer in offers])
        for offer in offers:
            delivery = deliveries.get(tx, offer.delivery_id)
            here = standing.get(offer.match_id)
            if delivery is None or here is None or delivery.state not in WAITING:
                continue
            sent = replace(delivery, state="sent", why=None, sent_at=now, tries=delivery.tries + 1)
            deliveries.write(tx, delivery, sent, now)
            matches.sent(tx, offer.match_id, now)
            if here.status is Status.ANALYZED:
                why = f"written by {SHEETS}"
                matches.move(tx, here.id, here.status, Status.SENT_TO_USER, who="machine", why=why, now=now)

    def _leave_out(self, table: Table, offers: Sequence[Offer], why: str) -> None:
        now = self.clock.now()
        with table.desk.transaction() as tx:
            for offer in offers:
                delivery = deliveries.get(tx, offer.delivery_id)
                if delivery and delivery.state in WAITING:
                    deliveries.write(tx, delivery, replace(delivery, state="left out", why=why), now)


def _there(table: Table, batch: Sequence[Row]) -> list[Row]:
    """The rows of a batch that stand in the sheet already."""
    return [row for row in batch if row.key in table.last.rows]
