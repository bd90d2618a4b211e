"""What the user decides on the page: by a form, or by our script, which shows it at once and may have to take it back.

A decision names the version of the match that the user saw. A match that changed since then is left as it is and told.
"""

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any

from fastapi import APIRouter, HTTPException, Request
from starlette.responses import Response

from inforadar.domain.status import status_words
from inforadar.interfaces.web.answers import Json, Parts, Radar
from inforadar.interfaces.web.pages.forms import Form, OwnForm, go_to, own_path, wants_json
from inforadar.interfaces.web.pages.pinned import matching, read_pin, read_versions, whole
from inforadar.interfaces.web.pages.places import told_place
from inforadar.interfaces.web.pages.wanted import read_query
from inforadar.service.triage import DECISIONS, Act
from inforadar.store import acts, inbox, matches
from inforadar.store.database import Tx
from inforadar.store.inbox import Place

WHO = "web"
CHANGED = "It changed since this page was made: it is {} now. Load the page again, and decide anew."

router = APIRouter(include_in_schema=False)


@router.post("/triage")
def decide(request: Request, radar: Radar, form: OwnForm) -> Response:
    """Decide on one match, on many, or on all that the filters leave."""
    verb = form.one("verb")
    if verb not in DECISIONS:
        raise HTTPException(422, "There is no such decision.")
    with radar.app.database.transaction() as tx:
        seen, left = _seen(tx, radar, form)
        matches.lock(tx, seen)  # nobody moves them between the look at their versions and the decision
        conflicts = _conflicts(tx, seen)
        act = radar.triage.mark(tx, [one for one in seen if one not in conflicts], verb, WHO)
        places = inbox.places(tx, seen)
    if wants_json(request):
        status = 409 if conflicts and not act.changed else 200
        return Json(_told(act, radar.app.clock.now(), places, conflicts.values(), left), status)
    if conflicts and not act.changed:
        now = next(iter(conflicts.values())).status
        raise HTTPException(409, CHANGED.format(status_words(now)))
    return _back(form, act)


@router.post("/undo")
def undo(request: Request, radar: Radar, form: OwnForm) -> Response:
    """Take back one act, or the last one that can be."""
    act_id = whole(form.one("act")) if form.one("act") else None
    with radar.app.database.transaction() as tx:
        if act_id is not None and acts.get(tx, act_id) is None:
            raise HTTPException(404, "There is no such decision.")
        act = radar.triage.undo(tx, WHO, act_id)
        places = inbox.places(tx, act.changed)
    if wants_json(request):
        return Json(_told(act, radar.app.clock.now(), places), 200 if act.changed else 409)
    if not act.changed:
        raise HTTPException(409, "There is nothing to undo, or it was decided anew since.")
    return _back(form, act)


def _seen(tx: Tx, radar: Parts, form: Form) -> tuple[Mapping[int, int], int]:
    """The matches that a form means, each with the version that was seen, and how many it leaves alone."""
    if form.one("within"):
        found = matching(tx, read_query(form.one("within")), read_pin(form, radar.app.clock.now()))
        return found.versions, found.left
    named = read_versions(form)
    if not named:
        raise HTTPException(422, "Name at least one match.")
    return named, 0


def _conflicts(tx: Tx, seen: Mapping[int, int]) -> dict[int, Place]:
    return {one.id: one for one in inbox.places(tx, seen).values() if one.version != seen[one.id]}


def _told(
    act: Act, now: datetime, places: Mapping[int, Place], conflicts: Collection[Place] = (), left: int = 0
) -> dict[str, Any]:
    return {
        "act": act.id,
        "verb": act.verb,
        "changed": [told_place(places[one], now) for one in act.changed if one in places],
        "unchanged": [{"id": match_id, "why": why} for match_id, why in act.unchanged.items()],
        "conflicts": [told_place(one, now) for one in conflicts],
        "left": left,
    }


def _back(form: Form, act: Act) -> Response:
    """The page somebody came from, with the way to undo what was decided there."""
    path = own_path(form.one("back"))
    if act.id is None or act.verb == "undo":
        return go_to(path)
    return go_to(f"{path}{'&' if '?' in path else '?'}done={act.id}")
