"""The fetch screen: header with the active filters, progress bar, log field; it starts at once and the report stays.

running   --Esc-->  stopping  --Esc-->  aborted, closed
   |                    |
   +------> over <------+     --Esc-->  closed
"""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.screen import Screen
from textual.widgets import Footer, Label, ProgressBar

from inforadar.interfaces.tui.fetch_feed import FetchFeed
from inforadar.interfaces.tui.log_field import LogField
from inforadar.interfaces.tui.narrowing import Narrowing, heading

LOOKS_A_SECOND = 10


class FetchScreen(Screen[None]):
    """One fetch, from its first question to its report."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "stop", "Stop"),
        Binding("escape", "abort", "Give up and close"),
        Binding("escape", "close", "Close"),
        Binding("q", "app.quit", "Quit"),
    ]
    DEFAULT_CSS = """
    FetchScreen { background: transparent; }
    FetchScreen #heading {
        width: 1fr; height: 1; text-style: bold; padding: 0 1; text-wrap: nowrap; text-overflow: ellipsis;
    }
    FetchScreen Horizontal { height: 1; padding: 0 1; }
    FetchScreen ProgressBar { width: 1fr; }
    FetchScreen Bar { width: 1fr; }
    FetchScreen #count { width: auto; padding: 0 0 0 2; }
    """

    def __init__(self, feed: FetchFeed, narrowing: Narrowing) -> None:
        super().__init__()
        self._feed = feed
        self._narrowing = narrowing
        self._is_stopping = False
        self._was_over = False

    def compose(self) -> ComposeResult:
        """Header, bar, log, keys."""
        yield Label(heading("Fetch", self._narrowing), id="heading", markup=False)
        with Horizontal():
            yield ProgressBar(total=None, show_percentage=False, show_eta=False)
            yield Label("counting", id="count", markup=False)
        yield LogField()
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        """Begin at once."""
        self.query_one(LogField).focus()
        self._feed.start()
        self.set_interval(1 / LOOKS_A_SECOND, self.look)

    def look(self) -> None:
        """Show where the fetch stands."""
        is_over = self._feed.is_over
        self._show_progress(self._feed.to_process, self._feed.processed, is_over=is_over)
        self.query_one(LogField).show_log(self._feed.records)
        if is_over and not self._was_over:
            self._was_over = True
            self.refresh_bindings()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only what Esc does now is a key now."""
        if action == "stop":
            return not self._feed.is_over and not self._is_stopping
        if action == "abort":
            return not self._feed.is_over and self._is_stopping
        if action == "close":
            return self._feed.is_over
        return super().check_action(action, parameters)

    def action_stop(self) -> None:
        """Stop in good order; the screen stays."""
        self._is_stopping = True
        self._feed.stop()
        self.refresh_bindings()
        self.look()

    def action_abort(self) -> None:
        """Give up what is under way, and close."""
        self._feed.abort()
        self.action_close()

    def action_close(self) -> None:
        """Back to where the fetch was called."""
        self.dismiss()

    def _show_progress(self, to_process: int | None, processed: int, *, is_over: bool) -> None:
        bar, count = self.query_one(ProgressBar), self.query_one("#count", Label)
        if to_process is None:
            count.update("counting")
            return
        # a bar without an end would go on moving when there was nothing to read
        bar.update(total=to_process or 1, progress=processed if to_process else float(is_over))
        count.update(f"{processed} of {to_process}" + (", over" if is_over else ""))
