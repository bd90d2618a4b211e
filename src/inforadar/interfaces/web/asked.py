"""What the REST API takes: ids, filters and bodies, each with its bounds."""

from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import Path
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema

from inforadar.domain.job import JobStatus
from inforadar.domain.status import Status
from inforadar.interfaces.web.cursor import LONGEST, from_cursor
from inforadar.service.triage import Decision

LARGEST_ID = 2**63 - 1
MOST_AT_ONCE = 1000
LONGEST_TEXT = 200
LONGEST_ADDRESS = 2000


def _is_moment(value: Any) -> Any:
    """Numbers are not taken for times."""
    if not isinstance(value, str) or "-" not in value[1:] or ":" not in value:
        raise ValueError("is not a time such as 2026-01-05T12:00:00Z")
    return value


def _in_utc(value: datetime) -> datetime:
    if value.tzinfo is None:
        raise ValueError("needs a zone, such as Z")
    try:
        return value.astimezone(UTC)
    except OverflowError as error:
        raise ValueError("is out of range") from error


def _is_cursor(value: str) -> str:
    from_cursor(value)
    return value


Id = Annotated[int, Path(ge=1, le=LARGEST_ID)]
BodyId = Annotated[int, Field(ge=1, le=LARGEST_ID)]
Words = Annotated[str, Field(min_length=1, max_length=LONGEST_TEXT)]
Address = Annotated[str, Field(min_length=1, max_length=LONGEST_ADDRESS)]
After = Annotated[
    datetime,
    BeforeValidator(_is_moment),
    AfterValidator(_in_utc),
    WithJsonSchema({"type": "string", "format": "date-time"}),
]
Cursor = Annotated[str, Field(min_length=1, max_length=LONGEST), AfterValidator(_is_cursor)]


class Asked(BaseModel):
    """What a request may hold; anything else is a mistake, because a misspelt filter must not be ignored."""

    model_config = ConfigDict(extra="forbid")


class ItemFilters(Asked):
    """Which matches to list."""

    watch: Words | None = Field(None, description="Only this watch.")
    source: Words | None = Field(None, description="Only this source.")
    status: list[Status] = Field([], description="Only these statuses; may be repeated.", max_length=len(Status))
    topic: Words | None = Field(None, description="Only items of this hub, tag or topic.")
    text: Words | None = Field(
        None,
        description="Only items whose title, company or author contains this; two letters and less must begin a word.",
    )
    min_score: float | None = Field(None, ge=0, le=1, description="Only matches with at least this score.")
    published_after: After | None = Field(None, description="Only items published after this moment.")
    later: bool | None = Field(None, description="true: only what is put off; false: only what is not.")
    limit: int = Field(50, ge=1, le=500)
    before: Cursor | None = Field(None, description="`next` of the page before.")


class WhyAsked(Asked):
    """Which listing to tell of."""

    q: Address = Field(description="The id of a match, the number of a listing, `source:number`, or an address.")


class JobFilters(Asked):
    """Which jobs to list."""

    status: JobStatus | None = Field(None, description="Only this status.")
    kind: Words | None = Field(None, description="Only this kind.")
    source: Words | None = Field(None, description="Only jobs of this source.")
    limit: int = Field(50, ge=1, le=500)
    before: int | None = Field(None, ge=1, le=LARGEST_ID, description="`next` of the page before.")


class RunFilters(Asked):
    """Which runs to list."""

    query_key: Words | None = Field(None, description="Only runs of this query.")
    limit: int = Field(50, ge=1, le=500)


class ActFilters(Asked):
    """Which acts to list."""

    can_undo: bool = Field(False, description="Only those that can be undone.")
    limit: int = Field(20, ge=1, le=500)


def _spoken(value: Any) -> Any:
    """`not-interested`, as the command line and the addresses spell it, is the decision `not interested`."""
    return value.replace("-", " ") if isinstance(value, str) else value


Verb = Annotated[Decision, BeforeValidator(_spoken)]


class Marking(Asked):
    """A decision on matches."""

    model_config = ConfigDict(strict=True)

    ids: list[BodyId] = Field(min_length=1, max_length=MOST_AT_ONCE, description="Ids of matches.")
    verb: Verb = Field(description="`not-interested` is taken as well as `not interested`.")


class Undoing(Asked):
    """What to take back."""

    model_config = ConfigDict(strict=True)

    act_id: BodyId | None = Field(None, description="The act to take back; without it the last one that can be.")
