"""The inbox: matches by tabs and filters, each as a card that can be decided on."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from inforadar.interfaces.web.answers import Json, Radar
from inforadar.interfaces.web.asked import LARGEST_ID
from inforadar.interfaces.web.cursor import LONGEST, to_cursor
from inforadar.interfaces.web.pages.forms import Form
from inforadar.interfaces.web.pages.pinned import matching, read_pin
from inforadar.interfaces.web.pages.rendering import page
from inforadar.interfaces.web.pages.wanted import TABS, Choice, Tab, read_choice, read_place
from inforadar.pipeline.cards import card_of
from inforadar.sinks.card_words import clean, facts
from inforadar.store import acts, inbox, moves
from inforadar.store.acts import ActView
from inforadar.store.database import Tx
from inforadar.store.inbox import Count, Page
from inforadar.store.matches import MatchView

SHOWN = 50
MOST_SKILLS = 6
LONGEST_SKILL = 40
AGES = ((1, "a day"), (3, "3 days"), (7, "a week"), (30, "a month"), (90, "3 months"))
SCORES = ("0.5", "0.6", "0.7", "0.8", "0.9")

router = APIRouter(include_in_schema=False)

Below = Annotated[str | None, Query(max_length=LONGEST)]
Done = Annotated[int | None, Query(ge=1, le=LARGEST_ID)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One match as its card shows it."""

    match: MatchView
    facts: list[str]
    skills: list[str]
    is_put_off: bool


@router.get("/")
def show_inbox(request: Request, radar: Radar, below: Below = None, done: Done = None) -> Response:
    """A page of the inbox."""
    choice, now = read_choice(request.query_params), radar.app.clock.now()
    with radar.app.database.reading() as tx:
        part = inbox.page(tx, choice.wanted(now), below=read_place(below), limit=SHOWN + 1)
        entries = entries_of(tx, part.found[:SHOWN], now)
        counts = [(tab, choice.on(tab).query(), count_of(tx, tab, now)) for tab in TABS]
        last_event, act = moves.settled(tx, now), last_act(tx, done)
    return page(
        request,
        "inbox.html",
        now=now,
        choice=choice,
        tabs=counts,
        entries=entries,
        more=_more(choice, part),
        walked_to=part.walked_to,
        is_first=below is None,
        last_event=last_event,
        act=act,
        watches=[watch.name for watch in radar.app.config.watches],
        sources=sorted({query.source for watch in radar.app.config.watches for query in watch.queries}),
        ages=AGES,
        scores=SCORES,
    )


@router.get("/matching")
def count_matching(request: Request, radar: Radar) -> Json:
    """How many matches the filters leave on a page, for "select all", counted no further than one act can take."""
    asked = request.query_params
    pin = read_pin(Form({name: asked.getlist(name) for name in asked}), radar.app.clock.now())
    with radar.app.database.reading() as tx:
        found = matching(tx, read_choice(asked), pin)
    return Json({"number": len(found.versions), "is_more": found.is_more})


def entries_of(tx: Tx, found: list[MatchView], now: datetime) -> list[Entry]:
    """The cards of these matches."""
    skills = inbox.skills(tx, [match.id for match in found])
    return [_entry(match, skills.get(match.id, ()), now) for match in found]


def count_of(tx: Tx, tab: Tab, now: datetime) -> Count | None:
    """How many matches a tab has; None = nobody counts all there are."""
    if tab.is_later:
        return inbox.count_put_off(tx, now)
    return inbox.count(tx, tab.statuses, now if tab.hides_put_off else None) if tab.statuses else None


def facts_of(match: MatchView) -> list[str]:
    """For what price, who, where and for how much, as messages tell it too."""
    return facts(card_of(match))


def _entry(match: MatchView, skills: tuple[str, ...], now: datetime) -> Entry:
    return Entry(
        match=match,
        facts=facts_of(match),
        skills=[clean(skill, LONGEST_SKILL) for skill in skills[:MOST_SKILLS]],
        is_put_off=match.later_until is not None and match.later_until > now,
    )


def _more(choice: Choice, part: Page) -> str | None:
    """Where the list goes on, as the query part of an address."""
    if part.walked_to is not None:
        return choice.query(below=to_cursor(part.walked_to, LARGEST_ID))
    if len(part.found) <= SHOWN:
        return None
    last = part.found[SHOWN - 1]
    return choice.query(below=to_cursor(last.published_at, last.id))


def last_act(tx: Tx, act_id: int | None) -> ActView | None:
    """What was just decided, if it can be undone."""
    act = acts.get(tx, act_id) if act_id else None
    return act if act and act.verb != "undo" and act.undone_by is None else None
