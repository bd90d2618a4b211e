"""The table `sources`: how fast each source may be asked and how it has answered, shared by all processes.

A request is let through, and its outcome written down, in one short transaction each that holds the source's row;
the decisions are in `domain.limits` and `domain.health`. The rate is kept by the time in `paced_at` (the database's
own, the same for every machine), pauses by the asking process's clock.
Invariant: for every source and every t seconds, requests <= rate_limit_per_minute * (1 + t / 60).
Invariant: open breaker => no request, except one probe a cool-down.
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import datetime

from inforadar.domain import health as healths
from inforadar.domain.errors import StoreError
from inforadar.domain.health import Admitted, Closed, Health, MustWait, News
from inforadar.domain.limits import Bucket, drained, full, take
from inforadar.store import events
from inforadar.store.database import Row, Tx


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceHealth:
    """Where one source stands: its limit, its requests so far and how it has answered."""

    name: str
    enabled: bool
    bucket: Bucket
    requests_total: int
    health: Health

    def is_paused(self, now: datetime) -> bool:
        """Whether it is left alone now."""
        return healths.is_paused(self.health, now)

    def pause_left_s(self, now: datetime) -> float:
        """How many seconds a pause still lasts; 0 = it is not paused."""
        if self.health.paused_until is None or not self.is_paused(now):
            return 0.0
        return (self.health.paused_until - now).total_seconds()


def register(tx: Tx, name: str, *, rate_limit_per_minute: int, enabled: bool, paced_at: datetime) -> None:
    """Make sure the source has its row with what the configuration says; how it has answered stays."""
    bucket = full(rate_limit_per_minute, paced_at)
    tx.run(
        "source_register",
        name=name,
        enabled=enabled,
        rate_limit_per_minute=bucket.per_minute,
        tokens=bucket.tokens,
        tokens_at=bucket.filled_at,
    )


def all(tx: Tx) -> list[SourceHealth]:  # noqa: A001 - read as sources.all
    """Every source, by name."""
    return [_source(row) for row in tx.rows("source_search", name=None)]


def get(tx: Tx, name: str) -> SourceHealth | None:
    """One source; None = it was never registered."""
    row = tx.row("source_search", name=name)
    return _source(row) if row else None


def enter(tx: Tx, name: str, *, now: datetime, paced_at: datetime) -> Admitted | MustWait | Closed:
    """Ask for one request: it is let through and counted, or must wait for its turn, or the source is closed."""
    stored = _lock(tx, name)
    answer = healths.may_ask(name, stored.health, now)
    if isinstance(answer, Closed):
        return answer
    bucket, wait_s = take(stored.bucket, paced_at)
    if wait_s:
        if stored.bucket.filled_at > paced_at:  # written by a clock ahead of ours: without this it would wait for that
            _save_bucket(tx, stored, bucket)
        return MustWait(seconds=wait_s, longest_s=bucket.longest_wait_s)
    health = healths.probing(stored.health, now) if answer.is_probe else stored.health
    tx.run(
        "source_admit",
        name=name,
        tokens=bucket.tokens,
        tokens_at=bucket.filled_at,
        probing_until=health.probing_until,
    )
    return answer


def _save_bucket(tx: Tx, stored: SourceHealth, bucket: Bucket) -> None:
    tx.run("source_refill", name=stored.name, tokens=bucket.tokens, tokens_at=bucket.filled_at)


def hold_back(tx: Tx, name: str, *, wait_s: float, paced_at: datetime) -> None:
    """Let no request through for so many seconds; this is no outage."""
    stored = _lock(tx, name)
    _save_bucket(tx, stored, drained(stored.bucket, wait_s, paced_at))


def change(tx: Tx, name: str, now: datetime, next_health: Callable[[Health], Health]) -> News | None:
    """Write down how a source has answered; what a person should hear of it is an event and is returned."""
    before = _lock(tx, name).health
    after = next_health(before)
    if after == before:
        return None
    tx.run("source_save_health", name=name, **asdict(after))
    news = healths.news(name, before, after, now)
    if news:
        events.add(tx, news, name, now)
    return news


def lift_pause(tx: Tx, name: str, now: datetime) -> None:
    """End a pause because the user says so; the next request goes out."""
    change(tx, name, now, healths.lifted)


def begin_anew(tx: Tx, name: str) -> Health:
    """Nothing of what stood behind this name until now counts any more; how it was."""
    before = _lock(tx, name).health
    tx.run("source_save_health", name=name, **asdict(Health()))
    return before


def _lock(tx: Tx, name: str) -> SourceHealth:
    row = tx.row("source_lock", name=name)
    if row is None:
        raise StoreError(f"The source {name!r} is not in the store. Run `radar fetch`, which saves it first.")
    return _source(row)


def _source(row: Row) -> SourceHealth:
    bucket = Bucket(per_minute=row["rate_limit_per_minute"], tokens=row["tokens"], filled_at=row["tokens_at"])
    health = Health(**{name: row[name] for name in Health.__dataclass_fields__})
    return SourceHealth(
        name=row["name"],
        enabled=bool(row["enabled"]),
        bucket=bucket,
        requests_total=row["requests_total"],
        health=health,
    )
