"""What a run of sweeps did: per query and over all, as values and as the JSON others rely on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

from inforadar.domain.run import Counters, StopReason
from inforadar.store.tombstones import Tombstone

INVOLUNTARY = frozenset(
    {
        StopReason.RATE_LIMITED,
        StopReason.REFUSED,
        StopReason.UNREADABLE_PAGE,
        StopReason.UNAVAILABLE,
        StopReason.STOPPED_BY_USER,
        StopReason.INTERRUPTED,
    }
)
WRONG = "the query wants correcting"
UNCHANGED = "not changed"


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryReport:
    """What one sweep of one query did; `error` is the sentence for the user when something went wrong.

    `titles` are those of the items added, by url; `currencies` those of the items updated. `is_postponed`: nothing was
    asked, because the source is left alone for now. `is_bad_query`: the source is well, the question is wrong.
    `retry_at`: when the source may be asked again. `is_unchanged`: the list is, says its source, the one read before.
    """

    watch: str
    source: str
    query_key: str
    status: str
    stop_reason: StopReason
    counters: Counters
    last_seen_max: datetime | None
    last_complete_sweep_before: datetime | None
    last_processed_date: date | None
    left: int
    added: Sequence[str] = ()
    titles: Mapping[str, str] = field(default_factory=dict)
    updated: Mapping[str, Mapping[str, Sequence[Any]]] = field(default_factory=dict)
    currencies: Mapping[str, str] = field(default_factory=dict)
    filtered: Sequence[Tombstone] = ()
    warnings: Sequence[str] = ()
    error: str | None = None
    run_id: int | None = None
    is_postponed: bool = False
    is_bad_query: bool = False
    retry_at: datetime | None = None
    is_unchanged: bool = False

    @property
    def duplicate_share(self) -> float:
        """The part of the entries shown that was known before."""
        return round(self.counters.known / self.counters.seen, 4) if self.counters.seen else 0.0

    @property
    def ending(self) -> str:
        """Why it ended, for people: that a question is wrong is not told as a source that refuses."""
        if self.is_unchanged:
            return UNCHANGED
        return WRONG if self.is_bad_query else self.stop_reason.value

    @property
    def is_failed(self) -> bool:
        """Whether the sweep ended for a reason nobody wished for."""
        return self.stop_reason in INVOLUNTARY


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchReport:
    """What one `radar fetch` did; `held_by` names who holds the run lease when nothing could be done."""

    run_id: int | None
    started_at: datetime
    finished_at: datetime
    queries: Sequence[QueryReport] = ()
    held_by: str | None = None

    @property
    def counters(self) -> Counters:
        """All queries together."""
        return sum((query.counters for query in self.queries), Counters())

    @property
    def left(self) -> int:
        """How many entries at least wait for the next fetch; no fetch brings those of a wrong question."""
        return sum(query.left for query in self.queries if not query.is_bad_query)

    @property
    def exit_code(self) -> int:
        """0 all well, 1 every query failed, 3 some did or must be asked later, 130 the user stopped it."""
        if any(query.stop_reason is StopReason.STOPPED_BY_USER for query in self.queries):
            return 130
        failed = sum(query.is_failed for query in self.queries)
        if not failed:
            return 0
        is_postponed = any(query.is_postponed for query in self.queries)
        return 1 if failed == len(self.queries) and not self.counters.pages and not is_postponed else 3


def to_json(report: FetchReport) -> dict[str, Any]:
    """The report in the shape of the outer contract."""
    updated = {url: dict(fields) for query in report.queries for url, fields in query.updated.items()}
    return {
        "run_id": report.run_id,
        "started_at": moment(report.started_at),
        "finished_at": moment(report.finished_at),
        "added_count": report.counters.added,
        "updated_count": report.counters.updated,
        "errors_count": report.counters.errors,
        "added_articles": [url for query in report.queries for url in query.added],
        "updated_articles": list(updated),
        "updated_fields_map": updated,
        "queries": [_query(query) for query in report.queries],
    }


def _query(query: QueryReport) -> dict[str, Any]:
    return {
        "watch": query.watch,
        "source": query.source,
        "query_key": query.query_key,
        "status": query.status,
        "stop_reason": query.stop_reason.value,
        "pages": query.counters.pages,
        "requests": query.counters.requests,
        "seen": query.counters.seen,
        "unseen": query.counters.unseen,
        "known": query.counters.known,
        "duplicate_share": query.duplicate_share,
        "added": query.counters.added,
        "updated": query.counters.updated,
        "errors": query.counters.errors,
        "last_seen_max": moment(query.last_seen_max),
        "last_complete_sweep_before": moment(query.last_complete_sweep_before),
        "last_processed_date": query.last_processed_date.isoformat() if query.last_processed_date else None,
        "left": query.left,
    }


def moment(at: datetime | None) -> str | None:
    """A time as it stands in our JSON: UTC, to the second, with Z."""
    return at.strftime("%Y-%m-%dT%H:%M:%SZ") if at else None
