"""Triage: the one door for what the user decides, from the page, the terminal, Telegram and the REST API.

Every act is logged with its inverse and can be undone, a batch as one. The newest act of the user on a match is the
one that holds: an undo never takes back an older act over a newer one, and the machine never moves a match that the
user has decided on.
Invariant: what an act changes (status, putting off, unsent deliveries, the message that shows it) is one transaction.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Literal, get_args

from inforadar.domain.delivery import DECIDED, NOT_OPEN, PUT_OFF, TABLES, WAITING
from inforadar.domain.ports import Clock
from inforadar.domain.status import Status
from inforadar.pipeline.routes import deliver_job, edit_job
from inforadar.store import acts, deliveries, jobs, matches
from inforadar.store.acts import Deed
from inforadar.store.database import Tx
from inforadar.store.deliveries import Delivery
from inforadar.store.matches import Standing

Decision = Literal["applied", "not interested", "later"]
DECISIONS: tuple[Decision, ...] = get_args(Decision)
STATUS_OF: Mapping[Decision, Status] = {"applied": Status.APPLIED, "not interested": Status.NOT_INTERESTED}
LATER = timedelta(hours=24)


@dataclass(frozen=True, slots=True, kw_only=True)
class Act:
    """What came of a decision: the matches it changed, and why the others stayed as they are.

    `id` names the act for an undo; None = nothing was changed.
    """

    id: int | None
    verb: str
    changed: tuple[int, ...] = ()
    unchanged: Mapping[int, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Triage:
    """Carries out the user's decisions, inside the caller's transaction."""

    clock: Clock
    later: timedelta = LATER

    def mark(self, tx: Tx, match_ids: Collection[int], verb: Decision, who: str) -> Act:
        """Decide on matches; `who` says through which door. Doing the same again changes nothing."""
        now = self.clock.now()
        found = matches.lock(tx, match_ids)
        unchanged = {match_id: "there is no such match" for match_id in match_ids if match_id not in found}
        unchanged |= {one.id: why for one in found.values() if (why := _refusal(one, verb, now))}
        chosen = [one for one in found.values() if one.id not in unchanged]
        if not chosen:
            return Act(id=None, verb=verb, unchanged=unchanged)
        act_id = acts.add(tx, verb=verb, who=who, now=now)
        for one in chosen:
            self._apply(tx, one, verb, matches.Act(id=act_id, who=who, later_before=one.later_until), now)
        return Act(id=act_id, verb=verb, changed=tuple(one.id for one in chosen), unchanged=unchanged)

    def undo(self, tx: Tx, who: str, act_id: int | None = None, match_id: int | None = None) -> Act:
        """Take back one act, or the last one that can be, on all its matches or on one of them.

        Matches with a newer decision stay as they are.
        """
        now = self.clock.now()
        if act_id is None:
            last = acts.latest(tx, only_undoable=True, limit=1)
            if not last:
                return Act(id=None, verb="undo")
            act_id = last[0].id
        standing = matches.lock(tx, [deed.match_id for deed in acts.deeds(tx, act_id)])
        # read again behind the lock: whoever held it may have decided anew, or undone the same
        deeds = {deed.match_id: deed for deed in acts.deeds(tx, act_id) if match_id in (None, deed.match_id)}
        chosen = [deed for deed in deeds.values() if deed.last_act == act_id and deed.match_id in standing]
        unchanged = dict.fromkeys(deeds.keys() - {deed.match_id for deed in chosen}, "decided anew since")
        original = acts.get(tx, act_id)
        if not chosen or original is None or original.verb == "undo":
            return Act(id=None, verb="undo", unchanged=unchanged)
        undoing = acts.add(tx, verb="undo", who=who, now=now)
        for deed in chosen:
            acts.undone(tx, act_id, deed.match_id, by=undoing)
            self._restore(tx, standing[deed.match_id], deed, matches.Act(id=undoing, who=who), now)
        return Act(id=undoing, verb="undo", changed=tuple(deed.match_id for deed in chosen), unchanged=unchanged)

    def _apply(self, tx: Tx, one: Standing, verb: Decision, act: matches.Act, now: datetime) -> None:
        if verb == "later":
            until = now + self.later
            matches.put_off(tx, one.id, until, now)
            matches.note(tx, one.id, one.status, one.status, who=act.who, why=PUT_OFF, now=now, act=act)
            self._hold_deliveries(tx, one.id, act, until, now)
            return
        if one.later_until:
            matches.put_off(tx, one.id, None, now)
        matches.move(tx, one.id, one.status, STATUS_OF[verb], who="user", why=verb, now=now, act=act)
        for delivery in deliveries.of_match(tx, one.id):
            if delivery.reference is None and delivery.state in WAITING:
                deliveries.write(tx, delivery, replace(delivery, state="left out", why=DECIDED), now)
            elif delivery.state == "held":
                deliveries.write(tx, delivery, replace(delivery, state="sent", why=None), now)
            _refresh(tx, delivery, act)

    def _restore(self, tx: Tx, one: Standing, deed: Deed, act: matches.Act, now: datetime) -> None:
        if one.later_until != deed.later_before:
            matches.put_off(tx, one.id, deed.later_before, now)
        if one.status is deed.from_status:
            matches.note(tx, one.id, one.status, one.status, who=act.who, why="undo", now=now, act=act)
        else:
            matches.move(tx, one.id, one.status, deed.from_status, who="undo", why="undo", now=now, act=act)
        if deed.later_before:
            self._hold_deliveries(tx, one.id, act, deed.later_before, now)
            return
        for delivery in deliveries.of_match(tx, one.id):
            if delivery.state == "left out" and delivery.why in (DECIDED, NOT_OPEN):
                self._send(tx, delivery, now)
            elif delivery.state == "held" and delivery.why == PUT_OFF:
                self._resume(tx, delivery, now)
            _refresh(tx, delivery, act)

    def _hold_deliveries(self, tx: Tx, match_id: int, act: matches.Act, until: datetime, now: datetime) -> None:
        """What was put off comes again through the outbox when its time has come."""
        for delivery in deliveries.of_match(tx, match_id):
            if delivery.sink in TABLES:  # a table shows it as put off, and has nothing to send again
                continue
            if delivery.state in WAITING | {"sent"}:
                held = replace(delivery, state="held", why=PUT_OFF, due_at=until)
                deliveries.write(tx, delivery, held, now)
                jobs.put(tx, [deliver_job(delivery.id, delivery.sink, until)])
            _refresh(tx, delivery, act)

    def _resume(self, tx: Tx, delivery: Delivery, now: datetime) -> None:
        """What was put off stands as it did before: sent, or on its way."""
        if delivery.reference:
            deliveries.write(tx, delivery, replace(delivery, state="sent", why=None), now)
        else:
            self._send(tx, delivery, now)

    def _send(self, tx: Tx, delivery: Delivery, now: datetime) -> None:
        deliveries.write(tx, delivery, replace(delivery, state="waiting", why=None, due_at=now), now)
        if delivery.sink not in TABLES:
            jobs.put(tx, [deliver_job(delivery.id, delivery.sink)])


def _refusal(one: Standing, verb: Decision, now: datetime) -> str | None:
    """Why a decision changes nothing."""
    if verb == "later":
        if one.status in STATUS_OF.values():
            return f"it is marked as {_words(one.status)} already"
        return "it is put off already" if one.later_until and one.later_until > now else None
    return f"it is {_words(one.status)} already" if one.status is STATUS_OF[verb] else None


def _words(status: Status) -> str:
    return status.value.replace("_", " ").lower()


def _refresh(tx: Tx, delivery: Delivery, act: matches.Act) -> None:
    """The message that shows the match, if there is one, is to show the decision."""
    for reference in deliveries.messages(tx, delivery.id):
        jobs.put(tx, [edit_job(reference, delivery.sink, f"act {act.id}")])
