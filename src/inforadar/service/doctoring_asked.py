"""What `radar doctor` reads of whom the queries ask: sources or the servers of theirs; and of queries that fail.

What no active query asks is not looked at. A machine that reaches nobody is one finding.
"""

import shlex
from collections.abc import Iterator, Mapping
from datetime import datetime

from inforadar.config import Config
from inforadar.domain.health import Health, is_paused, moment
from inforadar.domain.offline import OFFLINE, is_offline, may_be_the_query, unreachable_kind
from inforadar.domain.watch import Query
from inforadar.domain.wording import counted
from inforadar.service.doctoring import Finding
from inforadar.store import query_states, sources
from inforadar.store.database import Tx
from inforadar.store.query_states import QueryState

GateNames = Mapping[tuple[str, str], str]
"""Whose gate each query goes through, by watch and key."""


def check_asked(tx: Tx, config: Config, asks: GateNames, now: datetime) -> Iterator[Finding]:
    """Sources by how they answered last, and queries that fail."""
    queries = [query for watch in config.watches if not watch.paused for query in watch.queries]
    asked = [query for query in queries if config.sources[query.source].enabled]
    known = {one.name: one.health for one in sources.all(tx)}
    healths = {name: known.get(name) or Health() for name in (asks[_identity(query)] for query in asked)}
    offline = is_offline(healths.values())
    if offline:
        yield Finding(area="network", state="failure", what=OFFLINE, remedy="bring it online, then: radar fetch")
    for source in dict.fromkeys(query.source for query in queries):
        if config.sources[source].enabled:
            own = {asks[_identity(query)]: query for query in asked if query.source == source}
            yield from _source(source, {name: healths[name] for name in own}, now, offline=offline)
        else:
            remedy = f"set enabled = true in [sources.{source}]"
            what = "is switched off, its queries are not asked"
            yield Finding(area=source, state="warning", what=what, remedy=remedy)
    states = {(state.watch, state.query_key): state for state in query_states.all(tx)}
    for query in asked:
        state = states.get(_identity(query))
        if state and state.status == "ERROR" and not (offline and unreachable_kind(state.last_error)):
            yield _query(state, is_well=_is_well(healths[asks[_identity(query)]], now))


def _source(source: str, healths: Mapping[str, Health], now: datetime, *, offline: bool) -> Iterator[Finding]:
    """A source by whom its queries ask: those that are not well each by itself, the others together."""
    ailing = {name: health for name, health in healths.items() if not _is_well(health, now)}
    for name, health in ailing.items():
        if not (offline and unreachable_kind(health.last_error)):
            yield _ailing(name, source, health, now)
    well = [health for name, health in healths.items() if name not in ailing]
    if well:
        yield _well(source, well)


def _ailing(name: str, source: str, health: Health, now: datetime) -> Finding:
    at_once = f"radar fetch --source {source} --now"
    error = health.last_error or "no reason is known"
    if is_paused(health, now) and health.paused_until:
        what = f"is left alone until {moment(health.paused_until)}: {error}"
        return Finding(area=name, state="warning", what=what, remedy=f"wait, or: {at_once}")
    remedy = f"do what it says, then: {at_once}" if health.outage == "refused" else at_once
    return Finding(area=name, state="failure", what=error, remedy=remedy)


def _well(source: str, healths: list[Health]) -> Finding:
    answered = [health.last_success_at for health in healths if health.last_success_at]
    if not answered:
        return Finding(area=source, state="ok", what="was not asked yet", remedy=f"radar fetch --source {source}")
    unasked = len(healths) - len(answered)
    rest = f", {unasked} of its {len(healths)} servers not asked yet" if unasked else ""
    return Finding(area=source, state="ok", what=f"answered last at {moment(max(answered))}{rest}")


def _query(state: QueryState, *, is_well: bool) -> Finding:
    """A query that fails; where whom it asks is well, it may be the query that is wrong."""
    times = counted(state.consecutive_failures, "time")
    what = f"{state.source} failed {times}: {state.last_error or 'no reason is known'}"
    again = f"radar fetch {shlex.quote(state.watch)} --source {state.source}"
    edit = f"radar watch edit {shlex.quote(state.watch)}, then: {again}"
    is_wrong = is_well and may_be_the_query(state.last_error)
    return Finding(area=state.watch, state="failure", what=what, remedy=edit if is_wrong else again)


def _is_well(health: Health, now: datetime) -> bool:
    """Whether a source answers: then it is the query that it does not take."""
    return not (is_paused(health, now) or health.outage or health.failure_streak)


def _identity(query: Query) -> tuple[str, str]:
    return query.watch, query.key
