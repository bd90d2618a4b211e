"""How the story of a listing looks in a terminal."""

from collections.abc import Iterator
from datetime import datetime

import click

from inforadar.domain.health import moment
from inforadar.interfaces.cli.field_words import change_words, field_words
from inforadar.interfaces.cli.output import show
from inforadar.interfaces.cli.table import wrapped
from inforadar.interfaces.cli.verdict_events import history_lines
from inforadar.interfaces.cli.wording import ago
from inforadar.observe.printable import printable
from inforadar.service.story import MatchStory, QueryStory, Story
from inforadar.service.story_words import (
    coverage_sentence,
    delivery_sentence,
    headline,
    job_sentence,
    left_out,
    pause_sentence,
    query_advice,
    sibling_words,
    standing,
)

WIDEST_VALUE = 60
LABEL = 10


def show_story(story: Story) -> None:
    """Print a story: what it comes to, then what is known, then each watch."""
    _heading(story)
    for line in _known_lines(story):
        show(line)
    for stone in story.left_out if story.matches else ():
        _section(f"{stone.watch}  left out")
        _sentence(left_out(stone), 2)
    for one in story.matches:
        _show_match(one, story)
    for query in story.queries:
        _show_query(query, story)
    if not story.queries and not story.matches and not story.left_out and story.source and story.key:
        _sentence(f"No query of yours asks {story.source}: add one to a [[watch]] of the configuration.", 0)


def _heading(story: Story) -> None:
    if story.known:
        item = story.known.item
        _bold(item.title)
        _sentence(item.url, 0)
        told = [f"{item.source}:{item.key}", item.company, f"published {moment(item.published_at)}"]
        _sentence(" · ".join(part for part in told if part), 0)
    elif story.left_out:
        _bold(story.left_out[0].title)
        _sentence(story.left_out[0].url, 0)
    elif story.source and story.key:
        _sentence(f"{story.source}:{story.key}", 0)
    sentence = headline(story)
    for line in wrapped(printable(sentence[:1].upper() + sentence[1:] + "."), 0):
        show(click.style(line, fg="cyan"))


def _known_lines(story: Story) -> Iterator[str]:
    if story.known is None:
        return
    item, checked, now = story.known.item, story.known.checked, story.now
    first = min(story.matches, key=lambda one: one.match.created_at, default=None)
    by = f" by {first.match.watch} / {item.source}" if first else ""
    run = f", run {first.found_by.id}" if first and first.found_by else ""
    yield ""
    yield from _labelled("first seen", f"{moment(item.first_seen_at)}{by}{run}")
    yield from _labelled("last seen", _when(item.last_seen_at, now))
    if checked.checked_at:
        gone = f", said to be gone since {moment(checked.gone_seen_at)}" if checked.gone_seen_at else ""
        yield from _labelled("looked up", f"{_when(checked.checked_at, now)}{gone}")
    for sibling in first.match.also_shown if first else ():
        yield from _labelled("also on", sibling_words(sibling))
    for past in story.known.changes:
        told = change_words(past.change, item.data, WIDEST_VALUE)
        yield from _labelled("changed", f"{moment(past.changed_at)}  {told}")


def _show_match(one: MatchStory, story: Story) -> None:
    match = one.match
    _section(f"{match.watch}  match {match.id}  {match.status}")
    if len(story.matches) > 1:
        _sentence(standing(one, story), 2)
    for line, verdict in history_lines(one.events, one.analyses):
        _sentence(line, 2)
        if verdict and verdict.skills:
            _sentence(f"skills: {', '.join(verdict.skills)}", 4)
    for delivery in one.deliveries:
        pause = story.pauses.get(delivery.sink)
        _sentence(delivery_sentence(delivery, one.sending(delivery), pause, story.now), 2)
    for job in one.jobs.values():
        if job.status != "succeeded":
            _sentence(f"{job.kind}: {job_sentence(job, story.now)}", 2)
    if pause := story.pauses.get(match.source):
        _sentence(pause_sentence(pause), 2)
    if one.last_act:
        _sentence(f"the last decision on it can be undone: radar undo {one.last_act}", 2)


def _show_query(one: QueryStory, story: Story) -> None:
    _section(f"{one.query.watch} / {one.query.source}  has not shown it")
    if params := ", ".join(f"{name} = {field_words(value, WIDEST_VALUE)}" for name, value in one.query.params.items()):
        _sentence(f"asks for {params}", 2)
    _sentence(coverage_sentence(one), 2)
    _sentence(query_advice(one, story), 2)


def _section(heading: str) -> None:
    show("")
    _bold(heading)


def _bold(text: str) -> None:
    for line in wrapped(printable(text), 0):
        show(click.style(line, bold=True))


def _sentence(text: str, indent: int) -> None:
    first, *rest = wrapped(printable(text), indent + 2)
    show(" " * indent + first)
    for line in rest:
        show(" " * (indent + 2) + line)


def _labelled(label: str, text: str) -> Iterator[str]:
    first, *rest = wrapped(printable(text), LABEL + 2)
    yield f"{label:{LABEL}}  {first}"
    yield from (f"{'':{LABEL}}  {line}" for line in rest)


def _when(at: datetime, now: datetime) -> str:
    return f"{moment(at)} ({ago(at, now)})"
