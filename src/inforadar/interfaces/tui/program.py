"""The terminal program: its screens over one engine, in the colours of the user's terminal."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import ClassVar

from textual.binding import Binding, BindingType

from inforadar.bootstrap import App
from inforadar.config import Config
from inforadar.domain.errors import RadarError
from inforadar.interfaces.cli.session import Session
from inforadar.interfaces.tui.commands import Command, completed, completions, named, read_command
from inforadar.interfaces.tui.desk import Desk
from inforadar.interfaces.tui.key_order import InOrder
from inforadar.interfaces.tui.main_screen import MainScreen
from inforadar.interfaces.tui.narrowing import Narrowing
from inforadar.interfaces.tui.upper_screen import UpperScreen

SCREENS = ("sources", "jobs", "runs", "why", "prices")


class Program(InOrder):
    """`radar` in a terminal."""

    TITLE = "Info Radar"
    ENABLE_COMMAND_PALETTE = False
    MORE_KEYS: ClassVar[Mapping[str, Mapping[str, str]]] = {}
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("question_mark", "help", "Help", show=False),
        Binding("ctrl+c", "quit", "Quit", show=False, priority=True),
    ]

    def __init__(
        self,
        app: App,
        told: str = "",
        opening: Narrowing | None = None,
        renewed: Callable[[Config], None] = lambda _: None,
    ) -> None:
        super().__init__()
        self.desk = Desk(app, renewed)
        self.main = MainScreen(self.desk, self.carry_out, told, opening)
        self.theme = "ansi-dark"
        self._doers: dict[str, Callable[[Command], None]] = {
            "fetch": self._fetch,
            "items": self._items,
            "help": lambda _: self.action_help(),
            "q": lambda _: self.exit(),
            **dict.fromkeys(SCREENS, self._show),
        }

    def on_mount(self) -> None:
        """Begin with the matches."""
        self.push_screen(self.main)

    async def on_unmount(self) -> None:
        """Give up what is under way; what was saved stays."""
        self.desk.close()

    def action_help(self) -> None:
        """Every key, on top of whatever is shown."""
        from inforadar.interfaces.tui.help_dialog import HelpDialog

        self.push_screen(HelpDialog(self.MORE_KEYS))

    def action_command(self) -> None:
        """Type a command over the screen of another one."""
        if isinstance(self.screen, UpperScreen):
            known = completions(self.desk.app.config, self.desk.topics)
            self.screen.type_command(partial(completed, known), self.carry_out)

    def carry_out(self, line: str) -> None:
        """Do what a typed command asks for, or say why not."""
        try:
            command = read_command(line)
            if command:
                self._doers[command.name](command)
        except RadarError as error:
            (self.screen if isinstance(self.screen, UpperScreen) else self.main).tell(str(error))

    def _fetch(self, command: Command) -> None:
        words = command.words
        narrowing = named(self.desk.app.config, self.desk.topics, words) if words else self.main.narrowing
        self._leave_upper()
        self.main.fetch(narrowing)

    def _items(self, command: Command) -> None:
        self._leave_upper()
        self.main.narrow(Narrowing(text=command.rest))

    def _show(self, command: Command) -> None:
        from inforadar.interfaces.tui.command_screens import screen_of

        screen = screen_of(self.desk, command, self.main.matches.row)
        self._leave_upper()
        self.push_screen(screen)

    def _leave_upper(self) -> None:
        """What a command shows takes the place of what the one before showed."""
        if isinstance(self.screen, UpperScreen):
            self.pop_screen()


def open_program(session: Session) -> None:
    """Show the program until the user quits."""
    with session.app() as app:
        Program(app, renewed=session.set_up_log).run()
