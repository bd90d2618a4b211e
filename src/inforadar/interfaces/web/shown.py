"""How the answers of the REST API are documented; the answers themselves are made in `interfaces.shapes`."""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema

from inforadar.domain.delivery import DeliveryState
from inforadar.domain.job import JobStatus
from inforadar.domain.run import RunStatus, StopReason
from inforadar.domain.status import Status
from inforadar.store.acts import Verb

Moment = Annotated[str, WithJsonSchema({"type": "string", "format": "date-time"})]


class Shown(BaseModel):
    """What an answer holds, and nothing else."""

    model_config = ConfigDict(extra="forbid")


class AlsoOn(Shown):
    """Another posting of the same job, on another source or again on the same one."""

    source: str
    url: str
    match_id: int | None = Field(description="Its match: of the same watch if there is one, else of any; null = none.")


class ItemShown(Shown):
    """One match, as `radar items --json` prints it."""

    id: int = Field(description="The id of the match.")
    item_id: int = Field(description="The id of the vacancy or article itself.")
    watch: str
    source: str
    key: str
    url: str
    title: str
    company: str | None
    published_at: Moment
    status: Status
    score: float | None
    reason: str | None
    also_on: list[AlsoOn]
    others: int = Field(description="How many other postings of the same job there are, of which `also_on` names some.")
    data: dict[str, Any]


class ItemPage(Shown):
    """A page of matches; `next` is the cursor of the page after it, null at the end."""

    items: list[ItemShown]
    next: str | None


class ChangeShown(Shown):
    """One field of an item that became different."""

    at: Moment
    field: str
    old: Any
    new: Any
    run_id: int | None


class EventShown(Shown):
    """One change of a match's status."""

    at: Moment
    who: str
    from_: str | None = Field(alias="from")
    to: str
    why: str
    act_id: int | None = Field(description="The act of the user that did it, for an undo.")


class AnalysisShown(Shown):
    """What a judge said."""

    at: Moment
    judge: str
    score: float
    is_relevant: bool
    reason: str
    skills: list[str]


class DeliveryShown(Shown):
    """One match on its way to one sink."""

    id: int
    match_id: int
    sink: str
    state: DeliveryState
    why: str | None
    due_at: Moment
    tries: int
    reference: str | None
    sent_at: Moment | None
    created_at: Moment
    updated_at: Moment


class MatchShown(ItemShown):
    """Everything known of one match."""

    later_until: Moment | None
    note: str | None = Field(description="What the user noted on it in the spreadsheet.")
    changes: list[ChangeShown]
    events: list[EventShown]
    analyses: list[AnalysisShown]
    deliveries: list[DeliveryShown]


class Unchanged(Shown):
    """A match that stayed as it is, and why."""

    id: int
    why: str


class DecisionShown(Shown):
    """What came of a decision; `act_id` names it for an undo, null = nothing was changed."""

    act_id: int | None
    verb: Verb
    changed: list[int]
    unchanged: list[Unchanged]


class ActShown(Shown):
    """One act of the user; `matches` is how many it changed."""

    id: int
    at: Moment
    who: str
    verb: Verb
    undone_by: int | None
    matches: int
    can_undo: bool


class Acts(Shown):
    """Acts, newest first."""

    acts: list[ActShown]


class JobFacts(Shown):
    """What the table knows of one job."""

    id: int
    kind: str
    args: dict[str, Any]
    source: str | None
    unique_key: str | None
    priority: int
    status: JobStatus
    attempts: int
    max_attempts: int
    retry_count: int
    run_at: Moment
    locked_by: str | None
    locked_at: Moment | None
    heartbeat_at: Moment | None
    created_at: Moment
    completed_at: Moment | None
    error_message: str | None
    next_retry_at: Moment | None


class JobShown(JobFacts):
    """One job, as `radar jobs list --json` prints it."""

    is_stuck: bool


class JobPage(Shown):
    """A page of jobs, newest first; `next` is the `before` of the page after it, null at the end."""

    jobs: list[JobShown]
    next: int | None


class JobEventShown(Shown):
    """Something that went wrong with a job, or that a person did to it."""

    attempt: int
    at: Moment
    who: str
    event: str
    message: str


class JobWithHistory(JobShown):
    """One job and what happened to it."""

    history: list[JobEventShown]


class RunShown(Shown):
    """The record of one sweep of one query."""

    id: int
    query_key: str
    watch: str
    source: str
    status: RunStatus
    stop_reason: StopReason | None
    started_at: Moment
    finished_at: Moment | None
    left: int | None
    notes: list[str]
    warnings: list[str]
    pages: int
    requests: int
    seen: int
    unseen: int
    known: int
    added: int
    updated: int
    filtered: int
    errors: int
    http_429: int
    companies_aggregated: int
    companies_failed: int


class Runs(Shown):
    """Runs, newest first."""

    runs: list[RunShown]
