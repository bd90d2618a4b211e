"""One match with everything known of it: facts, history, verdicts, deliveries, the group, and why it stands there."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from inforadar.domain.item import Item
from inforadar.domain.status import status_words
from inforadar.interfaces.story_asked import is_nowhere, story_of
from inforadar.interfaces.web.answers import Radar, nowhere
from inforadar.interfaces.web.asked import LONGEST_ADDRESS, Id
from inforadar.interfaces.web.pages.fields import INTERNAL, LONG_TEXTS, Field, field_of, fields_of
from inforadar.interfaces.web.pages.inbox import Done, entries_of, last_act
from inforadar.interfaces.web.pages.rendering import page
from inforadar.service.recovery import JUDGE
from inforadar.service.story import Known, MatchStory, Story
from inforadar.service.story_words import (
    coverage_sentence,
    delivery_sentence,
    event_words,
    headline,
    job_sentence,
    left_out,
    pause_sentence,
    query_advice,
    standing,
)
from inforadar.store import matches
from inforadar.store.tombstones import Tombstone

router = APIRouter(include_in_schema=False)

MOVE = "{} → {}: "
Asked = Annotated[str, Query(max_length=LONGEST_ADDRESS)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """The story of one match in sentences."""

    story: MatchStory
    standing: str
    events: Sequence[tuple[Any, str]]
    deliveries: Sequence[str]
    jobs: Sequence[str]


@router.get("/items/{match_id}")
def show_item(request: Request, radar: Radar, match_id: Id, done: Done = None) -> Response:
    """Everything known of one match."""
    now = radar.app.clock.now()
    with radar.app.database.reading() as tx:
        match = matches.get(tx, match_id)
        if match is None:
            raise nowhere(f"match {match_id}")
        (entry,) = entries_of(tx, [match], now)
        act = last_act(tx, done)
    story = story_of(radar.app, str(match_id))
    assert story is not None
    return page(
        request,
        "item.html",
        now=now,
        entry=entry,
        act=act,
        fields=fields_of(match.data),
        texts=[(name, match.data[name]) for name in LONG_TEXTS if isinstance(match.data.get(name), str)],
        **told(story),
    )


@router.get("/why")
def show_why(request: Request, radar: Radar, q: Asked = "") -> Response:
    """The story of any listing, also of one that was never collected."""
    story = story_of(radar.app, q) if q.strip() else None
    now = radar.app.clock.now()
    values = told(story) if story and not is_nowhere(story) else {"headline": "", "stories": [], "queries": []}
    problem = headline(story) if story and is_nowhere(story) else ""
    if q.strip() and story is None:
        problem = "That is no id and no address: give the id of a match, source:number, or the address of a listing."
    plain_values: dict[str, Any] = {"known": None, "left_out": [], "pauses": [], "also": []} | values
    return page(request, "why.html", now=now, q=q, problem=problem, listing=_listing(story), **plain_values)


def _listing(story: Story | None) -> Item | Tombstone | None:
    """What is known of the listing that was asked after, also of one that was left out."""
    if story is None:
        return None
    return story.known.item if story.known else next(iter(story.left_out), None)


def told(story: Story) -> dict[str, Any]:
    """A story as the template tells it."""
    return {
        "headline": headline(story),
        "known": story.known,
        "left_out": [left_out(stone) for stone in story.left_out],
        "stories": [_told(one, story) for one in story.matches],
        "queries": [(one, coverage_sentence(one), query_advice(one, story)) for one in story.queries],
        "changes": [*_changes(story.known)] if story.known else [],
        "pauses": [pause_sentence(story.pauses[name]) for name in _concerned(story) if name in story.pauses],
        "also": story.also,
    }


def _concerned(story: Story) -> list[str]:
    """Whose pause holds this listing up: its source, the judge, and the services it is sent to."""
    sinks = [delivery.sink for one in story.matches for delivery in one.deliveries]
    return list(dict.fromkeys([*filter(None, [story.source]), JUDGE, *sinks]))


def _changes(known: Known) -> Iterator[tuple[datetime, Field, Field]]:
    """When each field became different, with what it was and what it is."""
    for past in known.changes:
        name, data = past.change.field, known.item.data
        if name not in INTERNAL:
            yield past.changed_at, field_of(name, past.change.old, data), field_of(name, past.change.new, data)


def _told(one: MatchStory, story: Story) -> Told:
    return Told(
        story=one,
        standing=standing(one, story),
        events=[(event.at, event_words(event, status_words, MOVE)) for event in one.events],
        deliveries=[
            delivery_sentence(delivery, one.sending(delivery), story.pauses.get(delivery.sink), story.now)
            for delivery in one.deliveries
        ],
        jobs=[job_sentence(job, story.now) for job in one.jobs.values()],
    )
