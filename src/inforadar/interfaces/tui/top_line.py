"""The first line of the main screen: the title with the active filters, and where the cursor stands."""

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.widgets import Label


class TopLine(Horizontal):
    """A heading on the left, a count on the right."""

    DEFAULT_CSS = """
    TopLine { height: 1; padding: 0 1; }
    TopLine #heading { width: 1fr; text-style: bold; }
    TopLine #count { width: auto; }
    """

    def compose(self) -> ComposeResult:
        """Two labels."""
        yield Label("", id="heading", markup=False)
        yield Label("", id="count", markup=False)

    def show_heading(self, heading: str) -> None:
        """Show the title and the filters."""
        self.query_one("#heading", Label).update(heading)

    def show_count(self, at: int, known: int, *, is_complete: bool) -> None:
        """Show the number of the match under the cursor, and how many there are as far as they were read."""
        self.query_one("#count", Label).update(f"{at} of {known}{'' if is_complete else '+'}")
