"""Where matches stand, as our script is told."""

from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Query

from inforadar.domain.status import status_words
from inforadar.interfaces.web.answers import Json, Radar
from inforadar.interfaces.web.asked import MOST_AT_ONCE, BodyId
from inforadar.store import inbox
from inforadar.store.inbox import Place

router = APIRouter(include_in_schema=False)

Ids = Annotated[list[BodyId], Query(alias="id", max_length=MOST_AT_ONCE)]


@router.get("/places")
def tell_places(radar: Radar, ids: Ids) -> Json:
    """Where these matches stand, for a page that did not hear what came of a decision."""
    with radar.app.database.reading() as tx:
        places = inbox.places(tx, ids)
    now = radar.app.clock.now()
    return Json({"matches": [told_place(one, now) for one in places.values()]})


def told_place(one: Place, now: datetime) -> dict[str, Any]:
    """The place of one match, and the version that the next decision on it must name."""
    is_put_off = one.later_until is not None and one.later_until > now
    words = status_words(one.status)
    return {"id": one.id, "status": one.status, "words": words, "version": one.version, "is_put_off": is_put_off}
