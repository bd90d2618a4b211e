"""`radar run`: scheduler and worker in one process, the normal way to run radar."""

import click

from inforadar.domain.job import RECLAIM_EVERY_S
from inforadar.interfaces.cli.metrics import metrics_served
from inforadar.interfaces.cli.output import say
from inforadar.interfaces.cli.session import Session
from inforadar.interfaces.cli.stopping import hurry, stopped_by_signals
from inforadar.interfaces.cli.wording import counted
from inforadar.service.supervisor import Loop, running

SCHEDULER_EVERY_S = 1.0


@click.command(
    help="""Run radar: put what is due, do it, and go on until interrupted.

    \b
    Examples:
      radar run
      radar run --metrics-port 9109

    On several machines with one PostgreSQL, one of them is elected to put the periodic work; all of them do it.
    """
)
@click.option("--concurrency", type=click.IntRange(1, 64), metavar="N", help="Jobs at a time; else [work] concurrency.")
@click.option("--metrics-port", type=click.IntRange(1, 65535), metavar="PORT", help="Serve Prometheus metrics here.")
@click.pass_obj
def command(session: Session, concurrency: int | None, metrics_port: int | None) -> None:
    """Scheduler, rescuer and worker until a signal."""
    sentence = "Stopping: running jobs get some time to end; once more to give them back at once."
    with session.app() as app, stopped_by_signals(app, sentence, at_second=hurry):
        meter = app.meter() if metrics_port else None
        worker = app.worker(concurrency=concurrency, meter=meter)
        scheduler = app.scheduler()
        loops = [
            Loop(name="scheduler", once=scheduler.once, every_s=SCHEDULER_EVERY_S, at_end=scheduler.resign),
            Loop(name="rescuer", once=app.rescuer().once, every_s=RECLAIM_EVERY_S),
        ]
        queries = sum(len(watch.queries) for watch in app.config.watches)
        say(f"Info Radar runs: {counted(queries, 'query', 'queries')}. Ctrl-C stops it; `radar status` tells the rest.")
        with running(loops, app.stop), metrics_served(meter, metrics_port):
            worker.run()
    say("Stopped; what was not done waits in the queue.")
