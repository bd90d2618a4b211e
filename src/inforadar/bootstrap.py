"""The one place where parts get their names: a source is one line in SOURCES, a judge one in JUDGES, a sink one in
OUTLETS, a step one in STEPS. How each is made of the configuration, store and network is in `assembly`; sources of
other packages are found by their entry points."""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from functools import cache
from pathlib import Path

from inforadar.assembly.addresses import own_base_urls
from inforadar.assembly.app import App, Tables
from inforadar.assembly.opening import http_client, open_cache, open_store
from inforadar.assembly.outlets import apprise_outlet, telegram_outlet, webhook_outlet
from inforadar.assembly.plugins import Plugin, find_plugins, table_of
from inforadar.assembly.steps import Bench, bench_of, process_step, recover_step, spreadsheet_step, value_step
from inforadar.assembly.wanted import queries_of
from inforadar.assembly.ways import METALS, ClientTable, SourceTable
from inforadar.collect.progress import Listener
from inforadar.config import Config, JudgeSettings, SourceSettings, find_config, load
from inforadar.domain.errors import ConfigError
from inforadar.domain.ports import Clock, Judge, Source
from inforadar.judges.ollama import OllamaJudge
from inforadar.judges.openai import OpenAiJudge
from inforadar.judges.words import WordsJudge
from inforadar.net.http import HttpClient
from inforadar.observe.clock import SystemClock
from inforadar.observe.secrets import Secret
from inforadar.pipeline.asking import DAYS_OF_TRIES
from inforadar.pipeline.delivery import Outlet
from inforadar.pipeline.routes import CHECK, DELIVER, EDIT, PROCESS, RECOVER
from inforadar.service.aggregation import Aggregation
from inforadar.service.alarms import ALARM, ALERT
from inforadar.service.night import at_night
from inforadar.service.recovery import JUDGE
from inforadar.service.sheets import SHEETS
from inforadar.service.steps import FULL_TEXT, PRUNE, SWEEP, full_text_step, prune_step, sweep_step
from inforadar.sources.ashby import Ashby
from inforadar.sources.ebay import Ebay, ebay_client
from inforadar.sources.feed import Feed
from inforadar.sources.greenhouse import Greenhouse
from inforadar.sources.habr import Habr
from inforadar.sources.hh import Hh
from inforadar.sources.infojobs import InfoJobs
from inforadar.sources.lever import Lever
from inforadar.sources.linkedin import LinkedIn
from inforadar.sources.recruitee import Recruitee
from inforadar.sources.rest import Rest
from inforadar.sources.smartrecruiters import SmartRecruiters
from inforadar.sources.workable import Workable
from inforadar.store.database import Database
from inforadar.store.jobs import AGGREGATE
from inforadar.store.valuations import VALUE
from inforadar.workers.step import Step

__all__ = [
    "AUTHORIZED",
    "NO_CONFIG",
    "OUTLETS",
    "SOURCES",
    "App",
    "has_config",
    "known_sources",
    "open_app",
    "open_over",
    "open_store",
    "plugins",
    "read_config",
]

SOURCES: SourceTable = {
    "hh": lambda settings: Hh(token=_plain(settings.token), user_agent=settings.user_agent),
    "linkedin": lambda settings: LinkedIn(user_agent=settings.user_agent),
    "habr": lambda settings: Habr(user_agent=settings.user_agent),
    "infojobs": lambda settings: InfoJobs(
        client_id=_plain(settings.client_id),
        client_secret=_plain(settings.client_secret),
        user_agent=settings.user_agent,
    ),
    "ebay": lambda settings: Ebay(user_agent=settings.user_agent),
    "rest": lambda settings: Rest(token=_plain(settings.token), user_agent=settings.user_agent),
    "greenhouse": lambda settings: Greenhouse(user_agent=settings.user_agent),
    "lever": lambda settings: Lever(user_agent=settings.user_agent),
    "ashby": lambda settings: Ashby(user_agent=settings.user_agent),
    "smartrecruiters": lambda settings: SmartRecruiters(user_agent=settings.user_agent),
    "workable": lambda settings: Workable(user_agent=settings.user_agent),
    "recruitee": lambda settings: Recruitee(user_agent=settings.user_agent, base_url=settings.base_url),
    "feed": lambda settings: Feed(user_agent=settings.user_agent),
}
AUTHORIZED: ClientTable = {
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
        token=_plain(settings.token),
    ),
    "openai": lambda settings, http, clock: OpenAiJudge(
        transport=http,
        clock=clock,
        base_url=settings.base_url,
        model=settings.model,
        timeout_s=settings.timeout_s,
        token=_plain(settings.token),
    ),
}
OUTLETS: Mapping[str, Callable[[App], Outlet | None]] = {
    "telegram": telegram_outlet,
    "apprise": apprise_outlet,
    "webhook": webhook_outlet,
}
STEPS: Mapping[str, Callable[[Bench], Step | None]] = {
    SWEEP: lambda bench: sweep_step(bench.app.fetcher(bench.listener), queries_of(bench.app.config)),
    PROCESS: lambda bench: process_step(bench.app),
    DELIVER: lambda bench: Step(run=bench.deliveries.send, concurrency=1),
    EDIT: lambda bench: Step(run=bench.deliveries.edit, concurrency=1, max_attempts=DAYS_OF_TRIES),
    RECOVER: lambda bench: recover_step(bench.app),
    CHECK: lambda bench: Step(run=bench.app.checking().run, concurrency=1),
    FULL_TEXT: lambda bench: full_text_step(bench.app.full_texts()),
    VALUE: value_step,
    AGGREGATE: lambda bench: Step(run=Aggregation(database=bench.app.database).run, isolates_suspects=False),
    PRUNE: lambda bench: prune_step(timedelta(days=bench.app.config.schedule.keep_finished_jobs_days)),
    ALARM: lambda bench: Step(run=bench.alarms.tell, concurrency=1, max_attempts=DAYS_OF_TRIES),
    ALERT: lambda bench: Step(run=bench.alarms.tell, concurrency=1, max_attempts=DAYS_OF_TRIES),
    SHEETS: spreadsheet_step,
}

NIGHT_WORK = {"recheck": CHECK, "fulltext": FULL_TEXT, "prune": PRUNE}
NO_CONFIG = """There is no radar.toml yet. Three ways to begin:
  radar demo        see everything at work on a simulated internet, in half a minute
  radar add URL     begin with the address of a search page, a feed or a company's job board
  radar init        write a commented radar.toml here and edit it"""


@cache
def plugins() -> tuple[Plugin, ...]:
    """The sources that installed packages bring, looked for once in a process."""
    return find_plugins({*SOURCES, *OUTLETS, JUDGE, SHEETS, METALS})


def source_table() -> SourceTable:
    """How every source is made, our own and those of other packages."""
    return {**SOURCES, **table_of(plugins())}


def known_sources() -> dict[str, Source]:
    """Every source this program knows, without anybody's settings: what a configuration is checked against."""
    nothing_set = SourceSettings(name="", enabled=True, base_url="", rate_limit_per_minute=1)
    return {name: make(nothing_set) for name, make in source_table().items()}


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
    tables = Tables(sources=source_table(), clients=AUTHORIZED, judges=JUDGES, outlets=OUTLETS, steps=steps_of)
    own = own_base_urls(config, known_sources())
    with http_client(config, clock, own) as http, open_cache(config, clock) as cache:
        yield App(config=config, database=database, http=http, clock=clock, tables=tables, cache=cache)


def steps_of(app: App, listener: Listener) -> dict[str, Step]:
    """The steps of one worker, by the kind of their jobs; some of them run only in the hours of the night."""
    bench = bench_of(app, listener)
    steps = {kind: step for kind, make in STEPS.items() if (step := make(bench))}
    night = app.config.schedule.night
    nightly = {NIGHT_WORK[name] for name in app.config.schedule.night_work} if night else set()
    return {kind: at_night(step, night) if night and kind in nightly else step for kind, step in steps.items()}


def _plain(secret: Secret | None) -> str | None:
    return secret.reveal() if secret else None
