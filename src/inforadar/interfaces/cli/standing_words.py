"""How a source, the judge or a sink stands, in words: the same on the command line and on screen."""

from datetime import datetime

from inforadar.interfaces.cli.wording import ago, span
from inforadar.interfaces.source_standing import SourceStanding


def state_words(one: SourceStanding, now: datetime) -> str:
    """How it is, with the countdown of its pause."""
    state, health = one.state(now), one.health
    if state == "paused" and health.paused_until:
        return f"paused, {span((health.paused_until - now).total_seconds())} left"
    if state == "failing" and health.failure_streak > 1:
        return f"failing, {health.failure_streak} in a row"
    return state


def success_words(one: SourceStanding, now: datetime) -> str:
    """When it answered last; what was asked and has not answered may still do so."""
    return "not yet" if one.is_unanswered else ago(one.last_success_at, now)


def last_success(at: datetime | None, now: datetime) -> str:
    """When something succeeded last, as a part of a sentence."""
    return f"last success {ago(at, now)}" if at else "no success yet"
