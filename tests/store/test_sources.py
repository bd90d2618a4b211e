"""Sources: limits, breaker, pauses and events shared by all processes, on both databases."""

import threading
from datetime import UTC, datetime, timedelta

import pytest

from inforadar.domain.errors import RateLimited, StoreError, Unavailable
from inforadar.domain.health import Admitted, Closed, Health, MustWait, after_failure, after_success
from inforadar.store import events, sources
from inforadar.store.database import Database, open_database

NOON = datetime(2026, 1, 5, 12, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


@pytest.fixture
def known(db: Database) -> Database:
    """A database with one source, hh, at three requests a minute."""
    register(db, per_minute=3)
    return db


def register(db: Database, per_minute: int, *, enabled: bool = True) -> None:
    with db.transaction() as tx:
        sources.register(tx, "hh", rate_limit_per_minute=per_minute, enabled=enabled, paced_at=NOON)


def enter(db: Database, now: datetime = NOON, paced_at: datetime = NOON) -> Admitted | MustWait | Closed:
    with db.transaction() as tx:
        return sources.enter(tx, "hh", now=now, paced_at=paced_at)


def fail(db: Database, error: Exception, now: datetime = NOON) -> None:
    with db.transaction() as tx:
        sources.change(tx, "hh", now, lambda health: after_failure(health, error, now, 0))  # type: ignore[arg-type]


def succeed(db: Database, now: datetime = NOON) -> None:
    with db.transaction() as tx:
        sources.change(tx, "hh", now, lambda health: after_success(health, now))


def the_source(db: Database) -> sources.SourceHealth:
    with db.reading() as tx:
        (source,) = sources.all(tx)
    return source


def told(db: Database) -> list[str]:
    with db.reading() as tx:
        return [event.kind for event in reversed(events.recent(tx, source="hh"))]


def test_requests_are_counted_and_beyond_the_limit_they_wait(known: Database) -> None:
    assert [enter(known) for _ in range(3)] == [Admitted()] * 3
    waiting = enter(known)
    assert isinstance(waiting, MustWait)
    assert waiting.seconds == pytest.approx(20)
    assert the_source(known).requests_total == 3
    assert enter(known, paced_at=NOON + timedelta(seconds=20)) == Admitted()


def test_registering_again_changes_the_limit_and_keeps_what_is_known(known: Database) -> None:
    enter(known)
    fail(known, RateLimited("slow down"))
    register(known, 5, enabled=False)
    source = the_source(known)
    assert (source.bucket.per_minute, source.enabled, source.requests_total) == (5, False, 1)
    assert source.bucket.tokens == 2
    assert source.is_paused(NOON)


def test_a_source_that_was_never_registered_cannot_be_asked(db: Database) -> None:
    with pytest.raises(StoreError, match="linkedin"), db.transaction() as tx:
        sources.enter(tx, "linkedin", now=NOON, paced_at=NOON)


def test_a_pause_is_there_for_every_process_and_counts_down(known: Database, database_url: str) -> None:
    fail(known, RateLimited("slow down"))
    other = open_database(database_url)
    closed = enter(other, NOON + MINUTE)
    assert closed == Closed(name="hh", until=NOON + 360 * MINUTE, outage="rate limited")
    assert the_source(other).pause_left_s(NOON + MINUTE) == 359 * 60
    assert the_source(other).health.pause_reason == "rate limited"
    other.close()


def test_the_breaker_opens_probes_and_closes_and_tells_each_once(known: Database) -> None:
    for _ in range(7):
        fail(known, Unavailable("no answer"))
    assert isinstance(enter(known), Closed)
    assert the_source(known).health.failure_streak == 7
    end = NOON + 5 * MINUTE
    assert enter(known, end, end) == Admitted(is_probe=True)
    assert isinstance(enter(known, end, end), Closed)
    succeed(known, end)
    assert enter(known, end, end) == Admitted()
    assert told(known) == ["outage", "recovery"]
    assert the_source(known).health == Health(last_success_at=end, last_failure_at=NOON)


def test_a_lifted_pause_lets_the_next_request_out(known: Database) -> None:
    fail(known, RateLimited("slow down"))
    with known.transaction() as tx:
        sources.lift_pause(tx, "hh", NOON)
    assert enter(known) == Admitted()
    assert told(known) == ["outage"]


def test_a_success_of_a_healthy_source_is_written_once_a_minute(known: Database) -> None:
    succeed(known, NOON)
    succeed(known, NOON + MINUTE / 2)
    assert the_source(known).health.last_success_at == NOON
    succeed(known, NOON + MINUTE)
    assert the_source(known).health.last_success_at == NOON + MINUTE


def test_of_many_who_enter_at_once_no_more_than_the_limit_get_through(db: Database) -> None:
    register(db, 10)
    assert count_admitted(db, threads=6, tries=5) == 10


def test_of_many_who_would_probe_at_once_one_may(db: Database) -> None:
    register(db, 1000)
    for _ in range(5):
        fail(db, Unavailable("no answer"))
    assert count_admitted(db, threads=6, tries=3, now=NOON + 5 * MINUTE) == 1


def test_failures_of_many_processes_at_once_are_all_counted_and_told_once(known: Database) -> None:
    run_in_threads(6, lambda: fail(known, Unavailable("no answer")))
    assert the_source(known).health.failure_streak == 6
    assert told(known) == ["outage"]


def test_the_source_health_query_of_the_seed_works(known: Database) -> None:
    with known.reading() as tx:
        text = "SELECT name, enabled, failure_streak, last_success_at, last_failure_at, paused_until FROM sources"
        (row,) = tx._connection.rows(text, {})
    assert (row["name"], bool(row["enabled"]), row["failure_streak"]) == ("hh", True, 0)


def count_admitted(db: Database, *, threads: int, tries: int, now: datetime = NOON) -> int:
    answers: list[object] = []
    run_in_threads(threads, lambda: answers.extend(enter(db, now) for _ in range(tries)))
    assert len(answers) == threads * tries
    return sum(isinstance(answer, Admitted) for answer in answers)


def run_in_threads(count: int, work) -> None:
    threads = [threading.Thread(target=work) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
