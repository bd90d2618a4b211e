"""The list of matches: pages come from the store as the cursor nears them and go again."""

from collections.abc import Awaitable, Callable, Collection, Iterable
from datetime import datetime
from functools import partial

from rich.style import Style
from textual.events import Click, MouseScrollDown, MouseScrollUp
from textual.geometry import Size
from textual.message import Message
from textual.strip import Strip

from inforadar.domain.errors import RadarError
from inforadar.interfaces.cli.wording import published_age
from inforadar.interfaces.tui.beside import beside
from inforadar.interfaces.tui.cursor_list import CursorList
from inforadar.interfaces.tui.line_field import WHEEL
from inforadar.interfaces.tui.match_drawing import FAINT, drawn, match_style
from inforadar.interfaces.tui.match_grid import MatchGrid
from inforadar.interfaces.tui.match_lines import BESIDE, list_line, status_word
from inforadar.interfaces.tui.match_pages import PAGE, MatchRow, Window
from inforadar.interfaces.tui.match_reader import MatchReader

AHEAD = PAGE
END = "end"


class MatchList(CursorList):
    """Matches, newest publication first; only what is on the screen is drawn, only what is near is held."""

    class Moved(Message):
        """The cursor stands on another match, or on none; `is_first`: in a list that has just been read."""

        def __init__(self, row: MatchRow | None, *, is_first: bool) -> None:
            super().__init__()
            self.row = row
            self.is_first = is_first

    class Failed(Message):
        """A page could not be read."""

        def __init__(self, error: RadarError) -> None:
            super().__init__()
            self.error = error

    class Counted(Message):
        """More is known of how many there are."""

    def __init__(self, now: Callable[[], datetime]) -> None:
        super().__init__()
        self._now = now
        self._reader: MatchReader | None = None
        self.marked: dict[int, MatchRow] = {}
        self.words_when_empty = ""
        self.is_touched = False
        self._ages: list[tuple[str, str]] = []
        self._begin(MatchGrid())

    def _begin(self, grid: MatchGrid) -> None:
        self.grid = grid
        self.cursor = 0
        self._wish: int | None = None
        self._off_end: int | None = None
        self._wanted: set[int] = set()
        self._shown: MatchRow | None = None
        self._is_told = False

    async def read(self, reader: MatchReader, *, stay_at: MatchRow | None = None) -> None:
        """Show what a reader finds; the cursor on its first match, or where another one stands or stood."""
        self._reader = reader
        while stay_at:
            window = await reader.window(stay_at.place)
            if reader is not self._reader:  # another question was asked meanwhile
                return
            here = self.row
            if here.id == stay_at.id if here else self.cursor:
                # whoever looks at the top sees what has come there
                self._show(window, self.cursor - self.scroll_offset.y if self.scroll_offset.y else None)
                return
            stay_at = here  # the cursor went on meanwhile, or to the top
        self._begin(MatchGrid())
        self.show_from(0)
        await self._load(0)

    @property
    def has_room(self) -> bool:
        """Whether all there is leaves a part of the screen empty."""
        return self.grid.is_complete and self.known < self.size.height

    @property
    def known(self) -> int:
        """How many matches there are, as far as they were read."""
        return self.grid.known

    @property
    def is_complete(self) -> bool:
        """Whether that is all."""
        return self.grid.is_complete

    @property
    def is_leaving(self) -> bool:
        """Whether the cursor is on its way to the end, so that keys do not mean the match it still stands on."""
        return self._off_end is not None

    @property
    def row(self) -> MatchRow | None:
        """The match under the cursor."""
        return self.row_at(self.cursor)

    def row_at(self, number: int) -> MatchRow | None:
        """The match with this number, if it is at hand."""
        return self.grid.row_at(number)

    def replace_rows(self, rows: Iterable[MatchRow]) -> None:
        """Show matches as they stand now, where they are."""
        self.grid.replace(rows)
        self._moved()

    def refresh_ages(self) -> None:
        """Show how old matches are now; nothing is drawn anew unless it differs."""
        top, now = self.scroll_offset.y, self._now()
        rows = [row for number in range(top, top + self.size.height) if (row := self.row_at(number))]
        ages = [(published_age(row.published_at, now), status_word(row, now)) for row in rows]
        if ages != self._ages or not self.known:
            self._ages = ages
            self.refresh()

    def toggle_mark(self) -> None:
        """Mark the match under the cursor, or take its mark away, and go on."""
        row = self.row
        if row is None:
            return
        if self.marked.pop(row.id, None) is None:
            self.marked[row.id] = row
        self.action_move(1)

    def mark(self, rows: Iterable[MatchRow]) -> None:
        """Mark these matches too."""
        self.marked |= {row.id: row for row in rows}
        self.refresh()

    def clear_marks(self) -> None:
        """Take all marks away."""
        self.marked.clear()
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """One match, or nothing below the last one."""
        number = self.scroll_offset.y + y
        if number >= self.known:
            return self._drawn("" if number else self._words_of_none())
        row = self.row_at(number)
        if row is None:
            return self._missing(number // PAGE)
        now = self._now()
        line = list_line(row, now, self.container_size.width - BESIDE, is_marked=row.id in self.marked)
        return self._drawn(line, match_style(row, now, is_chosen=number == self.cursor and self.has_focus))

    def go_to(self, ids: Collection[int]) -> None:
        """The cursor to the first of these matches, if one of them is at hand."""
        number = self.grid.number_of(ids)
        if number is not None:
            self.leave_for(number)

    def leave_for(self, number: int) -> None:
        """The cursor to a match, wherever it was on its way to."""
        self.workers.cancel_group(self, END)
        self._off_end = None
        self._go(number)

    def action_move(self, lines: int) -> None:
        """The cursor so many matches down or up, from where it is or is on its way to."""
        if self._off_end is None:
            self._go((self.cursor if self._wish is None else self._wish) + lines)
        else:
            self._off_end = min(0, self._off_end + lines)

    def action_half(self, halves: int) -> None:
        """The cursor by halves of a screen."""
        self.action_move(halves * max(1, self.size.height // 2))

    def action_first(self) -> None:
        """To the first match."""
        self.leave_for(0)

    def action_last(self) -> None:
        """To the last match, however many there are."""
        if self.is_complete:
            self._go(self.known - 1)
        else:
            self._off_end = 0
            self._beside(self._look_at_end, group=END, is_exclusive=True)

    def on_click(self, event: Click) -> None:
        """The cursor to what was clicked."""
        self.leave_for(self.scroll_offset.y + event.y)

    def on_mouse_scroll_down(self, event: MouseScrollDown) -> None:
        """The wheel moves as the keys do."""
        event.stop()
        self.action_move(WHEEL)

    def on_mouse_scroll_up(self, event: MouseScrollUp) -> None:
        """The wheel moves as the keys do."""
        event.stop()
        self.action_move(-WHEEL)

    def on_key(self) -> None:
        """Somebody is about to do something with what stands here."""
        self.is_touched = True

    def _go(self, number: int) -> None:
        """The cursor to a match; one that is not read yet is gone to when its page has come."""
        self._wish = number if number >= self.known and not self.is_complete else None
        self.stand_on(number, self.known)
        if not self.is_complete and self.cursor + AHEAD >= self.known:
            self._want(self.grid.frontier)
        self._moved()

    def _moved(self) -> None:
        row, is_first = self.row, bool(self.grid.pages) and not self._is_told
        if row != self._shown or is_first:
            self._shown = row
            self._is_told = self._is_told or is_first
            self.post_message(self.Moved(row, is_first=is_first))
        self.refresh()

    def _want(self, page: int) -> None:
        """Ask for a page, once."""
        if page not in self._wanted:
            self._wanted.add(page)
            self._beside(partial(self._load, page), group="page", is_exclusive=False)

    def _beside(self, work: Callable[[], Awaitable[None]], *, group: str, is_exclusive: bool) -> None:
        beside(self, work, lambda error: self.post_message(self.Failed(error)), group=group, is_exclusive=is_exclusive)

    async def _load(self, page: int) -> None:
        """Read a page, and those on the way to it."""
        grid, reader = self.grid, self._reader
        while reader and page not in grid.pages:
            way = grid.way_to(page)
            rows = await reader.pages(way)
            if grid is not self.grid:  # another question was asked meanwhile
                return
            grid.hold(way, rows)
            if not rows:
                break
        self._wanted.discard(page)
        self._grown()

    async def _look_at_end(self) -> None:
        """The cursor to the last match, or as far above it as keys said meanwhile."""
        reader = self._reader
        try:
            window = await reader.window(None) if reader else None
        except RadarError:
            self._off_end = None
            raise
        lines, self._off_end = self._off_end or 0, None
        if window and reader is self._reader:
            self._show(window, self.size.height - 1)
            self.action_move(lines)

    def _show(self, window: Window, below_top: int | None) -> None:
        """Hold a window instead of what was held, with the cursor on its match."""
        self._begin(MatchGrid.of_window(window))
        self.virtual_size = Size(self.size.width, self.known)
        self.show_from(0 if below_top is None else window.number - below_top)
        self._go(window.number)
        self._grown()

    def _grown(self) -> None:
        """More is known of the list."""
        self.virtual_size = Size(self.size.width, self.known)
        self.post_message(self.Counted())
        if self._wish is None:
            self._moved()
        else:
            self._go(self._wish)

    def _words_of_none(self) -> str:
        """What stands in place of a first match: that there is none, or how far it was looked for."""
        if self.is_complete:
            return self.words_when_empty
        walk = self._reader.walk if self._reader else None
        return f"  Looking: {walk.found} found back to {walk.back_to:%Y-%m-%d}." if walk else ""

    def _missing(self, page: int) -> Strip:
        """A match that is on its way, or one that fits no more since its page was first read."""
        if page in self.grid.pages:
            return self._drawn("  (does not fit any more)")
        self._want(page)
        return self._drawn("  …")

    def _drawn(self, text: str, style: Style = FAINT) -> Strip:
        return drawn(text, self.rich_style + style, self.size.width)
