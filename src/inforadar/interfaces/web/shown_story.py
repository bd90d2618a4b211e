"""How the story of a listing is documented; it is made in `interfaces.story_shape`."""

from typing import Any

from pydantic import Field

from inforadar.domain.health import Outage
from inforadar.domain.status import Status
from inforadar.interfaces.web.shown import (
    AlsoOn,
    AnalysisShown,
    ChangeShown,
    DeliveryShown,
    EventShown,
    JobFacts,
    Moment,
    RunShown,
    Shown,
)
from inforadar.interfaces.web.shown_standing import Gap
from inforadar.service.story import ReadAs
from inforadar.store.query_states import QueryStatus


class KnownShown(Shown):
    """What is held of the listing itself."""

    url: str
    title: str
    company: str | None
    published_at: Moment
    first_seen_at: Moment
    last_seen_at: Moment
    checked_at: Moment | None
    gone_seen_at: Moment | None
    changes: list[ChangeShown]


class LeftOutShown(Shown):
    """A watch left the listing out, and why."""

    watch: str
    source: str
    key: str
    reason: str
    word: str | None
    field: str | None
    title: str
    url: str
    at: Moment


class MatchTold(Shown):
    """What became of the listing for one watch; `standing` says it in a sentence."""

    id: int
    watch: str
    status: Status
    also_on: list[AlsoOn]
    others: int = Field(description="How many other postings of the same job there are, of which `also_on` names some.")
    standing: str
    score: float | None
    reason: str | None
    created_at: Moment
    sent_at: Moment | None
    later_until: Moment | None
    recoveries: int
    undo_act_id: int | None
    found_by: RunShown | None
    events: list[EventShown]
    analyses: list[AnalysisShown]
    deliveries: list[DeliveryShown]
    jobs: list[JobFacts]


class QueryTold(Shown):
    """A query that asks the listing's source and has not shown it to its watch: how far it has read, what to do."""

    watch: str
    source: str
    query_key: str
    params: dict[str, Any]
    enabled: bool
    status: QueryStatus
    last_error: str | None
    covered_from: Moment | None
    covered_to: Moment | None
    gaps: list[Gap]
    last_run: RunShown | None
    advice: str


class PauseShown(Shown):
    """A source or service that is left alone now."""

    name: str
    until: Moment
    reason: Outage
    error: str | None


class StoryShown(Shown):
    """Everything there is to tell of one listing."""

    asked: str
    read_as: ReadAs
    source: str | None = Field(description="null: the question fits no source we know.")
    key: str | None
    also: list[str] = Field(description="Other listings that have the number asked for.")
    headline: str
    is_known: bool = Field(description="Whether some watch holds it.")
    item: KnownShown | None
    left_out: list[LeftOutShown]
    matches: list[MatchTold]
    queries: list[QueryTold]
    pauses: list[PauseShown]
