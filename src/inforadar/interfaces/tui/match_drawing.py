"""How a line of the list of matches is drawn: in which style, and as wide as the list."""

from datetime import datetime

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from inforadar.domain.status import Status
from inforadar.interfaces.tui.match_lines import LATER, status_word
from inforadar.interfaces.tui.match_pages import MatchRow

FAINT = Style(dim=True)
CURSOR = Style(reverse=True)
OVER = (Status.NOT_INTERESTED, Status.NOT_SUITABLE, Status.IN_ARCHIVE)
TONES: dict[str, Style] = {
    Status.APPLIED: Style(color="green"),
    Status.SENT_TO_USER: Style(bold=True),
    Status.ANALYZED: Style(bold=True),
}


def match_style(row: MatchRow, now: datetime, *, is_chosen: bool) -> Style:
    """The style of a match as it stands now; `is_chosen`: the keys go to it."""
    is_over = row.status in OVER or status_word(row, now) == LATER
    style = FAINT if is_over else TONES.get(row.status, Style())
    return style + CURSOR if is_chosen else style


def drawn(text: str, style: Style, width: int) -> Strip:
    """A line in one style, cut or filled up to a width."""
    return Strip([Segment(text, style)], cell_len(text)).adjust_cell_length(width, style)
