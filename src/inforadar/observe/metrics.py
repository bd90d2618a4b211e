"""The numbers of this process in Prometheus form; the library is loaded only when they are made."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
    from prometheus_client.core import CounterMetricFamily

REQUEST_SECONDS = (0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)
OUTAGES = ("unavailable", "rate limited", "refused")
SWEEP_SECONDS = (0.1, 0.5, 1, 5, 15, 60, 300, 900, 3600)


@dataclass(frozen=True, slots=True, kw_only=True)
class Metrics:
    """The counters, gauges and histograms of collecting, in a registry of their own."""

    registry: "CollectorRegistry"
    sweeps: "Counter"
    sweep_seconds: "Histogram"
    requests: "Counter"
    request_seconds: "Histogram"
    pages: "Counter"
    items_added: "Counter"
    items_updated: "Counter"
    items_known: "Counter"
    items_filtered: "Counter"
    entries_unreadable: "Counter"
    slow_ban_patterns: "Counter"
    source_paused_seconds: "Gauge"
    source_failure_streak: "Gauge"
    source_tokens: "Gauge"
    source_out: "Gauge"
    jobs: "Gauge"
    jobs_settled: "Counter"
    job_seconds: "Histogram"
    lease_held: "Gauge"
    matches: "Gauge"
    deliveries: "Gauge"
    totals: "Totals"

    def show_source(
        self, source: str, *, paused_s: float, failure_streak: int, tokens: float, outage: str | None
    ) -> None:
        """Show where a source stands in the store, the same for every process that is asked."""
        self.source_paused_seconds.labels(source=source).set(paused_s)
        self.source_failure_streak.labels(source=source).set(failure_streak)
        self.source_tokens.labels(source=source).set(tokens)
        for kind in OUTAGES:
            self.source_out.labels(source=source, outage=kind).set(outage == kind)

    def render(self) -> bytes:
        """The text a Prometheus server reads."""
        from prometheus_client import generate_latest

        return generate_latest(self.registry)


@dataclass(slots=True, kw_only=True, eq=False)
class Totals:
    """Counters that are kept in the store, the same for every process that is asked."""

    values: dict[str, int] = field(default_factory=dict)

    def collect(self) -> "Iterator[CounterMetricFamily]":
        """Each total as Prometheus wants it."""
        from prometheus_client.core import CounterMetricFamily

        for name, value in sorted(self.values.items()):
            yield CounterMetricFamily(f"radar_{name}", f"Kept in the store: {name.replace('_', ' ')}", value)


def create_metrics() -> Metrics:
    """Fresh metrics, all at nothing."""
    from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

    registry = CollectorRegistry()
    totals = Totals()
    registry.register(totals)

    def counter(name: str, meaning: str, *labels: str) -> Counter:
        return Counter(name, meaning, ("source", *labels), registry=registry)

    def histogram(name: str, meaning: str, buckets: tuple[float, ...]) -> Histogram:
        return Histogram(name, meaning, ("source",), registry=registry, buckets=buckets)

    def gauge(name: str, meaning: str, *labels: str) -> Gauge:
        return Gauge(name, meaning, ("source", *labels), registry=registry)

    return Metrics(
        registry=registry,
        sweeps=counter("radar_sweeps_total", "Sweeps that ended, by the reason they ended for", "stop_reason"),
        sweep_seconds=histogram("radar_sweep_seconds", "How long sweeps took", SWEEP_SECONDS),
        requests=counter("radar_requests_total", "Requests sent, by what came back", "outcome"),
        request_seconds=histogram("radar_request_seconds", "How long requests took", REQUEST_SECONDS),
        pages=counter("radar_pages_total", "Pages read"),
        items_added=counter("radar_items_added_total", "Items stored for the first time"),
        items_updated=counter("radar_items_updated_total", "Items seen again with a changed field"),
        items_known=counter("radar_items_known_total", "Items seen again unchanged"),
        items_filtered=counter("radar_items_filtered_total", "Items kept out at the door", "reason"),
        entries_unreadable=counter("radar_entries_unreadable_total", "Entries of a page no parser could read"),
        slow_ban_patterns=counter("radar_ban_pattern_timeouts_total", "Ban patterns that ran out of time"),
        source_paused_seconds=gauge("radar_source_paused_seconds", "How long a source is still left alone"),
        source_failure_streak=gauge("radar_source_failures", "Failures of a source in a row"),
        source_tokens=gauge("radar_source_tokens", "Requests a source may be sent at once"),
        source_out=gauge("radar_source_out", "1 while a source is out, by why", "outage"),
        jobs=Gauge("radar_jobs", "Jobs in the store, by status", ("status",), registry=registry),
        jobs_settled=Counter("radar_jobs_settled_total", "Jobs settled here", ("kind", "status"), registry=registry),
        job_seconds=Histogram(
            "radar_job_seconds", "How long jobs ran", ("kind",), registry=registry, buckets=SWEEP_SECONDS
        ),
        lease_held=Gauge("radar_lease_held", "1 while somebody holds a lease", ("lease",), registry=registry),
        matches=Gauge("radar_matches", "Matches in the store, by status", ("status",), registry=registry),
        deliveries=Gauge("radar_deliveries", "Deliveries in the store, by state", ("state",), registry=registry),
        totals=totals,
    )
