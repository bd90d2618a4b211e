"""The meter: counts what this process does and reads off the store what all do, for Prometheus."""

import threading
from dataclasses import dataclass, field
from datetime import datetime
from typing import get_args

from inforadar.collect.progress import Progress
from inforadar.collect.report import QueryReport
from inforadar.domain.delivery import DeliveryState
from inforadar.domain.job import JobStatus
from inforadar.domain.ports import Clock
from inforadar.domain.status import Status
from inforadar.domain.watch import Query
from inforadar.observe.metrics import Metrics
from inforadar.pipeline.judging import SUSPICIOUS
from inforadar.service.alarms import ALARMS
from inforadar.service.recovery import TOTALS
from inforadar.store import deliveries, jobs, leases, matches, sources, totals
from inforadar.store.database import Database
from inforadar.store.queue import Settled
from inforadar.store.sources import SourceHealth

STATUSES = get_args(JobStatus)
STATES = get_args(DeliveryState)


@dataclass(slots=True, kw_only=True)
class Meter:
    """Listens to sweeps and to settled jobs."""

    metrics: Metrics
    database: Database
    clock: Clock
    _began: dict[tuple[str, str], float] = field(default_factory=dict)
    _rendering: threading.Lock = field(default_factory=threading.Lock)

    def started(self, query: Query) -> None:
        """A sweep begins; those of different sources may run at the same time."""
        self._began[query.watch, query.key] = self.clock.mono()

    def progressed(self, progress: Progress) -> None:
        """A page was saved."""
        self.metrics.pages.labels(source=progress.query.source).inc()

    def recorded(self, _query: Query, _message: str) -> None:
        """Lines for people are not counted."""

    def ended(self, query: Query, report: QueryReport) -> None:
        """A sweep is over."""
        source, counters = query.source, report.counters
        began = self._began.pop((query.watch, query.key), self.clock.mono())
        self.metrics.sweeps.labels(source=source, stop_reason=report.stop_reason.value).inc()
        self.metrics.sweep_seconds.labels(source=source).observe(self.clock.mono() - began)
        self.metrics.requests.labels(source=source, outcome="answered").inc(counters.pages)
        self.metrics.requests.labels(source=source, outcome="rate limited").inc(counters.http_429)
        others = max(0, counters.requests - counters.pages - counters.http_429)
        self.metrics.requests.labels(source=source, outcome="failed").inc(others)
        self.metrics.items_added.labels(source=source).inc(counters.added)
        self.metrics.items_updated.labels(source=source).inc(counters.updated)
        self.metrics.items_known.labels(source=source).inc(counters.known)
        for stone in report.filtered:
            self.metrics.items_filtered.labels(source=source, reason=stone.reason).inc()

    def settled(self, settled: Settled, seconds: float) -> None:
        """A job was settled by this process."""
        self.metrics.jobs_settled.labels(kind=settled.job.kind, status=settled.settlement.status).inc()
        self.metrics.job_seconds.labels(kind=settled.job.kind).observe(seconds)

    def render(self) -> bytes:
        """The numbers of this process and of the store at one moment, as a Prometheus server reads them."""
        now = self.clock.now()
        with self._rendering:
            with self.database.reading() as tx:
                counts, known, held = jobs.counts(tx), sources.all(tx), leases.held(tx)
                by_status, by_state = matches.counts(tx), deliveries.counts(tx)
                self.metrics.totals.values = dict.fromkeys((*TOTALS, SUSPICIOUS, ALARMS), 0) | totals.all(tx)
            for status in STATUSES:
                self.metrics.jobs.labels(status=status).set(counts.get(status, 0))
            for match_status in Status:
                self.metrics.matches.labels(status=match_status.value).set(by_status.get(match_status.value, 0))
            for state in STATES:
                self.metrics.deliveries.labels(state=state).set(by_state.get(state, 0))
            for source in known:
                self._show(source, now)
            self.metrics.lease_held.clear()
            for name in held:
                self.metrics.lease_held.labels(lease=name).set(1)
            return self.metrics.render()

    def _show(self, source: SourceHealth, now: datetime) -> None:
        self.metrics.show_source(
            source.name,
            paused_s=source.pause_left_s(now),
            failure_streak=source.health.failure_streak,
            tokens=source.bucket.tokens,
            outage=source.health.outage,
        )
