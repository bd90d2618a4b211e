"""All matches that the filters leave, as the page showed them: what came or changed since then is nobody's decision."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from fastapi import HTTPException

from inforadar.interfaces.web.asked import LARGEST_ID, MOST_AT_ONCE
from inforadar.interfaces.web.pages.forms import Form
from inforadar.interfaces.web.pages.wanted import Choice
from inforadar.store import inbox, moves
from inforadar.store.database import Tx
from inforadar.store.matches import MatchView

NO_NUMBER = "That is not a number of ours."
EARLIEST = 1980  # no page was made before; a filter by age must find a moment above the first there is


@dataclass(frozen=True, slots=True, kw_only=True)
class Pin:
    """What a page showed: everything up to an event at a moment, and the versions of the matches that are its cards."""

    upto: int
    made: datetime
    cards: Mapping[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Matching:
    """The versions of the matches that one act can take, how many were left alone, and whether there are more."""

    versions: Mapping[int, int]
    left: int
    is_more: bool


def matching(tx: Tx, choice: Choice, pin: Pin) -> Matching:
    """The matches that the filters leave, without those that came or changed since the page was made.

    Where next to none fit, it looks as far back as a page does.
    """
    part = inbox.page(tx, choice.wanted(pin.made), limit=MOST_AT_ONCE + 1, is_grouped=False)
    found = part.found
    moved = moves.moved_since(tx, [one.id for one in found if one.id not in pin.cards], pin.upto)
    shown = [one for one in found if _is_shown(one, pin) and one.id not in moved]
    return Matching(
        versions={one.id: one.version for one in shown[:MOST_AT_ONCE]},
        left=len(found) - len(shown),
        is_more=len(found) > MOST_AT_ONCE or part.walked_to is not None,
    )


def read_pin(form: Form, now: datetime) -> Pin:
    """What a page says that it showed; raises HTTPException for what none of ours says."""
    return Pin(upto=whole(form.one("upto")), made=min(_moment(form.one("made")), now), cards=read_versions(form))


def read_versions(form: Form) -> dict[int, int]:
    """The matches that a form names, each with the version that was seen."""
    pairs = [one.partition(":") for one in form.all("match")]
    if len(pairs) > MOST_AT_ONCE:
        raise HTTPException(422, f"Name at most {MOST_AT_ONCE} matches.")
    return {whole(match_id): whole(version) for match_id, _, version in pairs}


def whole(text: str) -> int:
    """An id or a version; raises HTTPException for what is none."""
    if not (text.isascii() and text.isdigit() and len(text) < 20 and int(text) <= LARGEST_ID):
        raise HTTPException(422, NO_NUMBER)
    return int(text)


def _is_shown(match: MatchView, pin: Pin) -> bool:
    return pin.cards.get(match.id, match.version) == match.version


def _moment(text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise HTTPException(422, "That is not a moment of ours.") from error
    if moment.tzinfo is None or moment.year < EARLIEST:
        raise HTTPException(422, "That is not a moment of ours.")
    return moment
