"""The first line of the main screen: the title with the active filters, and where the cursor stands."""

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.widgets import Label


class TopLine(Horizontal):
    """A heading on the left, a count on the right."""

    DEFAULT_CSS = """
    TopLine { height: 1; padding: 0 1; }
    TopLine #heading { width: 1fr; text-style: bold; text-wrap: nowrap; text-overflow: ellipsis; }
    TopLine #fresh { width: auto; padding: 0 0 0 2; color: ansi_green; }
    TopLine #count { width: auto; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._told: dict[str, str] = {}

    def compose(self) -> ComposeResult:
        """Three labels."""
        yield Label("", id="heading", markup=False)
        yield Label("", id="fresh", markup=False)
        yield Label("", id="count", markup=False)

    def show_heading(self, heading: str) -> None:
        """Show the title and the filters."""
        self.query_one("#heading", Label).update(heading)

    def show_count(self, at: int, known: int, *, is_complete: bool, fresh: int = 0) -> None:
        """Show the number of the match under the cursor, how many there are as far as they were read, and what came."""
        told = {
            "#fresh": f"{fresh} new: r shows them   " if fresh else "",
            "#count": f"{at} of {known}{'' if is_complete else '+'}",
        }
        if told != self._told:  # nothing is drawn anew unless it differs
            self._told = told
            for name, text in told.items():
                self.query_one(name, Label).update(text)
