"""Breaker and pauses as pure decisions: what is paused, who probes, what is told once."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inforadar.domain.errors import Gone, NoVerdict, RateLimited, Refused, Unavailable, Unreadable
from inforadar.domain.health import (
    Admitted,
    Closed,
    Health,
    after_failure,
    after_success,
    is_paused,
    lifted,
    may_ask,
    news,
    news_of_list,
    probing,
    resting,
)

NOON = datetime(2026, 1, 5, 12, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
HOUR = timedelta(hours=1)
OUT = Unavailable("no answer within 20 s")
SLOWER = RateLimited("the source asks us to slow down (HTTP 429)")


def failed(times: int, health: Health | None = None, now: datetime = NOON) -> Health:
    health = health or Health()
    for _ in range(times):
        health = after_failure(health, OUT, now, 0)
    return health


def test_four_failures_are_borne_and_the_fifth_opens_the_breaker_for_five_minutes():
    assert may_ask("hh", failed(4), NOON) == Admitted()
    opened = failed(5)
    assert may_ask("hh", opened, NOON) == Closed(name="hh", until=NOON + 5 * MINUTE, outage="unavailable")
    assert isinstance(may_ask("hh", opened, NOON + 4.99 * MINUTE), Closed)
    assert may_ask("hh", opened, NOON + 5 * MINUTE) == Admitted(is_probe=True)


def test_a_success_between_failures_starts_the_count_again():
    health = failed(4, after_success(failed(4), NOON))
    assert may_ask("hh", health, NOON) == Admitted()


def test_one_probes_while_the_others_wait_and_a_dead_probe_is_replaced():
    end = NOON + 5 * MINUTE
    health = probing(failed(5), end)
    assert isinstance(may_ask("hh", health, end), Closed)
    assert may_ask("hh", health, end + 2 * MINUTE) == Admitted(is_probe=True)


@pytest.mark.parametrize("error", [OUT, Unreadable("changed")])
def test_a_failed_probe_pauses_again_and_a_good_one_closes_the_breaker(error):
    end = NOON + 5 * MINUTE
    health = probing(failed(5), end)
    assert after_failure(health, error, end, 0).paused_until == end + 5 * MINUTE
    closed = after_success(health, end)
    assert may_ask("hh", failed(4, closed), end) == Admitted()


def test_a_rate_limit_pauses_about_six_hours_or_as_long_as_the_source_says():
    assert after_failure(Health(), SLOWER, NOON, 0).paused_until == NOON + 6 * HOUR
    assert after_failure(Health(), SLOWER, NOON, 1).paused_until == NOON + 6 * HOUR * 1.05
    for retry_at, until in ((NOON + HOUR, NOON + 6 * HOUR), (NOON + 20 * HOUR, NOON + 20 * HOUR)):
        assert after_failure(Health(), RateLimited("429", retry_at), NOON, 0).paused_until == until


def test_a_probe_that_fails_after_a_rate_limit_waits_for_a_cool_down():
    end = NOON + 6 * HOUR
    health = probing(after_failure(Health(), SLOWER, NOON, 0), end)
    assert after_failure(health, OUT, end, 0).paused_until == end + 5 * MINUTE


def test_a_failure_after_a_wait_we_were_asked_for_is_one_of_five():
    waiting = resting(Health(), NOON + MINUTE, NOON)
    assert isinstance(may_ask("telegram", waiting, NOON), Closed)
    once = failed(1, waiting, NOON + 2 * MINUTE)
    assert (once.failure_streak, once.outage) == (1, None)
    assert may_ask("telegram", once, NOON + 2 * MINUTE) == Admitted()
    assert failed(4, once, NOON + 2 * MINUTE).outage == "unavailable"


def test_after_a_wait_we_were_asked_for_everybody_may_ask_and_nobody_probes():
    waiting = resting(Health(), NOON + MINUTE, NOON)
    assert may_ask("judge", waiting, NOON + MINUTE) == Admitted()


def test_a_failure_of_an_old_question_does_not_end_a_wait_we_were_asked_for():
    waiting = failed(1, resting(Health(), NOON + MINUTE, NOON))
    assert isinstance(may_ask("telegram", waiting, NOON), Closed)
    assert (waiting.failure_streak, waiting.outage) == (1, None)


def test_an_answer_to_an_old_question_neither_ends_nor_shortens_a_pause():
    paused = after_failure(Health(), SLOWER, NOON, 0)
    for straggler in (
        after_success(paused, NOON),
        after_failure(paused, Refused("403"), NOON, 0),
        failed(6, paused),
    ):
        assert (straggler.paused_until, straggler.outage) == (NOON + 6 * HOUR, "rate limited")


def test_a_refusal_is_told_and_does_not_pause():
    refused = after_failure(Health(), Refused("check the token"), NOON, 0)
    assert may_ask("hh", refused, NOON) == Admitted()
    assert (refused.outage, refused.last_error) == ("refused", "check the token")


@pytest.mark.parametrize("error", [Gone("404"), NoVerdict("a login wall")])
def test_an_answer_about_an_item_is_an_answer_of_the_source(error):
    assert after_failure(failed(4), error, NOON, 0).failure_streak == 0


def test_a_pause_of_another_clock_is_over():
    paused = after_failure(Health(), SLOWER, datetime(2031, 1, 1, tzinfo=UTC), 0)
    assert may_ask("hh", paused, NOON) == Admitted(is_probe=True)
    assert after_success(paused, NOON).paused_until is None


def test_the_user_lifts_a_pause_and_recovery_is_told_at_the_next_answer():
    paused = failed(5)
    free = lifted(paused)
    assert may_ask("hh", free, NOON) == Admitted()
    assert news("hh", paused, free, NOON) is None
    told = news("hh", free, after_success(free, NOON + 90 * MINUTE), NOON + 90 * MINUTE)
    assert (told.kind, told.message) == ("recovery", "hh answers again after 1 h 30 min")


def test_an_outage_is_told_once_and_again_when_it_becomes_another():
    kinds, health = [], Health()
    for error in (*[OUT] * 8, SLOWER, SLOWER, Refused("x")):
        after = after_failure(health, error, NOON, 0)
        told = news("hh", health, after, NOON)
        kinds.append(told.kind if told else None)
        health = after
    assert kinds == [None] * 4 + ["outage"] + [None] * 3 + ["outage", None, None]


def test_news_say_what_is_wrong_and_until_when():
    told = news("hh", Health(), after_failure(Health(), SLOWER, NOON, 0), NOON)
    assert told.message == (
        "hh asks us to slow down (the source asks us to slow down (HTTP 429)); "
        "it is left alone until 2026-01-05 18:00 UTC, other sources go on"
    )


@pytest.mark.parametrize(
    ("had", "shown", "is_told", "kind"),
    [
        (30, 0, False, "outage"),
        (30, 0, True, None),
        (30, 5, True, "recovery"),
        (30, 5, False, None),
        (0, 0, False, None),
    ],
)
def test_a_list_that_suddenly_shows_nothing_is_told_once(had, shown, is_told, kind):
    told = news_of_list("hh (python)", had=had, shown=shown, is_told=is_told)
    assert (told.kind if told else None) == kind


@given(st.lists(st.tuples(st.sampled_from(["good", "bad", "slow", "refused"]), st.integers(0, 400)), max_size=60))
def test_whatever_happens_a_pause_is_bounded_and_one_answer_after_it_makes_all_well(outcomes):
    health, now = Health(), NOON
    for outcome, minutes in outcomes:
        now += minutes * MINUTE
        answer = may_ask("hh", health, now)
        if isinstance(answer, Closed):
            assert is_paused(health, now) or health.probing_until is not None
            assert now < answer.until <= now + 6.5 * HOUR
            continue
        if answer.is_probe:
            health = probing(health, now)
        error = {"bad": OUT, "slow": SLOWER, "refused": Refused("x")}.get(outcome)
        health = after_failure(health, error, now, 0.5) if error else after_success(health, now)
    now += 7 * HOUR
    assert isinstance(may_ask("hh", health, now), Admitted)
    well = after_success(health, now)
    assert (well.failure_streak, well.paused_until, well.outage, well.last_error) == (0, None, None, None)
