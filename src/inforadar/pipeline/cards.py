"""A match as messages, feeds and pages tell of it: one way to make the card of all of them."""

from dataclasses import replace
from datetime import datetime

from inforadar.domain.delivery import Card
from inforadar.domain.grouping import also_names
from inforadar.store import acts
from inforadar.store.database import Tx
from inforadar.store.matches import MatchView


def card_of(match: MatchView) -> Card:
    """What is told of a match whoever asks; what a message adds to that (buttons, reminders) is not in it."""
    return Card(
        match_id=match.id,
        source=match.source,
        key=match.key,
        kind=match.kind,
        watch=match.watch,
        url=match.url,
        title=match.title,
        company=match.company,
        published_at=match.published_at,
        status=match.status,
        score=match.score,
        reason=match.reason,
        also_on=also_names(match.source, match.also_on),
        data=match.data,
    )


def card_now(tx: Tx, match: MatchView, now: datetime) -> Card:
    """A match as a message shows it now."""
    is_put_off = match.later_until is not None and match.later_until > now
    return replace(
        card_of(match),
        act_id=acts.last_of_match(tx, match.id),
        later_until=match.later_until if is_put_off else None,
        is_reminder=match.later_until is not None and not is_put_off,
    )
