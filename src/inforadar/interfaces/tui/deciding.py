"""Deciding on matches and taking decisions back: what came of it, as values and in words."""

from collections.abc import Collection
from dataclasses import dataclass

from inforadar.bootstrap import App
from inforadar.interfaces.cli.wording import counted
from inforadar.interfaces.tui.match_pages import MatchRow, row_of
from inforadar.service.triage import Act, Decision
from inforadar.store import acts, matches
from inforadar.store.database import Tx

WHO = "terminal"


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """What came of a decision or of an undo, and how the matches it concerned stand now."""

    act: Act
    rows: list[MatchRow]
    can_undo: bool
    undone: str | None = None


def decide(app: App, tx: Tx, match_ids: Collection[int], verb: Decision) -> Decided:
    """Carry out one decision on matches."""
    return _decided(tx, app.triage().mark(tx, match_ids, verb, WHO), None)


def undo(app: App, tx: Tx) -> Decided:
    """Take back the last decision that can be."""
    last = acts.latest(tx, only_undoable=True, limit=1)
    return _decided(tx, app.triage().undo(tx, WHO), last[0].verb if last else None)


def can_undo(tx: Tx) -> bool:
    """Whether there is a decision to take back."""
    return bool(acts.latest(tx, only_undoable=True, limit=1))


def _decided(tx: Tx, act: Act, undone: str | None) -> Decided:
    found = (matches.get(tx, match_id) for match_id in act.changed)
    rows = [row_of(match) for match in found if match]
    return Decided(act=act, rows=rows, can_undo=can_undo(tx), undone=undone)


def decision_words(decided: Decided, verb: Decision) -> str:
    """What came of a decision, in one sentence."""
    act = decided.act
    if not act.changed:
        return "; ".join(dict.fromkeys(act.unchanged.values())) or "Nothing to decide on."
    stayed = f", {len(act.unchanged)} stay as they are" if act.unchanged else ""
    return f"{counted(len(act.changed), 'match', 'matches')}: {verb}{stayed}. z undoes it."


def undo_words(decided: Decided) -> str:
    """What came of an undo, in one sentence."""
    act = decided.act
    if not act.changed:
        return "; ".join(dict.fromkeys(act.unchanged.values())) or "There is nothing to undo."
    return f"Taken back: {decided.undone or 'the last decision'} on {counted(len(act.changed), 'match', 'matches')}."
