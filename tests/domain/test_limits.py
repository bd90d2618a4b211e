"""Token buckets: no stretch of time sees more requests than the source allows."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inforadar.domain.limits import Bucket, drained, full, take

NOON = datetime(2026, 1, 5, 12, tzinfo=UTC)


def later(seconds: float) -> datetime:
    return NOON + timedelta(seconds=seconds)


def test_a_full_bucket_gives_a_minute_at_once_and_then_names_the_wait():
    bucket = full(3, NOON)
    for _ in range(3):
        bucket, wait_s = take(bucket, NOON)
        assert wait_s == 0
    unchanged, wait_s = take(bucket, NOON)
    assert (unchanged, wait_s) == (bucket, pytest.approx(20))


def test_a_refused_token_costs_nothing_and_the_wait_that_was_named_is_enough():
    bucket = Bucket(per_minute=7, tokens=0.0, filled_at=NOON)
    _, wait_s = take(bucket, later(3))
    assert wait_s == pytest.approx(60 / 7 - 3)
    _, wait_s = take(bucket, later(3 + wait_s))
    assert wait_s <= 0.001


def test_a_clock_that_went_back_gives_nothing_and_holds_nobody_up():
    bucket = Bucket(per_minute=60, tokens=0.0, filled_at=later(3600))
    bucket, wait_s = take(bucket, NOON)
    assert wait_s == pytest.approx(1)
    bucket, wait_s = take(Bucket(per_minute=60, tokens=1.0, filled_at=later(3600)), NOON)
    assert (wait_s, bucket.tokens, bucket.filled_at) == (0, 0, NOON)


def test_a_lowered_limit_holds_at_once():
    bucket = Bucket(per_minute=2, tokens=60.0, filled_at=NOON)
    assert take(bucket, NOON)[0].tokens == 1


def test_a_lone_asker_of_a_slow_source_waits_for_its_next_token():
    assert full(1, NOON).longest_wait_s == 60
    assert full(60, NOON).longest_wait_s == 30


@given(st.integers(1, 120), st.lists(st.floats(0, 30), min_size=1, max_size=150))
def test_any_stretch_of_time_sees_no_more_requests_than_a_minute_and_the_rate(per_minute, pauses):
    """Invariant: in any stretch of t seconds at most per_minute + t * per_minute / 60 requests are let through."""
    bucket, at, let_through = full(per_minute, NOON), 0.0, []
    for pause in pauses:
        at += pause
        for _ in range(3):
            bucket, wait_s = take(bucket, later(at))
            if not wait_s:
                let_through.append(at)
    for first, since in enumerate(let_through):
        for last in range(first, len(let_through)):
            allowed = per_minute * (1 + (let_through[last] - since) / 60)
            assert last - first + 1 <= allowed + 0.001


def test_a_bucket_filled_by_a_clock_far_ahead_fills_again_by_ours():
    ahead = NOON + timedelta(days=365)
    bucket = full(60, ahead)
    for _ in range(60):
        bucket, _ = take(bucket, ahead)
    bucket, wait_s = take(bucket, NOON)
    assert wait_s > 0
    assert take(bucket, NOON + timedelta(seconds=wait_s + 0.1))[1] == 0


@pytest.mark.parametrize(("tokens", "wait_s"), [(60.0, 20.0), (0.5, 20.0), (60.0, 0.1), (-40.0, 5.0)])
def test_a_break_empties_the_bucket_until_it_is_over_and_never_shortens_a_wait(tokens, wait_s):
    bucket = Bucket(per_minute=60, tokens=tokens, filled_at=NOON)
    _, before_s = take(bucket, NOON)
    _, after_s = take(drained(bucket, wait_s, NOON), NOON)
    assert after_s == pytest.approx(max(before_s, wait_s))
