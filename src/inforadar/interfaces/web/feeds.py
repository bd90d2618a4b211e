"""`/feeds`: the matches of each watch as RSS and Atom, for any feed reader."""

import hashlib
from typing import Annotated, Any

from fastapi import APIRouter, Header, Path, Query, Request
from pydantic import Field
from starlette.responses import Response

from inforadar.domain.status import Status
from inforadar.interfaces.export.feeds import MEDIA_TYPES, NEWEST, RENDERERS, SHOWN, Feed, FeedKind
from inforadar.interfaces.export.reading import every_match
from inforadar.interfaces.web.answers import Parts, Radar, nowhere
from inforadar.interfaces.web.asked import LONGEST_TEXT, Asked
from inforadar.interfaces.web.problems import documented
from inforadar.store import query_states

router = APIRouter(prefix="/feeds", tags=["feeds"])


class FeedFilters(Asked):
    """Which matches a feed shows."""

    status: list[Status] = Field(
        [Status(one) for one in SHOWN],
        description="Only these statuses, instead of those that were found relevant; may be repeated.",
        max_length=len(Status),
    )
    limit: int = Field(NEWEST, ge=1, le=500)


Name = Annotated[str, Path(min_length=1, max_length=LONGEST_TEXT, description="The name of a watch.")]
Filters = Annotated[FeedFilters, Query()]
Known = Annotated[str | None, Header(alias="If-None-Match", max_length=1000)]


def _documented(kind: FeedKind) -> dict[int | str, dict[str, Any]]:
    feed = {"description": "The feed", "content": {MEDIA_TYPES[kind]: {"schema": {"type": "string"}}}}
    return {200: feed, 304: {"description": "It is as the ETag in If-None-Match says"}, **documented(404, 422)}


@router.get("/{watch:path}.rss", response_class=Response, responses=_documented("rss"))
def show_rss(radar: Radar, request: Request, watch: Name, filters: Filters, known: Known = None) -> Response:
    """The newest matches of a watch as RSS 2.0."""
    return _answer("rss", radar, request, watch, filters, known)


@router.get("/{watch:path}.atom", response_class=Response, responses=_documented("atom"))
def show_atom(radar: Radar, request: Request, watch: Name, filters: Filters, known: Known = None) -> Response:
    """The newest matches of a watch as Atom 1.0."""
    return _answer("atom", radar, request, watch, filters, known)


def _answer(
    kind: FeedKind, radar: Parts, request: Request, watch: str, filters: FeedFilters, known: str | None
) -> Response:
    if watch not in _watches(radar):
        raise nowhere("such watch")
    feed = Feed(name=watch, address=str(request.url.replace(query="")))
    found = every_match(radar.app.database, [watch], statuses=filters.status, limit=filters.limit)
    body = "".join(RENDERERS[kind](feed, found)).encode()
    mark = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
    # a reader may keep it, and asks each time whether it is still good
    headers = {"ETag": mark, "Cache-Control": "private, no-cache"}
    if is_known(mark, known):
        return Response(status_code=304, headers=headers)
    return Response(body, headers=headers, media_type=f"{MEDIA_TYPES[kind]}; charset=utf-8")


def is_known(mark: str, known: str | None) -> bool:
    """Whether an If-None-Match header names this ETag, weakly or not, or takes any."""
    marks = [one.strip().removeprefix("W/") for one in (known or "").split(",")]
    return mark in marks or marks == ["*"]


def _watches(radar: Parts) -> set[str]:
    """The watches of the configuration, and those the store has from earlier ones."""
    with radar.app.database.reading() as tx:
        stored = {state.watch for state in query_states.all(tx)}
    return stored | {one.name for one in radar.app.config.watches}
