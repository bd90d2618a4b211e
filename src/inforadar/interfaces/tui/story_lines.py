"""The story of one listing in lines, for `:why`."""

from collections.abc import Iterator

from inforadar.bootstrap import App
from inforadar.domain.errors import RadarError
from inforadar.domain.health import moment
from inforadar.domain.status import status_words
from inforadar.interfaces.cli.field_words import change_words
from inforadar.interfaces.cli.verdict_events import history_lines
from inforadar.interfaces.story_asked import story_of
from inforadar.interfaces.tui.record import Record
from inforadar.observe.printable import printable
from inforadar.service.story import MatchStory, QueryStory, Story
from inforadar.service.story_words import (
    coverage_sentence,
    delivery_sentence,
    headline,
    job_sentence,
    left_out,
    query_advice,
    sibling_words,
    standing,
)

WIDEST_VALUE = 200


def read_story(app: App, asked: str) -> list[Record]:
    """The story of an id, `source:number` or address."""
    story = story_of(app, asked)
    if story is None:
        raise RadarError(f"{asked!r} is no id and no address: give the id of a match, source:number, or an address.")
    return [Record(text=printable(line.text), tone=line.tone) for line in story_lines(story)]


def story_lines(story: Story) -> Iterator[Record]:
    """What the story comes to, then what is known, then each watch."""
    listing = story.known.item if story.known else next(iter(story.left_out), None)
    if listing:
        yield Record(text=listing.title, tone="head")
        yield Record(text=listing.url, tone="faint")
    sentence = headline(story)
    yield Record(text=f"{sentence[:1].upper()}{sentence[1:]}.", tone="good")
    yield from _known_lines(story)
    for stone in story.left_out:
        yield Record(text=left_out(stone), tone="warning")
    for one in story.matches:
        yield from _match_lines(one, story)
    for query in story.queries:
        yield from _query_lines(query, story)


def _known_lines(story: Story) -> Iterator[Record]:
    if story.known is None:
        return
    item = story.known.item
    yield Record(text=f"published {moment(item.published_at)}")
    if item.first_seen_at and item.last_seen_at:
        yield Record(text=f"first seen {moment(item.first_seen_at)}, last seen {moment(item.last_seen_at)}")
    for past in story.known.changes:
        told = change_words(past.change, item.data, WIDEST_VALUE)
        yield Record(text=f"changed {moment(past.changed_at)}  {told}")


def _match_lines(one: MatchStory, story: Story) -> Iterator[Record]:
    yield Record(text="")
    yield Record(text=f"{one.match.watch}  match {one.match.id}  {status_words(one.match.status)}", tone="head")
    if len(story.matches) > 1:
        yield Record(text=f"  {standing(one, story)}")
    for sibling in one.match.also_shown:
        yield Record(text=f"  also on {sibling_words(sibling, status_words)}")
    for line, verdict in history_lines(one.events, one.analyses, status_words):
        yield Record(text=f"  {line}", tone="good" if verdict and verdict.is_relevant else "plain")
        if verdict and verdict.skills:
            yield Record(text=f"    skills: {', '.join(verdict.skills)}")
    for delivery in one.deliveries:
        pause = story.pauses.get(delivery.sink)
        yield Record(text=f"  {delivery_sentence(delivery, one.sending(delivery), pause, story.now)}")
    for job in one.jobs.values():
        if job.status != "succeeded":
            yield Record(text=f"  {job.kind}: {job_sentence(job, story.now)}", tone="warning")


def _query_lines(one: QueryStory, story: Story) -> Iterator[Record]:
    yield Record(text="")
    yield Record(text=f"{one.query.watch} / {one.query.source}  has not shown it", tone="head")
    yield Record(text=f"  {coverage_sentence(one)}")
    yield Record(text=f"  {query_advice(one, story)}", tone="warning")
