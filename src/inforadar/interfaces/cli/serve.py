"""`radar serve`: the web page and the REST API alone, without scheduler and worker."""

from contextlib import closing
from dataclasses import replace

import click

from inforadar.bootstrap import App
from inforadar.config import Config
from inforadar.config.model import WebSettings
from inforadar.interfaces.cli.reloading import run_until_told
from inforadar.interfaces.cli.session import Session
from inforadar.interfaces.cli.stopping import interrupt
from inforadar.interfaces.web.doorstep import Doorstep
from inforadar.service.supervisor import Loop

STOPPING = "Stopping: answers under way get some time to end; once more to end at once."


@click.command(
    "serve",
    help="""Serve the web page and the REST API until interrupted; `radar run` does it too.

    \b
    Examples:
      radar serve
      radar serve --port 8080
      radar serve --host 0.0.0.0
    """,
)
@click.option("--host", metavar="HOST", help="The address to listen on; else [web] host. Others' need a token.")
@click.option("--port", metavar="PORT", type=click.IntRange(0, 65535), help="The port; else [web] port; 0 = any free.")
@click.pass_obj
def command(session: Session, host: str | None, port: int | None) -> None:
    """Serve until a signal."""
    from inforadar.interfaces.web.answers import Parts
    from inforadar.interfaces.web.application import create_web
    from inforadar.interfaces.web.server import served

    def page(config: Config) -> WebSettings:
        own = config.web
        return replace(own, host=own.host if host is None else host, port=own.port if port is None else port)

    def serve(app: App, configuration: Loop) -> None:
        settings = page(app.config)
        web = create_web(Parts(app=app, meter=app.meter(), triage=app.triage()), settings)
        with served(web, settings, app.stop, doorstep=doorstep) as address, app.supervisor().running(configuration):
            session.say(f"Info Radar answers at {address}. Ctrl-C stops it.")
            app.stop.wait()

    with closing(Doorstep()) as doorstep:
        run_until_told(session, STOPPING, serve, page=page, at_second=interrupt)
    session.say("Stopped.")
