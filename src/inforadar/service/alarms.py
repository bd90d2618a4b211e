"""Alarms: what a person must hear of at once. Each is an event, a count for Prometheus, and a message.

The message is a job of its own, so that it comes through however long Telegram is away; it keeps the quiet hours.
Invariant: an alarm's event, its count and its message's job are one transaction.
"""

from dataclasses import dataclass
from typing import Any

from inforadar.domain.errors import BadQuery
from inforadar.domain.health import News
from inforadar.domain.job import Done, Job, NewJob, Outcome
from inforadar.domain.ports import Clock
from inforadar.domain.schedule import DailyWindow
from inforadar.observe.log import get_log
from inforadar.observe.printable import printable
from inforadar.pipeline.asking import Asking
from inforadar.sinks.telegram_api import TelegramApi
from inforadar.store import events, jobs, totals
from inforadar.store.database import Tx
from inforadar.store.jobs import OUT_FIRST

ALARM = "alarm"
ALARMS = "alarms"
LONGEST_MESSAGE = 1000

log = get_log("service")


@dataclass(frozen=True, slots=True, kw_only=True)
class Herald:
    """Who tells a person: a chat, when it may be told, and the gate before it."""

    api: TelegramApi
    chat_id: str
    asking: Asking
    quiet_hours: DailyWindow | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Alarms:
    """Raises alarms and tells them; without a herald they are seen in `radar status` and the metrics."""

    clock: Clock
    herald: Herald | None = None

    def sound(self, tx: Tx, source: str, message: str) -> None:
        """Raise an alarm about a source or sink, in the caller's transaction."""
        now = self.clock.now()
        log.error(message, source=source, kind=ALARM)
        events.add(tx, News(kind="alarm", message=message), source, now)
        totals.add(tx, {ALARMS: 1})
        if self.herald is None:
            return
        quiet = self.herald.quiet_hours
        run_at = quiet.next_closing(now) if quiet is not None and quiet.is_open(now) else None
        text = printable(f"Info Radar: {message}")[:LONGEST_MESSAGE]
        jobs.put(tx, [NewJob(kind=ALARM, args={"text": text}, source="telegram", priority=OUT_FIRST, run_at=run_at)])

    def tell(self, job: Job, _context: Any) -> Outcome:
        """Send the message of one alarm."""
        herald = self.herald
        if herald is None:
            return Done()
        try:
            herald.asking.ask(
                lambda: herald.api.call("sendMessage", chat_id=herald.chat_id, text=str(job.args["text"]))
            )
        except BadQuery as error:
            log.warning("Telegram does not take the message of an alarm", error=str(error))
        return Done()
