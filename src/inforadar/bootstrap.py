"""The one place where parts are made and joined; a source is one line in SOURCES, a judge one in JUDGES, a sink one
in OUTLETS."""

import os
import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

from inforadar.collect.cache import Cache
from inforadar.collect.fetch import Fetcher
from inforadar.collect.fulltext import FullTexts
from inforadar.collect.gate import SharedGate
from inforadar.collect.governor import Governor
from inforadar.collect.progress import Everybody, Listener, Nobody
from inforadar.collect.sweeper import Sweeper
from inforadar.collect.tailoring import Tailor, TailoringSweeper
from inforadar.config import (
    AppriseSettings,
    Config,
    JudgeSettings,
    SheetsSettings,
    SourceSettings,
    TelegramSettings,
    WebhookSettings,
    find_config,
    load,
)
from inforadar.config.store_url import beside_store
from inforadar.domain.errors import ConfigError
from inforadar.domain.health import Closed, may_ask
from inforadar.domain.job import Job
from inforadar.domain.ports import Clock, Judge, Source
from inforadar.domain.screening import BanList, compile_ban_words
from inforadar.domain.watch import Query, Watch
from inforadar.judges.ollama import OllamaJudge
from inforadar.judges.openai import OpenAiJudge
from inforadar.judges.words import WordsJudge
from inforadar.net.http import HttpClient, HttpLimits
from inforadar.net.urls import is_local
from inforadar.observe import process
from inforadar.observe.chance import SEED_VARIABLE, chance
from inforadar.observe.clock import NOW_VARIABLE, SystemClock
from inforadar.observe.metrics import create_metrics
from inforadar.observe.secrets import Secret
from inforadar.pipeline.asking import Asking
from inforadar.pipeline.availability import Availability
from inforadar.pipeline.checking import Checking
from inforadar.pipeline.delivery import Deliveries, Outlet
from inforadar.pipeline.judging import Judging
from inforadar.pipeline.pricing import MetalDesk, Pricing
from inforadar.pipeline.processing import Processing, skip_abandoned
from inforadar.pipeline.routes import CHECK, DELIVER, EDIT, PROCESS, RECOVER
from inforadar.service.aggregation import Aggregation
from inforadar.service.alarms import ALARM, Alarms, Herald
from inforadar.service.buttons import Buttons
from inforadar.service.details import SourceDetails
from inforadar.service.judge_watch import JudgeWatch
from inforadar.service.meter import Meter
from inforadar.service.night import at_night
from inforadar.service.periodic import periodic_work
from inforadar.service.presses import Presses
from inforadar.service.preview import Preview
from inforadar.service.recovery import JUDGE, Recovery
from inforadar.service.rescue import Rescue
from inforadar.service.revaluation import value_work
from inforadar.service.scheduler import Periodic, Scheduler
from inforadar.service.sheets import SHEETS, SheetsSync
from inforadar.service.sheets_job import sheets_step, sheets_work
from inforadar.service.steps import FULL_TEXT, PRUNE, SWEEP, full_text_step, prune_step, sweep_step
from inforadar.service.supervisor import Supervisor
from inforadar.service.triage import LATER, Triage
from inforadar.sinks.apprise import AppriseSink
from inforadar.sinks.sheets_account import GOOGLE_TOKENS, token_uri
from inforadar.sinks.sheets_api import SheetsApi
from inforadar.sinks.telegram import TelegramSink
from inforadar.sinks.telegram_api import TelegramApi
from inforadar.sinks.webhook import WebhookSink
from inforadar.sources.ashby import Ashby
from inforadar.sources.authorization import Authorized, Client
from inforadar.sources.ebay import Ebay, ebay_client
from inforadar.sources.feed import Feed
from inforadar.sources.greenhouse import Greenhouse
from inforadar.sources.habr import Habr
from inforadar.sources.hh import Hh
from inforadar.sources.infojobs import InfoJobs
from inforadar.sources.lever import Lever
from inforadar.sources.linkedin import LinkedIn
from inforadar.sources.metals import DEFAULT_BASE_URL, Metals
from inforadar.sources.recruitee import Recruitee
from inforadar.sources.rest import Rest
from inforadar.sources.rest_plan import own_origin
from inforadar.sources.smartrecruiters import SmartRecruiters
from inforadar.sources.workable import Workable
from inforadar.store import jobs, sources
from inforadar.store.database import Database, Tx, open_database
from inforadar.store.jobs import AGGREGATE
from inforadar.store.migrate import known_migrations, pending, require_current, upgrade
from inforadar.store.queue import Settled
from inforadar.store.valuations import VALUE
from inforadar.workers.rescuer import Rescuer
from inforadar.workers.step import TIME_LIMIT_S, Step
from inforadar.workers.worker import Worker

SOURCES: Mapping[str, Callable[[SourceSettings], Source]] = {
    "hh": lambda settings: Hh(token=_revealed(settings), user_agent=settings.user_agent),
    "linkedin": lambda settings: LinkedIn(user_agent=settings.user_agent),
    "habr": lambda settings: Habr(user_agent=settings.user_agent),
    "infojobs": lambda settings: InfoJobs(
        client_id=_plain(settings.client_id),
        client_secret=_plain(settings.client_secret),
        user_agent=settings.user_agent,
    ),
    "ebay": lambda settings: Ebay(user_agent=settings.user_agent),
    "rest": lambda settings: Rest(token=_revealed(settings), user_agent=settings.user_agent),
    "greenhouse": lambda settings: Greenhouse(user_agent=settings.user_agent),
    "lever": lambda settings: Lever(user_agent=settings.user_agent),
    "ashby": lambda settings: Ashby(user_agent=settings.user_agent),
    "smartrecruiters": lambda settings: SmartRecruiters(user_agent=settings.user_agent),
    "workable": lambda settings: Workable(user_agent=settings.user_agent),
    "recruitee": lambda settings: Recruitee(user_agent=settings.user_agent, base_url=settings.base_url),
    "feed": lambda settings: Feed(user_agent=settings.user_agent),
}
AUTHORIZED: Mapping[str, Callable[[SourceSettings], Client]] = {
    "ebay": lambda settings: ebay_client(_plain(settings.client_id), _plain(settings.client_secret)),
}
JUDGES: Mapping[str, Callable[[JudgeSettings, HttpClient, Clock], Judge]] = {
    "words": lambda _settings, _http, _clock: WordsJudge(),
    "ollama": lambda settings, http, clock: OllamaJudge(
        transport=http,
        clock=clock,
        base_url=settings.base_url,
        model=settings.model,
        timeout_s=settings.timeout_s,
        num_ctx=settings.num_ctx,
        keep_alive=settings.keep_alive,
        token=_revealed(settings),
    ),
    "openai": lambda settings, http, clock: OpenAiJudge(
        transport=http,
        clock=clock,
        base_url=settings.base_url,
        model=settings.model,
        timeout_s=settings.timeout_s,
        token=_revealed(settings),
    ),
}

MEGABYTE = 1 << 20
MOST_QUESTIONS = 4
TELEGRAM = "https://api.telegram.org"
GOOGLE_SHEETS = "https://sheets.googleapis.com"
OPENAI = "https://api.openai.com/v1"
METALS = "metals"
NIGHT_WORK = {"recheck": CHECK, "fulltext": FULL_TEXT, "prune": PRUNE}
NO_CONFIG = """There is no radar.toml yet. Three ways to begin:
  radar demo        see everything at work on a simulated internet, in half a minute
  radar add URL     begin with the address of a search page, a feed or a company's job board
  radar init        write a commented radar.toml here and edit it"""


def known_sources() -> dict[str, Source]:
    """Every source this program knows, without anybody's settings: what a configuration is checked against."""
    nothing_set = SourceSettings(name="", enabled=True, base_url="", rate_limit_per_minute=1)
    return {name: make(nothing_set) for name, make in SOURCES.items()}


def read_config(explicit: str | None, env: Mapping[str, str] | None = None) -> Config:
    """The user's configuration, wherever it is; raises ConfigError with every mistake, or with the ways to begin."""
    env = os.environ if env is None else env
    path = find_config(explicit, env, Path.cwd())
    if path is None:
        raise ConfigError(NO_CONFIG)
    return load(path, known_sources(), env)


def has_config(explicit: str | None) -> bool:
    """Whether the user has, or names, a configuration."""
    return find_config(explicit, os.environ, Path.cwd()) is not None


def open_store(config: Config) -> Database:
    """The user's database, brought up to date where that is safe to do unasked: a new one, or an SQLite file."""
    database = open_database(config.store.url)
    if database.kind == "sqlite" or _is_new(database):
        upgrade(database)
    require_current(database)
    return database


@dataclass(slots=True, kw_only=True)
class App:
    """One process of Info Radar: configuration, clock, store and network, and the parts made of them."""

    config: Config
    database: Database
    http: HttpClient
    clock: Clock
    cache: Cache | None = None
    stop: threading.Event = field(default_factory=threading.Event)
    hurry: threading.Event = field(default_factory=threading.Event)

    def fetcher(self, listener: Listener | None = None) -> Fetcher:
        """Who runs sweeps."""
        self._register_sources()
        return Fetcher(
            database=self.database,
            clock=self.clock,
            sweepers={name: self._sweeper(name, listener or Nobody()) for name in SOURCES},
            holder=process.holder(),
            is_dead=process.is_dead,
            is_stopped=self.stop.is_set,
            is_leased_by_source=self.config.work.lease == "source" and self.database.kind == "postgres",
        )

    def full_texts(self) -> FullTexts:
        """Who gets the full text of articles."""
        self._register_sources()
        return FullTexts(
            database=self.database,
            clock=self.clock,
            sources={name: self._source(name) for name in SOURCES},
            governors={name: self._governor(name) for name in SOURCES},
        )

    def preview(self) -> Preview:
        """Who shows what a query would collect."""
        self._register_sources()
        return Preview(
            sources={name: self._source(name) for name in SOURCES},
            governors={name: self._governor(name) for name in SOURCES},
        )

    def judge(self) -> Judge:
        """Who scores relevance."""
        return self._judging().judge

    def worker(
        self,
        *,
        concurrency: int | None = None,
        kinds: Collection[str] = (),
        listeners: Sequence[Listener] = (),
        on_settled: Callable[[Settled, float], None] = lambda _settled, _seconds: None,
    ) -> Worker:
        """Who runs jobs: of all kinds there are steps for, or of the kinds named; `listeners` hear of its sweeps."""
        steps = self._steps(Everybody(listeners))
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
            closed_sources=self._closed_sources,
            on_abandoned=self._on_abandoned,
            on_settled=on_settled,
        )

    def scheduler(self) -> Scheduler:
        """Who puts periodic work."""
        asked = [query for _, query in self._queries().values() if self.config.sources[query.source].enabled]
        return Scheduler(
            database=self.database,
            clock=self.clock,
            work=periodic_work(
                self.config.schedule,
                asked,
                closed_sources=self._closed_sources,
                put_checks=self._checking().put,
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
        judging = self._judging()
        if judging.asking is None:
            return None
        window = timedelta(hours=self.config.schedule.recovery_hours)
        return JudgeWatch(database=self.database, judge=judging.judge, asking=judging.asking, window=window)

    def supervisor(self) -> Supervisor:
        """Who keeps loops running."""
        return Supervisor(stop=self.stop, hurry=self.hurry)

    def lift_pauses(self, names: Collection[str]) -> None:
        """Let sources that are left alone be asked at once, because a person says so."""
        self._register_sources()
        with self.database.transaction() as tx:
            for name in names:
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
        self._register_sources()
        return SheetsSync(
            database=self.database,
            clock=self.clock,
            api=api,
            asking=self.asking(SHEETS),
            triage=self.triage(),
            settings=sheets,
            holder=process.holder(),
            is_dead=process.is_dead,
            paced_at=self._paced_at,
        )

    def alarms(self) -> Alarms:
        """Who tells a person what must not be overlooked."""
        outlets = self._outlets()
        heralds = {
            name: Herald(say=outlet.sink.say, asking=outlet.asking, quiet_hours=outlet.quiet_hours)
            for name, outlet in outlets.items()
            if isinstance(outlet.sink, (TelegramSink, AppriseSink))
        }
        return Alarms(clock=self.clock, heralds=heralds)

    def meter(self) -> Meter:
        """Who counts what this process does, for Prometheus."""
        return Meter(metrics=create_metrics(), database=self.database, clock=self.clock)

    def _steps(self, listener: Listener) -> dict[str, Step]:
        deliveries = self._deliveries()
        steps = {
            SWEEP: sweep_step(self.fetcher(listener), self._queries()),
            PROCESS: Step(
                run=self._processing().run,
                time_limit_s=TIME_LIMIT_S + MOST_QUESTIONS * self.config.judge.timeout_s,
                concurrency=self.config.judge.concurrency,
            ),
            DELIVER: Step(run=deliveries.send, concurrency=1),
            EDIT: Step(run=deliveries.edit, concurrency=1),
            RECOVER: Step(run=self._recovery().run, concurrency=1),
            CHECK: Step(run=self._checking().run, concurrency=1),
            FULL_TEXT: full_text_step(self.full_texts()),
            VALUE: Step(run=self._pricing().run, concurrency=1),
            AGGREGATE: Step(run=Aggregation(database=self.database).run, isolates_suspects=False),
            PRUNE: prune_step(timedelta(days=self.config.schedule.keep_finished_jobs_days)),
            ALARM: Step(run=self.alarms().tell, concurrency=1),
        }
        if self._night_sheets():
            steps[SHEETS] = sheets_step(self.sheets_sync(), self.alarms())
        night = self.config.schedule.night
        nightly = {NIGHT_WORK[name] for name in self.config.schedule.night_work} if night else set()
        return {kind: at_night(step, night) if night and kind in nightly else step for kind, step in steps.items()}

    def _processing(self) -> Processing:
        return Processing(
            database=self.database,
            clock=self.clock,
            watches=self._watches(),
            ban_lists=self._ban_lists(),
            availability=self._availability(),
            judging=self._judging(),
            sinks=tuple(self._sinks()),
            nights={SHEETS: sheets.window} if (sheets := self._night_sheets()) else {},
        )

    def _other_work(self) -> list[Periodic]:
        sheets = self._night_sheets()
        return [value_work(), *([sheets_work(sheets.window, self._paced_at)] if sheets else [])]

    def _night_sheets(self) -> SheetsSettings | None:
        """The spreadsheet, if any watch is written there."""
        is_used = any(SHEETS in watch.deliver for watch in self.config.watches)
        return self.config.sheets if is_used else None

    def _pricing(self) -> Pricing:
        metals = self.config.metals
        desk = None
        if metals is not None:
            source = Metals(transport=self.http, clock=self.clock, base_url=metals.base_url)
            desk = MetalDesk(price=source.price, asking=self.asking(METALS))
        return Pricing(
            database=self.database,
            clock=self.clock,
            watches=self._watches(),
            rates=self.config.rates,
            tell=self.alarms().sound,
            metals=desk,
        )

    def _recovery(self) -> Recovery:
        return Recovery(
            database=self.database,
            clock=self.clock,
            watches=self._watches(),
            ban_lists=self._ban_lists(),
            window=timedelta(hours=self.config.schedule.recovery_hours),
        )

    def _checking(self) -> Checking:
        return Checking(
            database=self.database,
            clock=self.clock,
            availability=self._availability(),
            judging=self._judging(),
            watches=self._watches(),
        )

    def _deliveries(self) -> Deliveries:
        return Deliveries(database=self.database, clock=self.clock, outlets=self._outlets())

    def _availability(self) -> Availability:
        details = SourceDetails(
            sources={name: self._source(name) for name in SOURCES},
            governors={name: self._governor(name) for name in SOURCES},
        )
        return Availability(database=self.database, clock=self.clock, details=details)

    def _judging(self) -> Judging:
        settings = self.config.judge
        judge = JUDGES[settings.kind](settings, self.http, self.clock)
        return Judging(judge=judge, asking=None if settings.kind == "words" else self.asking(JUDGE))

    def _outlets(self) -> dict[str, Outlet]:
        """The sinks that are set up."""
        return {name: outlet for name, make in OUTLETS.items() if (outlet := make(self))}

    def _sinks(self) -> dict[str, TelegramSettings | AppriseSettings | WebhookSettings]:
        """The sinks of the configuration, also those that lack something yet: what is for them waits in the outbox."""
        named = {"telegram": self.config.telegram, "apprise": self.config.apprise, "webhook": self.config.webhook}
        return {name: settings for name, settings in named.items() if settings}

    def asking(self, name: str) -> Asking:
        """The way to a judge or a sink, through its gate."""
        return Asking(gate=self._gate(name), clock=self.clock, wait=self.stop.wait)

    def _on_abandoned(self, tx: Tx, job: Job) -> None:
        if job.kind == PROCESS:
            skip_abandoned(tx, job, self.clock.now())

    def _watches(self) -> dict[str, Watch]:
        return {watch.name: watch for watch in self.config.watches}

    def _ban_lists(self) -> dict[str, BanList]:
        return {watch.name: compile_ban_words(watch.ban_words)[0] for watch in self.config.watches}

    def _queries(self) -> dict[tuple[str, str], tuple[Watch, Query]]:
        """The queries that may be asked: those of paused watches rest."""
        asked = [watch for watch in self.config.watches if not watch.paused]
        return {(q.watch, q.key): (watch, q) for watch in asked for q in watch.queries}

    def _closed_sources(self, tx: Tx) -> list[str]:
        """Sources that may not be asked now: their jobs are not claimed at all."""
        now = self.clock.now()
        known = sources.all(tx)
        return [one.name for one in known if isinstance(may_ask(one.name, one.health, now), Closed) or not one.enabled]

    def _sweeper(self, name: str, listener: Listener) -> Sweeper:
        source = self._source(name)
        make = TailoringSweeper if isinstance(source, Tailor) else Sweeper
        return make(
            database=self.database,
            source=source,
            governor=self._governor(name),
            clock=self.clock,
            listener=listener,
        )

    def _source(self, name: str) -> Source:
        return SOURCES[name](self.config.sources[name])

    def _governor(self, name: str) -> Governor:
        return Governor(
            base_url=self.config.sources[name].base_url,
            transport=self._transport(name),
            clock=self.clock,
            chance=chance(os.environ.get(SEED_VARIABLE)),
            wait=self.stop.wait,
            gate=self._gate(name),
            cache=self.cache,
        )

    def _transport(self, name: str) -> HttpClient | Authorized:
        """The way to a source, with its tokens put on where it wants them; they are kept beside the store."""
        if name not in AUTHORIZED:
            return self.http
        client = AUTHORIZED[name](self.config.sources[name])
        folder = self.config.path.resolve().parent if self.config.path else Path.cwd()
        kept_at = beside_store(self.config.store.url, folder, f"{name}-token.json")
        return Authorized(transport=self.http, client=client, clock=self.clock, kept_at=kept_at)

    def _gate(self, name: str) -> SharedGate:
        return SharedGate(
            name=name,
            database=self.database,
            clock=self.clock,
            chance=chance(os.environ.get(SEED_VARIABLE)),
            paced_at=self._paced_at,
        )

    def _paced_at(self, tx: Tx) -> datetime:
        """The time rates are kept by: the store's, or for a process that is told another time, what it believes."""
        return self.clock.now() if os.environ.get(NOW_VARIABLE) else tx.store_now()

    def _register_sources(self) -> None:
        """A row for everything that is asked by name: the sources, the judge, the sinks."""
        asked = {name: (one.rate_limit_per_minute, one.enabled) for name, one in self.config.sources.items()}
        if self.config.judge.kind != "words":
            asked[JUDGE] = (self.config.judge.rate_limit_per_minute, True)
        asked |= {name: (one.rate_limit_per_minute, True) for name, one in self._sinks().items()}
        if self.config.sheets:
            asked[SHEETS] = (self.config.sheets.rate_limit_per_minute, True)
        if self.config.metals:
            asked[METALS] = (self.config.metals.rate_limit_per_minute, True)
        with self.database.transaction() as tx:
            for name, (rate, is_enabled) in asked.items():
                sources.register(tx, name, rate_limit_per_minute=rate, enabled=is_enabled, paced_at=self._paced_at(tx))


def _telegram_outlet(app: App) -> Outlet | None:
    telegram = app.config.telegram
    api = app.telegram_api()
    if telegram is None or api is None or not telegram.chat_id:
        return None
    return Outlet(
        sink=TelegramSink(api=api, chat_id=telegram.chat_id),
        asking=app.asking("telegram"),
        quiet_hours=telegram.quiet_hours,
        gather_for=timedelta(seconds=telegram.gather_s),
    )


def _apprise_outlet(app: App) -> Outlet | None:
    apprise = app.config.apprise
    if apprise is None or not apprise.urls:
        return None
    return Outlet(
        sink=AppriseSink(urls=apprise.urls, form=apprise.format, timeout_s=apprise.timeout_s),
        asking=app.asking("apprise"),
        quiet_hours=apprise.quiet_hours,
        gather_for=timedelta(seconds=apprise.gather_s),
        can_edit=False,
    )


def _webhook_outlet(app: App) -> Outlet | None:
    webhook = app.config.webhook
    if webhook is None or webhook.url is None or webhook.secret is None:
        return None
    return Outlet(
        sink=WebhookSink(
            transport=app.http,
            clock=app.clock,
            url=webhook.url,
            secret=webhook.secret,
            timeout_s=webhook.timeout_s,
        ),
        asking=app.asking("webhook"),
        quiet_hours=webhook.quiet_hours,
        gather_for=timedelta(0),
    )


OUTLETS: Mapping[str, Callable[[App], Outlet | None]] = {
    "telegram": _telegram_outlet,
    "apprise": _apprise_outlet,
    "webhook": _webhook_outlet,
}


@contextmanager
def open_app(config: Config, clock: Clock | None = None) -> Iterator[App]:
    """The parts of one process, closed at the end."""
    database = open_store(config)
    try:
        with open_over(database, config, clock) as app:
            yield app
    finally:
        database.close()


@contextmanager
def open_over(database: Database, config: Config, clock: Clock | None = None) -> Iterator[App]:
    """The parts of one process over a database that is open, whatever its schema; it stays open."""
    clock = clock or SystemClock.from_env(os.environ)
    with (
        HttpClient(clock=clock, allow=_own_base_urls(config), limits=_limits(config)) as http,
        _open_cache(config, clock) as cache,
    ):
        yield App(config=config, database=database, http=http, clock=clock, cache=cache)


@contextmanager
def _open_cache(config: Config, clock: Clock) -> Iterator[Cache | None]:
    """The user's response cache, None where it is switched off; its file is made at the first use."""
    settings = config.cache
    if not settings.enabled:
        yield None
        return
    from inforadar.store.responses import ResponseCache

    kept = ResponseCache(settings.path, clock, ttl_s=settings.ttl_seconds, max_bytes=settings.max_mb * MEGABYTE)
    try:
        yield Cache(kept=kept, pages=settings.pages, newest_page=settings.newest_page)
    finally:
        kept.close()


def _own_base_urls(config: Config) -> list[str]:
    """The addresses the user wrote, of feeds those that are local by name: only these may lie in a private network."""
    defaults = {name: source.default_base_url for name, source in known_sources().items()}
    own = [one.base_url for name, one in config.sources.items() if one.base_url != defaults[name]]
    own += [
        origin
        for watch in config.watches
        for query in watch.queries
        if query.source == "rest" and (origin := own_origin(query.params))
    ]
    asked = [query for watch in config.watches for query in watch.queries if query.source == "feed"]
    own += [url for query in asked if is_local(url := str(query.params.get("url")))]
    if config.metals and config.metals.base_url != DEFAULT_BASE_URL:
        own.append(config.metals.base_url)
    if config.judge.base_url and config.judge.base_url != OPENAI:
        own.append(config.judge.base_url)
    if config.webhook and config.webhook.url:
        own.append(config.webhook.url.reveal())
    own += _sheets_urls(config.sheets) if config.sheets else []
    return own + ([config.telegram.base_url] if config.telegram and config.telegram.base_url != TELEGRAM else [])


def _sheets_urls(sheets: SheetsSettings) -> list[str]:
    """The user's own addresses of Sheets: in the configuration, and in the key file of the service account."""
    asked = [sheets.base_url, *([token_uri(sheets.credentials)] if sheets.credentials else [])]
    return [url for url in asked if url not in (GOOGLE_SHEETS, GOOGLE_TOKENS)]


def _limits(config: Config) -> HttpLimits:
    return HttpLimits(
        connect_s=config.http.connect_timeout_s,
        read_s=config.http.read_timeout_s,
        deadline_s=config.http.deadline_s,
    )


def _is_new(database: Database) -> bool:
    return len(pending(database)) == len(known_migrations())


def _revealed(settings: SourceSettings | JudgeSettings) -> str | None:
    return _plain(settings.token)


def _plain(secret: Secret | None) -> str | None:
    return secret.reveal() if secret else None
