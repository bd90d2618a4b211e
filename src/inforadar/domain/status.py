"""The statuses of a match and the one table of the moves between them.

None stands for "no match": from None a match is created, to None it is deleted (a tombstone stays).
The machine works a match from QUEUED on; recovery gives skipped ones a second chance; the user may decide on
any match at any time, and undo restores whatever was before. NOT_SUITABLE and IN_ARCHIVE are final for the
machine. What was found good and then closed by its source is archived too, so that no dead listing stays in the inbox.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Literal

Who = Literal["machine", "recovery", "user", "undo"]


class Status(StrEnum):
    """Where a match stands."""

    NEW = "NEW"
    QUEUED = "QUEUED"
    ANALYZED = "ANALYZED"
    SENT_TO_USER = "SENT_TO_USER"
    SKIPPED = "SKIPPED"
    NOT_SUITABLE = "NOT_SUITABLE"
    IN_ARCHIVE = "IN_ARCHIVE"
    APPLIED = "APPLIED"
    NOT_INTERESTED = "NOT_INTERESTED"


WORDS: Mapping[Status, str] = {
    Status.NEW: "new",
    Status.QUEUED: "queued",
    Status.ANALYZED: "fits",
    Status.SENT_TO_USER: "sent",
    Status.SKIPPED: "skipped",
    Status.NOT_SUITABLE: "does not fit",
    Status.IN_ARCHIVE: "archived",
    Status.APPLIED: "applied",
    Status.NOT_INTERESTED: "not interested",
}
"""What people read for a status, on every screen and page."""

Moves = Mapping[Status | None, frozenset[Status | None]]

_MACHINE: Moves = {
    None: frozenset({Status.QUEUED}),
    Status.NEW: frozenset({Status.QUEUED, Status.SKIPPED}),
    Status.QUEUED: frozenset(
        {Status.IN_ARCHIVE, Status.ANALYZED, Status.NOT_SUITABLE, Status.SKIPPED, None},
    ),
    Status.ANALYZED: frozenset({Status.SENT_TO_USER, Status.SKIPPED, Status.IN_ARCHIVE}),
    Status.SENT_TO_USER: frozenset({Status.IN_ARCHIVE}),
}
_RECOVERY: Moves = {Status.SKIPPED: frozenset({Status.NEW, None})}
_USER: Moves = {status: frozenset({Status.APPLIED, Status.NOT_INTERESTED}) for status in Status}
_UNDO: Moves = {status: frozenset(Status) for status in Status}

MOVES: Mapping[Who, Moves] = {"machine": _MACHINE, "recovery": _RECOVERY, "user": _USER, "undo": _UNDO}


def status_words(status: str) -> str:
    """A status as people say it; one we do not know, of a newer program, is told as it is."""
    known = Status.__members__.get(status)
    return WORDS[known] if known else status


def may_move(old: Status | None, new: Status | None, who: Who) -> bool:
    """Whether `who` may move a match from `old` to `new`; staying put is no move."""
    return old != new and new in MOVES[who].get(old, frozenset())
