"""One life of Radar drawn from a seed: a moving faulty site, bounded sweeps, deaths anywhere, then a calm.

What must hold is checked after every step, against the truth the simulated world keeps. Excused are only the
misses that no reader of such a list can avoid in one sweep: entries that appear below ground read already, entries
raised to the top while being read, lies of the site (a list that is empty twice in a row is one), and changes that
cancel out within one pause where pages cannot overlap.
All of them must be found later.
"""

import logging
import shutil
from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import structlog

from flows.mortal import Fate, MortalDriver, ProcessDied
from flows.rig import NOON, Radar, Wire, rows, search_of, watch_and_query
from inforadar.collect.report import QueryReport
from inforadar.domain import coverage as coverages
from inforadar.domain.errors import LeaseLost
from inforadar.domain.paging import Page, Paging, Position
from inforadar.domain.ports import Answer, Request, Source
from inforadar.domain.run import StopReason
from inforadar.domain.watch import Bounds
from inforadar.simulator.faults import Fault
from inforadar.simulator.happenings import Pace, drive, stock
from inforadar.simulator.internet import Internet
from inforadar.simulator.rules import Rules
from inforadar.simulator.world import World
from inforadar.sources.habr import Habr
from inforadar.sources.habr_html import HabrHtml
from inforadar.sources.hh import Hh
from inforadar.sources.linkedin import LinkedIn
from inforadar.store import query_states
from inforadar.store.database import Connection, Database, open_database
from inforadar.store.migrate import upgrade
from inforadar.store.sqlite import SqliteDriver

LIES = ("repeated_page", "unreadable_entry", "duplicated_entry", "shuffled_page")
TROUBLES = (
    "rate_limited",
    "forbidden",
    "authwall",
    "captive_portal",
    "server_error",
    "cut_body",
    "reset",
    "timeout",
    "unreadable_page",
    "empty_page",
    "wrong_encoding",
)
EVENTS_SHOWN = 50
NARROW_LIMIT = 5
A_MOMENT = timedelta(seconds=2)
SWEEPS_TO_SETTLE = 60
SWEEPS_AN_ENTRY = 8
NO_PROGRESS = "made no progress"
MOST_REQUESTS_A_SWEEP = 1_000

CHECKS = {
    "I1: one row per source and key": "SELECT key FROM items GROUP BY source, lower(trim(key)) HAVING count(*) > 1",
    "I1: one match per item and watch": "SELECT item_id FROM matches GROUP BY item_id, watch HAVING count(*) > 1",
    "I3: no item without a match": "SELECT id FROM items WHERE id NOT IN (SELECT item_id FROM matches)",
    "I3: no match without its first job": """SELECT id FROM matches
        WHERE 'process:' || id NOT IN (SELECT unique_key FROM jobs)""",
    "I3: no match without its first event": """SELECT id FROM matches
        WHERE id NOT IN (SELECT match_id FROM match_events)""",
    "I5: writes of sweeps never go back to an older lease": """SELECT run_id FROM
        (SELECT run_id, lag(run_id) OVER (ORDER BY seq) AS before FROM sweep_log) WHERE run_id < before""",
    "a tombstone and a match never share an entry": """SELECT i.key FROM tombstones t
        JOIN items i ON i.key = t.key AND i.source = t.source
        JOIN matches m ON m.item_id = i.id AND m.watch = t.watch""",
}
WATCHERS = """
CREATE TABLE sweep_log (seq INTEGER PRIMARY KEY, run_id BIGINT NOT NULL);
CREATE TRIGGER log_sweep AFTER UPDATE ON ingestion_runs WHEN NEW.pages_fetched > OLD.pages_fetched
BEGIN INSERT INTO sweep_log (run_id) VALUES (NEW.id); END;
CREATE TRIGGER never_empty BEFORE UPDATE ON items
WHEN coalesce(NEW.title, '') = '' OR (OLD.company_id IS NOT NULL AND NEW.company_id IS NULL) OR EXISTS (
  SELECT 1 FROM json_each(OLD.data) AS o LEFT JOIN json_each(NEW.data) AS n ON n.key = o.key
  WHERE coalesce(o.value, '') NOT IN ('', '[]', '{}') AND trim(coalesce(n.value, '')) IN ('', '[]', '{}'))
BEGIN SELECT RAISE(ABORT, 'I6: a non-empty field became empty'); END;
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Door:
    """One way into a site, and how its pages may be made small enough to turn many of them."""

    name: str
    site: str
    make: Callable[[], Source]
    sizes: tuple[int, ...] = ()
    largest: int | None = None


DOORS = (
    Door(name="hh", site="hh", make=Hh, sizes=(5, 10, 20), largest=1),
    Door(name="linkedin", site="linkedin", make=LinkedIn),
    Door(name="habr", site="habr", make=Habr, sizes=(6, 10), largest=2),
    Door(name="habr-html", site="habr", make=HabrHtml),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Everything a seed decides about one life."""

    seed: int
    door: Door
    bounds: Bounds
    paging: Paging
    pace: Pace
    stock: int
    stock_days: float
    ties: float
    rules: Rules
    faults: tuple[Fault, ...]
    move_s: float
    rounds: int
    pause_s: float
    death_share: float
    takeover_share: float
    expiry_share: float
    blanking: bool
    ban_words: tuple[str, ...]

    @property
    def lies(self) -> bool:
        """Whether the site shows pages that are not what they seem."""
        return any(fault.kind in LIES for fault in self.faults)


def plan_of(seed: int) -> Plan:
    """Draw a life; each seed has its own subset of troubles."""
    chance = Random(f"plan/{seed}")
    door = DOORS[seed % len(DOORS)]
    paging = _paging(door, chance)
    bounds = _bounds(chance)
    is_narrow = bounds.limit is not None and bounds.limit < NARROW_LIMIT
    pages = chance.choice((0, 1, 2) if is_narrow else (0, 1, 3, 6, 10))
    return Plan(
        seed=seed,
        door=door,
        bounds=bounds,
        paging=paging,
        pace=_pace(chance).times(0.2 if is_narrow else 1.0),
        stock=int(pages * paging.size * chance.uniform(0.8, 1.2)),
        stock_days=chance.choice((2.0, 10.0, 30.0)),
        ties=chance.choice((0.0, 0.1, 0.7)),
        rules=Rules(
            linkedin_stray_every=chance.choice((0, 0, 5)),
            habr_layout=chance.choice(("L1", "L2", "L3")),
            habr_old_keys=chance.random() < 0.2,
            habr_ads=chance.random() < 0.3,
        ),
        faults=_faults(chance),
        move_s=chance.choice((0.0, 60.0, 600.0)),
        rounds=chance.randint(3, 8),
        pause_s=chance.choice((600.0, 3600.0, 6 * 3600.0)),
        death_share=chance.choice((0.0, 0.3, 0.7)),
        takeover_share=chance.choice((0.0, 0.0, 0.4)),
        expiry_share=chance.choice((0.0, 0.0, 0.3)),
        blanking=chance.random() < 0.5,
        ban_words=chance.choice(((), (), ("python", "re:(?i)senior"))),
    )


def _paging(door: Door, chance: Random) -> Paging:
    paging = door.make().paging
    if not door.sizes:
        return paging
    size = chance.choice(door.sizes)
    depth = size * chance.choice((12, 20, 100)) if paging.filters_by_date else paging.depth
    return replace(paging, size=size, largest_size=size * (door.largest or 1), depth=depth)


def _bounds(chance: Random) -> Bounds:
    cutoff = (NOON - timedelta(days=chance.choice((1, 5, 20)))).date()
    pages = chance.choice((None, None, None, 6, 9, 15))
    # A window that is larger than what a sweep may read leaves no budget for anything else, and the run says so.
    window_days = None if pages else chance.choice((None, None, 2))
    return Bounds(
        limit=chance.choice((None, None, 1, 2, 3, 7, 25, 60)),
        max_pages=pages,
        max_items=None if window_days else chance.choice((None, None, None, 150)),
        cutoff_date=chance.choice((None, None, cutoff)),
        window_days=window_days,
        lookback_days=chance.choice((None, None, 30)),
    )


def _pace(chance: Random) -> Pace:
    def often(most: float) -> float:
        return chance.choice((0.0, most / 4, most))

    return Pace(
        arrivals=often(6.0),
        late=often(1.0),
        bursts=often(0.6),
        withdrawals=often(5.0),
        bumps=often(1.5),
        reposts=often(0.6),
        hidings=often(0.5),
        edits=often(2.0),
        burst_size=chance.choice((4, 4, 30)),
    )


def _faults(chance: Random) -> tuple[Fault, ...]:
    kinds = [*chance.sample(TROUBLES, k=chance.choice((0, 1, 3, 5, 7)))]
    if chance.random() < 0.25:
        kinds.append(chance.choice(LIES))
    share = chance.choice((0.02, 0.08, 0.2))
    return tuple(
        Fault(kind=kind, scope="list", probability=share, seconds=chance.choice((None, 3, 20, 900))) for kind in kinds
    )


class Spied:
    """A source that notes where it is asked and what it reads; everything else is the source's own."""

    def __init__(self, source: Source, paging: Paging, life: "Life", *, is_fallback: bool = False) -> None:
        self._source = source
        self._life = life
        self._is_fallback = is_fallback
        self.paging = paging
        self.name, self.kind, self.param_rules = source.name, source.kind, source.param_rules
        self.fallback = source.fallback and Spied(source.fallback, source.fallback.paging, life, is_fallback=True)

    def request(self, params: Any, position: Position) -> Request:
        assert self.paging.depth is None or position.offset < self.paging.depth, "asked past the depth cap"
        self._life.asked(position)
        self._life.sometimes["fallback"] += self._is_fallback
        return self._source.request(params, position)

    def read(self, answer: Answer, position: Position) -> Page:
        page = self._source.read(answer, position)
        self._life.answered(page)
        return page


@dataclass
class Life:
    """One life under way: the world, the database file, and what has happened so far."""

    plan: Plan
    folder: Path
    template: Path
    sometimes: Counter[str] = field(default_factory=Counter)
    events: deque[str] = field(default_factory=lambda: deque(maxlen=EVENTS_SHOWN))

    def __post_init__(self) -> None:
        plan = self.plan
        self.chance = Random(f"life/{plan.seed}")
        self.world = World(seed=plan.seed, start_at=NOON)
        stock(self.world, plan.door.site, plan.stock, plan.stock_days, plan.ties)
        drive(self.world, plan.door.site, plan.pace)
        self.bumped: list[tuple[datetime, str]] = []
        self._record_bumps()
        self.internet = Internet(self.world, rules=plan.rules, faults=plan.faults, move_seconds_per_request=plan.move_s)
        self.source = Spied(plan.door.make(), plan.paging, self)
        self.search = search_of(self.internet, plan.door.site, plan.door.make(), {})
        self.watch, self.query = watch_and_query(
            self.source,
            {},
            ban_words=plan.ban_words,
            **{name: getattr(plan.bounds, name) for name in plan.bounds.__slots__},
        )
        self.path = self.folder / f"seed-{plan.seed}.db"
        shutil.copy(self.template, self.path)
        self.inspector = Database(SqliteDriver(str(self.path), 5.0))
        self.processes = 0
        self.excused: set[str] = set()
        self.reported: set[str] = set()
        self.high_water: datetime | None = None
        self.asked_at: list[datetime] = []
        self.shown = 0
        self.previous: Position | None = None
        self.is_calm = False

    # -- the run of a life ------------------------------------------------------------------------

    def run(self) -> None:
        """Live through the storm, then through the calm; raises with the seed and the last events."""
        try:
            for _ in range(self.plan.rounds):
                self._round()
            self._calm()
        except AssertionError as error:
            raise AssertionError(self._told(error)) from error
        except Exception as error:
            raise AssertionError(self._told(error)) from error
        finally:
            self.inspector.close()

    def _told(self, error: BaseException) -> str:
        lines = "\n".join(self.events)
        return f"seed {self.plan.seed}: {type(error).__name__}: {error}\n{self.plan}\nthe last events:\n{lines}"

    def _round(self) -> None:
        self.internet.advance(self.chance.uniform(0, self.plan.pause_s))
        if self.chance.random() < self.plan.expiry_share:
            self._expire()
        if self.plan.blanking:
            self._blank()
        fate = Fate()
        if self.chance.random() < self.plan.death_share:
            fate = Fate(
                dies_at=self.chance.choice((self.chance.randint(1, 40), self.chance.randint(20, 140))),
                loses_reply=self.chance.random() < 0.3,
            )
        takeover = self.chance.random() < self.plan.takeover_share
        self._sweep(fate, takeover_at=self.chance.randint(1, 6) if takeover else None)

    def _calm(self) -> None:
        """Faults and movement end: in bounded time everything visible is stored."""
        self.is_calm = True
        self.internet.faults.replace(())
        self.internet.move_seconds_per_request = 0.0
        self.note("calm")
        sweeps, most = 0, SWEEPS_TO_SETTLE + SWEEPS_AN_ENTRY * len(self._missing())
        while missing := self._missing():
            sweeps += 1
            assert sweeps <= most, f"never found: {sorted(missing)[:5]} of {len(missing)}"
            report = self._sweep(Fate())
            assert report is not None
            if self._may_give_up(report):
                self.sometimes["no progress told"] += 1
                break
            if report.stop_reason is StopReason.DEPTH_CAP and not report.added:
                self.sometimes["hidden by a depth cap"] += 1
                break
        self.sometimes[f"calm within {10 ** len(str(sweeps))} sweeps"] += 1

    def _may_give_up(self, report: QueryReport) -> bool:
        """Where a rank is a whole day, a sweep must be able to read two days; the run says so when it cannot."""
        is_bounded = self.plan.bounds.max_pages is not None or self.plan.bounds.max_items is not None
        is_told = any(NO_PROGRESS in warning for warning in report.warnings)
        return is_bounded and is_told and self.plan.paging.slack >= timedelta(days=1)

    def _sweep(self, fate: Fate, takeover_at: int | None = None) -> QueryReport | None:
        """One process lives and sweeps once; None if it did not live to tell."""
        self.processes += 1
        holder = f"process {self.processes}"
        database = Database(MortalDriver(SqliteDriver(str(self.path), 5.0), fate, _hasty))
        started_at, self.asked_at, self.previous, self.shown = self.world.now, [self.world.now], None, 0
        wire = Wire(self.internet)
        if takeover_at is not None:
            wire.before = self._takeover(takeover_at)
        radar = self._process(database, holder, wire)
        report: QueryReport | None = None
        try:
            (report,) = radar.fetch((self.watch, self.query)).queries
            self._count(report, radar)
        except ProcessDied as death:
            self.note(f"{holder} died: {death}")
            self.sometimes["death in a transaction" if "begin" not in str(death) else "death between transactions"] += 1
            self.sometimes["commit whose reply was lost"] += fate.loses_reply and "commit" in str(death)
        except LeaseLost:
            self.note(f"{holder} lost its lease")
            self.sometimes["lease lost"] += 1
        finally:
            database.close()
        self._check(started_at, report)
        return report

    def _process(self, database: Database, holder: str, wire: Wire) -> Radar:
        name = self.source.name
        return Radar(
            database=database,
            internet=self.internet,
            sources={name: self.source},  # type: ignore[dict-item]
            sites={name: self.plan.door.site},
            holder=holder,
            dead=[f"process {number}" for number in range(1, self.processes)],
            transport=wire,
            chance=Random(f"jitter/{self.plan.seed}/{self.processes}"),
        )

    def _takeover(self, at: int) -> Callable[[Request], None]:
        """Before its so-manieth request the process is frozen, its lease expires, and another one sweeps whole."""
        requests = 0

        def freeze(_: Request) -> None:
            nonlocal requests
            requests += 1
            if requests != at:
                return
            self.note("frozen; another process takes over")
            self.processes += 1
            database = Database(MortalDriver(SqliteDriver(str(self.path), 5.0), Fate(), _hasty))
            with database.transaction() as tx:
                tx.run_text("UPDATE leases SET expires_at = '2000-01-01T00:00:00.000000Z'")
            other = self._process(database, f"process {self.processes}", Wire(self.internet))
            (report,) = other.fetch((self.watch, self.query)).queries
            self._count(report, other)
            database.close()
            self.sometimes["takeover"] += 1

        return freeze

    # -- what happens to the world beside its own movement ----------------------------------------

    def _expire(self) -> None:
        """A large part of the list goes at once, anywhere in it."""
        shown = self.world.listing(self.search)
        if not shown:
            return
        first = self.chance.randrange(len(shown))
        for entry in shown[first : first + len(shown) // 2]:
            self.world.withdraw(self.plan.door.site, entry.id)
        self.note(f"mass expiry of {len(shown) // 2} from {first}")
        self.sometimes["mass expiry"] += 1

    def _blank(self) -> None:
        """Authors empty what they may empty: the site shows less of an entry than before."""
        for entry in self.world.listing(self.search)[:5]:
            self.world.edit(self.plan.door.site, entry.id, snippet=("", ""), salary=None)
        self.sometimes["emptied fields"] += 1

    def _record_bumps(self) -> None:
        bump = self.world.bump

        def recorded(source: str, entry_id: str) -> None:
            self.bumped.append((self.world.now, entry_id))
            bump(source, entry_id)

        self.world.bump = recorded  # type: ignore[method-assign]

    # -- what is checked --------------------------------------------------------------------------

    def _check(self, started_at: datetime, report: QueryReport | None) -> None:
        for name, text in CHECKS.items():
            assert not rows(self.inspector, text), name
        self._check_marks()
        if report is None:
            return
        again = self.reported & set(report.added)
        assert not again, f"reported as added twice: {sorted(again)}"
        self.reported |= set(report.added)
        self._check_record(report)
        if report.left == 0:
            self._check_complete(started_at, report)

    def _check_marks(self) -> None:
        """I4: the high-water mark never falls and is never above the newest entry."""
        with self.inspector.reading() as tx:
            state = query_states.get(tx, self.query)
        if state is None:
            return
        covered = coverages.from_json(state.coverage)
        mark = covered.last_seen_max
        assert self.high_water is None or (mark is not None and mark >= self.high_water), "I4: the high-water mark fell"
        assert mark is None or mark <= self.world.now, "I4: the high-water mark is in the future"
        self.high_water = mark
        assert all(stretch.after <= stretch.upto for stretch in covered.stretches)
        self.sometimes["gaps"] += len(covered.stretches) > 1
        claimed = {mark.key for stretch in covered.stretches for mark in stretch.tail}
        assert claimed <= self._held(), "I2: the coverage claims entries that are not stored"

    def _check_record(self, report: QueryReport) -> None:
        (run,) = rows(self.inspector, "SELECT * FROM ingestion_runs WHERE id = :id", id=report.run_id)
        assert run["stop_reason"] == report.stop_reason.value
        assert run["left_count"] == report.left
        assert run["pages_fetched"] == report.counters.pages
        limit, pages = self.plan.bounds.limit, self.plan.bounds.max_pages
        assert limit is None or report.counters.unseen <= limit, "more than the limit"
        assert pages is None or report.counters.pages <= pages, "more than max_pages"
        assert not rows(self.inspector, "SELECT id FROM ingestion_runs WHERE status = 'RUNNING'"), "a run left open"
        complete = run["status"] == "SUCCESS"
        assert complete == (report.left == 0 and report.status == "SUCCESS")

    def _check_complete(self, started_at: datetime, report: QueryReport) -> None:
        """I2: what was visible from the start to the end of a complete sweep is stored."""
        if not self.shown:
            return  # a list that is empty twice in a row is believed
        self.sometimes["complete sweep"] += 1
        steady = self.world.visible_throughout(self.search, started_at, self.world.now)
        missing = self._wanted(steady) - self._held() - self.excused
        excuse = {key for key in missing if self._is_excused(key, started_at)}
        self.excused |= excuse
        self.sometimes["excused for a while"] += bool(excuse)
        assert not missing - excuse, f"I2: lost {sorted(missing - excuse)} in a complete sweep ({report.stop_reason})"

    def _is_excused(self, key: str, started_at: datetime) -> bool:
        entry = self.world.entry(self.plan.door.site, key)
        shown_at = self.world.spans(self.plan.door.site, key)[-1].start
        if shown_at - entry.published_at > self.plan.paging.slack + A_MOMENT:
            return True
        if any(at >= started_at and bumped == key for at, bumped in self.bumped):
            return True
        if self.plan.rules.linkedin_stray_every and entry.is_promoted:
            return True
        return self.plan.lies or (self._cannot_overlap and self._has_cancelled_out())

    @property
    def _cannot_overlap(self) -> bool:
        paging = self.plan.paging
        return paging.kind == "page" and (paging.largest_size or paging.size) == paging.size

    def _has_cancelled_out(self) -> bool:
        """Whether entries came and went in one pause between requests; without a total, in two that follow."""
        site = self.plan.door.site
        spans = [span for key in self.world._spans[site] for span in self.world.spans(site, key)]
        moments = [*self.asked_at, self.world.now]
        pauses = 1 if self.plan.paging.has_exact_total else 2
        for start, end in zip(moments, moments[pauses:], strict=False):
            came = any(start < span.start <= end for span in spans)
            went = any(span.end and start < span.end <= end for span in spans)
            if came and went:
                return True
        return False

    def _missing(self) -> set[str]:
        """What is visible and not held; beyond reach are misses below a depth cap and strays below a floor."""
        missing = self._wanted(self.world.visible_ids(self.search)) - self._held()
        depth = self.plan.paging.depth or 0
        deep = {entry.id for entry in self.world.listing(self.search)[depth:]} if depth else set()
        missing -= deep & self.excused
        if not (self.plan.rules.linkedin_stray_every and self.plan.bounds.floor):
            return missing
        return {key for key in missing if not self.world.entry(self.plan.door.site, key).is_promoted}

    def _wanted(self, keys: Any) -> set[str]:
        floor = self.plan.bounds.floor
        return {key for key in keys if floor is None or self._rank(key) >= floor}

    def _rank(self, key: str) -> datetime:
        """The rank as the source shows it: LinkedIn tells the day alone."""
        at = self.world.entry(self.plan.door.site, key).published_at
        return at.replace(hour=0, minute=0, second=0) if self.plan.door.site == "linkedin" else at

    def _held(self) -> set[str]:
        found = rows(self.inspector, "SELECT key FROM items UNION ALL SELECT key FROM tombstones")
        return {row["key"] for row in found}

    # -- what is noted ----------------------------------------------------------------------------

    def note(self, text: str) -> None:
        """Remember an event for the report of a failure."""
        self.events.append(f"{self.world.now:%m-%d %H:%M:%S} {text}")

    def asked(self, position: Position) -> None:
        """A page is asked for."""
        before, self.previous = self.previous, position
        self.asked_at.append(self.world.now)
        assert len(self.asked_at) < MOST_REQUESTS_A_SWEEP, "the sweep does not end"
        window = position.window and f" {position.window.after}..{position.window.upto}"
        self.note(f"asked {position.offset}+{position.size}{window or ''}")
        self.sometimes["date window"] += position.window is not None
        if before is None or before.window != position.window:
            return
        self.sometimes["step back"] += 0 < position.offset < before.offset
        self.sometimes["landing"] += position.offset > before.offset + before.size
        self.sometimes["page asked again"] += position == before

    def answered(self, page: Page) -> None:
        """A page was read."""
        self.note(f"  {len(page.drafts)} entries, total {page.total}, last {page.is_last}")
        self.shown += page.entries
        self.sometimes["empty page"] += not page.entries
        self.sometimes["unreadable entry"] += page.unreadable + page.undated

    def _count(self, report: QueryReport, radar: Radar) -> None:
        self.note(f"{report.status} {report.stop_reason.value}, {report.counters}, left {report.left}, {report.error}")
        self.sometimes[report.stop_reason.value] += 1
        self.sometimes["429"] += report.counters.http_429
        self.sometimes["retry"] += len(radar.waiting.waits)
        self.sometimes["filtered"] += report.counters.filtered
        self.sometimes["updated"] += report.counters.updated
        keys = {url.rstrip("/").rpartition("/")[2] for url in report.added}
        late = (key for key in keys if self.world.find(self.plan.door.site, key) and self._was_late(key))
        self.sometimes["late arrival found"] += sum(1 for _ in late)

    def _was_late(self, key: str) -> bool:
        entry = self.world.entry(self.plan.door.site, key)
        return self.world.spans(self.plan.door.site, key)[0].start - entry.created_at > timedelta(minutes=5)


def _hasty(connection: Connection) -> None:
    """No syncing: the deaths here are of the process, not of the machine."""
    connection.run("PRAGMA synchronous = OFF", {})


@contextmanager
def _without_log() -> Iterator[None]:
    """Writing hundreds of thousands of log lines would take longer than living."""
    before = structlog.get_config()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    try:
        yield
    finally:
        structlog.configure(**before)


def make_template(folder: Path) -> Path:
    """A migrated empty database file with the watchers of the invariants in it, to be copied for every life."""
    path = folder / "template.db"
    database = open_database(f"sqlite:///{path}")
    upgrade(database)
    with database.transaction() as tx:
        tx.run_text(WATCHERS)
    database.close()
    return path


def live(seed: int, folder: Path, template: Path) -> Life:
    """One whole life; raises AssertionError with everything needed to look into it."""
    life = Life(plan_of(seed), folder, template)
    try:
        with _without_log():
            life.run()
    finally:
        for leftover in folder.glob(f"seed-{seed}.db*"):
            leftover.unlink()
    life.sometimes = +life.sometimes
    return life
