"""The names of the columns above the list of matches."""

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip
from textual.widget import Widget

from inforadar.interfaces.tui.match_lines import BESIDE, header_line

FAINT = Style(dim=True)


class MatchHeader(Widget):
    """One line, as wide as those of the list."""

    DEFAULT_CSS = "MatchHeader { height: 1; width: 1fr; background: transparent; }"

    def render_line(self, y: int) -> Strip:  # noqa: ARG002 - there is one line
        """The names."""
        return Strip([Segment(header_line(self.size.width - BESIDE), self.rich_style + FAINT)])
