"""Jobs: the table of moves, backoff, and what outcomes and errors make of a job."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inforadar.domain.errors import (
    ConfigError,
    Gone,
    LeaseLost,
    NoVerdict,
    RateLimited,
    Refused,
    StoreError,
    Unavailable,
    Unreadable,
)
from inforadar.domain.job import (
    JITTER,
    LONGEST_MINUTES,
    MOVES,
    RATE_LIMIT_PAUSE,
    SHORTEST_SNOOZE,
    Done,
    Fail,
    Job,
    JobId,
    JobStatus,
    Move,
    Outcome,
    Retry,
    Snooze,
    after_loss,
    backoff,
    given_back,
    may_move,
    outcome_of,
    settlement,
)

NOW = datetime(2026, 1, 5, 12, tzinfo=UTC)
JOB = Job(id=JobId(1), kind="process", args={}, attempt=1, max_attempts=3, retry_count=0)
LAST = replace(JOB, attempt=3)


class Always:
    """Chance that always draws the same."""

    def __init__(self, drawn: float) -> None:
        self.drawn = drawn

    def random(self) -> float:
        """The one number."""
        return self.drawn


outcomes = st.one_of(
    st.just(Done()),
    st.builds(Retry, error=st.text(), delay=st.none() | st.timedeltas(timedelta(), timedelta(days=2))),
    st.builds(Snooze, until=st.datetimes(timezones=st.just(UTC)), reason=st.text()),
    st.builds(Fail, error=st.text()),
)


def test_the_table_knows_every_move_and_only_leaves_final_statuses_by_a_persons_hand() -> None:
    assert set(MOVES) == set(get_args(Move))
    for move, (begins, ends) in MOVES.items():
        assert begins | ends <= set(get_args(JobStatus))
        assert "succeeded" not in begins
        assert "failed" not in begins or move == "retry by hand"


@pytest.mark.parametrize(("retry_count", "minutes"), [(0, 2), (1, 4), (2, 8), (9, 1024), (10, 1440), (5000, 1440)])
def test_backoff_doubles_up_to_a_day(retry_count: int, minutes: float) -> None:
    assert backoff(2, retry_count, Always(0)) == timedelta(minutes=minutes)


@given(st.floats(0.01, 3000), st.integers(0, 100_000), st.floats(0, 1, exclude_max=True))
def test_jitter_shortens_a_backoff_by_a_fifth_at_most_and_never_passes_the_cap(
    base: float, retries: int, drawn: float
) -> None:
    full = backoff(base, retries, Always(0))
    assert full <= timedelta(minutes=LONGEST_MINUTES)
    assert full * (1 - JITTER) - timedelta(seconds=1) <= backoff(base, retries, Always(drawn)) <= full


@pytest.mark.parametrize(
    ("error", "outcome"),
    [
        (Unavailable("away"), Retry(error="away")),
        (StoreError("locked"), Retry(error="locked")),
        (NoVerdict("captive portal"), Retry(error="captive portal")),
        (LeaseLost("taken over"), Retry(error="taken over")),
        (TimeoutError("slow"), Retry(error="TimeoutError: slow")),
        (ConnectionResetError(), Retry(error="ConnectionResetError: no message")),
        (
            RateLimited("slow down", NOW + timedelta(hours=1)),
            Snooze(until=NOW + timedelta(hours=1), reason="slow down"),
        ),
        (RateLimited("slow down"), Snooze(until=NOW + RATE_LIMIT_PAUSE, reason="slow down")),
        (Refused("captcha"), Fail(error="captcha")),
        (Gone("404"), Fail(error="404")),
        (Unreadable("new markup"), Fail(error="new markup")),
        (ConfigError("no token"), Fail(error="no token")),
        (KeyError("match_id"), Fail(error="KeyError: 'match_id'")),
    ],
)
def test_transient_and_permanent_errors_are_told_apart(error: Exception, outcome: Outcome) -> None:
    assert outcome_of(error, NOW) == outcome


def test_a_retry_waits_for_its_backoff_and_the_last_attempt_fails() -> None:
    waiting = settlement(Retry(error="away"), replace(JOB, retry_count=2), NOW, Always(0), base_minutes=1)
    assert (waiting.status, waiting.delay, waiting.error) == ("retryable", timedelta(minutes=4), "away")
    chosen = settlement(Retry(error="away", delay=timedelta(seconds=5)), JOB, NOW, Always(0))
    assert chosen.delay == timedelta(seconds=5)
    failed = settlement(Retry(error="away"), LAST, NOW, Always(0))
    assert (failed.status, failed.error) == ("failed", "gave up at attempt 3: away")


def test_a_snooze_costs_no_attempt_even_at_the_last_one() -> None:
    for job in (JOB, LAST):
        snoozed = settlement(Snooze(until=NOW + timedelta(hours=6), reason="pause"), job, NOW, Always(0))
        assert (snoozed.status, snoozed.delay, snoozed.more_attempts) == ("pending", timedelta(hours=6), 1)


def test_a_snooze_until_the_past_does_not_spin() -> None:
    assert settlement(Snooze(until=NOW, reason="x"), JOB, NOW, Always(0)).delay == SHORTEST_SNOOZE


@given(outcomes, st.integers(1, 5), st.integers(1, 5), st.integers(0, 50))
def test_every_settlement_is_a_move_of_the_table_and_leaves_an_attempt_to_what_goes_on(
    outcome: Outcome, attempt: int, more: int, retries: int
) -> None:
    job = replace(JOB, attempt=attempt, max_attempts=attempt - 1 + more, retry_count=retries)
    made = [
        settlement(outcome, job, NOW, Always(0.5)),
        given_back(job, was_started=True, why="x"),
        given_back(job, was_started=False, why="x"),
        after_loss(job, "w"),
    ]
    for one in made:
        assert may_move(one.move, "running", one.status)
        if one.status in ("pending", "retryable"):
            assert one.delay is not None
            assert job.attempt < job.max_attempts + one.more_attempts
        assert one.status == "succeeded" or one.error is not None


def test_a_job_given_back_unstarted_costs_nothing_and_a_shutdown_fails_no_job() -> None:
    assert given_back(JOB, was_started=False, why="x").more_attempts == 1
    assert given_back(JOB, was_started=True, why="x").more_attempts == 0
    assert given_back(LAST, was_started=True, why="x").more_attempts == 1


def test_a_job_whose_worker_is_lost_on_its_last_attempt_fails() -> None:
    assert after_loss(JOB, "w1").status == "pending"
    lost = after_loss(replace(LAST, losses=2), "w1")
    assert (lost.status, lost.error) == ("failed", "worker lost 3 times, the last was w1")
