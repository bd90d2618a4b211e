"""The terminal program: its screens over one engine, in the colours of the user's terminal."""

from typing import ClassVar

from textual.app import App as TextualApp
from textual.binding import Binding, BindingType

from inforadar.bootstrap import App
from inforadar.interfaces.cli.session import Session
from inforadar.interfaces.tui.desk import Desk
from inforadar.interfaces.tui.main_screen import MainScreen


class Program(TextualApp[None]):
    """`radar` in a terminal."""

    TITLE = "Info Radar"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+c", "quit", "Quit", show=False, priority=True)]

    def __init__(self, app: App) -> None:
        super().__init__()
        self.desk = Desk(app)
        self.main = MainScreen(self.desk)
        self.theme = "ansi-dark"

    def on_mount(self) -> None:
        """Begin with the matches."""
        self.push_screen(self.main)

    async def on_unmount(self) -> None:
        """Give up what is under way; what was saved stays."""
        self.desk.close()


def open_program(session: Session) -> None:
    """Show the program until the user quits."""
    with session.app() as app:
        Program(app).run()
