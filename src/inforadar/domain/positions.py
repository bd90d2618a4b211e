"""Where to ask next, so that two answers in a row overlap or are provably adjacent."""

from dataclasses import dataclass, replace

from inforadar.domain.paging import Page, Paging, Position, Window

LANDING_MARGIN = 2


@dataclass(slots=True)
class Grid:
    """The positions a source can be asked for, as far as is known of it.

    Offset sources start anywhere. Page sources that take several sizes overlap by changing the size: entry 19 is
    on page 0 of 20 and also on page 0 of 40. Page sources with one size cannot overlap.
    """

    paging: Paging

    @property
    def overlaps(self) -> bool:
        """Whether two positions in a row can share an entry."""
        return self.paging.kind == "offset" or self._largest > self.paging.size

    def top(self, window: Window | None = None) -> Position:
        """The first position of a list."""
        return Position(offset=0, size=self.paging.size, window=window)

    def following(self, read: int, window: Window | None) -> Position:
        """The position that goes on after `read` entries, sharing the last of them and reaching as far as it can."""
        first = max(0, read - 1) if self.overlaps else read
        return self._starting(first, read + (self._largest if read else 1), window)

    def landing(self, bottom: int) -> Position:
        """The position that shows the entry just above `bottom` and as much as possible below it."""
        first = max(0, bottom - 1 - (LANDING_MARGIN if self.overlaps else 0))
        return self._starting(first, first + self.paging.size, None)

    def back(self, position: Position, steps: int) -> Position:
        """A position further up: one step shows what stood right before, each further step doubles."""
        stride = max(1, self.paging.size - 1) if self.overlaps else self.paging.size
        first = max(0, position.offset - stride * 2 ** (steps - 1))
        return self._starting(first, first + self.paging.size, position.window)

    def ahead(self, position: Position, pages: int) -> Position:
        """A position so many pages further down, for lists of numbered pages."""
        return replace(position, offset=position.offset + pages * position.size)

    def learn(self, page: Page, position: Position) -> bool:
        """Whether a page shows that the source gives no larger pages than usual; from then on they are of one size."""
        is_cut = page.entries <= self.paging.size < position.size and page.is_last is False
        if self.paging.kind == "page" and is_cut:
            self.paging = replace(self.paging, largest_size=None)
        return is_cut

    def end(self, page: Page, position: Position) -> int:
        """How many entries of the list stand above what follows a page; entries a page keeps back count as well."""
        return position.offset + (position.size if self.paging.kind == "page" else page.entries)

    def is_reachable(self, position: Position) -> bool:
        """Whether the source's depth cap allows this position."""
        if self.paging.depth is None:
            return True
        needed = position.size if self.paging.kind == "page" else 1
        return position.offset + needed <= self.paging.depth

    @property
    def _largest(self) -> int:
        return self.paging.largest_size or self.paging.size

    def _starting(self, first: int, until: int, window: Window | None) -> Position:
        """A position that holds entry `first`; of the sizes on offer the smallest that also reaches `until`."""
        if self.paging.kind == "offset":
            return Position(offset=first, size=self.paging.size, window=window)
        offered = [
            Position(offset=first // size * size, size=size, window=window)
            for size in range(self.paging.size, self._largest + 1)
        ]
        reachable = [position for position in offered if self.is_reachable(position)] or offered[:1]
        spanning = (position for position in reachable if position.offset + position.size >= until)
        return next(spanning, max(reachable, key=lambda position: position.offset + position.size))
