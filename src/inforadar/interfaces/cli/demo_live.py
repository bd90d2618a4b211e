"""The demo in a terminal: a world that moves an hour in three seconds, everything at work on it, the program on top."""

import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

from inforadar.bootstrap import App
from inforadar.interfaces.cli.demo_config import write_demo_config
from inforadar.interfaces.cli.demo_report import BEGIN, RULES
from inforadar.interfaces.cli.output import say
from inforadar.interfaces.cli.session import Session
from inforadar.interfaces.cli.table import wrapped
from inforadar.interfaces.tui.chat_screen import ChatMessage
from inforadar.interfaces.tui.demo_program import DemoProgram
from inforadar.interfaces.web.answers import Parts
from inforadar.interfaces.web.application import create_web
from inforadar.interfaces.web.server import served
from inforadar.observe.clock import FastClock
from inforadar.service.supervisor import Loop
from inforadar.simulator.faults import Fault
from inforadar.simulator.scenarios import demo_world
from inforadar.simulator.server import Simulator

FASTER = 1200.0
SCHEDULER_EVERY_S = 1.0
BUTTONS_EVERY_S = 0.1
END_S = 5.0
BEGUN = "An hour passes in 3 s. c shows the chat, w the page {page}; LinkedIn is broken on purpose."


def open_demo(seed: int, folder: Path) -> int:
    """Show the program over a simulation at work until the user quits."""
    _tell("A simulated internet begins on this machine; Radar asks it for the first time ...")
    clock = FastClock(BEGIN, FASTER)
    with Simulator(demo_world(seed, BEGIN), rules=RULES, factor=FASTER) as simulator:
        path = write_demo_config(folder, simulator.base_urls)
        with Session(config_path=str(path), log_level="ERROR", clock=clock).app() as app:
            app.fetcher().fetch([(watch, query) for watch in app.config.watches for query in watch.queries])
            simulator.switch(Fault(kind="authwall", source="linkedin"))
            with _at_work(app) as page:
                DemoProgram(app, SimulatedChat(simulator), page, BEGUN.format(page=page)).run()
    _tell("The demo is over. Now your own: radar init, edit radar.toml, radar fetch, then radar run.")
    return 0


def _tell(sentence: str) -> None:
    say("\n".join(wrapped(sentence, 0)))


class SimulatedChat:
    """The chat of the simulated Telegram, and the person who presses its buttons."""

    def __init__(self, simulator: Simulator) -> None:
        self._telegram = simulator.telegram

    def messages(self) -> Sequence[ChatMessage]:
        """What stands in the chat, oldest first."""
        told = self._telegram.messages(None)
        return [ChatMessage(id=one.message_id, text=one.text, buttons=one.buttons) for one in told]

    def press(self, message_id: int, button: int) -> None:
        """Press a button; raises ValueError where there is none that the bot hears of."""
        self._telegram.press(message_id, button)


@contextmanager
def _at_work(app: App) -> Iterator[str]:
    """Scheduler, worker, Telegram's buttons and the web page while the block runs; the address of the page."""
    meter = app.meter()
    worker = app.worker(listeners=[meter], on_settled=meter.settled)
    settings = replace(app.config.web, port=0)
    working = threading.Thread(target=worker.run, name="worker", daemon=True)
    with ExitStack() as stack:
        page = stack.enter_context(
            served(create_web(Parts(app=app, meter=meter, triage=app.triage()), settings), settings, app.stop)
        )
        stack.enter_context(app.supervisor().running(*_loops(app)))
        working.start()
        try:
            yield page
        finally:
            app.stop.set()
            app.hurry.set()
            working.join(END_S)


def _loops(app: App) -> Iterator[Loop]:
    scheduler = app.scheduler()
    yield Loop(name="scheduler", once=scheduler.once, every_s=SCHEDULER_EVERY_S, at_end=scheduler.resign)
    buttons = app.buttons()
    if buttons:
        yield Loop(name="buttons", once=buttons.once, every_s=BUTTONS_EVERY_S, at_end=buttons.resign)
