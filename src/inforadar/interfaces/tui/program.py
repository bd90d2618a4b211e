"""The terminal program: its screens over one engine, in the colours of the user's terminal."""

from collections.abc import Callable
from typing import ClassVar

from textual.app import App as TextualApp
from textual.binding import Binding, BindingType
from textual.events import Key
from textual.screen import Screen
from textual.widgets import Input

from inforadar.bootstrap import App
from inforadar.domain.errors import RadarError
from inforadar.interfaces.cli.session import Session
from inforadar.interfaces.tui.commands import Command, named, read_command
from inforadar.interfaces.tui.desk import Desk
from inforadar.interfaces.tui.help_dialog import HelpDialog
from inforadar.interfaces.tui.jobs_screen import JobsScreen
from inforadar.interfaces.tui.main_screen import MainScreen
from inforadar.interfaces.tui.narrowing import Narrowing
from inforadar.interfaces.tui.price_lines import read_prices
from inforadar.interfaces.tui.report import ReadReport
from inforadar.interfaces.tui.report_screen import ReportScreen
from inforadar.interfaces.tui.runs_report import read_runs_report
from inforadar.interfaces.tui.sources_report import read_sources_report
from inforadar.interfaces.tui.story_lines import read_story
from inforadar.interfaces.tui.text_screen import TextScreen

REPORTS: dict[str, tuple[str, ReadReport, str]] = {
    "sources": ("Sources", read_sources_report, "No source has a query yet: `radar add` makes one."),
    "runs": ("Runs", read_runs_report, "Nothing was swept yet: f on the main screen does."),
}


class Program(TextualApp[None]):
    """`radar` in a terminal."""

    TITLE = "Info Radar"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("question_mark", "help", "Help", show=False),
        Binding("ctrl+c", "quit", "Quit", show=False, priority=True),
    ]

    def __init__(self, app: App, told: str = "") -> None:
        super().__init__()
        self.desk = Desk(app)
        self.main = MainScreen(self.desk, told)
        self.theme = "ansi-dark"
        self._doers: dict[str, Callable[[Command], None]] = {
            "fetch": self._fetch,
            "items": self._items,
            "why": self._why,
            "prices": self._prices,
            "jobs": lambda _: self._show(JobsScreen(self.desk)),
            "help": lambda _: self.action_help(),
            "q": lambda _: self.exit(),
            **dict.fromkeys(REPORTS, self._report),
        }

    def on_mount(self) -> None:
        """Begin with the matches."""
        self.push_screen(self.main)

    async def on_unmount(self) -> None:
        """Give up what is under way; what was saved stays."""
        self.desk.close()

    def on_key(self, event: Key) -> None:
        """Letters typed in one go with the key that opened a line were on their way elsewhere: they belong there."""
        line = self.focused
        if isinstance(line, Input) and event.is_printable and event.character:
            event.prevent_default()
            line.insert_text_at_cursor(event.character)

    def action_help(self) -> None:
        """Every key, on top of whatever is shown."""
        self.push_screen(HelpDialog())

    def action_command(self) -> None:
        """Back to the matches, to type a command; at once, so that what is typed in one go gets there."""
        self.pop_screen()
        self.main.action_command()

    def on_main_screen_commanded(self, event: MainScreen.Commanded) -> None:
        """Carry out a typed command, or say why not."""
        try:
            command = read_command(event.line)
            if command:
                self._doers[command.name](command)
        except RadarError as error:
            self.main.tell(str(error))

    def _fetch(self, command: Command) -> None:
        words = command.words
        self.main.fetch(named(self.desk.app.config, self.desk.topics, words) if words else self.main.narrowing)

    def _items(self, command: Command) -> None:
        self.main.narrow(Narrowing(text=command.rest))

    def _report(self, command: Command) -> None:
        self._show(ReportScreen(self.desk, *REPORTS[command.name]))

    def _why(self, command: Command) -> None:
        row = self.main.matches.row
        asked = command.rest or (str(row.id) if row else "")
        if not asked:
            raise RadarError("Say which one: :why ID, or :why and the address of its page.")
        self._show(TextScreen(self.desk, f"Why  {asked}", lambda app, _: read_story(app, asked)))

    def _prices(self, command: Command) -> None:
        priced = [watch.name for watch in self.desk.app.config.watches if watch.kind == "price"]
        if not priced:
            raise RadarError("No watch of kind price is configured.")
        name = command.rest or priced[0]
        self._show(TextScreen(self.desk, f"Prices  {name}", lambda app, width: read_prices(app, name, width)))

    def _show(self, screen: Screen[None]) -> None:
        self.push_screen(screen)


def open_program(session: Session) -> None:
    """Show the program until the user quits."""
    with session.app() as app:
        Program(app).run()
