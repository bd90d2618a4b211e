"""Faults that a site draws into its own list: what a page shows instead of what it should."""

from typing import Literal, get_args

from inforadar.simulator.entry import Entry

Twist = Literal["", "empty_page", "unreadable_entry", "duplicated_entry", "shuffled_page"]
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
