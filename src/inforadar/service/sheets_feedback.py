"""What the user writes into the sheet: a decision, a note, or both; it becomes triage once, and can be undone.

A cell counts when it has changed since it was last read. A cell that has not changed says nothing new, so that a
decision made elsewhere stands. If both changed between two readings the later one wins; a cell does not tell when it
was changed, so it is taken to have been in the middle between the readings. Both are kept in the history of the
match, and the log tells of it. A decision taken out of its cell is undone, if nothing was decided since.
Invariant: a decision and the memory of the cell it came from are one transaction.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from inforadar.domain.folding import views
from inforadar.observe.log import get_log
from inforadar.observe.printable import printable
from inforadar.service.triage import Decision, Triage
from inforadar.store import acts, matches
from inforadar.store.acts import ActView
from inforadar.store.database import Tx

WHO = "sheets"
LONGEST_NOTE = 2000
WORDS: Mapping[Decision, str] = {
    "applied": """applied, apply, i applied, have applied, sent, done, откликнулся, откликнулась, отклик,
        отклик отправлен, отправлено, отправил, отправила, подал, подала, подано, aplicado, aplicada,
        aplique, postulado, postulada, inscrito, inscrita, solicitado, solicitada, enviado, enviada,
        candidatura enviada""",
    "not interested": """not interested, no interest, not for me, uninteresting, no, nope, skip, discard,
        не интересно, неинтересно, не интересует, не подходит, нет, мимо, пропустить,
        no interesa, no me interesa, no interesado, no interesada, descartado, descartada, descartar, paso""",
    "later": """later, maybe, maybe later, postpone, postponed, snooze, not now, remind me, позже, потом, не сейчас,
        отложить, отложено, напомнить, luego, mas tarde, despues, posponer, pospuesto, pospuesta, quizas, ahora no""",
}
_AFTER_DECISION = re.compile(r"\s*[:;,.!(–—]\s*|\s+-\s+")

log = get_log("service")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What the cells of one row say."""

    verb: Decision | None = None
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """What came of a changed cell."""

    verb: Decision | None = None
    decided: int = 0
    undone: int = 0
    noted: int = 0
    conflicts: int = 0


def read_wish(feedback: str, note: str) -> Wish:
    """A decision in one of its words, perhaps with a remark behind it; any other text is a note."""
    # a cell holds up to 50,000 characters, and no expression should look at them all
    feedback, note = feedback[:LONGEST_NOTE], note[:LONGEST_NOTE]
    verb = _DECISIONS.get(_folded(feedback))
    remark = "" if verb else feedback
    if verb is None:
        head, *rest = _AFTER_DECISION.split(feedback, maxsplit=1)
        verb = _DECISIONS.get(_folded(head))
        remark = rest[0] if verb and rest else feedback
    parts = [printable(part).strip(" )") if verb else printable(part).strip() for part in (remark, note)]
    return Wish(verb=verb, note="; ".join(filter(None, parts))[:LONGEST_NOTE])


def is_after_cell(decided_at: datetime, read_at: datetime, now: datetime) -> bool:
    """Whether a decision is later than the change of a cell, which came at some time between `read_at` and `now`."""
    return decided_at > read_at + (now - read_at) / 2


def hear(
    tx: Tx, triage: Triage, match_ids: Sequence[int], before: Wish, after: Wish, read_at: datetime, now: datetime
) -> Heard:
    """Let a changed row count for its matches; `before` is what it said at `read_at`."""
    decided = undone = noted = conflicts = 0
    if after.verb and after.verb != before.verb:
        rivals = {match_id: act for match_id in match_ids if (act := _rival(tx, match_id, after.verb, read_at))}
        beaten = {match_id for match_id, act in rivals.items() if is_after_cell(act.at, read_at, now)}
        for match_id, rival in rivals.items():
            _tell_both(tx, match_id, after.verb, rival, is_beaten=match_id in beaten, now=now)
        decided = _decide(tx, triage, [one for one in match_ids if one not in beaten], after.verb)
        conflicts = len(rivals)
    elif before.verb and not after.verb:
        undone = sum(_take_back(tx, triage, match_id) for match_id in match_ids)
    if after.note != before.note:
        for match_id in match_ids:
            matches.annotate(tx, match_id, after.note or None, now)
        noted = 1
    return Heard(verb=after.verb, decided=decided, undone=undone, noted=noted, conflicts=conflicts)


def _decide(tx: Tx, triage: Triage, match_ids: Sequence[int], verb: Decision) -> int:
    act = triage.mark(tx, match_ids, verb, WHO)
    for match_id, why in act.unchanged.items():
        log.info("the sheet decides nothing new", match=match_id, verb=verb, why=why)
    return len(act.changed)


def _take_back(tx: Tx, triage: Triage, match_id: int) -> bool:
    last = acts.last_of_match(tx, match_id)
    act = acts.get(tx, last) if last else None
    if act is None or act.who != WHO:
        return False
    return bool(triage.undo(tx, WHO, act.id, match_id).changed)


def _rival(tx: Tx, match_id: int, verb: Decision, read_at: datetime) -> ActView | None:
    """What else was decided elsewhere since the cell was last read, and still holds."""
    last = acts.last_of_match(tx, match_id)
    act = acts.get(tx, last) if last else None
    is_rival = act is not None and act.verb != verb and act.who != WHO and act.at > read_at
    return act if is_rival else None


def _tell_both(tx: Tx, match_id: int, verb: Decision, rival: ActView, *, is_beaten: bool, now: datetime) -> None:
    """Two decisions were meant; the one that does not count is kept in the history too."""
    log.warning(
        "decided twice, in the sheet and elsewhere: the later one wins",
        match=match_id,
        sheet=verb,
        elsewhere=rival.verb,
        who=rival.who,
        at=rival.at.isoformat(),
        wins=rival.who if is_beaten else WHO,
    )
    standing = matches.lock(tx, [match_id]).get(match_id)
    if is_beaten and standing:
        why = f"{verb}, but {rival.verb} was decided later ({rival.who})"
        matches.note(tx, match_id, standing.status, standing.status, who=WHO, why=why, now=now)


def _folded(text: str) -> str:
    return views(text)[0].strip(" .!✓✔✅❌")


_DECISIONS: Mapping[str, Decision] = {
    _folded(word): verb for verb, words in WORDS.items() for word in " ".join(words.split()).split(", ")
}
