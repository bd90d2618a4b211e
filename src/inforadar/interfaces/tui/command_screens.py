"""The screens behind the commands of the `:` line, loaded when one is asked for."""

from textual.screen import Screen

from inforadar.domain.errors import RadarError
from inforadar.interfaces.tui.commands import Command
from inforadar.interfaces.tui.desk import Desk
from inforadar.interfaces.tui.jobs_screen import JobsScreen
from inforadar.interfaces.tui.match_pages import MatchRow
from inforadar.interfaces.tui.price_lines import read_prices
from inforadar.interfaces.tui.report_screen import ReportScreen
from inforadar.interfaces.tui.runs_report import read_runs_report
from inforadar.interfaces.tui.sources_report import read_sources_report
from inforadar.interfaces.tui.story_lines import read_story
from inforadar.interfaces.tui.text_screen import TextScreen

NO_SOURCES = "No source has a query yet: `radar add` makes one."
NO_RUNS = "Nothing was swept yet: f on the main screen does."


def screen_of(desk: Desk, command: Command, row: MatchRow | None) -> Screen[None]:
    """The screen a command asks for; `row`: the match under the cursor. Raises RadarError where it asks for nothing."""
    if command.name == "sources":
        return ReportScreen(desk, "Sources", read_sources_report, NO_SOURCES)
    if command.name == "runs":
        return ReportScreen(desk, "Runs", read_runs_report, NO_RUNS)
    if command.name == "jobs":
        return JobsScreen(desk)
    return _why(desk, command, row) if command.name == "why" else _prices(desk, command)


def _why(desk: Desk, command: Command, row: MatchRow | None) -> Screen[None]:
    asked = command.rest or (str(row.id) if row else "")
    if not asked:
        raise RadarError("Say which one: :why ID, or :why and the address of its page.")
    return TextScreen(desk, f"Why  {asked}", lambda app, _: read_story(app, asked))


def _prices(desk: Desk, command: Command) -> Screen[None]:
    priced = [watch.name for watch in desk.app.config.watches if watch.kind == "price"]
    if not priced:
        raise RadarError("No watch of kind price is configured.")
    name = command.rest or priced[0]
    return TextScreen(desk, f"Prices  {name}", lambda app, width: read_prices(app, name, width))
