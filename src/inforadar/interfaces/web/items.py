"""`/api/items`: matches, listed and one by one."""

from typing import Annotated

from fastapi import APIRouter, Query

from inforadar.collect.report import moment
from inforadar.interfaces.shapes import history_json, item_json, work_json
from inforadar.interfaces.web.answers import Json, Radar, nowhere
from inforadar.interfaces.web.asked import Id, ItemFilters
from inforadar.interfaces.web.cursor import LARGEST_ID, from_cursor, to_cursor
from inforadar.interfaces.web.problems import documented
from inforadar.interfaces.web.shown import ItemPage, MatchShown
from inforadar.store import analyses, deliveries, inbox, item_changes, matches
from inforadar.store.inbox import Page, Wanted

router = APIRouter(prefix="/api/items", tags=["items"])


@router.get("", response_model=ItemPage, responses=documented(422))
def list_items(radar: Radar, filters: Annotated[ItemFilters, Query()]) -> Json:
    """Matches, the newest publication first.

    `next` goes on below the last match of the page: no match comes twice and none is left out while new ones arrive.
    Where next to none fit the filters, a page looks no further than 15,000 items back: it may be short or empty, and
    `next` goes on from there.
    """
    now = radar.app.clock.now()
    with radar.app.database.reading() as tx:
        wanted = Wanted(
            watch=filters.watch,
            source=filters.source,
            statuses=tuple(dict.fromkeys(filters.status)),
            topic=filters.topic,
            text=filters.text,
            min_score=filters.min_score,
            published_after=filters.published_after,
            put_off_at=now if filters.later is True else None,
            due_at=now if filters.later is False else None,
        )
        below = from_cursor(filters.before) if filters.before else None
        part = inbox.page(tx, wanted, below=below, limit=filters.limit)
    return Json({"items": [item_json(match) for match in part.found], "next": _following(part, filters.limit)})


@router.get("/{match_id}", response_model=MatchShown, responses=documented(404, 422))
def show_item(radar: Radar, match_id: Id) -> Json:
    """Everything known of one match: its item, the history of its fields, status changes, verdicts and deliveries.

    The id is that of the match, as `radar items` prints it; its `item_id` is what `/api/vacancies` is asked by.
    """
    with radar.app.database.reading() as tx:
        match = matches.get(tx, match_id)
        if match is None:
            raise nowhere(f"match {match_id}")
        history = history_json(item_changes.of_item(tx, match.item_id), matches.events(tx, match_id))
        work = work_json(analyses.of_match(tx, match_id), deliveries.of_match(tx, match_id))
    own = {"later_until": moment(match.later_until), "note": match.note}
    return Json(item_json(match) | own | history | work)


def _following(part: Page, limit: int) -> str | None:
    """Where the list goes on; None = it is at its end."""
    if part.walked_to is not None:
        return to_cursor(part.walked_to, LARGEST_ID)
    if len(part.found) < limit:
        return None
    return to_cursor(part.found[-1].published_at, part.found[-1].id)
