"""`/api/why`: the whole story of one listing, also of one that was never collected."""

from typing import Annotated

from fastapi import APIRouter, HTTPException, Query
from fastapi.exceptions import RequestValidationError

from inforadar.interfaces.story_asked import is_nowhere, story_of
from inforadar.interfaces.story_shape import story_json
from inforadar.interfaces.web.answers import Json, Radar
from inforadar.interfaces.web.asked import WhyAsked
from inforadar.interfaces.web.problems import documented
from inforadar.interfaces.web.shown_story import StoryShown
from inforadar.service.story_words import headline

NO_QUESTION = "is no id and no address: give the id of a match, `source:number`, or the address of a listing"

router = APIRouter(prefix="/api", tags=["items"])


@router.get("/why", response_model=StoryShown, responses=documented(404, 422))
def tell_why(radar: Radar, asked: Annotated[WhyAsked, Query()]) -> Json:
    """The whole story of one listing, as `radar why --json` prints it.

    A listing that was never seen is an answer: it says which queries should have shown it and how far they have read.
    A number that no match and no listing has is 404.
    """
    story = story_of(radar.app, asked.q)
    if story is None:
        raise RequestValidationError([{"loc": ("query", "q"), "msg": NO_QUESTION}])
    if is_nowhere(story):
        raise HTTPException(404, f"{headline(story).capitalize()}.")
    return Json(story_json(story))
