"""What the user decides over the REST API: applied, not interested, later, and undo."""

from typing import Annotated

from fastapi import APIRouter, Body, HTTPException, Query

from inforadar.domain.item import ItemId
from inforadar.interfaces.shapes import act_json, decision_json
from inforadar.interfaces.web.answers import WHO, Json, Parts, Radar, nowhere
from inforadar.interfaces.web.asked import ActFilters, Id, Marking, Undoing
from inforadar.interfaces.web.problems import ON_CHANGES, documented
from inforadar.interfaces.web.shown import Acts, DecisionShown
from inforadar.service.triage import Decision
from inforadar.store import acts, items, matches

router = APIRouter(prefix="/api", tags=["triage"])

ON_VACANCIES = documented(404, 422, *ON_CHANGES)


@router.post("/vacancies/{vacancy_id}/mark-applied", response_model=DecisionShown, responses=ON_VACANCIES)
def mark_applied(radar: Radar, vacancy_id: Id) -> Json:
    """The user has applied to this vacancy.

    The id is that of the vacancy itself (`item_id` of a match): every match of it, of whichever watch, is marked.
    Doing it again changes nothing.
    """
    return _mark_vacancy(radar, vacancy_id, "applied")


@router.post("/vacancies/{vacancy_id}/mark-not-interested", response_model=DecisionShown, responses=ON_VACANCIES)
def mark_not_interested(radar: Radar, vacancy_id: Id) -> Json:
    """The user is not interested in this vacancy; on every match of it, as `mark-applied`."""
    return _mark_vacancy(radar, vacancy_id, "not interested")


@router.post("/vacancies/{vacancy_id}/mark-later", response_model=DecisionShown, responses=ON_VACANCIES)
def mark_later(radar: Radar, vacancy_id: Id) -> Json:
    """The user puts this vacancy off; every match of it that is not decided yet, as `mark-applied`."""
    return _mark_vacancy(radar, vacancy_id, "later")


@router.post("/items/mark", response_model=DecisionShown, responses=documented(400, 422, *ON_CHANGES))
def mark_items(radar: Radar, marking: Marking) -> Json:
    """Decide on many matches as one act, which one undo takes back.

    Matches that are not there or are marked so already stay in `unchanged` with the reason.
    """
    with radar.app.database.transaction() as tx:
        return Json(decision_json(radar.triage.mark(tx, marking.ids, marking.verb, WHO)))


@router.post("/undo", response_model=DecisionShown, responses=documented(400, 404, 409, 422, *ON_CHANGES))
def undo(radar: Radar, undoing: Annotated[Undoing | None, Body()] = None) -> Json:
    """Take back one act, or the last one that can be; matches with a newer decision stay as they are."""
    act_id = undoing.act_id if undoing else None
    with radar.app.database.transaction() as tx:
        if act_id is not None and acts.get(tx, act_id) is None:
            raise nowhere(f"act {act_id}")
        act = radar.triage.undo(tx, WHO, act_id)
    if act.id is None:
        why = "; ".join(sorted(set(act.unchanged.values()))) or "it is an undo, or undone already"
        raise HTTPException(409, f"Act {act_id} cannot be undone: {why}." if act_id else "There is nothing to undo.")
    return Json(decision_json(act))


@router.get("/acts", response_model=Acts, responses=documented(422))
def list_acts(radar: Radar, filters: Annotated[ActFilters, Query()]) -> Json:
    """What the user decided last, by whichever door, and what of it can be undone."""
    with radar.app.database.reading() as tx:
        found = acts.latest(tx, only_undoable=filters.can_undo, limit=filters.limit)
    return Json({"acts": [act_json(act) for act in found]})


def _mark_vacancy(radar: Parts, vacancy_id: int, verb: Decision) -> Json:
    with radar.app.database.transaction() as tx:
        item = items.get(tx, ItemId(vacancy_id))
        if item is None or item.kind != "vacancy":
            raise nowhere(f"vacancy {vacancy_id}")
        match_ids = matches.of_item(tx, ItemId(vacancy_id))
        return Json(decision_json(radar.triage.mark(tx, match_ids, verb, WHO)))
