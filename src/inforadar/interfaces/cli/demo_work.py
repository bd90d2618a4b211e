"""What is at work behind the demo: scheduler, worker, Telegram's buttons and the page; anew for every configuration."""

import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace

from inforadar.bootstrap import App
from inforadar.config import Config
from inforadar.config.model import WebSettings
from inforadar.interfaces.cli.reloading import Changes, Found, fingerprint
from inforadar.interfaces.cli.session import Session
from inforadar.interfaces.web.answers import Parts
from inforadar.interfaces.web.application import create_web
from inforadar.interfaces.web.doorstep import Doorstep
from inforadar.interfaces.web.server import served
from inforadar.service.supervisor import Loop

SCHEDULER_EVERY_S = 1.0
BUTTONS_EVERY_S = 0.1
CONFIGURATION_EVERY_S = 0.5
BEGINS_S = 30.0
END_S = 5.0


@dataclass(slots=True)
class Backstage:
    """One thread that works with an app of its own, and with another one when the file was changed on the page."""

    session: Session
    page: str = ""
    _has_begun: threading.Event = field(default_factory=threading.Event)
    _is_over: threading.Event = field(default_factory=threading.Event)
    _app: App | None = None
    _doorstep: Doorstep = field(default_factory=Doorstep)

    @contextmanager
    def at_work(self, found: Found) -> Iterator[str]:
        """Work while the block runs; the address of the page, which stays the same."""
        working = threading.Thread(target=self._work, args=(found,), name="demo", daemon=True)
        working.start()
        try:
            self._has_begun.wait(BEGINS_S)
            yield self.page
        finally:
            self._is_over.set()
            if self._app:
                self._app.hurry.set()
                self._app.stop.set()
            working.join(END_S)
            self._doorstep.close()

    def _work(self, found: Found) -> None:
        begun_with: Found | None = found
        while begun_with:
            with self.session.app_of(begun_with.config) as app:
                self._app = app  # before the look at the end, which is said before this app is looked for
                begun_with = None if self._is_over.is_set() else self._work_with(app, begun_with)

    def _work_with(self, app: App, found: Found) -> Found | None:
        """Until it is over, or there is another configuration to work with."""
        changes = Changes(session=self.session, app=app, seen=found.seen, page=_page, tell=_nobody, complain=_nobody)
        meter = app.meter()
        worker = app.worker(listeners=[meter], on_settled=meter.settled)
        settings = _page(app.config)
        web = create_web(Parts(app=app, meter=meter, triage=app.triage()), settings)
        with ExitStack() as stack:
            self.page = stack.enter_context(served(web, settings, app.stop, doorstep=self._doorstep))
            stack.enter_context(app.supervisor().running(*_loops(app, changes)))
            self._has_begun.set()
            worker.run()
        return changes.found


def found_in(app: App) -> Found:
    """The configuration an app was made of, as its file is now."""
    return Found(config=app.config, seen=fingerprint(app.config.path))


def _loops(app: App, changes: Changes) -> Iterator[Loop]:
    scheduler = app.scheduler()
    yield Loop(name="scheduler", once=scheduler.once, every_s=SCHEDULER_EVERY_S, at_end=scheduler.resign)
    yield Loop(name="configuration", once=changes.once, every_s=CONFIGURATION_EVERY_S)
    buttons = app.buttons()
    if buttons:
        yield Loop(name="buttons", once=buttons.once, every_s=BUTTONS_EVERY_S, at_end=buttons.resign)


def _page(config: Config) -> WebSettings:
    return replace(config.web, port=0)


def _nobody(_sentence: str) -> None:
    """The screen belongs to the terminal program; the page tells of its own file."""
