"""The story of one listing: what is known of it, what became of it for each watch, and who should have shown it.

Everything is read in the caller's transaction and given as values; `story_words` puts it in sentences.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Literal

from inforadar.domain import coverage as coverages
from inforadar.domain.coverage import Coverage, Gap
from inforadar.domain.health import Outage, is_paused
from inforadar.domain.item import Item, ItemId
from inforadar.domain.watch import Query, Watch
from inforadar.pipeline.routes import CHECK, DELIVER, PROCESS
from inforadar.service.recovery import JUDGE, WINDOW, since
from inforadar.sources.addresses import full_address, is_address, recognise
from inforadar.store import (
    acts,
    analyses,
    deliveries,
    item_changes,
    items,
    jobs,
    matches,
    query_states,
    runs,
    sources,
    tombstones,
)
from inforadar.store.analyses import Analysis
from inforadar.store.database import Tx
from inforadar.store.deliveries import Delivery
from inforadar.store.item_changes import PastChange
from inforadar.store.items import Checked
from inforadar.store.jobs import JobView, PausedKind
from inforadar.store.matches import MatchEvent, MatchView
from inforadar.store.query_states import QueryState
from inforadar.store.runs import Run
from inforadar.store.tombstones import Tombstone

LARGEST_ID = 2**63 - 1
CLOCKS_AGREE = timedelta(minutes=1)

ReadAs = Literal["match", "number", "key", "address"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What a person asked after, and how it was read; `key` of an address may be unknown."""

    text: str
    read_as: ReadAs
    source: str | None = None
    key: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What the configuration says: the watches, which sources it has switched on, how far back recovery looks.

    `asks`: whom each query asks, by watch and key, where that is not its source but one of many servers.
    """

    watches: Sequence[Watch]
    sources: Mapping[str, bool]
    asks: Mapping[tuple[str, str], str] = field(default_factory=dict)
    recovery: timedelta = WINDOW


@dataclass(frozen=True, slots=True, kw_only=True)
class Pause:
    """A source or service that is left alone until a moment."""

    name: str
    until: datetime
    reason: Outage
    error: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What is held of the listing itself."""

    item: Item
    changes: Sequence[PastChange]
    checked: Checked


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchStory:
    """What became of the listing for one watch; `jobs` are the latest of each kind of work on it, by unique key."""

    match: MatchView
    found_by: Run | None
    events: Sequence[MatchEvent]
    analyses: Sequence[Analysis]
    deliveries: Sequence[Delivery]
    jobs: Mapping[str, JobView]
    last_act: int | None

    @property
    def job(self) -> JobView | None:
        """The latest work on the match itself."""
        return self.jobs.get(f"{PROCESS}:{self.match.id}")

    def sending(self, delivery: Delivery) -> JobView | None:
        """The latest work on one of its deliveries."""
        return self.jobs.get(f"{DELIVER}:{delivery.id}")


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryStory:
    """A query that asks the listing's source, and has not shown it to its watch: how far it has read."""

    query: Query
    asks: str
    is_enabled: bool
    state: QueryState | None
    covered: Coverage
    last_run: Run | None

    @property
    def gaps(self) -> list[Gap]:
        """What is known to be left between and below the covered stretches."""
        return list(self.covered.gaps(self.query.bounds.floor))


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """Everything there is to tell of one listing, at one moment.

    `source` None: the question fits no source we know. `known` None: no watch holds it. `queries` are those of
    watches that neither hold it nor left it out. `also` are listings whose number was asked for too. What was skipped
    before `recovers_since` gets no other chance; `paused_kinds` are the jobs nobody does now. `watches` are the names
    of those in the configuration.
    """

    question: Question
    now: datetime
    source: str | None
    key: str | None
    known: Known | None = None
    left_out: Sequence[Tombstone] = ()
    matches: Sequence[MatchStory] = ()
    queries: Sequence[QueryStory] = ()
    pauses: Mapping[str, Pause] = field(default_factory=dict)
    also: Sequence[str] = ()
    switched_off: Collection[str] = ()
    paused_kinds: Mapping[str, PausedKind] = field(default_factory=dict)
    recovers_since: datetime | None = None
    watches: Collection[str] = ()


def read_question(text: str, known_sources: Iterable[str]) -> Question | None:
    """How a text is meant: a match id or a listing's number, `source:key`, or an address; None = as none of them."""
    text = text.strip()
    if text.isascii() and text.isdigit():
        return Question(text=text, read_as="match", key=text)
    source, colon, key = text.partition(":")
    if colon and key and source.lower() in known_sources:
        return Question(text=text, read_as="key", source=source.lower(), key=key)
    if not is_address(text):
        return None
    place = recognise(text)
    return Question(
        text=text, read_as="address", source=place.source if place else None, key=place.key if place else None
    )


def tell(tx: Tx, question: Question, facts: Facts, now: datetime) -> Story:
    """The story of what was asked after, as the store and the configuration have it."""
    found = _find(tx, question, facts)
    if found.source is None or found.key is None:
        return Story(question=found, now=now, source=found.source, key=None)
    item = items.find(tx, found.source, [found.key]).get(found.key)
    stones = tombstones.find(tx, source=found.source, key=found.key)
    told = _matches(tx, item.id, now) if item and item.id else []
    dealt_with = {one.match.watch for one in told} | {stone.watch for stone in stones}
    return Story(
        question=found,
        now=now,
        source=found.source,
        key=found.key,
        known=_known(tx, item) if item else None,
        left_out=stones,
        matches=told,
        queries=_of_source(tx, found, facts, dealt_with),
        pauses=_pauses(tx, now),
        also=_also(tx, found, facts),
        switched_off={name for name, is_enabled in facts.sources.items() if not is_enabled},
        paused_kinds={one.kind: one for one in jobs.paused_kinds(tx)},
        watches={watch.name for watch in facts.watches},
        recovers_since=since(sources.get(tx, JUDGE), facts.recovery, now),
    )


def _find(tx: Tx, question: Question, facts: Facts) -> Question:
    """The question with the listing it means, as far as the store can say."""
    if question.read_as == "match":
        return _find_number(tx, question, facts)
    if question.read_as == "address" and question.key is None:
        held = items.find_by_url(tx, question.text) or items.find_by_url(tx, full_address(question.text))
        return _meaning(question, "address", held.source, held.key) if held else question
    return question


def _find_number(tx: Tx, question: Question, facts: Facts) -> Question:
    """A number is a match id first; if there is no such match, the number of a listing at any source."""
    key = question.key or ""
    match = matches.get(tx, int(key)) if len(key) < 20 and int(key) <= LARGEST_ID else None
    if match:
        return _meaning(question, "match", match.source, match.key)
    sources_with_it = _holders(tx, key, facts)
    return _meaning(question, "number", sources_with_it[0] if sources_with_it else None, key)


def _meaning(question: Question, read_as: ReadAs, source: str | None, key: str) -> Question:
    return Question(text=question.text, read_as=read_as, source=source, key=key)


def _holders(tx: Tx, key: str, facts: Facts) -> list[str]:
    return [
        source
        for source in facts.sources
        if items.find(tx, source, [key]) or tombstones.find(tx, source=source, key=key)
    ]


def _also(tx: Tx, question: Question, facts: Facts) -> list[str]:
    """Other listings that have the number asked for."""
    if question.read_as not in ("match", "number"):
        return []
    told = (question.source, question.key)
    return [f"{one}:{question.text}" for one in _holders(tx, question.text, facts) if (one, question.text) != told]


def _known(tx: Tx, item: Item) -> Known:
    item_id = ItemId(item.id or 0)
    return Known(item=item, changes=item_changes.of_item(tx, item_id), checked=items.checked(tx, item_id))


def _matches(tx: Tx, item_id: ItemId, now: datetime) -> list[MatchStory]:
    held = (matches.get(tx, match_id) for match_id in matches.of_item(tx, item_id))
    return [_match_story(tx, match, now) for match in held if match]


def _match_story(tx: Tx, match: MatchView, now: datetime) -> MatchStory:
    sent, ahead = deliveries.of_match(tx, match.id), now - tx.store_now()
    work = [f"{PROCESS}:{match.id}", f"{CHECK}:{match.id}", *(f"{DELIVER}:{delivery.id}" for delivery in sent)]
    return MatchStory(
        match=match,
        found_by=_found_by(tx, match),
        events=matches.events(tx, match.id),
        analyses=analyses.of_match(tx, match.id),
        deliveries=sent,
        jobs={key: _by_our_clock(job, ahead) for key, job in jobs.latest(tx, work).items()},
        last_act=acts.last_of_match(tx, match.id),
    )


def _by_our_clock(job: JobView, ahead: timedelta) -> JobView:
    """A job whose turn is told by the clock of the story: jobs keep the time of the store, and a demo has its own."""
    return replace(job, run_at=job.run_at + ahead) if abs(ahead) > CLOCKS_AGREE else job


def _found_by(tx: Tx, match: MatchView) -> Run | None:
    """The run that was under way when the match was made."""
    before = runs.recent(tx, match.query_key, 1, watch=match.watch, started_by=match.created_at)
    return next((run for run in before if run.finished_at is None or run.finished_at >= match.created_at), None)


def _of_source(tx: Tx, question: Question, facts: Facts, dealt_with: Iterable[str]) -> list[QueryStory]:
    """The queries that ask the source, of watches that have not dealt with the listing."""
    states = {(state.watch, state.query_key): state for state in query_states.all(tx)}
    return [
        _query_story(tx, query, facts, states.get((query.watch, query.key)))
        for watch in facts.watches
        if watch.name not in dealt_with
        for query in watch.queries
        if query.source == question.source
    ]


def _query_story(tx: Tx, query: Query, facts: Facts, state: QueryState | None) -> QueryStory:
    last = runs.recent(tx, query.key, 1, watch=query.watch)
    return QueryStory(
        query=query,
        asks=facts.asks.get((query.watch, query.key), query.source),
        is_enabled=facts.sources.get(query.source, False),
        state=state,
        covered=coverages.from_json(state.coverage if state else None),
        last_run=last[0] if last else None,
    )


def _pauses(tx: Tx, now: datetime) -> dict[str, Pause]:
    """Sources and services that are left alone now."""
    return {
        one.name: Pause(
            name=one.name,
            until=one.health.paused_until,
            reason=one.health.pause_reason or "unavailable",
            error=one.health.last_error,
        )
        for one in sources.all(tx)
        if one.health.paused_until and is_paused(one.health, now)
    }
