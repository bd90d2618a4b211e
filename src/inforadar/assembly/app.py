"""One process of Info Radar: what it works with, and who works in it."""

import os
import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta

from inforadar.assembly.wanted import queries_of, used_sheets, watches_of
from inforadar.assembly.ways import ClientTable, SourceTable, Ways
from inforadar.collect.cache import Cache
from inforadar.collect.fetch import Fetcher
from inforadar.collect.fulltext import FullTexts
from inforadar.collect.progress import Everybody, Listener, Nobody
from inforadar.config import Config, JudgeSettings
from inforadar.domain.errors import ConfigError
from inforadar.domain.job import Job
from inforadar.domain.limits import LONGEST_WAIT_S
from inforadar.domain.ports import Clock, Judge
from inforadar.net.http import HttpClient
from inforadar.observe import process
from inforadar.observe.chance import SEED_VARIABLE, chance
from inforadar.observe.metrics import create_metrics
from inforadar.pipeline.availability import Availability
from inforadar.pipeline.checking import Checking
from inforadar.pipeline.delivery import Outlet
from inforadar.pipeline.judging import Judging
from inforadar.pipeline.processing import skip_abandoned
from inforadar.pipeline.routes import PROCESS
from inforadar.service.alarms import Alarms, Herald
from inforadar.service.buttons import Buttons
from inforadar.service.details import SourceDetails
from inforadar.service.judge_watch import JudgeWatch
from inforadar.service.meter import Meter
from inforadar.service.periodic import periodic_work
from inforadar.service.presses import Presses
from inforadar.service.preview import Preview
from inforadar.service.recovery import JUDGE
from inforadar.service.rescue import Rescue
from inforadar.service.revaluation import value_work
from inforadar.service.scheduler import Periodic, Scheduler
from inforadar.service.sheets import SHEETS, SheetsSync
from inforadar.service.sheets_job import sheets_work
from inforadar.service.supervisor import Supervisor
from inforadar.service.triage import LATER, Triage
from inforadar.sinks.apprise import AppriseSink
from inforadar.sinks.sheets_api import SheetsApi
from inforadar.sinks.telegram import TelegramSink
from inforadar.sinks.telegram_api import TelegramApi
from inforadar.store import jobs, sources
from inforadar.store.database import Database, Tx
from inforadar.store.queue import Settled
from inforadar.workers.rescuer import Rescuer
from inforadar.workers.step import Step
from inforadar.workers.worker import Worker


@dataclass(frozen=True, slots=True, kw_only=True)
class Tables:
    """How each part that has a name is made; the tables themselves are in bootstrap."""

    sources: SourceTable
    clients: ClientTable
    judges: Mapping[str, Callable[[JudgeSettings, HttpClient, Clock], Judge]]
    outlets: Mapping[str, Callable[["App"], Outlet | None]]
    steps: Callable[["App", Listener], dict[str, Step]]


@dataclass(slots=True, kw_only=True)
class App:
    """Configuration, clock, store and network of one process, and the parts made of them."""

    config: Config
    database: Database
    http: HttpClient
    clock: Clock
    tables: Tables
    cache: Cache | None = None
    stop: threading.Event = field(default_factory=threading.Event)
    hurry: threading.Event = field(default_factory=threading.Event)

    @property
    def ways(self) -> Ways:
        """The ways to whoever is asked by name."""
        return Ways(
            config=self.config,
            database=self.database,
            http=self.http,
            clock=self.clock,
            cache=self.cache,
            stop=self.stop,
            table=self.tables.sources,
            clients=self.tables.clients,
        )

    def fetcher(self, listener: Listener | None = None) -> Fetcher:
        """Who runs sweeps."""
        self.ways.register()
        return Fetcher(
            database=self.database,
            clock=self.clock,
            sweepers=self.ways.sweepers(listener or Nobody(), self.alarms().sound_gap),
            holder=process.holder(),
            is_dead=process.is_dead,
            is_stopped=self.stop.is_set,
            is_leased_by_source=self.config.work.lease == "source" and self.database.kind == "postgres",
        )

    def full_texts(self) -> FullTexts:
        """Who gets the full text of articles."""
        self.ways.register()
        return FullTexts(
            database=self.database, clock=self.clock, sources=self.ways.sources(), governors=self.ways.governors()
        )

    def preview(self) -> Preview:
        """Who shows what a query would collect."""
        self.ways.register()
        return Preview(sources=self.ways.sources(), governors=self.ways.governors())

    def availability(self) -> Availability:
        """Who looks at items' own pages."""
        details = SourceDetails(sources=self.ways.sources(), governors=self.ways.governors())
        return Availability(database=self.database, clock=self.clock, details=details)

    def judging(self) -> Judging:
        """Who has matches judged; through a gate, unless the judge lives in this process."""
        settings = self.config.judge
        judge = self.tables.judges[settings.kind](settings, self.http, self.clock)
        asking = None if settings.kind == "words" else replace(self.ways.asking(JUDGE), rest_s=LONGEST_WAIT_S)
        return Judging(judge=judge, asking=asking)

    def judge(self) -> Judge:
        """Who scores relevance."""
        return self.judging().judge

    def checking(self) -> Checking:
        """Who looks open matches up."""
        return Checking(
            database=self.database,
            clock=self.clock,
            availability=self.availability(),
            judging=self.judging(),
            watches=watches_of(self.config),
        )

    def worker(
        self,
        *,
        concurrency: int | None = None,
        kinds: Collection[str] = (),
        listeners: Sequence[Listener] = (),
        on_settled: Callable[[Settled, float], None] = lambda _settled, _seconds: None,
    ) -> Worker:
        """Who runs jobs: of all kinds there are steps for, or of the kinds named; `listeners` hear of its sweeps."""
        steps = self.tables.steps(self, Everybody(listeners))
        return Worker(
            database=self.database,
            steps={kind: step for kind, step in steps.items() if not kinds or kind in kinds},
            clock=self.clock,
            chance=chance(os.environ.get(SEED_VARIABLE)),
            stop=self.stop,
            hurry=self.hurry,
            concurrency=concurrency or self.config.work.concurrency,
            grace_s=self.config.work.grace_s,
            lock_timeout_s=self.config.work.job_lock_timeout_s,
            closed_sources=self.ways.closed_sources,
            on_abandoned=self._on_abandoned,
            on_settled=on_settled,
        )

    def scheduler(self) -> Scheduler:
        """Who puts periodic work."""
        asked = [query for _, query in queries_of(self.config).values() if self.config.sources[query.source].enabled]
        return Scheduler(
            database=self.database,
            clock=self.clock,
            work=periodic_work(
                self.config.schedule,
                asked,
                closed_sources=self.ways.closed_sources,
                put_checks=self.checking().put,
                others=self._other_work(),
                clock=self.clock,
            ),
            holder=process.holder(),
            is_dead=process.is_dead,
            on_elected=self.rescue().once,
        )

    def rescue(self) -> Rescue:
        """Who takes jobs from workers that died."""
        rescuer = Rescuer(database=self.database, lock_timeout_s=self.config.work.job_lock_timeout_s)
        return Rescue(database=self.database, rescuer=rescuer, is_dead=process.is_dead)

    def judge_watch(self) -> JudgeWatch | None:
        """Who looks after the judge; None for one that lives in this process."""
        judging = self.judging()
        if judging.asking is None:
            return None
        window = timedelta(hours=self.config.schedule.recovery_hours)
        return JudgeWatch(database=self.database, judge=judging.judge, asking=judging.asking, window=window)

    def supervisor(self) -> Supervisor:
        """Who keeps loops running."""
        return Supervisor(stop=self.stop, hurry=self.hurry)

    def lift_pauses(self, names: Collection[str]) -> None:
        """Let sources that are left alone be asked at once, because a person says so."""
        self.ways.register()
        with self.database.transaction() as tx:
            servers = [one.name for one in sources.all(tx) if one.name.partition("@")[0] in names]
            for name in (*names, *servers):
                sources.lift_pause(tx, name, self.clock.now())
                jobs.wake(tx, name)

    def telegram_api(self) -> TelegramApi | None:
        """Who speaks to Telegram; None where no bot is set up."""
        telegram = self.config.telegram
        if telegram is None or telegram.token is None:
            return None
        return TelegramApi(transport=self.http, base_url=telegram.base_url, token=telegram.token, clock=self.clock)

    def buttons(self) -> Buttons | None:
        """Who hears what is pressed in Telegram; None where no bot is set up."""
        api, settings = self.telegram_api(), self.config.telegram
        if api is None or settings is None:
            return None
        presses = Presses(triage=self.triage(), settings=settings, token=api.token, clock=self.clock)
        return Buttons(
            database=self.database,
            api=api,
            presses=presses,
            clock=self.clock,
            holder=process.holder(),
            is_dead=process.is_dead,
            stop=self.stop,
        )

    def triage(self) -> Triage:
        """Who carries out what the user decides."""
        telegram = self.config.telegram
        return Triage(clock=self.clock, later=timedelta(hours=telegram.later_hours) if telegram else LATER)

    def sheets_api(self) -> SheetsApi:
        """Who speaks to the user's spreadsheet; raises ConfigError where none is set up."""
        sheets = self.config.sheets
        if sheets is None:
            raise ConfigError("There is no [sheets] in the configuration; docs/sheets.md tells how to set it up.")
        return SheetsApi(
            transport=self.http,
            base_url=sheets.base_url,
            spreadsheet_id=sheets.spreadsheet_id,
            credentials=sheets.credentials,
            clock=self.clock,
        )

    def sheets_sync(self) -> SheetsSync:
        """Who brings the spreadsheet up to date; raises ConfigError where none is set up."""
        api, sheets = self.sheets_api(), self.config.sheets
        assert sheets is not None
        self.ways.register()
        return SheetsSync(
            database=self.database,
            clock=self.clock,
            api=api,
            asking=self.ways.asking(SHEETS),
            triage=self.triage(),
            settings=sheets,
            holder=process.holder(),
            is_dead=process.is_dead,
            paced_at=self.ways.paced_at,
        )

    def outlets(self) -> dict[str, Outlet]:
        """The sinks that are set up."""
        return {name: outlet for name, make in self.tables.outlets.items() if (outlet := make(self))}

    def alarms(self) -> Alarms:
        """Who tells a person what must not be overlooked."""
        outlets = self.outlets()
        heralds = {
            name: Herald(say=outlet.sink.say, asking=outlet.asking, quiet_hours=outlet.quiet_hours)
            for name, outlet in outlets.items()
            if isinstance(outlet.sink, (TelegramSink, AppriseSink))
        }
        return Alarms(clock=self.clock, heralds=heralds)

    def meter(self) -> Meter:
        """Who counts what this process does, for Prometheus."""
        return Meter(metrics=create_metrics(), database=self.database, clock=self.clock)

    def _on_abandoned(self, tx: Tx, job: Job) -> None:
        if job.kind == PROCESS:
            skip_abandoned(tx, job, self.clock.now())

    def _other_work(self) -> list[Periodic]:
        sheets = used_sheets(self.config)
        return [value_work(self.config.watches), *([sheets_work(sheets.window, self.ways.paced_at)] if sheets else [])]
