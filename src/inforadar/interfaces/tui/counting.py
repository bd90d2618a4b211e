"""Counting before sweeping: the first page of each query tells how much there is; the sweep then begins with it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from inforadar.collect.ending import AnySweep
from inforadar.collect.governor import Governor, Tell, unheard
from inforadar.collect.list_keeping import MARKS, recalled
from inforadar.collect.serving import serve
from inforadar.collect.sweeper import Sweeper
from inforadar.domain import coverage as coverages
from inforadar.domain.errors import SourceError
from inforadar.domain.paging import Page, Position
from inforadar.domain.ports import Source, WholeListSource
from inforadar.domain.sweep import Sweep
from inforadar.domain.watch import Query, Watch
from inforadar.domain.whole_list import WholeList
from inforadar.store import matches, query_states
from inforadar.store.query_states import QueryState

# an older first page would show a list that has moved on
FRESH_S = 60.0
Asked = tuple[str, str, str, Position]


@dataclass(slots=True, kw_only=True)
class CountingGovernor(Governor):
    """A governor whose answers to counting are used once more, so that counting costs no request of its own."""

    counted: dict[Asked, tuple[float, Page | SourceError]] = field(default_factory=dict)

    def count(self, source: Source, params: Mapping[str, Any], position: Position, tell: Tell) -> Page:
        """The first page of a list, asked now; it, or why there is none, is kept for the sweep."""
        try:
            answer: Page | SourceError = Governor.page(self, source, params, position, tell)
        except SourceError as error:
            answer = error
        self.counted[self._asked_for(source, params, position)] = (self.clock.mono(), answer)
        return _page(answer)

    def page(self, source: Source, params: Mapping[str, Any], position: Position, tell: Tell = unheard) -> Page:
        """One page of a list; what was counted while it is fresh, else what the source says now."""
        at, answer = self.counted.pop(self._asked_for(source, params, position), (0.0, None))
        if answer is not None and self.clock.mono() - at <= FRESH_S:
            return _page(answer)
        return Governor.page(self, source, params, position, tell)

    @property
    def has_answers(self) -> bool:
        """Whether a page was counted that no sweep has used yet."""
        return bool(self.counted)

    def _asked_for(self, source: Source, params: Mapping[str, Any], position: Position) -> Asked:
        """Two doors of one source, and two addresses of it, are not the same list."""
        return self.base_url, type(source).__name__, json.dumps(params, sort_keys=True, default=str), position


def _page(answer: Page | SourceError) -> Page:
    if isinstance(answer, SourceError):
        raise answer
    return answer


def counting(governor: Governor) -> CountingGovernor:
    """The same governor, able to count."""
    return CountingGovernor(
        base_url=governor.base_url,
        transport=governor.transport,
        clock=governor.clock,
        chance=governor.chance,
        wait=governor.wait,
        gate=governor.gate,
        gate_of_server=governor.gate_of_server,
        cache=governor.cache,
    )


def count(sweeper: Sweeper, watch: Watch, query: Query, tell: Tell) -> tuple[int, bool]:
    """How many entries a sweep would read, and whether the source told; else there are at least so many.

    Raises SourceError where the source does not answer. Nothing is stored.
    """
    with sweeper.database.reading() as tx:
        state = query_states.get(tx, query)
    source, governor = serve(sweeper.source, sweeper.governor, query.params, recalled(_remembered(state)))
    assert isinstance(governor, CountingGovernor)
    sweep = _sweep(source, query, state, sweeper.clock.now())
    if sweep.position is None:
        return 0, True
    page = governor.count(source, query.params, sweep.position, tell)
    with sweeper.database.reading() as tx:
        known = matches.known(tx, watch.name, query.source, [draft.key for draft in page.drafts])
    sweep.take(page, known)
    return (page.entries, False) if sweep.expected is None else (sweep.expected, True)


def _sweep(source: Source, query: Query, state: QueryState | None, now: datetime) -> AnySweep:
    """The sweep that is to come, as far as it can be told before it begins."""
    covered = coverages.from_json(state.coverage if state else None)
    if not isinstance(source, WholeListSource):
        return Sweep(covered, source.paging, query.bounds, now, state.sweeps + 1 if state else 1)
    remembered = _remembered(state).get(MARKS) or ()
    return WholeList(covered, source.paging, query.bounds, now, wants=source.wants, remembered=remembered)


def _remembered(state: QueryState | None) -> Mapping[str, Any]:
    """What sweeps of the query have kept for the next one."""
    return (state.metadata or {}) if state else {}
