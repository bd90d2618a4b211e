"""`radar work`: a worker."""

from collections.abc import Sequence

import click

from inforadar.bootstrap import App
from inforadar.domain.job import RECLAIM_EVERY_S
from inforadar.interfaces.cli.metrics import metrics_served
from inforadar.interfaces.cli.reloading import run_until_told
from inforadar.interfaces.cli.session import Session
from inforadar.interfaces.cli.stopping import STOPPED, STOPPING
from inforadar.interfaces.cli.waiting import waiting_words
from inforadar.interfaces.standing import read_standing
from inforadar.service.steps import KINDS
from inforadar.service.supervisor import Loop

IDLE = "Nothing is left to do now."
CONCURRENCY_HELP = "Jobs at a time; else [work] concurrency."
KINDS_HELP = f"Only jobs of this kind; may be repeated: {', '.join(KINDS)}."
METRICS_HELP = "Serve Prometheus metrics on this port of 127.0.0.1; 0 = any free one."


@click.command(
    "work",
    help="""Run jobs until interrupted; any number of workers may share one PostgreSQL.

    \b
    Examples:
      radar work
      radar work --until-idle
      radar work --concurrency 8 --kinds process --kinds deliver
    """,
)
@click.option("--until-idle", is_flag=True, help="End when nothing is left that may run now.")
@click.option("--concurrency", type=click.IntRange(1, 64), metavar="N", help=CONCURRENCY_HELP)
@click.option("--kinds", multiple=True, metavar="KIND", type=click.Choice(KINDS), help=KINDS_HELP)
@click.option("--metrics-port", type=click.IntRange(0, 65535), metavar="PORT", help=METRICS_HELP)
@click.pass_obj
def command(
    session: Session, until_idle: bool, concurrency: int | None, kinds: tuple[str, ...], metrics_port: int | None
) -> None:
    """Claim, run, settle."""
    told = [STOPPED]

    def work(app: App, configuration: Loop) -> None:
        meter = app.meter()
        worker = app.worker(concurrency=concurrency, kinds=kinds, listeners=[meter], on_settled=meter.settled)
        if not until_idle:
            session.say(f"Info Radar works: {_chosen(kinds)}, {worker.concurrency} at once. Ctrl-C stops it.")
        app.scheduler().put_first()
        if until_idle:  # else it could be idle before what dead workers had is taken up
            app.rescue().once()
        loops = (recovering(app),) if until_idle else (recovering(app), configuration)
        with metrics_served(meter, metrics_port, session.say), app.supervisor().running(*loops):
            worker.run(until_idle=until_idle)
            is_idle = not app.stop.is_set()
        if is_idle:
            told[:] = [IDLE, *waiting_words(read_standing(app))]

    run_until_told(session, STOPPING, work)
    for sentence in told:
        session.say(sentence)


def _chosen(kinds: Sequence[str]) -> str:
    return f"jobs of the {'kind' if len(kinds) == 1 else 'kinds'} {', '.join(kinds)}" if kinds else "jobs of every kind"


def recovering(app: App) -> Loop:
    """Jobs of dead workers are taken up, at once and then every minute."""
    return Loop(name="rescue", once=app.rescue().once, every_s=RECLAIM_EVERY_S)
