"""The matches a list knows, in numbered pages: which are held, and how a page that is not can be read.

Pages are read downward from the first one on; a window in the midst of the list, or at its end, may be held besides,
and is read on in both directions. The pages looked at longest ago go.
"""

from collections import OrderedDict
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from inforadar.interfaces.tui.match_pages import PAGE, MatchRow, Place, Window

MOST_PAGES = 40
LEAP = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """How to get pages: so many of them from `page` on, below one place or above another."""

    page: int
    pages: int = 1
    below: Place | None = None
    above: Place | None = None


class MatchGrid:
    """Rows by number; `known` of them so far, and whether that is all."""

    def __init__(self) -> None:
        self.pages: OrderedDict[int, list[MatchRow]] = OrderedDict()
        self.known = 0
        self.is_complete = False
        self._starts: dict[int, Place | None] = {0: None}
        self._tops: dict[int, Place] = {}

    @property
    def frontier(self) -> int:
        """The page behind the last one that is known."""
        return self.known // PAGE

    @property
    def held(self) -> int:
        """How many matches are in memory."""
        return sum(map(len, self.pages.values()))

    @property
    def ids(self) -> set[int]:
        """The matches in memory."""
        return {row.id for page in self.pages.values() for row in page}

    def row_at(self, number: int) -> MatchRow | None:
        """The match with this number, if it is at hand."""
        page = self.pages.get(number // PAGE, [])
        return page[number % PAGE] if 0 <= number % PAGE < len(page) else None

    def number_of(self, ids: Collection[int]) -> int | None:
        """The number of the first of these matches, if one of them is in memory."""
        held = ((page * PAGE + at, row) for page, rows in self.pages.items() for at, row in enumerate(rows))
        return min((number for number, row in held if row.id in ids), default=None)

    def way_to(self, page: int) -> Way:
        """The shortest way to a page, or towards it, from what is known."""
        if page in self._starts:
            return Way(page=page, below=self._starts[page])
        start = max(one for one in self._starts if one < page)
        top = min((one for one in self._tops if one > page), default=None)
        if top is None or page - start <= top - page:
            return Way(page=start, pages=min(page - start + 1, LEAP), below=self._starts[start])
        pages = min(top - page, LEAP)
        return Way(page=top - pages, pages=pages, above=self._tops[top])

    def hold(self, way: Way, rows: list[MatchRow]) -> None:
        """Hold what a way has led to."""
        if way.above is not None:
            self._put(way.page, rows)
            return
        last = way.page + way.pages
        rows = [row for row in rows if self._is_above(last, row)]
        if not self.is_complete and last * PAGE > self.known:
            self.known = way.page * PAGE + len(rows)
            self.is_complete = len(rows) < way.pages * PAGE
        self._put(way.page, rows)

    @classmethod
    def of_window(cls, window: Window) -> "MatchGrid":
        """A list whose length is known, seen through a window."""
        grid = cls()
        grid.known, grid.is_complete = window.total, True
        grid._put(window.page, window.rows)
        return grid

    def replace(self, rows: Iterable[MatchRow]) -> None:
        """Show matches as they stand now, where they are; what was read before what is held is no news."""
        fresh = {row.id: row for row in rows}
        for number, page in self.pages.items():
            if any(row.id in fresh for row in page):
                self.pages[number] = [max(fresh.get(row.id, row), row, key=lambda one: one.version) for row in page]

    def _is_above(self, page: int, row: MatchRow) -> bool:
        """Whether a row stands above a page, as far as it is known where that begins."""
        start, top = self._starts.get(page), self._tops.get(page)
        return (start is None or row.place >= start) and (top is None or row.place > top)

    def _put(self, first: int, rows: list[MatchRow]) -> None:
        for page, at in enumerate(range(0, len(rows) or 1, PAGE), first):
            held = rows[at : at + PAGE]
            self.pages[page] = held
            self.pages.move_to_end(page)
            if held:
                self._tops.setdefault(page, held[0].place)
            if len(held) == PAGE:
                self._starts.setdefault(page + 1, held[-1].place)
        while len(self.pages) > MOST_PAGES:
            self.pages.popitem(last=False)
