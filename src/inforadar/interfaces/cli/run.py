"""`radar run`: scheduler and worker in one process, the normal way to run radar."""

import sys

import click

from inforadar.interfaces.cli.metrics import metrics_served
from inforadar.interfaces.cli.narrator import Narrator
from inforadar.interfaces.cli.output import say
from inforadar.interfaces.cli.session import Session
from inforadar.interfaces.cli.stopping import STOPPING, hurry, stopped_by_signals
from inforadar.interfaces.cli.wording import counted
from inforadar.interfaces.cli.work import CONCURRENCY_HELP, METRICS_HELP, recovering
from inforadar.service.supervisor import Loop

SCHEDULER_EVERY_S = 1.0


@click.command(
    "run",
    help="""Run radar: put what is due, do it, and go on until interrupted.

    \b
    Examples:
      radar run
      radar run --metrics-port 9109

    On several machines with one PostgreSQL, one of them is elected to put the periodic work; all of them do it.
    """,
)
@click.option("--concurrency", type=click.IntRange(1, 64), metavar="N", help=CONCURRENCY_HELP)
@click.option("--metrics-port", type=click.IntRange(0, 65535), metavar="PORT", help=METRICS_HELP)
@click.pass_obj
def command(session: Session, concurrency: int | None, metrics_port: int | None) -> None:
    """Scheduler, recovery and worker until a signal."""
    with session.app() as app, stopped_by_signals(app, STOPPING, at_second=hurry):
        for warning in app.config.warnings:
            say(warning)
        meter = app.meter()
        narrators = [Narrator(app.clock)] if sys.stderr.isatty() else []
        worker = app.worker(concurrency=concurrency, listeners=[meter, *narrators], on_settled=meter.settled)
        scheduler = app.scheduler()
        scheduling = Loop(name="scheduler", once=scheduler.once, every_s=SCHEDULER_EVERY_S, at_end=scheduler.resign)
        queries = sum(len(watch.queries) for watch in app.config.watches)
        say(f"Info Radar runs: {counted(queries, 'query', 'queries')}. Ctrl-C stops it; `radar status` tells the rest.")
        with metrics_served(meter, metrics_port), app.supervisor().running(scheduling, recovering(app)):
            worker.run()
    say("Stopped; what was not done waits in the queue.")
