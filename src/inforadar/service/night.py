"""Work that may only run at night: a job that is claimed at another time goes back until the window opens."""

from dataclasses import replace

from inforadar.domain.job import Job, Outcome, Snooze
from inforadar.domain.schedule import DailyWindow
from inforadar.workers.step import Context, Step


def at_night(step: Step, night: DailyWindow) -> Step:
    """The same step, run only while the window is open."""

    def run(job: Job, context: Context) -> Outcome:
        now = context.clock.now()
        opening = night.next_opening(now)
        if night.is_open(now) or opening is None:
            return step.run(job, context)
        return Snooze(until=opening, reason="it may only run at night")

    return replace(step, run=run)
