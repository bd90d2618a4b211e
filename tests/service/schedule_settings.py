"""The settings of a schedule, for tests that care about few of them."""

from typing import Any

from inforadar.config import ScheduleSettings
from inforadar.domain.schedule import Every


def all_work(every: Every, **differing: Any) -> ScheduleSettings:
    """All work is due at the same intervals, by day and by night."""
    values: dict[str, Any] = {
        **dict.fromkeys(("fetch", "requeue", "recovery", "recheck", "fulltext", "prune"), every),
        "continuous": False,
        "recovery_hours": 48,
        "keep_finished_jobs_days": 7,
        "night": None,
        "night_work": (),
    }
    return ScheduleSettings(**(values | differing))
