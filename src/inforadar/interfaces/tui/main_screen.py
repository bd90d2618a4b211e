"""The main screen Info Radar: the list of matches, what is known of the one under the cursor, and the keys to decide.

Esc closes the topmost thing: the typed line, the details, then the filter, then the marks; it never quits.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.screen import Screen
from textual.widgets import Footer, Label

from inforadar.interfaces.tui.beside import beside
from inforadar.interfaces.tui.commands import completions
from inforadar.interfaces.tui.deciding import Decided, decision_words, undo_words
from inforadar.interfaces.tui.desk import Desk
from inforadar.interfaces.tui.fetch_screen import FetchScreen
from inforadar.interfaces.tui.filter_dialog import FilterDialog, offered_filters
from inforadar.interfaces.tui.line_field import LineField
from inforadar.interfaces.tui.match_header import MatchHeader
from inforadar.interfaces.tui.match_list import MatchList
from inforadar.interfaces.tui.narrowing import Narrowing, heading
from inforadar.interfaces.tui.opening import copy_address, open_listing
from inforadar.interfaces.tui.outage_line import OutageLine
from inforadar.interfaces.tui.prompt_bar import PromptBar
from inforadar.interfaces.tui.top_line import TopLine
from inforadar.observe.printable import printable
from inforadar.service.triage import DECISIONS, Decision

TITLE = "Info Radar"
NOTHING_YET = "  Nothing found yet: f fetches."
NOTHING_FITS = "  Nothing fits this filter: Esc takes it away."
TYPING_S = 0.15
READING_S = 0.05
OF_A_MATCH = frozenset({"decide", "mark", "open", "copy", "detail"})


class MainScreen(Screen[None]):
    """Matches, newest first, and what to do with them."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("a", "decide('applied')", "Applied"),
        Binding("x", "decide('not interested')", "No"),
        Binding("l", "decide('later')", "Later"),
        Binding("s", "decide('later')", "Later", show=False),
        Binding("z", "undo", "Undo"),
        Binding("space", "mark", "Mark", key_display="␣"),
        Binding("o", "open", "Open", show=False),
        Binding("y", "copy", "Copy", show=False),
        Binding("f", "fetch", "Fetch"),
        Binding("slash", "text", "Text"),
        Binding("F", "narrow", "Only"),
        Binding("colon", "command", "Command", key_display=":", show=False),
        Binding("r", "reload", "Reload", show=False),
        Binding("enter", "detail", "Details", show=False),
        Binding("escape", "back", "Back", key_display="⎋"),
        Binding("question_mark", "app.help", "Help"),
        Binding("q", "app.quit", "Quit"),
    ]
    DEFAULT_CSS = """
    MainScreen { background: transparent; }
    MainScreen #detail { height: 40%; border-top: solid ansi_blue; }
    MainScreen.-reading #detail { height: 80%; }
    MainScreen #told { height: 1; padding: 0 1; color: ansi_yellow; }
    """

    class Commanded(Message):
        """A command was typed."""

        def __init__(self, line: str) -> None:
            super().__init__()
            self.line = line

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk = desk
        self._before_typing = Narrowing()
        self._can_undo = False
        self._is_empty = True
        self.narrowing = Narrowing()

    def compose(self) -> ComposeResult:
        """Header, list, details, a line for what happened, keys."""
        yield TopLine()
        yield OutageLine()
        yield MatchHeader()
        yield MatchList(self._desk.now)
        yield LineField(id="detail")
        yield Label("", id="told", markup=False)
        yield PromptBar()
        yield Footer(show_command_palette=False, compact=True)

    @property
    def matches(self) -> MatchList:
        """The list."""
        return self.query_one(MatchList)

    @property
    def detail(self) -> LineField:
        """The details of the match under the cursor."""
        return self.query_one("#detail", LineField)

    def on_mount(self) -> None:
        """Show everything."""
        self.matches.focus()
        self.narrow(Narrowing())
        self._look_around()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only what can be done now is a key now."""
        if not self.is_mounted:
            return True
        if self.query_one(PromptBar).is_open:
            return action in ("back", "app.quit")
        if action in OF_A_MATCH:
            return self.matches.row is not None or bool(self.matches.marked)
        if action == "undo":
            return self._can_undo
        if action == "back":
            return self.detail.has_focus or self.narrowing.is_active or bool(self.matches.marked)
        return super().check_action(action, parameters)

    def narrow(self, narrowing: Narrowing) -> None:
        """Show what a narrowing lets through, from the top."""
        self.narrowing = narrowing
        self.matches.words_when_empty = NOTHING_FITS if narrowing.is_active else NOTHING_YET
        self.query_one(TopLine).show_heading(heading(TITLE, narrowing))
        self._read()

    def tell(self, sentence: str) -> None:
        """Say something in the line for what happened."""
        self.query_one("#told", Label).update(printable(sentence))

    def action_reload(self) -> None:
        """Read the list again; the cursor stays on its match."""
        self._read(stay=True)
        self._look_around()

    def action_decide(self, verb: str) -> None:
        """Decide on the marked matches, or on the one under the cursor, which then stands on the next."""
        decision = next(one for one in DECISIONS if one == verb)
        marked = list(self.matches.marked)
        row = self.matches.row
        ids = marked or ([row.id] if row else [])
        self.matches.clear_marks()
        if not marked:
            self.matches.action_move(1)
        self._safely(partial(self._decide, ids, decision), group="triage")

    def action_undo(self) -> None:
        """Take back the last decision."""
        self._safely(self._undo, group="triage")

    def action_mark(self) -> None:
        """Mark the match under the cursor, or take its mark away."""
        self.matches.toggle_mark()
        marked = len(self.matches.marked)
        self.tell(f"{marked} marked: a, x and l decide on all of them" if marked else "")
        self.refresh_bindings()

    def action_open(self) -> None:
        """Open the page of the listing."""
        if row := self.matches.row:
            self.tell(open_listing(self.app, row.url))

    def action_copy(self) -> None:
        """Copy the address of the listing."""
        if row := self.matches.row:
            self.tell(copy_address(self.app, row.url))

    def action_fetch(self) -> None:
        """Fetch what the filter shows, on a screen of its own."""
        self.fetch(self.narrowing)

    def fetch(self, narrowing: Narrowing) -> None:
        """Fetch on a screen of its own; statuses and text choose no query. What came is shown when that is closed."""
        asked = replace(narrowing, statuses=(), text="")
        self.app.push_screen(FetchScreen(self._desk.fetch(asked), asked), lambda _: self.action_reload())

    def action_text(self) -> None:
        """Type a text to look for; the list follows."""
        self._before_typing = self.narrowing
        self.query_one(PromptBar).open("/", self.narrowing.text)
        self.refresh_bindings()

    def action_command(self) -> None:
        """Type a command."""
        self._before_typing = self.narrowing
        self.query_one(PromptBar).open(":", known=completions(self._desk.app.config, self._desk.topics))
        self.refresh_bindings()

    def action_narrow(self) -> None:
        """Choose watches, sources, topics and statuses."""
        offered = offered_filters(self._desk.app.config, self._desk.topics)
        self.app.push_screen(FilterDialog(self.narrowing, offered), self._narrowed)

    def action_detail(self) -> None:
        """Into the details, which get more room."""
        self.add_class("-reading")
        self.detail.focus()
        self.refresh_bindings()

    def action_back(self) -> None:
        """Close the topmost thing; never the program."""
        if self.detail.has_focus:
            self.remove_class("-reading")
            self.matches.focus()
        elif self.narrowing.is_active:
            self.narrow(Narrowing())
        elif self.matches.marked:
            self.matches.clear_marks()
            self.tell("")
        self.refresh_bindings()

    def on_match_list_moved(self, event: MatchList.Moved) -> None:
        """Another match: show its details, unless the cursor only passes by."""
        self._show_count()
        if (event.row is None) != self._is_empty:  # the keys are drawn anew only when they differ
            self._is_empty = event.row is None
            self.refresh_bindings()
        self._safely(partial(self._show_detail, event.row.id if event.row else None), group="detail")

    def on_match_list_counted(self) -> None:
        """More is known of how many there are."""
        self._show_count()

    def on_match_list_failed(self, event: MatchList.Failed) -> None:
        """A page could not be read."""
        self.tell(f"{event.error} r tries again.")

    def on_prompt_bar_typed(self, event: PromptBar.Typed) -> None:
        """The list follows what is typed."""
        if event.sign == "/":
            self._safely(partial(self._follow, event.text), group="typing")

    def on_prompt_bar_meant(self, event: PromptBar.Meant) -> None:
        """The text is the filter, or a command."""
        self.matches.focus()
        self.refresh_bindings()
        if event.sign == "/":
            self.narrow(replace(self.narrowing, text=event.text.strip()))
        else:
            self.post_message(self.Commanded(event.text))

    def on_prompt_bar_cancelled(self) -> None:
        """The filter is what it was."""
        self.matches.focus()
        self.refresh_bindings()
        if self.narrowing != self._before_typing:
            self.narrow(self._before_typing)

    def _narrowed(self, narrowing: Narrowing | None) -> None:
        if narrowing is not None:
            self.narrow(narrowing)

    def _read(self, *, stay: bool = False) -> None:
        ask = partial(self._desk.rows, self.narrowing)
        stay_at = self.matches.row if stay else None
        self._safely(partial(self.matches.read, ask, stay_at=stay_at), group="list")

    async def _follow(self, text: str) -> None:
        await asyncio.sleep(TYPING_S)
        self.narrow(replace(self.narrowing, text=text.strip()))

    async def _show_detail(self, match_id: int | None) -> None:
        await asyncio.sleep(READING_S)
        self.detail.show(await self._desk.detail(match_id) if match_id is not None else [])

    async def _decide(self, ids: list[int], verb: Decision) -> None:
        decided = await self._desk.decide(ids, verb)
        self._show_decided(decided)
        self.tell(decision_words(decided, verb))

    async def _undo(self) -> None:
        decided = await self._desk.undo()
        self._show_decided(decided)
        self.tell(undo_words(decided))

    def _show_decided(self, decided: Decided) -> None:
        self.matches.replace_rows(decided.rows)
        self._can_undo = decided.can_undo
        self.refresh_bindings()

    def _look_around(self) -> None:
        """See which sources do not answer, which no filter hides, and whether there is a decision to take back."""
        self._safely(self._looked_around, group="around")

    async def _looked_around(self) -> None:
        around = await self._desk.around()
        self._can_undo = around.can_undo
        self.query_one(OutageLine).tell(around.outages)
        self.refresh_bindings()

    def _show_count(self) -> None:
        at, known = min(self.matches.cursor + 1, self.matches.known), self.matches.known
        self.query_one(TopLine).show_count(at, known, is_complete=self.matches.is_complete)

    def _safely(self, work: Callable[[], Awaitable[None]], group: str) -> None:
        beside(self, work, lambda error: self.tell(str(error)), group=group, is_exclusive=group != "triage")
