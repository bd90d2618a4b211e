"""How the answers about queries, sources and health are documented; they are made in `interfaces.standing`."""

from typing import Annotated, Literal

from pydantic import Field, WithJsonSchema

from inforadar.interfaces.web.shown import Moment, Shown
from inforadar.store.query_states import QueryStatus

Date = Annotated[str, WithJsonSchema({"type": "string", "format": "date"})]


class Stretch(Shown):
    """One completely collected stretch of a query."""

    after: Moment | None
    upto: Moment | None
    count: int
    is_ended: bool


class Gap(Shown):
    """What is known to be left between or below stretches."""

    newer_than: Moment | None
    older_than: Moment | None


class QueryShown(Shown):
    """Where one query stands."""

    watch: str
    source: str
    query_key: str
    paused: bool = Field(description="Its watch is paused: it is not asked until the watch is resumed.")
    status: QueryStatus
    sweeps: int
    last_run_at: Moment | None
    last_success_at: Moment | None
    last_error_at: Moment | None
    last_error: str | None
    last_processed_date: Date | None
    consecutive_failures: int
    last_seen_max: Moment | None
    last_complete_sweep_before: Moment | None
    coverage: list[Stretch]
    gaps: list[Gap]
    warnings: list[str] = Field(description="What its latest run noted, such as entries that were left out.")


class Queries(Shown):
    """Every configured query."""

    queries: list[QueryShown]


class SourceShown(Shown):
    """Where one source stands."""

    name: str
    enabled: bool
    state: str
    rate_limit_per_minute: int
    requests_total: int
    queries: int
    failing_queries: int
    last_success_at: Moment | None
    last_failure_at: Moment | None
    last_error: str | None
    failure_streak: int
    paused_until: Moment | None
    pause_reason: str | None
    outage: str | None
    outage_since: Moment | None


class Sources(Shown):
    """Every source."""

    sources: list[SourceShown]


class ServiceShown(Shown):
    """The judge or a sink; one that lives in this program has a name, a state and what it is, and no more."""

    name: str
    about: str
    state: str
    rate_limit_per_minute: int = 0
    requests_total: int = 0
    last_success_at: Moment | None = None
    last_failure_at: Moment | None = None
    last_error: str | None = None
    failure_streak: int = 0
    paused_until: Moment | None = None
    pause_reason: str | None = None
    outage: str | None = None
    outage_since: Moment | None = None


class UnsentShown(Shown):
    """Since when the oldest delivery waits, and when the next one is due."""

    oldest_at: Moment | None
    next_due_at: Moment


class StatusShown(Shown):
    """Where everything stands, as `radar status --json` prints it."""

    queries: list[QueryShown]
    sources: list[SourceShown]
    jobs: dict[str, int] = Field(description="How many jobs have each status.")
    deliveries: dict[str, int] = Field(description="How many deliveries have each state.")
    unsent: UnsentShown | None
    matches: dict[str, int] = Field(description="How many matches have each status.")
    services: list[ServiceShown]
    totals: dict[str, int] = Field(description="What is counted for good.")


class HealthShown(Shown):
    """The server and its database answer."""

    status: Literal["ok"]
