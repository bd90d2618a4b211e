"""Alarms: what a person must hear of at once. Each is an event, a count for Prometheus, and a message.

Alerts are told the same way and are no alarms: nothing is wrong, so nothing is counted.

The message is a job for each sink that can speak, so that it comes through however long one is away; it keeps the
quiet hours.
Invariant: the event of an alarm or alert, its count and the jobs of its messages are one transaction.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from inforadar.domain.delivery import QUIET
from inforadar.domain.errors import BadQuery, SourceError
from inforadar.domain.health import News
from inforadar.domain.job import Done, Job, NewJob, Outcome, Snooze
from inforadar.domain.ports import Clock
from inforadar.domain.schedule import DailyWindow
from inforadar.domain.watch import Query
from inforadar.observe.log import get_log
from inforadar.observe.printable import printable
from inforadar.pipeline.asking import Asking, later
from inforadar.store import events, jobs, totals
from inforadar.store.database import Tx
from inforadar.store.jobs import OUT_FIRST

ALARM = "alarm"
ALERT = "alert"
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
        log.error(message, source=source, kind=ALARM)
        totals.add(tx, {ALARMS: 1})
        self._announce(tx, ALARM, News(kind="alarm", message=message), source)

    def sound_gap(self, tx: Tx, query: Query, message: str) -> None:
        """Raise the alarm that entries of a list may be lost, in the caller's transaction."""
        log.error(message, source=query.source, query_key=query.key, kind="gap")
        totals.add(tx, {ALARMS: 1})
        self._announce(tx, ALARM, News(kind="gap", message=message), query.source, query.key)

    def alert(self, tx: Tx, source: str, message: str) -> None:
        """Tell what the user wants to hear of, in the caller's transaction."""
        log.info(message, source=source, kind=ALERT)
        self._announce(tx, ALERT, News(kind="alert", message=message), source)

    def tell(self, job: Job, _context: Any) -> Outcome:
        """Send the message of one alarm or alert; what an outage brought into the quiet hours waits for their end."""
        herald, now = self.heralds.get(job.args["sink"]), self.clock.now()
        if herald is None:
            return Done()
        if herald.quiet_hours is not None and herald.quiet_hours.is_open(now):
            return Snooze(until=herald.quiet_hours.next_closing(now), reason=QUIET)
        try:
            herald.asking.ask(lambda: herald.say(str(job.args["text"])))
        except BadQuery as error:
            log.warning(f"the message of an {job.kind} is not taken", sink=job.args["sink"], error=str(error))
        except SourceError as error:
            return later(error)
        return Done()

    def _announce(self, tx: Tx, kind: str, news: News, source: str, query_key: str | None = None) -> None:
        now = self.clock.now()
        events.add(tx, news, source, now, query_key)
        text = printable(f"Info Radar: {news.message}")[:LONGEST_MESSAGE]
        jobs.put(tx, [_message(kind, sink, herald, text, now) for sink, herald in self.heralds.items()])


def _message(kind: str, sink: str, herald: Herald, text: str, now: datetime) -> NewJob:
    quiet = herald.quiet_hours
    run_at = quiet.next_closing(now) if quiet is not None and quiet.is_open(now) else None
    return NewJob(kind=kind, args={"text": text, "sink": sink}, source=sink, priority=OUT_FIRST, run_at=run_at)
