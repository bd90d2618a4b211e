"""The main screen Info Radar: matches as narrowed, kept up to date, and the ways to everything else.

Esc closes the topmost thing: the typed line, the details, then the text, the rest of the filter, then the marks; it
never quits.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import Screen
from textual.widgets import Footer

from inforadar.domain.errors import RadarError
from inforadar.interfaces.tui.beside import beside
from inforadar.interfaces.tui.commands import completed, completions
from inforadar.interfaces.tui.deciding import NOT_SAVED, error_words
from inforadar.interfaces.tui.desk import Desk
from inforadar.interfaces.tui.filter_dialog import FilterDialog, offered_filters
from inforadar.interfaces.tui.line_field import LineField
from inforadar.interfaces.tui.live import News
from inforadar.interfaces.tui.match_list import MatchList
from inforadar.interfaces.tui.narrowing import TO_DECIDE, Narrowing, heading, words_of_none
from inforadar.interfaces.tui.outage_line import OutageLine
from inforadar.interfaces.tui.prompt_bar import PromptBar
from inforadar.interfaces.tui.told_line import ToldLine
from inforadar.interfaces.tui.top_line import TopLine
from inforadar.interfaces.tui.triage_pane import TriagePane

TITLE = "Info Radar"
TYPING = "typing"
TYPING_S = 0.15
NEWS_EVERY_S = 1.0
AROUND_EVERY_S = 5.0
CONFIG_EVERY_S = 2.0
PARTS = "#count, #fresh, MatchList"


class MainScreen(Screen[None]):
    """Matches and the filter they are seen through, `opening` first; None = as the desk says.

    `carry_out` does what a typed command asks for.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f", "fetch", "Fetch"),
        Binding("slash", "text", "Only", key_display="/ F"),  # one label for both: all keys must fit 80 columns
        Binding("F", "narrow", "Only", show=False),
        Binding("d", "to_decide", "To decide", show=False),
        Binding("colon", "command", "Go", key_display=":"),
        Binding("r", "reload", "Reload", show=False),
        Binding("escape", "back", "Back", key_display="⎋"),
        Binding("question_mark", "app.help", "Help"),
        Binding("q", "app.quit", "Quit"),
    ]
    DEFAULT_CSS = """
    MainScreen { background: transparent; }
    """

    def __init__(
        self, desk: Desk, carry_out: Callable[[str], None], told: str = "", opening: Narrowing | None = None
    ) -> None:
        super().__init__()
        self._carry_out = carry_out
        self._opening = opening
        self._is_open = False
        self._desk = desk
        self._told = told
        self._before_typing = Narrowing()
        self._news: News | None = None
        self._fresh: set[int] = set()
        self.narrowing = Narrowing()

    def compose(self) -> ComposeResult:
        """Header, matches, a line for what happened, keys."""
        yield TopLine()
        yield OutageLine()
        yield TriagePane(self._desk)
        yield ToldLine(self._told)
        yield PromptBar(self._meant, self._cancelled, self._desk.typed)
        yield Footer(show_command_palette=False, compact=True)

    @property
    def pane(self) -> TriagePane:
        """The list, the details and the keys to decide."""
        return self.query_one(TriagePane)

    @property
    def matches(self) -> MatchList:
        """The list."""
        return self.pane.matches

    @property
    def detail(self) -> LineField:
        """The details of the match under the cursor."""
        return self.pane.detail

    def on_mount(self) -> None:
        """Show what is to be decided, or everything, and what becomes of it."""
        self.matches.focus()
        self.query_one(TopLine).show_heading(TITLE)
        self._beside(self._open, group="opening")
        self._look_around()
        self.set_interval(NEWS_EVERY_S, self.look)
        self.set_interval(AROUND_EVERY_S, self._look_around)
        self.set_interval(CONFIG_EVERY_S, self._look_at_config)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only what can be done now is a key now."""
        if not self.is_mounted:
            return True
        if self.query_one(PromptBar).is_open:
            return action in ("back", "app.quit")
        if action == "back":
            return self.detail.has_focus or self.narrowing.is_active or bool(self.matches.marked)
        return super().check_action(action, parameters)

    def narrow(self, narrowing: Narrowing) -> None:
        """Show what a narrowing lets through, from the top."""
        self._is_open = True
        if narrowing not in (Narrowing(), self.narrowing, self._without_text) and self.matches.marked:
            # nothing that a filter hides may be decided on
            self.matches.clear_marks()
            self.tell("The marks were taken away: the filter shows other matches.")
        self.narrowing = narrowing
        self.matches.words_when_empty = words_of_none(narrowing)
        self.query_one(TopLine).show_heading(heading(TITLE, narrowing))
        self._read(stay=False)

    def tell(self, sentence: str) -> None:
        """Say something in the line for what happened."""
        self.query_one(ToldLine).tell(sentence)

    def look(self) -> None:
        """Show matches as they stand now, where they are, and tell how many have come."""
        if self._news and self.is_current:
            self.pane.refresh_ages()
            self._beside(partial(self._look, self._news), group="news")

    def action_reload(self) -> None:
        """Read the list again; the cursor stays on its match."""
        self._read(stay=True)
        self._look_around()

    def action_fetch(self) -> None:
        """Fetch the watches, sources and topics of the filter, on a screen of its own."""
        self.fetch(self.narrowing)

    def fetch(self, narrowing: Narrowing) -> None:
        """Fetch on a screen of its own; statuses and text choose no query. What came is shown when that is closed."""
        from inforadar.interfaces.tui.fetch_screen import FetchScreen

        asked = replace(narrowing, statuses=(), text="")
        self.app.push_screen(FetchScreen(self._desk.fetch(narrowing), asked), lambda _: self.action_reload())

    def action_text(self) -> None:
        """Type a text to look for; the list follows."""
        self._before_typing = self.narrowing
        self.query_one(PromptBar).open("/", self.narrowing.text)
        self.refresh_bindings()

    def action_command(self) -> None:
        """Type a command."""
        self._before_typing = self.narrowing
        known = completions(self._desk.app.config, self._desk.topics)
        self.query_one(PromptBar).open(":", complete=partial(completed, known))
        self.refresh_bindings()

    def action_narrow(self) -> None:
        """Choose watches, sources, topics and statuses."""
        offered = offered_filters(self._desk.app.config, self._desk.topics)
        self.app.push_screen(FilterDialog(self.narrowing, offered), self._narrowed)

    def action_to_decide(self) -> None:
        """Show what is to be decided, whatever the filter was."""
        self.narrow(TO_DECIDE)
        self.refresh_bindings()

    def action_back(self) -> None:
        """Close the topmost thing; never the program."""
        if self.detail.has_focus:
            self.pane.leave_detail()
        elif self.narrowing.is_active:
            self.narrow(self._without_text if self.narrowing.text else Narrowing())
        elif self.matches.marked:
            self.matches.clear_marks()
            self.tell("")
        self.refresh_bindings()

    def on_key(self) -> None:
        """What was told is over with the next key; it comes here before what the key does."""
        self.query_one(ToldLine).clear()

    def on_triage_pane_told(self, event: TriagePane.Told) -> None:
        """Something happened to the matches."""
        if event.is_aside:
            self._tell_aside(event.sentence)
        else:
            self.tell(event.sentence)

    def on_match_list_moved(self) -> None:
        """The cursor stands on another match."""
        self._show_count()

    def on_match_list_counted(self) -> None:
        """More is known of how many there are."""
        self._show_count()

    def on_prompt_bar_typed(self, event: PromptBar.Typed) -> None:
        """The list follows what is typed."""
        if event.sign == "/" and self.query_one(PromptBar).is_open:
            self._beside(partial(self._follow, event.text), group=TYPING)

    @property
    def _without_text(self) -> Narrowing:
        return replace(self.narrowing, text="")

    def _meant(self, sign: str, text: str) -> None:
        """The text is the filter, or a command."""
        self._end_typing()
        if sign == "/":
            self.narrow(replace(self.narrowing, text=text.strip()))
        else:
            self._carry_out(text)

    def _cancelled(self) -> None:
        """The filter is what it was."""
        self._end_typing()
        if self.narrowing != self._before_typing:
            self.narrow(self._before_typing)

    def _end_typing(self) -> None:
        self.workers.cancel_group(self, TYPING)
        self.set_focus(self.matches)
        self.refresh_bindings()

    def _narrowed(self, narrowing: Narrowing | None) -> None:
        if narrowing is not None:
            self.narrow(narrowing)

    def _read(self, *, stay: bool) -> None:
        self._news = None
        self._fresh = set()
        self._beside(self._begin_news, group="news")
        self.pane.read(self.narrowing, stay=stay)

    async def _open(self) -> None:
        narrowing = self._opening or await self._desk.opening()
        if not self._is_open:  # somebody may have asked for something else meanwhile
            self.narrow(narrowing)
            self.refresh_bindings()

    async def _begin_news(self) -> None:
        self._news = await self._desk.news(self.narrowing, None)
        self._show_count()

    async def _look(self, after: News) -> None:
        news = await self._desk.news(self.narrowing, after)
        if self._news is not after:  # the list was read again meanwhile
            return
        self._news = news
        if not news.moved:
            return
        self.matches.replace_rows(news.moved)
        self._fresh |= news.fitting - self.matches.grid.ids
        if self._fresh and (not self.matches.known or (self.matches.has_room and not self.matches.is_touched)):
            self.action_reload()  # no cursor can be moved away from under anybody's eyes
        self._show_count()

    async def _follow(self, text: str) -> None:
        await asyncio.sleep(TYPING_S)
        self.narrow(replace(self.narrowing, text=text.strip()))

    def _look_around(self) -> None:
        """See which sources do not answer, which no filter hides, and whether there is a decision to take back."""
        self._beside(self._looked_around, group="around")

    async def _looked_around(self) -> None:
        acts = self.pane.acts
        around = await self._desk.around()
        if acts == self.pane.acts:  # a decision taken meanwhile knows better
            self.pane.allow_undo(is_allowed=around.can_undo)
        self.query_one(OutageLine).tell(around.outages)

    def _look_at_config(self) -> None:
        """Go on with a changed configuration, where what there is to tell of it can be seen."""
        if self.is_current:
            # not exclusive: a look that lasts must not lose its sentence to the next one
            beside(self, self._follow_config, self._refused, group="configuration", is_exclusive=False)

    async def _follow_config(self) -> None:
        if sentence := await self._desk.follow_config():
            self.tell(sentence)

    def _show_count(self) -> None:
        if len(self.query(PARTS)) < len(PARTS.split(",")):  # it is being taken down
            return
        at, known = min(self.matches.cursor + 1, self.matches.known), self.matches.known
        self.query_one(TopLine).show_count(at, known, is_complete=self.matches.is_complete, fresh=len(self._fresh))

    def _beside(self, work: Callable[[], Awaitable[None]], group: str) -> None:
        beside(self, work, self._refused, group=group)

    def _refused(self, error: RadarError) -> None:
        self._tell_aside(error_words(error))

    def _tell_aside(self, sentence: str) -> None:
        """Say something that no key asked for, unless it is still to be read that a key did nothing."""
        if not self.query_one(ToldLine).told.startswith(NOT_SAVED):
            self.tell(sentence)
