"""One sweep of one query for real: ask, save a page in one transaction, go on, and write down how it ended.

Every page is one transaction: the lease is checked, the page is sorted against what the watch knows, items, changes,
matches, tombstones, jobs, coverage and counters are written. A crash repeats a page or loses nothing.
"""

from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from inforadar.collect.ending import AnySweep, log_end, reached_day, stop_reason, write_end
from inforadar.collect.governor import Governor, Pulse, StoppedByUser, no_pulse
from inforadar.collect.list_keeping import MARKS, MEMORY, ListKeeper, SoundGap, recalled, with_shared
from inforadar.collect.progress import Listener, Progress
from inforadar.collect.report import INVOLUNTARY, QueryReport
from inforadar.collect.saving import PageSaver
from inforadar.collect.serving import serve
from inforadar.collect.tally import Tally
from inforadar.collect.undated import undated, undated_words
from inforadar.domain import coverage as coverages
from inforadar.domain import filters
from inforadar.domain.coverage import Coverage
from inforadar.domain.errors import BadQuery, RateLimited, Refused, SourceError, Unreadable
from inforadar.domain.paging import Page
from inforadar.domain.ports import Clock, Source, WholeListSource
from inforadar.domain.price_flaws import flaw_words
from inforadar.domain.run import Counters, StopReason
from inforadar.domain.screening import compile_ban_words
from inforadar.domain.shares import NO_PROGRESS
from inforadar.domain.sweep import Sweep
from inforadar.domain.watch import Bounds, Query, Watch
from inforadar.domain.whole_list import WholeList
from inforadar.domain.wording import counted
from inforadar.observe.log import get_log
from inforadar.store import leases, matches, query_states, runs, tombstones
from inforadar.store.database import Database, Tx
from inforadar.store.leases import Lease
from inforadar.store.query_states import QueryState

FILTERS = "filters"
JUST_ABOVE = timedelta(microseconds=1)

log = get_log("collect")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sweeper:
    """Sweeps queries of one source."""

    database: Database
    source: Source
    governor: Governor
    clock: Clock
    listener: Listener
    sound_gap: SoundGap | None = None

    def sweep(self, watch: Watch, query: Query, lease: Lease, pulse: Pulse = no_pulse) -> QueryReport:
        """One sweep of one query, written down whatever happens; raises only what no other query could survive."""
        return SweepInProgress(
            sweeper=self, watch=watch, query=query, lease=lease, pulse=pulse, governor=self.governor
        ).run()


@dataclass(slots=True, kw_only=True)
class SweepInProgress:
    """One sweep under way."""

    sweeper: Sweeper
    watch: Watch
    query: Query
    lease: Lease
    pulse: Pulse
    governor: Governor
    tally: Tally = field(default_factory=Tally)
    warnings: list[str] = field(default_factory=list)
    error: str | None = None
    is_bad_query: bool = False
    retry_at: datetime | None = None
    run_id: int = 0
    number: int = 0
    metadata: dict[str, Any] = field(default_factory=dict)
    keeper: ListKeeper | None = None

    def run(self) -> QueryReport:
        """Sweep, then settle."""
        self.sweeper.listener.started(self.query)
        coverage = self._begin()
        sweep = self._collect(self.sweeper.source, coverage, self.query.bounds)
        report = self._settle(sweep)
        log_end(report, sweep)
        self.sweeper.listener.ended(self.query, report)
        return report

    def _begin(self) -> Coverage:
        now = self.sweeper.clock.now()
        with self.sweeper.database.transaction() as tx:
            leases.guard(tx, self.lease)
            query_states.ensure(tx, self.query, now)
            state = query_states.start(tx, self.query, now)
            self.run_id = runs.start(tx, self.query.key, self.query.watch, self.query.source, now)
            coverage = self._let_in_again(tx, state)
        self.number = state.sweeps
        return coverage

    def _let_in_again(self, tx: Tx, state: QueryState) -> Coverage:
        """The coverage to begin with; when the watch's filters were loosened, everything is read once again."""
        coverage = coverages.from_json(state.coverage)
        known = with_shared(tx, self.sweeper.source, self.query, state.metadata or {})
        now = filters.filters_of(self.watch)
        self.metadata = known
        before = filters.from_json(known.get(FILTERS))
        if before == now:
            return coverage
        let_in = filters.loosened(before, now)
        self.metadata = {**known, FILTERS: filters.to_json(now)} | ({MEMORY: {}} if let_in else {})
        query_states.save_metadata(tx, self.query, self.metadata)
        if not let_in:
            return coverage
        lifted = tombstones.lift(tx, self.watch.name, self.query.source, let_in)
        query_states.save_coverage(tx, self.query, coverages.to_json(coverage.reopened()))
        may_come = counted(lifted, "left-out entry", "left-out entries")
        self._warn(f"the watch lets in more than before: {may_come} may come back, all is read again")
        return coverage.reopened()

    def _collect(self, door: Source, coverage: Coverage, bounds: Bounds) -> AnySweep:
        """Read pages through one door of the source; another door takes over where this one is closed."""
        now, memory = self.sweeper.clock.now(), recalled(self.metadata)
        source, self.governor = serve(door, self.governor, self.query.params, memory)
        if not isinstance(source, WholeListSource):
            return self._through(source, Sweep(coverage, source.paging, bounds, now, self.number), bounds)
        self.keeper = ListKeeper(
            query=self.query, source=source, metadata=self.metadata, now=now, sound_gap=self.sweeper.sound_gap
        )
        remembered = self.metadata.get(MARKS) or ()
        whole = WholeList(coverage, source.paging, bounds, now, wants=source.wants, remembered=remembered)
        return self._through(source, whole, bounds)

    def _through(self, source: Source, sweep: AnySweep, bounds: Bounds) -> AnySweep:
        try:
            self._read_pages(source, sweep)
        except StoppedByUser:
            sweep.abort(StopReason.STOPPED_BY_USER)
        except SourceError as error:
            self.is_bad_query = isinstance(error, BadQuery)
            if source.fallback and isinstance(error, (Unreadable, Refused)) and not self.is_bad_query:
                self._record(f"{error}; trying another way to the same list")
                return self._collect(source.fallback, sweep.coverage, _rest_of(bounds, sweep))
            self.error = str(error)
            self.retry_at = error.retry_at if isinstance(error, RateLimited) else None
            sweep.abort(stop_reason(error))
        return sweep

    def _read_pages(self, source: Source, sweep: AnySweep) -> None:
        saver = self._saver()
        while sweep.position:
            self.pulse()
            page = self.governor.page(source, self.query.params, sweep.position, self._hear)
            self._save(page, sweep, saver)
            self._tell(page, sweep)
        for word, times in saver.ban_list.timeouts.items():
            self._warn(f"the ban word {word!r} was too slow on {times} texts and hit none of them")

    def _saver(self) -> PageSaver:
        ban_list, _ = compile_ban_words(self.watch.ban_words)
        return PageSaver(
            watch=self.watch,
            query=self.query,
            ban_list=ban_list,
            run_id=self.run_id,
            now=self.sweeper.clock.now(),
        )

    def _save(self, page: Page, sweep: AnySweep, saver: PageSaver) -> None:
        before = sweep.entries.seen, sweep.entries.unseen
        with self.sweeper.database.transaction() as tx:
            leases.guard(tx, self.lease)
            keys = [draft.key for draft in (*page.drafts, *page.loose)]
            known = matches.known(tx, self.watch.name, self.query.source, keys)
            entries = sweep.take(page, known)
            loose = undated(page, known, saver.now)
            saved = saver.save(tx, replace(entries, new=entries.new + loose.new, seen=entries.seen + loose.seen))
            kept = self.keeper.keep(tx, entries, sweep) if self.keeper and isinstance(sweep, WholeList) else []
            seen = sweep.entries.seen - before[0] + len(loose.new) + len(loose.seen)
            unseen = sweep.entries.unseen - before[1] + len(loose.new)
            counters = saved.counters + Counters(pages=1, seen=seen, known=seen - unseen, errors=page.unreadable)
            counters += self.governor.take_counters() + Counters(updated=self.tally.updates(saved))
            covered = sweep.coverage
            query_states.save_coverage(tx, self.query, coverages.to_json(covered), reached_day(covered))
            runs.add(tx, self.run_id, counters)
        self.tally.add(saved, counters)
        for sentence in kept:
            self._warn(sentence)

    def _tell(self, page: Page, sweep: AnySweep) -> None:
        if page.unreadable:
            self._warn(f"entries of a page could not be read: {page.unreadable}")
        if page.undated:
            self._warn(undated_words(page))
        for note in page.notes:
            self._warn(note)
        self.sweeper.listener.progressed(
            Progress(
                query=self.query,
                processed=sweep.entries.seen,
                expected=sweep.expected,
                pages=sweep.pages,
                added=self.tally.counters.added,
            )
        )

    def _settle(self, sweep: AnySweep) -> QueryReport:
        assert sweep.stop_reason is not None
        rest = self.governor.take_counters()
        self.tally.counters += rest
        for note in (*sweep.notes, *filter(None, [flaw_words(self.tally.price_flaws)])):
            self._warn(note)
        is_cut_short = self.error is not None or sweep.stop_reason is StopReason.STOPPED_BY_USER
        is_told = any(NO_PROGRESS in note for note in sweep.notes)
        if sweep.left and not (sweep.has_progressed or is_cut_short or is_told):
            self._warn(f"{NO_PROGRESS}: raise limit, max_pages or max_items, or lower window_days")
        if sweep.stop_reason is StopReason.UNREADABLE_PAGE and self.error is None:
            self.error = "the list contradicted itself and could not be read to its end; the next fetch tries again"
        covered = sweep.coverage
        lowest = covered.last_complete_sweep_before
        is_unchanged = isinstance(sweep, WholeList) and sweep.is_unchanged
        report = QueryReport(
            watch=self.query.watch,
            source=self.query.source,
            query_key=self.query.key,
            status="ERROR" if self._is_failed(sweep.stop_reason) else "SUCCESS",
            stop_reason=sweep.stop_reason,
            counters=self.tally.counters,
            last_seen_max=covered.last_seen_max,
            last_complete_sweep_before=lowest,
            last_processed_date=reached_day(covered),
            left=sweep.left,
            added=tuple(self.tally.added),
            titles=self.tally.added,
            updated=self.tally.updated,
            currencies=self.tally.currencies,
            filtered=tuple(self.tally.filtered),
            warnings=tuple(self.warnings),
            error=self.error,
            run_id=self.run_id,
            is_bad_query=self.is_bad_query,
            retry_at=self.retry_at,
            is_unchanged=is_unchanged and not self.tally.counters.seen,
        )
        now = self.sweeper.clock.now()
        with self.sweeper.database.transaction() as tx:
            leases.guard(tx, self.lease)
            told = write_end(tx, self.query, report, rest, covered, now, is_unchanged=is_unchanged)
        if told:
            self._record(told)
        return report

    def _is_failed(self, reason: StopReason) -> bool:
        """Rate limits and the user's own stop end a sweep that has read something in good order."""
        if reason in (StopReason.RATE_LIMITED, StopReason.STOPPED_BY_USER):
            return not self.tally.counters.pages
        return reason in INVOLUNTARY

    def _warn(self, text: str) -> None:
        """Put a line into the run record, once however often it comes."""
        if text not in self.warnings:
            self.warnings.append(text)
            self._record(text)

    def _hear(self, waited_for: str) -> None:
        """Whoever watches is told what is waited for; the log has it already."""
        self.sweeper.listener.recorded(self.query, waited_for)

    def _record(self, text: str) -> None:
        log.warning(text, query_key=self.query.key, watch=self.query.watch)
        self.sweeper.listener.recorded(self.query, text)


def _rest_of(bounds: Bounds, sweep: AnySweep) -> Bounds:
    """What a sweep has left of its budget, for the door that takes over; at least one page to say where it stands."""
    return replace(
        bounds,
        limit=bounds.limit and bounds.limit - sweep.entries.unseen,
        max_pages=bounds.max_pages and max(1, bounds.max_pages - sweep.pages),
        max_items=bounds.max_items and max(1, bounds.max_items - sweep.entries.seen),
    )
