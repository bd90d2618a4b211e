"""The steps of a worker, each made of the parts of its process."""

from dataclasses import dataclass
from datetime import timedelta

from inforadar.assembly.app import App
from inforadar.assembly.wanted import ban_lists_of, sinks_of, used_sheets, watches_of
from inforadar.assembly.ways import METALS
from inforadar.collect.progress import Listener
from inforadar.pipeline.delivery import Deliveries
from inforadar.pipeline.pricing import MetalDesk, Pricing
from inforadar.pipeline.processing import Processing
from inforadar.service.alarms import Alarms
from inforadar.service.recovery import Recovery
from inforadar.service.revaluation import Rereading
from inforadar.service.sheets import SHEETS
from inforadar.service.sheets_job import sheets_step
from inforadar.sources.metals import Metals
from inforadar.workers.step import TIME_LIMIT_S, Step

MOST_QUESTIONS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """What the steps of one worker are made of and share; `listener` hears of its sweeps."""

    app: App
    listener: Listener
    alarms: Alarms
    deliveries: Deliveries


def bench_of(app: App, listener: Listener) -> Bench:
    """Where a worker's steps are made."""
    deliveries = Deliveries(database=app.database, clock=app.clock, outlets=app.outlets())
    return Bench(app=app, listener=listener, alarms=app.alarms(), deliveries=deliveries)


def process_step(app: App) -> Step:
    """One match from QUEUED to what becomes of it, with the time a judge may take for all its questions."""
    sheets = used_sheets(app.config)
    processing = Processing(
        database=app.database,
        clock=app.clock,
        watches=watches_of(app.config),
        ban_lists=ban_lists_of(app.config),
        availability=app.availability(),
        judging=app.judging(),
        sinks=tuple(sinks_of(app.config)),
        nights={SHEETS: sheets.window} if sheets else {},
    )
    return Step(
        run=processing.run,
        time_limit_s=TIME_LIMIT_S + MOST_QUESTIONS * app.config.judge.timeout_s,
        concurrency=app.config.judge.concurrency,
    )


def recover_step(app: App) -> Step:
    """Skipped matches brought back."""
    recovery = Recovery(
        database=app.database,
        clock=app.clock,
        watches=watches_of(app.config),
        ban_lists=ban_lists_of(app.config),
        window=timedelta(hours=app.config.schedule.recovery_hours),
    )
    return Step(run=recovery.run, concurrency=1)


def value_step(bench: Bench) -> Step:
    """What the prices of a watch say together; with the price of its metal where that is set up."""
    app, metals = bench.app, bench.app.config.metals
    desk = None
    if metals is not None:
        source = Metals(transport=app.http, clock=app.clock, base_url=metals.base_url)
        desk = MetalDesk(price=source.price, asking=app.ways.asking(METALS))
    pricing = Pricing(
        database=app.database,
        clock=app.clock,
        watches=watches_of(app.config),
        rates=app.config.rates,
        tell=bench.alarms.alert,
        metals=desk,
    )
    rereading = Rereading(database=app.database, clock=app.clock, watches=watches_of(app.config))
    return Step(run=rereading.before(pricing.run), concurrency=1)


def spreadsheet_step(bench: Bench) -> Step | None:
    """The spreadsheet brought up to date; None if no watch is written there."""
    return sheets_step(bench.app.sheets_sync(), bench.alarms) if used_sheets(bench.app.config) else None
