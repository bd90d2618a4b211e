"""One run: the chosen queries swept one after another under the run lease: one for all, or one for each source.

A lease that could not be given back because the store was away is remembered: it is nobody's but this process's, and
the next sweep takes it over instead of waiting for its end.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime

from inforadar.collect.ending import reached_day, stop_reason
from inforadar.collect.governor import Pulse, as_error, no_pulse
from inforadar.collect.report import FetchReport, QueryReport
from inforadar.collect.serving import gate_of, server_of
from inforadar.collect.sweeper import Sweeper
from inforadar.domain import coverage as coverages
from inforadar.domain.errors import RadarError, StoreError
from inforadar.domain.health import Closed
from inforadar.domain.ports import Clock
from inforadar.domain.run import Counters, StopReason
from inforadar.domain.watch import Query, Watch
from inforadar.observe import process
from inforadar.observe.log import get_log
from inforadar.store import companies, leases, query_states, runs
from inforadar.store.database import Database
from inforadar.store.leases import Held, Lease

RUN_LEASE = "run"
# one page may take four tries of a minute each, with waits between them, before the lease is prolonged again
LEASE_TTL_S = 900.0
ENDS_THE_SOURCE = frozenset({StopReason.RATE_LIMITED, StopReason.REFUSED})

log = get_log("collect")


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetcher:
    """Runs sweeps for whoever gets the run lease: strictly one after another, or so for each source."""

    database: Database
    clock: Clock
    sweepers: Mapping[str, Sweeper]
    holder: str
    is_dead: Callable[[str], bool]
    is_stopped: Callable[[], bool]
    is_leased_by_source: bool = False
    _kept: set[str] = field(default_factory=set)

    def fetch(self, chosen: Sequence[tuple[Watch, Query]], pulse: Pulse = no_pulse) -> FetchReport:
        """One sweep of each chosen query; a query that fails does not stop the others."""
        started_at = self.clock.now()
        reports: list[QueryReport] = []
        left_out: list[tuple[Held, Query]] = []
        for source, part in self._parts(chosen):
            with self._run_lease(started_at, source) as lease:
                if isinstance(lease, Held):
                    left_out += [(lease, query) for _, query in part]
                else:
                    reports += self._sweep_all(part, lease, pulse)
        if left_out and not reports:
            held_by = left_out[0][0].holder
            return FetchReport(run_id=None, started_at=started_at, finished_at=self.clock.now(), held_by=held_by)
        reports += [self._left_out(query, held) for held, query in left_out]
        run_id = next((report.run_id for report in reports if report.run_id), None)
        return FetchReport(run_id=run_id, started_at=started_at, finished_at=self.clock.now(), queries=reports)

    def is_held(self, chosen: Sequence[tuple[Watch, Query]]) -> bool:
        """Whether others are at all of it now, so that a fetch would do nothing."""
        with self.database.reading() as tx:
            held = leases.held(tx)
        names = [_lease_name(source) for source, _ in self._parts(chosen)]
        return all(name in held and not self._is_free(name, held[name].holder) for name in names)

    def _parts(self, chosen: Sequence[tuple[Watch, Query]]) -> Iterable[tuple[str | None, list[tuple[Watch, Query]]]]:
        """What is swept under one lease: all of it, or what asks one source."""
        if not self.is_leased_by_source:
            return [(None, list(chosen))]
        parts: dict[str | None, list[tuple[Watch, Query]]] = {}
        for watch, query in chosen:
            parts.setdefault(query.source, []).append((watch, query))
        return parts.items()

    def _left_out(self, query: Query, held: Held) -> QueryReport:
        why = f"another run is under way ({process.told(held.holder)})"
        return self._skipped(query, StopReason.UNAVAILABLE, why, is_postponed=True)

    def _sweep_all(self, chosen: Sequence[tuple[Watch, Query]], lease: Lease, pulse: Pulse) -> Iterator[QueryReport]:
        ended: dict[tuple[str, str | None], QueryReport] = {}
        for watch, query in chosen:
            if self.is_stopped():
                yield self._skipped(query, StopReason.STOPPED_BY_USER, None)
                continue
            asked = query.source, server_of(self.sweepers[query.source].source, query.params)
            if asked in ended:
                because = ended[asked]
                yield self._skipped(query, because.stop_reason, because.error, retry_at=because.retry_at)
                continue
            closed = self._closed(query)
            if closed:
                reason = stop_reason(as_error(closed))
                yield self._skipped(query, reason, str(closed), is_postponed=True, retry_at=closed.until)
                continue
            report = self._with_pause(query, self._swept(watch, query, lease, pulse))
            if report.stop_reason in ENDS_THE_SOURCE and not report.is_bad_query:
                ended[asked] = report
            yield report

    def _closed(self, query: Query) -> Closed | None:
        sweeper = self.sweepers[query.source]
        return gate_of(sweeper.source, sweeper.governor, query.params).closed()

    def _with_pause(self, query: Query, report: QueryReport) -> QueryReport:
        """The report of a sweep that closed its source says until when."""
        closed = self._closed(query) if report.error else None
        return replace(report, retry_at=closed.until) if closed else report

    def _swept(self, watch: Watch, query: Query, lease: Lease, pulse: Pulse) -> QueryReport:
        """One sweep; what nobody foresaw ends this query alone, with its traceback in the log."""
        try:
            return self.sweepers[query.source].sweep(watch, query, lease, pulse)
        except RadarError:
            raise
        except Exception as error:
            log.exception("a sweep ended by an error of ours", query_key=query.key, watch=query.watch)
            sentence = f"an error of ours ({type(error).__name__}: {error}); please report it with the log"
            now = self.clock.now()
            with self.database.transaction() as tx:
                leases.guard(tx, lease)
                runs.clean_up(tx, now, query.source)
                query_states.fail(tx, query, now, sentence)
            return self._skipped(query, StopReason.INTERRUPTED, sentence)

    def _skipped(
        self,
        query: Query,
        reason: StopReason,
        error: str | None,
        *,
        is_postponed: bool = False,
        retry_at: datetime | None = None,
    ) -> QueryReport:
        """A query that was not asked: the user stopped the run, or its source turned us away or is left alone."""
        tell = log.warning if error else log.info
        tell("query skipped", query_key=query.key, source=query.source, reason=reason.value, error=error)
        with self.database.reading() as tx:
            state = query_states.get(tx, query)
        covered = coverages.from_json(state.coverage if state else None)
        return QueryReport(
            watch=query.watch,
            source=query.source,
            query_key=query.key,
            status="ERROR",
            stop_reason=reason,
            counters=Counters(),
            last_seen_max=covered.last_seen_max,
            last_complete_sweep_before=covered.last_complete_sweep_before,
            last_processed_date=reached_day(covered),
            left=1,
            error=f"not asked: {error}" if error and reason is not StopReason.INTERRUPTED else error,
            is_postponed=is_postponed,
            retry_at=retry_at,
        )

    @contextmanager
    def _run_lease(self, now: datetime, source: str | None) -> Iterator[Lease | Held]:
        name = _lease_name(source)
        with self.database.transaction() as tx:
            lease = leases.acquire(tx, name, self.holder, LEASE_TTL_S, lambda holder: self._is_free(name, holder))
            if isinstance(lease, Lease):
                query_states.clean_up(tx, now, source)
                runs.clean_up(tx, now, source)
                companies.put_counting(tx)
        if isinstance(lease, Held):
            yield lease
            return
        self._kept.discard(name)
        try:
            yield lease
        finally:
            self._release(lease)

    def _is_free(self, name: str, holder: str) -> bool:
        return self.is_dead(holder) or (holder == self.holder and name in self._kept)

    def _release(self, lease: Lease) -> None:
        try:
            with self.database.transaction() as tx:
                leases.release(tx, lease)
        except StoreError as error:
            log.warning("the run lease could not be given back yet", lease=lease.name, error=str(error))
            self._kept.add(lease.name)


def _lease_name(source: str | None) -> str:
    return f"{RUN_LEASE}:{source}" if source else RUN_LEASE
