"""Faults that a site draws itself: what a list or the page of one entry shows instead of what it should."""

from dataclasses import replace
from typing import Literal, get_args

from inforadar.simulator.entry import Entry

Twist = Literal[
    "",
    "empty_page",
    "unreadable_entry",
    "duplicated_entry",
    "shuffled_page",
    "closed_page",
    "gone_page",
    "withheld_page",
]
TWISTS: tuple[Twist, ...] = tuple(twist for twist in get_args(Twist) if twist)


def twisted(entries: list[Entry], twist: Twist) -> list[Entry]:
    """The entries of a page after the twist; an unreadable entry is drawn by the site itself."""
    if twist == "empty_page":
        return []
    if twist == "duplicated_entry":
        return [*entries[:1], *entries[:-1]]
    if twist == "shuffled_page":
        return entries[::-1]
    return entries


def on_page(entry: Entry | None, twist: Twist) -> Entry | None:
    """The entry as its own page has it after the twist: closed, or not there; a withheld page the site draws."""
    if entry is None or twist == "gone_page":
        return None
    return replace(entry, closing="archived") if twist == "closed_page" else entry
