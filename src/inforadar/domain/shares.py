"""How a sweep divides its budget: what it looks back on, and what it keeps for the deepest gap."""

TAIL_SHARE = 0.2


def lookback_pages(number: int) -> int:
    """How many pages of covered ground sweep `number` re-reads: 1, 2, 1, 4, 1, 2, 1, 8, ..."""
    return number & -number


def lookback_within(number: int, max_pages: int | None) -> int:
    """The same, but at most half of a bounded number of pages while a gap waits for the rest."""
    pages = lookback_pages(number)
    return pages if max_pages is None else min(pages, max(1, max_pages // 2))


def tail_share(budget: int, number: int) -> int:
    """The part of a budget kept for the deepest gap in sweep `number`; over five sweeps of 1 it is 1 once."""
    return int(budget * number * TAIL_SHARE) - int(budget * (number - 1) * TAIL_SHARE)
