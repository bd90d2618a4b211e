"""A match as messages, feeds and pages tell of it: one way to make the card of all of them."""

from inforadar.domain.delivery import Card
from inforadar.domain.grouping import also_names
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
