"""How one query and one source stand: what the configuration says of them, and what the store knows."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from inforadar.collect.report import moment
from inforadar.domain.coverage import Coverage
from inforadar.domain.health import Health, is_paused
from inforadar.domain.watch import Query
from inforadar.store.query_states import QueryState
from inforadar.store.sources import SourceHealth

SourceState = Literal[
    "disabled",
    "not used",
    "paused",
    "refused",
    "to be tried",
    "failing",
    "partly failing",
    "no answer yet",
    "never asked",
    "ok",
]
WELL = ("ok", "no answer yet", "never asked")
QUIET = ("ok", "disabled", "not used")


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryStanding:
    """One query of the configuration, what the store knows of it (None = it never ran), and what it has covered.

    `asks`: who is asked, the query's source or one of its many servers. `warnings`: what its latest run noted.
    """

    query: Query
    asks: str
    state: QueryState | None
    covered: Coverage
    is_enabled: bool
    is_paused: bool = False
    warnings: tuple[str, ...] = ()

    @property
    def is_active(self) -> bool:
        """Whether it is asked at all."""
        return self.is_enabled and not self.is_paused

    @property
    def is_failing(self) -> bool:
        """Whether its last sweep failed, and it is still asked."""
        return self.is_active and self.state is not None and self.state.status == "ERROR"

    @property
    def gaps(self) -> list[dict[str, Any]]:
        """What is known to be left between and below the covered stretches."""
        return [
            {"newer_than": moment(gap.below.upto if gap.below else None), "older_than": moment(gap.above.after)}
            for gap in self.covered.gaps(self.query.bounds.floor)
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceStanding:
    """One source, or one of its servers: how it is set, what the store knows of it (None = never asked), who asks it.

    `servers`: whom its queries ask instead of itself; then it stands as they do. What nobody asks any more
    (`is_asked`) has no outage that anybody would mend.
    """

    name: str
    is_enabled: bool
    rate_limit_per_minute: int
    known: SourceHealth | None
    asking: Sequence[QueryStanding] = ()
    servers: Sequence["SourceStanding"] = ()
    is_asked: bool = True

    @property
    def queries(self) -> int:
        """How many queries ask it, those of paused watches included."""
        return len(self.asking)

    @property
    def states(self) -> list[QueryState]:
        """What is known of its queries."""
        return [one.state for one in self.asking if one.state]

    @property
    def failing(self) -> list[QueryStanding]:
        """Its queries whose last sweep failed."""
        return [one for one in self.asking if one.is_failing]

    @property
    def health(self) -> Health:
        """How it has answered so far; of many servers, when any of them did."""
        if not self.servers:
            return self.known.health if self.known else Health()
        return Health(
            last_success_at=_latest(one.health.last_success_at for one in self.servers),
            last_failure_at=_latest(one.health.last_failure_at for one in self.servers),
        )

    @property
    def last_success_at(self) -> datetime | None:
        """When it answered last."""
        return self.health.last_success_at or _latest(state.last_success_at for state in self.states)

    @property
    def is_unanswered(self) -> bool:
        """Whether it was asked and has not answered: the first answer is long in coming, or it was changed since."""
        return self.last_success_at is None and self.known is not None and self.known.requests_total > 0

    def why(self, now: datetime) -> str:
        """What it failed of, while it is not well; many servers tell it each for itself."""
        return "" if self.servers or self.state(now) in QUIET else self.health.last_error or ""

    def state(self, now: datetime) -> SourceState:
        """Where it stands, in a word or two."""
        if not self.is_enabled:
            return "disabled"
        if self.servers:
            return _joined([one.state(now) for one in self.servers])
        return self._own_state(now) if self.is_asked else "not used"

    def _own_state(self, now: datetime) -> SourceState:
        health = self.health
        if is_paused(health, now):
            return "paused"
        if health.outage == "refused":
            return "refused"
        if health.paused_until:
            return "to be tried"
        if health.failure_streak:
            return "failing"
        if self.is_unanswered:
            return "no answer yet"
        return "ok" if self.last_success_at else "never asked"


def _joined(states: Sequence[SourceState]) -> SourceState:
    """How a source stands whose servers stand so."""
    ailing = [state for state in states if state not in WELL]
    if not ailing:
        return min(states, key=WELL.index)
    if len(ailing) < len(states):
        return "partly failing"
    return ailing[0] if len(set(ailing)) == 1 else "failing"


def _latest(moments: Iterable[datetime | None]) -> datetime | None:
    return max((at for at in moments if at), default=None)
