"""`radar work`: a worker."""

import click

from inforadar.domain.job import RECLAIM_EVERY_S
from inforadar.interfaces.cli.metrics import metrics_served
from inforadar.interfaces.cli.output import say
from inforadar.interfaces.cli.session import Session
from inforadar.interfaces.cli.stopping import hurry, stopped_by_signals
from inforadar.service.steps import FULL_TEXT, PRUNE, SWEEP
from inforadar.service.supervisor import Loop, running


@click.command(
    help="""Run jobs until interrupted; any number of workers may share one PostgreSQL.

    \b
    Examples:
      radar work
      radar work --until-idle
      radar work --concurrency 8 --kinds sweep
    """
)
@click.option("--until-idle", is_flag=True, help="End when nothing is left that may run now.")
@click.option("--concurrency", type=click.IntRange(1, 64), metavar="N", help="Jobs at a time; else [work] concurrency.")
@click.option("--kinds", multiple=True, type=click.Choice([SWEEP, FULL_TEXT, PRUNE]), help="Only these kinds of jobs.")
@click.option("--metrics-port", type=click.IntRange(1, 65535), metavar="PORT", help="Serve Prometheus metrics here.")
@click.pass_obj
def command(
    session: Session, until_idle: bool, concurrency: int | None, kinds: tuple[str, ...], metrics_port: int | None
) -> None:
    """Claim, run, settle."""
    sentence = "Stopping: running jobs get some time to end; once more to give them back at once."
    with session.app() as app, stopped_by_signals(app, sentence, at_second=hurry):
        meter = app.meter() if metrics_port else None
        worker = app.worker(concurrency=concurrency, kinds=kinds, meter=meter)
        rescuing = Loop(name="rescuer", once=app.rescuer().once, every_s=RECLAIM_EVERY_S)
        with running([rescuing], app.stop), metrics_served(meter, metrics_port):
            worker.run(until_idle=until_idle)
    say("Stopped; what was not done waits in the queue." if not until_idle else "Nothing is left to do now.")
