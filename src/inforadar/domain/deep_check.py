"""The deep check: every few sweeps one page of ground that the look-back does not reach, in rotation."""

from collections.abc import Generator

from inforadar.domain.coverage import Coverage
from inforadar.domain.paging import Position
from inforadar.domain.positions import Grid
from inforadar.domain.walk import Sheet

DEEP_CHECK_EVERY = 4


def check_deep(coverage: Coverage, grid: Grid, read: int) -> Generator[Position, Sheet | None, int]:
    """Ask for a page below the `read` entries, and for more while they show news; where to go on the next time."""
    offset = max(coverage.deep_offset, read)
    is_quiet = False
    while not is_quiet and offset < coverage.count:
        position = grid.following(offset, None)
        if not grid.is_reachable(position):
            return 0
        sheet = yield position
        if sheet is None:
            break
        offset = position.offset + sheet.page.entries if sheet.page.entries else coverage.count
        is_quiet = sheet.entries.is_quiet
    return offset if offset < coverage.count else 0
