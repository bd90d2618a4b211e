"""A window into a list whose rows are shown one after another, from the first on; few of them are held."""

from collections import deque
from collections.abc import Iterable

from inforadar.interfaces.tui.match_pages import PAGE, MatchRow, Place, Window


class WindowFinder:
    """Finds the page that holds a match, and the one before it; `at` None = the last match of all."""

    def __init__(self, at: Place | None) -> None:
        self._at = at
        self._total = 0
        self._number = -1
        self._up_to_here: deque[MatchRow] = deque(maxlen=2 * PAGE)
        self._rest: list[MatchRow] = []

    def add(self, rows: Iterable[MatchRow]) -> None:
        """The next rows of the list."""
        for row in rows:
            if self._at is None or row.place >= self._at:
                self._number = self._total
                self._up_to_here.append(row)
            elif self._total < (max(0, self._number) // PAGE + 1) * PAGE:
                self._rest.append(row)
            self._total += 1

    def window(self) -> Window:
        """What was found, now that all rows were shown."""
        number = max(0, self._number)
        page = max(0, number // PAGE - 1)
        first = self._number + 1 - len(self._up_to_here)
        rows = [*list(self._up_to_here)[page * PAGE - first :], *self._rest]
        return Window(total=self._total, number=number, page=page, rows=rows)
