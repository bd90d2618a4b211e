"""The list of matches: pages come from the store as the cursor nears them and go again; each is known by its place."""

from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable
from datetime import datetime
from functools import partial
from typing import ClassVar

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.binding import Binding, BindingType
from textual.events import Click, MouseScrollDown, MouseScrollUp
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from inforadar.domain.errors import RadarError
from inforadar.domain.status import Status
from inforadar.interfaces.tui.beside import beside
from inforadar.interfaces.tui.match_lines import LATER, list_line, status_word
from inforadar.interfaces.tui.match_pages import MatchRow, Place

PAGE = 100
MOST_PAGES = 40
AHEAD = PAGE
LEAP = 50 * PAGE
WHEEL = 3
CURSOR = Style(reverse=True)
TONES = {"applied": Style(color="green"), "sent": Style(bold=True), "judged": Style(bold=True)}
DECIDED = Style(dim=True)

Ask = Callable[[Place | None, int], Awaitable[list[MatchRow]]]
"""Reads so many matches below a place."""


class MatchList(ScrollView, can_focus=True):
    """Matches, newest publication first; only what is on the screen is drawn, only what is near is held."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j,down", "move(1)", "Down", show=False),
        Binding("k,up", "move(-1)", "Up", show=False),
        Binding("g,home", "first", "First", show=False),
        Binding("G,end", "last", "Last", show=False),
        Binding("ctrl+d", "half(1)", "Half a page down", show=False),
        Binding("ctrl+u", "half(-1)", "Half a page up", show=False),
        Binding("pagedown", "half(2)", "Page down", show=False),
        Binding("pageup", "half(-2)", "Page up", show=False),
    ]
    DEFAULT_CSS = """
    MatchList {
        height: 1fr; background: transparent; overflow-x: hidden; overflow-y: scroll; scrollbar-size-vertical: 1;
    }
    """

    class Moved(Message):
        """The cursor stands on another match, or on none."""

        def __init__(self, row: MatchRow | None) -> None:
            super().__init__()
            self.row = row

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
        self._ask: Ask | None = None
        self.marked: dict[int, MatchRow] = {}
        self.words_when_empty = ""
        self._forget()

    def _forget(self) -> None:
        self._pages: OrderedDict[int, list[MatchRow]] = OrderedDict()
        self._below: list[Place | None] = [None]
        self._wanted: set[int] = set()
        self._shown: MatchRow | None = None
        self.known = 0
        self.is_complete = False
        self.cursor = 0
        self._wish: int | None = None

    async def read(self, ask: Ask, *, stay_at: MatchRow | None = None) -> None:
        """Show what this question brings; the cursor on its first match, or where another one stands or stood."""
        top = self.cursor - self.scroll_offset.y
        self._forget()
        self._ask = ask
        self._scroll(0)
        await self._load(0)
        while stay_at and ask is self._ask and not self.is_complete and self._reaches_above(stay_at):
            await self._load(len(self._below) - 1)
        if stay_at and ask is self._ask:
            self._stand_at(stay_at, top)

    @property
    def row(self) -> MatchRow | None:
        """The match under the cursor."""
        return self.row_at(self.cursor)

    def row_at(self, number: int) -> MatchRow | None:
        """The match with this number, if it is at hand."""
        page = self._pages.get(number // PAGE, [])
        return page[number % PAGE] if number % PAGE < len(page) else None

    @property
    def held(self) -> int:
        """How many matches are in memory."""
        return sum(map(len, self._pages.values()))

    def replace_rows(self, rows: Iterable[MatchRow]) -> None:
        """Show matches as they stand now, where they are."""
        fresh = {row.id: row for row in rows}
        for number, page in self._pages.items():
            if any(row.id in fresh for row in page):
                self._pages[number] = [fresh.get(row.id, row) for row in page]
        self._moved()

    def toggle_mark(self) -> None:
        """Mark the match under the cursor, or take its mark away, and go on."""
        row = self.row
        if row is None:
            return
        if self.marked.pop(row.id, None) is None:
            self.marked[row.id] = row
        self.action_move(1)

    def clear_marks(self) -> None:
        """Take all marks away."""
        self.marked.clear()
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """One match, or nothing below the last one."""
        number = self.scroll_offset.y + y
        if number >= self.known:
            return self._strip(self.words_when_empty if self.is_complete and not number else "", DECIDED)
        row = self.row_at(number)
        if row is None:
            return self._missing(number // PAGE)
        now = self._now()
        line = list_line(row, now, self.content_region.width - 1, is_marked=row.id in self.marked)
        style = _style(row, now)
        return self._strip(line, style + CURSOR if number == self.cursor and self.has_focus else style)

    def action_move(self, lines: int) -> None:
        """The cursor so many matches down or up, from where it is or is on its way to."""
        self._go((self.cursor if self._wish is None else self._wish) + lines)

    def action_half(self, halves: int) -> None:
        """The cursor by halves of a screen."""
        self.action_move(halves * max(1, self.size.height // 2))

    def action_first(self) -> None:
        """To the first match."""
        self._go(0)

    def action_last(self) -> None:
        """To the last match, however many there are."""
        if self.is_complete:
            self._go(self.known - 1)
        else:
            self._beside(self._leap, group="leap", is_exclusive=True)

    def on_focus(self) -> None:
        """The cursor shows only where keys go."""
        self.refresh()

    def on_blur(self) -> None:
        """The cursor shows only where keys go."""
        self.refresh()

    def on_click(self, event: Click) -> None:
        """The cursor to what was clicked."""
        self._go(self.scroll_offset.y + event.y)

    def on_mouse_scroll_down(self, event: MouseScrollDown) -> None:
        """The wheel moves as the keys do."""
        event.stop()
        self.action_move(WHEEL)

    def on_mouse_scroll_up(self, event: MouseScrollUp) -> None:
        """The wheel moves as the keys do."""
        event.stop()
        self.action_move(-WHEEL)

    def _go(self, number: int) -> None:
        """The cursor to a match; one that is not read yet is gone to when its page has come."""
        self._wish = number if number >= self.known and not self.is_complete else None
        self.cursor = max(0, min(number, self.known - 1))
        top, height = self.scroll_offset.y, self.size.height
        if self.cursor < top:
            self._scroll(self.cursor)
        elif self.cursor >= top + height:
            self._scroll(self.cursor - height + 1)
        if not self.is_complete and self.cursor + AHEAD >= self.known:
            self._want(len(self._below) - 1)
        self._moved()

    def _reaches_above(self, row: MatchRow) -> bool:
        """Whether all that was read stands above a match."""
        last = self._below[-1]
        return last is not None and last > row.place

    def _stand_at(self, row: MatchRow, top: int) -> None:
        """The cursor to a match, or to the one that follows where it stood; as far from the top as before."""
        standing = (
            page * PAGE + at
            for page, rows in self._pages.items()
            for at, one in enumerate(rows)
            if one.place <= row.place
        )
        number = min(standing, default=self.known - 1)
        self._scroll(number - top)
        self._go(number)

    def _scroll(self, top: int) -> None:
        self.scroll_to(y=max(0, top), animate=False, force=True, immediate=True)

    def _moved(self) -> None:
        row = self.row
        if row != self._shown:
            self._shown = row
            self.post_message(self.Moved(row))
        self.refresh()

    def _want(self, page: int) -> None:
        """Ask for a page, once."""
        if page not in self._wanted and page < len(self._below):
            self._wanted.add(page)
            self._beside(partial(self._load, page), group="page", is_exclusive=False)

    def _beside(self, work: Callable[[], Awaitable[None]], *, group: str, is_exclusive: bool) -> None:
        beside(self, work, lambda error: self.post_message(self.Failed(error)), group=group, is_exclusive=is_exclusive)

    async def _load(self, page: int) -> None:
        ask = self._ask
        if ask is None:
            return
        rows = await ask(self._below[page], PAGE)
        if ask is not self._ask:  # another question was asked meanwhile
            return
        self._wanted.discard(page)
        self._keep(page, rows)

    async def _leap(self) -> None:
        """Read to the end in long strides; only what is near the end stays."""
        ask = self._ask
        while ask is not None and ask is self._ask and not self.is_complete:
            page = len(self._below) - 1
            rows = await ask(self._below[page], LEAP)
            if ask is not self._ask or page != len(self._below) - 1:
                continue
            for start in range(0, len(rows) or 1, PAGE):
                self._hold(page + start // PAGE, rows[start : start + PAGE])
            self._grown()
        self._go(self.known - 1)

    def _keep(self, page: int, rows: list[MatchRow]) -> None:
        self._hold(page, rows)
        self._grown()
        if self._wish is None:
            self._moved()
        else:
            self._go(self._wish)

    def _hold(self, page: int, rows: list[MatchRow]) -> None:
        """Hold a page; the one that was looked at longest ago goes."""
        if page == len(self._below) - 1 and not self.is_complete:
            self.known = page * PAGE + len(rows)
            self.is_complete = len(rows) < PAGE
            if not self.is_complete:
                self._below.append(rows[-1].place)
        else:
            rows = [row for row in rows if page + 1 == len(self._below) or row.place >= (self._below[page + 1] or ())]
        self._pages[page] = rows
        self._pages.move_to_end(page)
        while len(self._pages) > MOST_PAGES:
            self._pages.popitem(last=False)

    def _grown(self) -> None:
        """More is known of how many there are."""
        self.virtual_size = Size(self.size.width, self.known)
        self.post_message(self.Counted())

    def _missing(self, page: int) -> Strip:
        """A match that is on its way, or one that fits no more since its page was first read."""
        if page in self._pages:
            return self._strip("  (does not fit any more)", DECIDED)
        self._want(page)
        return self._strip("  …", DECIDED)

    def _strip(self, text: str, style: Style) -> Strip:
        strip = Strip([Segment(text, self.rich_style + style)], cell_len(text))
        return strip.adjust_cell_length(self.size.width, self.rich_style + style)


def _style(row: MatchRow, now: datetime) -> Style:
    word = status_word(row, now)
    is_decided = row.status in (Status.NOT_INTERESTED, Status.NOT_SUITABLE, Status.IN_ARCHIVE) or word == LATER
    return DECIDED if is_decided else TONES.get(word, Style())
