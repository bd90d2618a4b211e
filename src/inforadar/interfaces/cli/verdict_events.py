"""A match's history with its verdicts in it: each verdict is told once, where it moved the match."""

from collections.abc import Iterator, Sequence

from inforadar.domain.health import moment
from inforadar.service.story_words import Named, event_words, verdict_words
from inforadar.store.analyses import Analysis
from inforadar.store.matches import MatchEvent


def history_lines(
    events: Sequence[MatchEvent], analyses: Sequence[Analysis], named: Named = str
) -> Iterator[tuple[str, Analysis | None]]:
    """A line for each event, then for each verdict that moved nothing; with the verdict that a line tells."""
    untold = list(analyses)
    for event in events:
        verdict = next((one for one in untold if one.reason and one.reason in event.why), None)
        if verdict is None:
            yield f"{moment(event.at)}  {event_words(event, named)}", None
            continue
        untold.remove(verdict)
        moved = f"{named(event.from_status or '')} -> {named(event.to_status)}"
        yield f"{moment(event.at)}  {moved}  {verdict_words(verdict)}", verdict
    for verdict in untold:
        yield f"{moment(verdict.at)}  {verdict_words(verdict)}", verdict
