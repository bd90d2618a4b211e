"""A sync with the simulated spreadsheet, over a real database: matches to write, an owner to play, nights to pass."""

import threading
import time as real_time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, time, timedelta
from functools import cache
from random import Random
from typing import Any
from unittest.mock import patch

from google.auth.crypt import RSASigner

from inforadar.collect.gate import SharedGate
from inforadar.config import SheetsSettings
from inforadar.domain.job import Done, Job, JobId, Outcome
from inforadar.domain.ports import Answer, Request
from inforadar.domain.schedule import DailyWindow
from inforadar.domain.status import Status
from inforadar.net.http import HttpClient
from inforadar.observe.secrets import Secret
from inforadar.pipeline.asking import Asking
from inforadar.service.alarms import Alarms
from inforadar.service.sheets import SHEETS, SheetsSync, SyncReport
from inforadar.service.sheets_job import sheets_step
from inforadar.service.triage import Triage
from inforadar.simulator.faults import Fault
from inforadar.simulator.scenarios import still_world
from inforadar.simulator.server import Simulator
from inforadar.simulator.sheets.account import Account
from inforadar.simulator.sheets.service import SPREADSHEET
from inforadar.sinks.sheets_api import SheetsApi
from inforadar.store import companies, deliveries, events, items, matches, sources
from inforadar.store.database import Database, Tx
from store.samples_of_rows import an_item

MADRID = DailyWindow(start=time(3), end=time(6), zone="Europe/Madrid")
NIGHT = datetime(2026, 1, 6, 2, 30, tzinfo=UTC)
"""Half past three in Madrid, in winter."""
ACCOUNT = Account()
"""One for all rigs: to make its key, and to read it for every token, would take longer than all else a sync does."""
read_key = cache(RSASigner.from_string)


@dataclass(slots=True)
class WorldClock:
    """The simulated world's time."""

    simulator: Simulator

    def now(self) -> datetime:
        return self.simulator.world.now

    def mono(self) -> float:
        return real_time.monotonic()


@dataclass(slots=True)
class Rig:
    """One radar with its spreadsheet."""

    db: Database
    simulator: Simulator
    http: HttpClient
    clock: WorldClock
    window: DailyWindow = MADRID
    alarms: Alarms | None = None
    stop: threading.Event = field(default_factory=threading.Event)
    settings: dict[str, Any] = field(default_factory=dict)
    request_s: float = 0.0
    beat: Callable[[], None] | None = None
    meanwhile: Callable[[Request], None] | None = None
    paced_at: Callable[[Tx], datetime] | None = None

    @property
    def sheet(self) -> Any:
        return self.simulator.sheets

    def sync(self, holder: str = "here") -> SheetsSync:
        gate = SharedGate(
            name=SHEETS, database=self.db, clock=self.clock, chance=Random(1), paced_at=lambda _tx: self.clock.now()
        )
        values = {"base_url": self.simulator.service_urls["sheets"], "spreadsheet_id": SPREADSHEET, **self.settings}
        settings = SheetsSettings(window=self.window, credentials=Secret(self.simulator.sheets_key_file), **values)
        return SheetsSync(
            database=self.db,
            clock=self.clock,
            api=SheetsApi(
                transport=self,
                base_url=settings.base_url,
                spreadsheet_id=settings.spreadsheet_id,
                credentials=settings.credentials,
                clock=self.clock,
            ),
            asking=Asking(gate=gate, clock=self.clock, wait=self.wait),
            triage=Triage(clock=self.clock),
            settings=settings,
            holder=holder,
            is_dead=lambda _holder: False,
            paced_at=self.paced_at or (lambda _tx: self.clock.now()),
        )

    def send(self, base_url: str, request: Request) -> Answer:
        """A request takes its time, in the world; a test may do something right before it arrives."""
        if self.meanwhile:
            self.meanwhile(request)
        answer = self.http.send(base_url, request)
        self.simulator.advance(self.request_s)
        return answer

    def wait(self, seconds: float) -> bool:
        """Time passes only in the world."""
        self.simulator.advance(seconds)
        return self.stop.is_set()

    def run(self, **how: Any) -> SyncReport:
        """One sync, whatever the hour."""
        return self.sync().run(lambda: None, self.tell, **{"takes_all": True, **how})

    def tell(self, tx: Tx, message: str) -> None:
        (self.alarms or Alarms(clock=self.clock)).sound(tx, SHEETS, message)

    def step(self, *, attempt: int = 1) -> Outcome:
        """The job of a sync, in its hours."""
        step = sheets_step(self.sync(), self.alarms or Alarms(clock=self.clock))
        outcome = step.run(a_job(attempt), self)
        if isinstance(outcome, Done):
            with self.db.transaction() as tx:
                outcome.effects(tx)
        return outcome

    @property
    def database(self) -> Database:
        return self.db

    def progress(self) -> None:
        """The step gets on; a test may do something at that moment."""
        if self.beat:
            self.beat()

    def is_lost(self) -> bool:
        return False

    def is_stopping(self) -> bool:
        return self.stop.is_set()

    def pass_by(self, **span: float) -> None:
        self.simulator.advance(timedelta(**span).total_seconds())

    def next_night(self) -> None:
        """To the next opening of the window."""
        closing = self.window.next_closing(self.clock.now())
        opening = self.window.next_opening(closing + timedelta(seconds=1))
        assert opening is not None
        self.simulator.advance(to=opening)

    def store(self, *keys: str, watch: str = "w", state: str = "held", **changed: Any) -> list[int]:
        """Matches found good that wait for the night; their ids."""
        now = self.clock.now()
        with self.db.transaction() as tx:
            ids = items.insert(tx, [an_item(key, **changed) for key in keys])
            created = matches.create(tx, watch, "q1", list(ids.values()), now, "machine", "found")
            for match_id in created.values():
                matches.judged(tx, match_id, score=0.9, reason="it fits", now=now)
                matches.move(tx, match_id, Status.QUEUED, Status.ANALYZED, who="machine", why="good", now=now)
                deliveries.add(tx, match_id, SHEETS, state=state, due_at=now, now=now)  # type: ignore[arg-type]
            companies.mark(tx, 0, "hh", keys)
            for stale in companies.stale(tx, 0, 100):
                companies.aggregate(tx, stale, now)
        return [created[ids[key]] for key in keys]

    def rows(self, tab: str = "Offers") -> list[dict[str, str]]:
        return self.sheet.rows(tab)

    def keys(self, tab: str = "Offers") -> list[str]:
        return [row["key"] for row in self.rows(tab)]

    def insert_row(self, at: int, tab: str = "Offers") -> None:
        """The owner inserts an empty row."""
        sheet = self.sheet.book.tab(tab)
        sheet.cells = {(row + (row >= at), column): cell for (row, column), cell in sheet.cells.items()}
        sheet.rows += 1

    def cut_below(self, row: int, tab: str = "Offers") -> None:
        """The owner deletes all rows below one."""
        sheet = self.sheet.book.tab(tab)
        sheet.cells = {place: cell for place, cell in sheet.cells.items() if place[0] <= row}
        sheet.rows = row

    def told(self) -> list[str]:
        """What a person was told of the spreadsheet."""
        with self.db.reading() as tx:
            return [event.message for event in events.recent(tx, source=SHEETS)]

    def match(self, match_id: int) -> matches.MatchView:
        with self.db.reading() as tx:
            found = matches.get(tx, match_id)
        assert found is not None
        return found

    def delivery(self, match_id: int) -> deliveries.Delivery:
        with self.db.reading() as tx:
            return next(one for one in deliveries.of_match(tx, match_id) if one.sink == SHEETS)

    def asked_at(self) -> list[datetime]:
        """When the spreadsheet, or the token's door, was asked."""
        return [line.world_at for line in self.simulator.log if line.source == SHEETS]

    def writes(self) -> int:
        """How many requests wrote cells."""
        return sum(line.path.endswith("/values:batchUpdate") for line in self.simulator.log)


@contextmanager
def rig_over(db: Database, *faults: Fault, at: datetime = NIGHT) -> Iterator[Rig]:
    """A rig whose world begins at a moment."""
    with (
        Simulator(still_world(1, at, {"hh": 1}), faults) as simulator,
        patch.object(RSASigner, "from_string", read_key),
    ):
        ACCOUNT.forget_tokens()
        simulator.sheets.account = ACCOUNT
        clock = WorldClock(simulator)
        with db.transaction() as tx:
            sources.register(tx, SHEETS, rate_limit_per_minute=30, enabled=True, paced_at=at)
        with HttpClient(clock=clock, allow=[simulator.url]) as http:
            yield Rig(db=db, simulator=simulator, http=http, clock=clock)


def a_job(attempt: int = 1) -> Job:
    """A claimed job of a sync."""
    return Job(id=JobId(1), kind=SHEETS, args={}, attempt=attempt, max_attempts=4, retry_count=attempt - 1)
