"""Alarms: what a person must hear of at once. Each is an event, a count for Prometheus, and a message.

The message is a job for each sink that can speak, so that it comes through however long one is away; it keeps the
quiet hours.
Invariant: an alarm's event, its count and the jobs of its messages are one transaction.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from inforadar.domain.errors import BadQuery
from inforadar.domain.health import News
from inforadar.domain.job import Done, Job, NewJob, Outcome
from inforadar.domain.ports import Clock
from inforadar.domain.schedule import DailyWindow
from inforadar.observe.log import get_log
from inforadar.observe.printable import printable
from inforadar.pipeline.asking import Asking
from inforadar.store import events, jobs, totals
from inforadar.store.database import Tx
from inforadar.store.jobs import OUT_FIRST

ALARM = "alarm"
ALARMS = "alarms"
LONGEST_MESSAGE = 1000

log = get_log("service")


@dataclass(frozen=True, slots=True, kw_only=True)
class Herald:
    """Who tells a person: a sink that says a text, the gate before it, and when it must be silent."""

    say: Callable[[str], object]
    asking: Asking
    quiet_hours: DailyWindow | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Alarms:
    """Raises alarms and tells them; without heralds (by sink) they are seen in `radar status` and the metrics."""

    clock: Clock
    heralds: Mapping[str, Herald] = field(default_factory=dict)

    def sound(self, tx: Tx, source: str, message: str) -> None:
        """Raise an alarm about a source or sink, in the caller's transaction."""
        now = self.clock.now()
        log.error(message, source=source, kind=ALARM)
        events.add(tx, News(kind="alarm", message=message), source, now)
        totals.add(tx, {ALARMS: 1})
        text = printable(f"Info Radar: {message}")[:LONGEST_MESSAGE]
        jobs.put(tx, [_message(sink, herald, text, now) for sink, herald in self.heralds.items()])

    def tell(self, job: Job, _context: Any) -> Outcome:
        """Send the message of one alarm."""
        herald = self.heralds.get(job.args["sink"])
        if herald is None:
            return Done()
        try:
            herald.asking.ask(lambda: herald.say(str(job.args["text"])))
        except BadQuery as error:
            log.warning("the message of an alarm is not taken", sink=job.args["sink"], error=str(error))
        return Done()


def _message(sink: str, herald: Herald, text: str, now: datetime) -> NewJob:
    quiet = herald.quiet_hours
    run_at = quiet.next_closing(now) if quiet is not None and quiet.is_open(now) else None
    return NewJob(kind=ALARM, args={"text": text, "sink": sink}, source=sink, priority=OUT_FIRST, run_at=run_at)
