"""The list of matches, what is known of the one under the cursor, and the keys to decide on them."""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.message import Message

from inforadar.domain.errors import RadarError
from inforadar.interfaces.tui.beside import beside
from inforadar.interfaces.tui.deciding import Decided, decision_words, error_words, not_saved_words, undo_words
from inforadar.interfaces.tui.desk import Desk
from inforadar.interfaces.tui.line_field import LineField
from inforadar.interfaces.tui.match_header import MatchHeader
from inforadar.interfaces.tui.match_list import MatchList
from inforadar.interfaces.tui.match_pages import MatchRow
from inforadar.interfaces.tui.narrowing import Narrowing
from inforadar.interfaces.tui.opening import copy_address, open_listing
from inforadar.service.triage import DECISIONS, Decision

READING_S = 0.05
OF_A_MATCH = frozenset({"decide", "mark", "open", "copy", "detail"})


class TriagePane(Vertical):
    """Matches, newest first, and what to do with them."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("a", "decide('applied')", "Applied"),
        Binding("x", "decide('not interested')", "No"),
        Binding("l", "decide('later')", "Later"),
        Binding("s", "decide('later')", "Later", show=False),
        Binding("z", "undo", "Undo"),
        Binding("z", "try_undo", "Undo", show=False),
        Binding("space", "mark", "Mark", key_display="␣", show=False),
        Binding("o", "open", "Open", show=False),
        Binding("y", "copy", "Copy", show=False),
        Binding("enter", "detail", "Details", show=False),
    ]
    DEFAULT_CSS = """
    TriagePane { height: 1fr; }
    TriagePane #detail { height: 40%; border-top: solid ansi_blue; }
    TriagePane.-reading #detail { height: 80%; }
    """

    class Told(Message):
        """Something happened that is worth a sentence; `is_aside`: not by a key, so that what a key did goes first."""

        def __init__(self, sentence: str, *, is_aside: bool = False) -> None:
            super().__init__()
            self.sentence = sentence
            self.is_aside = is_aside

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk = desk
        self._is_empty = True
        self._can_undo = False
        self.acts = 0
        self._detailed: int | None = None
        self._left_at: int | None = None
        self._narrowing = Narrowing()

    def compose(self) -> ComposeResult:
        """Columns, list, details."""
        yield MatchHeader()
        yield MatchList(self._desk.now)
        yield LineField(id="detail")

    @property
    def matches(self) -> MatchList:
        """The list."""
        return self.query_one(MatchList)

    @property
    def detail(self) -> LineField:
        """The details of the match under the cursor."""
        return self.query_one("#detail", LineField)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only what can be done now is a key now."""
        if not self.is_mounted:
            return True
        if action in OF_A_MATCH and self.matches.is_leaving:
            return action == "decide" and bool(self.matches.marked)
        if action in OF_A_MATCH:
            return self.matches.row is not None or bool(self.matches.marked)
        if action in ("undo", "try_undo"):
            return self._can_undo == (action == "undo")
        return super().check_action(action, parameters)

    def read(self, narrowing: Narrowing, *, stay: bool) -> None:
        """Show the matches of a narrowing, from the top or with the cursor where it is."""
        self._narrowing = narrowing
        stay_at = self.matches.row if stay else None
        self._beside(partial(self.matches.read, self._desk.reader(narrowing), stay_at=stay_at), group="list")

    def allow_undo(self, *, is_allowed: bool) -> None:
        """Whether there is a decision to take back."""
        if is_allowed != self._can_undo:
            self._can_undo = is_allowed
            self.refresh_bindings()

    def refresh_ages(self) -> None:
        """Show how old everything is now, in the list and in the details together."""
        self.matches.refresh_ages()
        if row := self.matches.row:
            self._beside(partial(self._renew_detail, row.id), group="ages")

    def leave_detail(self) -> None:
        """Back to the list, which gets its room back."""
        self.remove_class("-reading")
        self.matches.focus()

    def action_decide(self, verb: str) -> None:
        """Decide on the marked matches, or on the one under the cursor, which then stands on the next."""
        decision = next(one for one in DECISIONS if one == verb)
        marked = list(self.matches.marked.values())
        row = self.matches.row
        seen = marked or ([row] if row else [])
        self.matches.clear_marks()
        if not marked:
            self.matches.action_move(1)
        self._left_at = None if marked else self.matches.cursor
        put_back = partial(self._mark_again, self._narrowing) if marked else self._go_back
        self._beside(partial(self._decide, seen, decision, put_back), group="triage")

    def action_undo(self) -> None:
        """Take back the last decision."""
        self._beside(self._undo, group="triage")

    def action_try_undo(self) -> None:
        """Say that there is nothing to take back, unless somebody has decided since it was looked."""
        self.action_undo()

    def action_mark(self) -> None:
        """Mark the match under the cursor, or take its mark away."""
        self.matches.toggle_mark()
        marked = len(self.matches.marked)
        self._tell(f"{marked} marked: a, x and l decide on all of them" if marked else "")
        self.refresh_bindings()

    def action_open(self) -> None:
        """Open the page of the listing."""
        if row := self.matches.row:
            self._tell(open_listing(self.app, row.url))

    def action_copy(self) -> None:
        """Copy the address of the listing."""
        if row := self.matches.row:
            self._tell(copy_address(self.app, row.url))

    def action_detail(self) -> None:
        """Into the details, which get more room."""
        self.add_class("-reading")
        self.detail.focus()
        self.refresh_bindings()

    def on_match_list_moved(self, event: MatchList.Moved) -> None:
        """Another match: show its details, unless the cursor only passes by."""
        # the keys are drawn anew only when they can differ, as they do while a list is being read
        if event.is_first or (event.row is None) != self._is_empty:
            self._is_empty = event.row is None
            self.refresh_bindings()
        self._beside(partial(self._show_detail, event.row.id if event.row else None), group="detail")

    def on_match_list_failed(self, event: MatchList.Failed) -> None:
        """A page could not be read."""
        self.post_message(self.Told(f"{error_words(event.error)} r tries again.", is_aside=True))

    async def _show_detail(self, match_id: int | None) -> None:
        await asyncio.sleep(READING_S)
        lines = await self._desk.detail(match_id) if match_id is not None else []
        self._detailed = match_id
        self.detail.show(lines)

    async def _renew_detail(self, match_id: int) -> None:
        lines = await self._desk.detail(match_id)
        row = self.matches.row
        if row and row.id == match_id == self._detailed:  # the details of another one may be on their way
            self.detail.renew(lines)

    async def _decide(self, seen: list[MatchRow], verb: Decision, put_back: Callable[[list[MatchRow]], None]) -> None:
        try:
            decided = await self._desk.decide(seen, verb)
        except RadarError:
            put_back(seen)
            raise
        self._show_decided(decided)
        self._tell(decision_words(decided, verb, self._desk.now()))

    def _mark_again(self, narrowing: Narrowing, seen: list[MatchRow]) -> None:
        """The marks on what was not decided on after all, unless others were made or other matches shown since."""
        if narrowing == self._narrowing and not self.matches.marked:
            self.matches.mark(seen)
            self.refresh_bindings()

    def _go_back(self, seen: list[MatchRow]) -> None:
        """The cursor to what was not decided on after all, unless somebody has moved it since."""
        number = self.matches.grid.number_of([row.id for row in seen])
        if number is not None and number < self.matches.cursor == self._left_at:
            self.matches.go_to([row.id for row in seen])
            self._left_at = self.matches.cursor

    async def _undo(self) -> None:
        decided = await self._desk.undo()
        self._show_decided(decided)
        self.matches.go_to(decided.act.changed)
        self._tell(undo_words(decided))

    def _show_decided(self, decided: Decided) -> None:
        self.acts += 1
        self.matches.replace_rows(decided.rows)
        self.allow_undo(is_allowed=decided.can_undo)

    def _tell(self, sentence: str) -> None:
        self.post_message(self.Told(sentence))

    def _beside(self, work: Callable[[], Awaitable[None]], group: str) -> None:
        is_triage = group == "triage"
        beside(self, work, self._not_saved if is_triage else self._failed, group=group, is_exclusive=not is_triage)

    def _not_saved(self, error: RadarError) -> None:
        self._tell(not_saved_words(error))

    def _failed(self, error: RadarError) -> None:
        self.post_message(self.Told(error_words(error), is_aside=True))
