"""`radar run`: scheduler, worker, buttons of Telegram, web page and REST API in one process; the normal way to run."""

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager

import click

from inforadar.bootstrap import App
from inforadar.config import Config
from inforadar.config.model import WebSettings
from inforadar.domain.errors import ConfigError
from inforadar.interfaces.cli.metrics import metrics_served
from inforadar.interfaces.cli.narrator import Narrator
from inforadar.interfaces.cli.reloading import run_until_told
from inforadar.interfaces.cli.session import Session
from inforadar.interfaces.cli.stopping import STOPPED, STOPPING
from inforadar.interfaces.cli.wording import counted
from inforadar.interfaces.cli.work import CONCURRENCY_HELP, METRICS_HELP, recovering
from inforadar.interfaces.web.doorstep import Doorstep
from inforadar.observe import process
from inforadar.service.meter import Meter
from inforadar.service.scheduler import SCHEDULER_LEASE
from inforadar.service.supervisor import Loop
from inforadar.store import leases

SCHEDULER_EVERY_S = 1.0
JUDGE_EVERY_S = 30.0
BUTTONS_EVERY_S = 0.1


@click.command(
    "run",
    help="""Run radar: put what is due, do it, and go on until interrupted.

    \b
    Examples:
      radar run
      radar run --metrics-port 9109

    A changed radar.toml is read by itself. On several machines with one PostgreSQL, one of them is elected to put the
    periodic work; all of them do it.
    """,
)
@click.option("--concurrency", type=click.IntRange(1, 64), metavar="N", help=CONCURRENCY_HELP)
@click.option("--metrics-port", type=click.IntRange(0, 65535), metavar="PORT", help=METRICS_HELP)
@click.pass_obj
def command(session: Session, concurrency: int | None, metrics_port: int | None) -> None:
    """Scheduler, recovery and worker until a signal, anew for every configuration."""

    def run(app: App, configuration: Loop) -> None:
        for warning in app.config.warnings:
            session.say(warning)
        meter = app.meter()
        narrators = [Narrator(app.clock)] if sys.stderr.isatty() and not session.is_log_json else []
        worker = app.worker(concurrency=concurrency, listeners=[meter, *narrators], on_settled=meter.settled)
        queries = sum(len(watch.queries) for watch in app.config.watches)
        asked = counted(queries, "query", "queries")
        session.say(f"Info Radar runs: {asked}. Ctrl-C stops it; `radar status` tells the rest.")
        if others := _scheduled_by(app):
            session.say(others)
        loops = (*_loops(app), configuration)
        with ExitStack() as stack:
            stack.enter_context(metrics_served(meter, metrics_port, session.say))
            stack.enter_context(_served(app, meter, doorstep, session.say))
            stack.enter_context(app.supervisor().running(*loops))
            worker.run()

    with closing(Doorstep()) as doorstep:
        run_until_told(session, STOPPING, run, page=_page)
    session.say(STOPPED)


def _scheduled_by(app: App) -> str:
    """What to say where another living process puts the periodic work of this database already."""
    with app.database.reading() as tx:
        elected = leases.held(tx).get(SCHEDULER_LEASE)
    if elected is None or elected.holder == process.holder() or process.is_dead(elected.holder):
        return ""
    teller = process.told(elected.holder)
    return f"{teller[:1].upper()}{teller[1:]} already schedules this database; this one helps with its work."


def _loops(app: App) -> Iterator[Loop]:
    """What goes on beside the worker."""
    scheduler = app.scheduler()
    yield Loop(name="scheduler", once=scheduler.once, every_s=SCHEDULER_EVERY_S, at_end=scheduler.resign)
    yield recovering(app)
    judge_watch = app.judge_watch()
    if judge_watch:
        yield Loop(name="judge watch", once=judge_watch.once, every_s=JUDGE_EVERY_S)
    buttons = app.buttons()
    if buttons:
        yield Loop(name="buttons", once=buttons.once, every_s=BUTTONS_EVERY_S, at_end=buttons.resign)


def _page(config: Config) -> WebSettings | None:
    return config.web if config.web.enabled else None


@contextmanager
def _served(app: App, meter: Meter, doorstep: Doorstep, tell: Callable[[str], None]) -> Iterator[None]:
    """With the REST API, if it is wanted, and `tell` where; where its port is taken, the rest goes on without it."""
    settings = _page(app.config)
    if settings is None:
        doorstep.close()
        yield
        return
    from inforadar.interfaces.web.answers import Parts
    from inforadar.interfaces.web.application import create_web
    from inforadar.interfaces.web.server import require_safe, served

    require_safe(settings)
    web = create_web(Parts(app=app, meter=meter, triage=app.triage()), settings)
    serving = served(web, settings, app.stop, doorstep=doorstep)
    with ExitStack() as stack:
        try:
            tell(f"It answers at {stack.enter_context(serving)}.")
        except ConfigError as error:
            tell(f"{error} The rest goes on without it.")
        yield
