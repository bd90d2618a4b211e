"""What the pipeline tests begin with: stored matches, and small stand-ins for sources, judge, gate and sink."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from inforadar.domain.delivery import Notice
from inforadar.domain.errors import SourceError
from inforadar.domain.health import Admitted, Closed, MustWait
from inforadar.domain.job import Done, Job, JobId, Outcome
from inforadar.domain.ports import Detail
from inforadar.domain.schedule import DailyWindow
from inforadar.domain.screening import compile_ban_words
from inforadar.domain.verdict import Question, Verdict
from inforadar.domain.watch import Bounds, Query, Watch
from inforadar.pipeline.asking import Asking
from inforadar.pipeline.availability import Availability
from inforadar.pipeline.checking import Checking
from inforadar.pipeline.delivery import Deliveries, Outlet
from inforadar.pipeline.judging import Judging
from inforadar.pipeline.processing import Processing
from inforadar.service.recovery import Recovery
from inforadar.service.triage import Triage
from inforadar.store import deliveries, items, jobs, matches, query_states
from inforadar.store.database import Database
from store.samples_of_rows import an_item

NOON = datetime(2026, 1, 5, 12, tzinfo=UTC)
TEXT = "We look for somebody who writes Python and knows PostgreSQL."
WATCH = Watch(
    name="w",
    kind="vacancy",
    profile="python developer",
    ban_words=("crypto",),
    max_experience_years=6,
    min_score=0.6,
    deliver=("telegram",),
    first_run="24h",
)
QUERY = Query(watch="w", source="hh", params={}, bounds=Bounds(), key="q1")


@dataclass(slots=True)
class Clock:
    """A clock that stands until it is moved."""

    at: datetime = NOON

    def now(self) -> datetime:
        return self.at

    def mono(self) -> float:
        return self.at.timestamp()

    def pass_by(self, **span: float) -> None:
        self.at += timedelta(**span)


@dataclass(slots=True)
class Pages:
    """The items' own pages: by default all are there with a text."""

    says: Detail | Exception = field(default_factory=lambda: Detail(availability="alive", full_text=TEXT))
    asked: list[str] = field(default_factory=list)

    def detail(self, _source: str, key: str, _url: str) -> Detail:
        self.asked.append(key)
        if isinstance(self.says, Exception):
            raise self.says
        return self.says


@dataclass(slots=True)
class Model:
    """A judge that says what it is told to."""

    name: str = "model"
    score: float = 0.9
    error: Exception | None = None
    questions: list[Question] = field(default_factory=list)
    while_judging: Callable[[], None] = lambda: None

    def judge(self, question: Question) -> Verdict:
        self.questions.append(question)
        self.while_judging()
        if self.error:
            raise self.error
        return Verdict(judge=self.name, score=self.score, reason="it fits", skills=("python",))

    def ping(self) -> None:
        if self.error:
            raise self.error


@dataclass(slots=True)
class Door:
    """A gate that is open until it is closed, and remembers what it was told."""

    shut: Closed | None = None
    queue: MustWait | None = None
    told: list[str] = field(default_factory=list)
    waits: list[float] = field(default_factory=list)
    opens_after: float | None = None

    def wait(self, seconds: float) -> bool:
        """Nobody waits in a test; after so many seconds the gate opens."""
        self.waits.append(seconds)
        if self.opens_after is not None and sum(self.waits) >= self.opens_after:
            self.shut = None
        return False

    def closed(self) -> Closed | None:
        return self.shut

    def enter(self) -> Admitted | MustWait | Closed:
        return self.shut or self.queue or Admitted()

    def succeeded(self) -> None:
        self.told.append("succeeded")

    def failed(self, error: SourceError) -> None:
        self.told.append(f"failed: {type(error).__name__}")

    def rest_until(self, until: datetime) -> None:
        self.told.append(f"wait until {until:%H:%M:%S}")


@dataclass
class Chat:
    """A sink that keeps what it was sent."""

    name: str = "telegram"
    sent: list[Notice] = field(default_factory=list)
    edited: list[tuple[str, Notice]] = field(default_factory=list)
    errors: list[Exception] = field(default_factory=list)
    while_sending: Callable[[], None] = lambda: None
    refuses_digests: bool = False

    def send(self, notice: Notice) -> str:
        self.while_sending()
        if self.errors:
            raise self.errors.pop(0)
        if self.refuses_digests and notice.is_digest:
            from inforadar.domain.errors import BadQuery

            raise BadQuery("one of them is not taken")
        self.sent.append(notice)
        return f"1:{len(self.sent)}"

    def edit(self, reference: str, notice: Notice) -> None:
        if self.errors:
            raise self.errors.pop(0)
        self.edited.append((reference, notice))


@dataclass
class Inbox:
    """The pipeline over one database."""

    db: Database
    watch: Watch = WATCH
    quiet_hours: DailyWindow | None = None
    clock: Clock = field(default_factory=Clock)
    pages: Pages = field(default_factory=Pages)
    model: Model = field(default_factory=Model)
    door: Door = field(default_factory=Door)
    chat: Chat = field(default_factory=Chat)
    chat_door: Door = field(default_factory=Door)
    first_asked_at: datetime = NOON
    has_lost_its_job: bool = False
    nights: dict[str, DailyWindow] = field(default_factory=dict)

    def __post_init__(self) -> None:
        with self.db.transaction() as tx:
            query_states.ensure(tx, QUERY, self.first_asked_at)

    @property
    def ban_lists(self) -> Mapping[str, Any]:
        return {"w": compile_ban_words(self.watch.ban_words)[0]}

    @property
    def availability(self) -> Availability:
        return Availability(database=self.db, clock=self.clock, details=self.pages)

    @property
    def processing(self) -> Processing:
        return Processing(
            database=self.db,
            clock=self.clock,
            watches={"w": self.watch},
            ban_lists=self.ban_lists,
            availability=self.availability,
            judging=Judging(judge=self.model, asking=replace(self._asking(self.door), rest_s=30)),
            sinks=("telegram",),
            nights=self.nights,
        )

    @property
    def outbox(self) -> Deliveries:
        outlet = Outlet(sink=self.chat, asking=self._asking(self.chat_door), quiet_hours=self.quiet_hours)
        return Deliveries(database=self.db, clock=self.clock, outlets={"telegram": outlet})

    @property
    def checking(self) -> Checking:
        return Checking(
            database=self.db,
            clock=self.clock,
            availability=self.availability,
            judging=Judging(judge=self.model, asking=self._asking(self.door)),
            watches={"w": self.watch},
        )

    @property
    def recovery(self) -> Recovery:
        return Recovery(database=self.db, clock=self.clock, watches={"w": self.watch}, ban_lists=self.ban_lists)

    @property
    def triage(self) -> Triage:
        return Triage(clock=self.clock)

    def _asking(self, door: Door) -> Asking:
        return Asking(gate=door, clock=self.clock, wait=door.wait)

    def store(self, *keys: str, published_at: datetime | None = None, watch: str = "w", **changed: Any) -> list[int]:
        """Matches as a sweep leaves them; their ids."""
        made = [an_item(key, published_at=published_at or self.clock.now(), **changed) for key in keys]
        with self.db.transaction() as tx:
            ids = items.insert(tx, made)
            created = matches.create(tx, watch, "q1", list(ids.values()), self.clock.now(), "machine", "found")
        return [created[ids[key]] for key in keys]

    def process(self, match_id: int, *, attempt: int = 1) -> Outcome:
        """Run the process job of a match and settle it."""
        return self._settled(self.processing.run(a_job(attempt=attempt, match_id=match_id), self))

    def deliver(self, delivery_id: int) -> Outcome:
        """Run the job of a delivery and settle it."""
        return self._settled(self.outbox.send(a_job(delivery_id=delivery_id), self))

    def deliver_all(self) -> list[Outcome]:
        """Run the jobs of all deliveries, oldest first."""
        with self.db.reading() as tx:
            rows = deliveries.search(tx, limit=1000)
        return [self.deliver(row.id) for row in rows]

    def edit_all(self) -> None:
        """Run every edit job."""
        with self.db.reading() as tx:
            waiting = [job for job in jobs.search(tx, kind="edit", limit=1000) if job.status == "pending"]
        for job in waiting[::-1]:
            self._settled(self.outbox.edit(a_job(**job.args), self))
            with self.db.transaction() as tx:
                jobs.cancel(tx, job.id, who="test")

    def check(self, match_id: int) -> Outcome:
        """Look an open match up again."""
        return self._settled(self.checking.run(a_job(match_id=match_id), self))

    def recover(self, **args: Any) -> Outcome:
        """One round of recovery."""
        return self._settled(self.recovery.run(a_job(**args), self))

    def is_stopping(self) -> bool:
        return False

    def is_lost(self) -> bool:
        return self.has_lost_its_job

    def progress(self) -> None:
        """Nobody measures it."""

    def status(self, match_id: int) -> str | None:
        with self.db.reading() as tx:
            view = matches.get(tx, match_id)
        return view.status if view else None

    def moves(self, match_id: int) -> list[tuple[str | None, str]]:
        with self.db.reading() as tx:
            return [(event.from_status, event.to_status) for event in matches.events(tx, match_id)]

    def last_why(self, match_id: int) -> str:
        with self.db.reading() as tx:
            return matches.events(tx, match_id)[-1].why

    def delivery(self, match_id: int) -> deliveries.Delivery:
        with self.db.reading() as tx:
            return deliveries.of_match(tx, match_id)[0]

    def judged(self, *keys: str, **changed: Any) -> list[int]:
        """Matches that were found good and wait in the outbox."""
        ids = self.store(*keys, **changed)
        for match_id in ids:
            self.process(match_id)
        return ids

    def for_watch(self, **changed: Any) -> None:
        """Change the watch."""
        self.watch = replace(self.watch, **changed)

    def _settled(self, outcome: Outcome) -> Outcome:
        if isinstance(outcome, Done):
            with self.db.transaction() as tx:
                outcome.effects(tx)
        return outcome


def a_job(*, attempt: int = 1, **args: Any) -> Job:
    """A claimed job."""
    return Job(id=JobId(1), kind="any", args=args, attempt=attempt, max_attempts=5, retry_count=attempt - 1)
