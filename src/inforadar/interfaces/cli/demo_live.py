"""The demo in a terminal: a world that moves an hour in three seconds, everything at work on it, the program on top."""

from collections.abc import Sequence
from pathlib import Path

from inforadar.interfaces.cli.demo_config import write_demo_config
from inforadar.interfaces.cli.demo_report import BEGIN, RULES
from inforadar.interfaces.cli.demo_work import Backstage, found_in
from inforadar.interfaces.cli.output import say
from inforadar.interfaces.cli.own_name import next_steps
from inforadar.interfaces.cli.session import Session
from inforadar.interfaces.cli.table import wrapped
from inforadar.interfaces.tui.chat_screen import ChatMessage
from inforadar.interfaces.tui.demo_program import DemoProgram
from inforadar.observe.clock import FastClock
from inforadar.simulator.faults import Fault
from inforadar.simulator.scenarios import demo_world
from inforadar.simulator.server import Simulator

FASTER = 1200.0
BEGUN = "An hour passes in 3 s. c shows the chat, w the page {page}; LinkedIn is broken on purpose."


def open_demo(seed: int, folder: Path) -> int:
    """Show the program over a simulation at work until the user quits."""
    _tell("A simulated internet begins on this machine; Radar asks it for the first time ...")
    clock = FastClock(BEGIN, FASTER)
    with Simulator(demo_world(seed, BEGIN), rules=RULES, factor=FASTER) as simulator:
        path = write_demo_config(folder, simulator.base_urls)
        session = Session(config_path=str(path), log_level="ERROR", clock=clock)
        with session.app() as app:
            app.fetcher().fetch([(watch, query) for watch in app.config.watches for query in watch.queries])
            simulator.switch(Fault(kind="authwall", source="linkedin"))
            with Backstage(session).at_work(found_in(app)) as page:
                program = DemoProgram(app, SimulatedChat(simulator), page, BEGUN.format(page=page))
                program.run()
    if program.return_code:
        return program.return_code
    _tell(f"The demo is over. {next_steps()}")
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
