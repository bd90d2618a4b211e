"""What a sweep was shown in covered ground, had not collected before and may not take now: it opens that ground again.

Pages that lied, and entries that arrived late, leave holes in ground that counts as collected. A sweep that finds one
and has no budget left must not go on calling it collected: the next sweeps would find it only by chance.
"""

from collections.abc import Sequence
from datetime import timedelta

from inforadar.domain.coverage import Coverage
from inforadar.domain.item import Draft
from inforadar.domain.sorting import Sorter
from inforadar.domain.walk import Sheet


def opened(
    coverage: Coverage, held_back: Sequence[Sheet], before: Coverage, entries: Sorter, slack: timedelta
) -> Coverage:
    """The coverage without the ranks of entries held back, as far as the ground was covered `before` this sweep."""
    for sheet in held_back:
        left = [draft for draft in sheet.entries.untaken if not entries.has_taken(draft.key)]
        ranks = [draft.rank for draft in left if _is_in(before, draft, slack)]
        if ranks:
            place = sheet.position.offset + len(sheet.entries.prefix)
            coverage = coverage.opened(max(ranks), min(ranks), place)
    return coverage


def _is_in(coverage: Coverage, draft: Draft, slack: timedelta) -> bool:
    """Whether an entry stands so deep in covered ground that no walk need come by."""
    return any(stretch.holds(draft.rank) and draft.rank <= stretch.upto - slack for stretch in coverage.stretches)
