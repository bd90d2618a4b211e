"""Entries without a date in a list that is sorted by dates: they have no place in its order, and are not lost for that.

The sweep goes by dates and passes them over. They are saved with the page they stand on, whatever the limit and the
cutoff say, and dated by the sweep that saw them first.
"""

from collections.abc import Container
from dataclasses import dataclass, replace
from datetime import datetime

from inforadar.domain.item import Draft
from inforadar.domain.paging import Page


@dataclass(frozen=True, slots=True, kw_only=True)
class Undated:
    """The entries of a page without a date: those the watch does not know, and the others."""

    new: tuple[Draft, ...]
    seen: tuple[Draft, ...]


def undated(page: Page, known: Container[str], now: datetime) -> Undated:
    """The entries of a page without a date, each once, dated by this sweep; `known`: which keys were stored before."""
    dated = {draft.key for draft in page.drafts}
    loose = {draft.key: replace(draft, rank=now) for draft in page.loose if draft.key not in dated}
    return Undated(
        new=tuple(draft for key, draft in loose.items() if key not in known),
        seen=tuple(draft for key, draft in loose.items() if key in known),
    )


def undated_words(page: Page) -> str:
    """What is told of a page with such entries."""
    skipped, kept = page.undated - len(page.loose), len(page.loose)
    told = [f"{kept} are taken and dated by their first sight"] if kept else []
    told += [f"{skipped} are skipped"] if skipped else []
    return f"entries without a valid date: {page.undated}; {', '.join(told)}"
