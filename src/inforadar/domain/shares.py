"""How a sweep divides its budget: what it looks back on, and what it keeps for the deepest gap."""

from inforadar.domain.paging import Paging

TAIL_SHARE = 0.2
GAPS_FIRST_EVERY = 2
NO_PROGRESS = "this sweep made no progress"


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


def pages_of_a_step(paging: Paging) -> int:
    """How many pages one step down in a gap takes: where it begins, what follows, and the first again as the proof."""
    if paging.kind == "offset" or paging.filters_by_date or (paging.largest_size or 0) > paging.size:
        return 1
    return 2 if paging.has_exact_total else 3


def is_turn_of_gaps(paging: Paging, number: int, max_pages: int | None) -> bool:
    """Whether sweep `number` goes into the gaps before it looks at the top, since its pages do not suffice for both.

    The last step takes one page more: an empty page is asked for twice before it is the end.
    """
    step = pages_of_a_step(paging)
    is_tight = max_pages is not None and 1 < step >= max_pages - 1 and not paging.is_followed
    return is_tight and number % GAPS_FIRST_EVERY == 0


def too_few_pages(paging: Paging, max_pages: int | None, *, has_progressed: bool) -> list[str]:
    """What to tell a person whose `max_pages` never lets a sweep come to what is left; nothing where it does."""
    step, told = pages_of_a_step(paging), "" if has_progressed else f"{NO_PROGRESS}: "
    if paging.is_followed and not has_progressed:
        return [f"{told}max_pages = {max_pages} ends above what is left; this list can only be followed from its top"]
    if max_pages is None or max_pages >= step or paging.is_followed:
        return []
    return [f"{told}max_pages = {max_pages} is too few to go on in this list; one step further down takes {step}"]
