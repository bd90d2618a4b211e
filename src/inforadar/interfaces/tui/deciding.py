"""Deciding on matches and taking decisions back: what came of it, as values and in words.

A decision is on matches as they were seen: one that changed since then is left as it is and told, as on the web page.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from inforadar.bootstrap import App
from inforadar.domain.errors import RadarError, StoreError
from inforadar.domain.status import Status
from inforadar.interfaces.cli.table import shorten
from inforadar.interfaces.cli.wording import counted
from inforadar.interfaces.tui.match_lines import status_word
from inforadar.interfaces.tui.match_pages import MatchRow, row_of
from inforadar.service.triage import Act, Decision
from inforadar.store import acts, inbox, matches
from inforadar.store.database import Tx
from inforadar.store.inbox import Place

WHO = "terminal"
NOTHING = "Nothing to decide on."
STAY = "stay as they are"
LONGEST_TITLE = 25
NOT_SAVED = "Not saved: "


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """What came of a decision or of an undo, and how the matches it concerned stand now.

    `conflicts`: those that had changed since they were seen, and were left as they are.
    """

    act: Act
    rows: list[MatchRow]
    can_undo: bool
    conflicts: list[MatchRow] = field(default_factory=list)
    undone: str | None = None


def decide(app: App, tx: Tx, seen: Collection[MatchRow], verb: Decision) -> Decided:
    """Carry out one decision on matches, as far as they stand as they were seen."""
    ids = [row.id for row in seen]
    matches.lock(tx, ids)  # nobody moves them between the look at their versions and the decision
    places = inbox.places(tx, ids)
    moved = {row.id for row in seen if row.id in places and _has_changed(row, places[row.id])}
    act = app.triage().mark(tx, [one for one in ids if one not in moved], verb, WHO)
    conflicts = _rows(tx, moved)
    return Decided(act=act, rows=_rows(tx, act.changed) + conflicts, can_undo=can_undo(tx), conflicts=conflicts)


def undo(app: App, tx: Tx) -> Decided:
    """Take back the last decision that can be."""
    last = acts.latest(tx, only_undoable=True, limit=1)
    act = app.triage().undo(tx, WHO)
    return Decided(act=act, rows=_rows(tx, act.changed), can_undo=can_undo(tx), undone=last[0].verb if last else None)


def can_undo(tx: Tx) -> bool:
    """Whether there is a decision to take back."""
    return bool(acts.latest(tx, only_undoable=True, limit=1))


def _rows(tx: Tx, match_ids: Collection[int]) -> list[MatchRow]:
    found = (matches.get(tx, match_id) for match_id in match_ids)
    return [row_of(match) for match in found if match]


def _has_changed(row: MatchRow, place: Place) -> bool:
    """Whether a match is not what was seen; that it was sent in the meantime is no reason to think again."""
    was_sent = (row.status, place.status) == (Status.ANALYZED.value, Status.SENT_TO_USER.value)
    return place.version != row.version and not (was_sent and place.later_until == row.later_until)


def decision_words(decided: Decided, verb: Decision, now: datetime) -> str:
    """What came of a decision, in one sentence."""
    act, conflicts = decided.act, decided.conflicts
    if not act.changed:
        return _conflict_words(conflicts, now) or "; ".join(dict.fromkeys(act.unchanged.values())) or NOTHING
    stayed = f", {len(act.unchanged)} stay as they are" if act.unchanged else ""
    if conflicts:
        stayed += f", {len(conflicts)} changed meanwhile and {'stays as it is' if len(conflicts) == 1 else STAY}"
    return f"{counted(len(act.changed), 'match', 'matches')}: {verb}{stayed}. z undoes it."


def _conflict_words(conflicts: Sequence[MatchRow], now: datetime) -> str:
    """Why nothing was decided, where everything had changed."""
    if not conflicts:
        return ""
    if len(conflicts) > 1:
        return f"All {len(conflicts)} were changed meanwhile and {STAY}: look at them, and decide anew."
    title = shorten(conflicts[0].title, LONGEST_TITLE)
    return f"{title!r} was changed meanwhile: it is {status_word(conflicts[0], now)} now."


def not_saved_words(error: RadarError) -> str:
    """That nothing came of a key, and why, in one sentence."""
    return f"{NOT_SAVED}{str(error).partition('. ')[0].rstrip('.')}."


def error_words(error: RadarError) -> str:
    """An error in what a line at the foot can hold: without what the database's own library said of it, at length."""
    return str(error).partition(" (")[0] if isinstance(error, StoreError) else str(error)


def undo_words(decided: Decided) -> str:
    """What came of an undo, in one sentence."""
    act = decided.act
    if not act.changed:
        return "; ".join(dict.fromkeys(act.unchanged.values())) or "There is nothing to undo."
    return f"Taken back: {decided.undone or 'the last decision'} on {counted(len(act.changed), 'match', 'matches')}."
