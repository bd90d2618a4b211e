"""Watching the judge: while it is out of order one match after another tries it, and when it is back, recovery starts.

A judge that answers to its name may still give no verdicts (no memory, no money), so only a verdict ends its outage
and leaves an event; the watch of any process turns the newest such event into one recovery job, once. Where nothing
waits to be tried, the judge is asked how it is, so that nobody reads of an outage that is over. A judge that was
changed in the configuration begins anew: the failures of the one before are not its own.
"""

import hashlib
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import dropwhile, takewhile

from inforadar.config import JudgeSettings
from inforadar.domain.errors import SourceError, Stopped
from inforadar.domain.health import COOL_DOWN, Health, News
from inforadar.domain.ports import Judge
from inforadar.observe.log import get_log
from inforadar.pipeline.asking import Asking
from inforadar.pipeline.routes import recover_job
from inforadar.service.recovery import JUDGE, MOST_RECOVERIES
from inforadar.store import cursors, events, jobs, sources, waiting
from inforadar.store.database import Database, Tx
from inforadar.store.events import Event

CURSOR = "judge recovery"
IDENTITY = "judge identity"
CHANGED = "the judge was changed in the configuration; what waited for the one before is tried again"
MOST_EVENTS = 50
LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)

log = get_log("service")


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeWatch:
    """Looks after the judge; `window` is how far recovery reaches back from the beginning of an outage."""

    database: Database
    judge: Judge
    asking: Asking
    window: timedelta

    def once(self) -> bool:
        """Have an ailing judge tried, and start recovery if it came back; whether it did."""
        with self.database.reading() as tx:
            state = sources.get(tx, JUDGE)
            waits = bool(waiting.skipped(tx, since=LONG_AGO, most_recoveries=MOST_RECOVERIES, limit=1))
        if state is not None and self._is_to_be_tried(state.health):
            if waits:
                with self.database.transaction() as tx:
                    jobs.put(tx, [recover_job()])
            else:
                self._ping()
        return self._starts_recovery()

    def _is_to_be_tried(self, health: Health) -> bool:
        """Whether it ails, may be asked, and was not just asked in vain."""
        if health.outage is None or self.asking.closed() is not None:
            return False
        failed_at, now = health.last_failure_at, self.asking.clock.now()
        return failed_at is None or not timedelta(0) <= now - failed_at < COOL_DOWN

    def _ping(self) -> None:
        try:
            self.asking.ask(self.judge.ping)
        except (SourceError, Stopped) as error:
            log.debug("the judge is still out of order", error=str(error))

    def _starts_recovery(self) -> bool:
        with self.database.reading() as tx:
            if not _news(tx):
                return False
        with self.database.transaction() as tx:
            news = _news(tx)
            if not news:
                return False
            cursors.put(tx, CURSOR, news[0].id)
            return jobs.put(tx, [recover_job(news[-1].at - self.window)]) > 0


def welcome(tx: Tx, settings: JudgeSettings, window: timedelta, now: datetime) -> bool:
    """Let a judge that is not the one of last time begin anew, with what waited for that one; whether it is another."""
    identity = _identity(settings)
    known = cursors.get(tx, IDENTITY)
    if known == identity:
        return False
    cursors.put(tx, IDENTITY, identity)
    if known is None or sources.get(tx, JUDGE) is None:
        return False
    before = sources.begin_anew(tx, JUDGE)
    jobs.wake(tx, JUDGE)
    if before.outage:
        events.add(tx, News(kind="recovery", message=CHANGED), JUDGE, now)
        jobs.put(tx, [recover_job((before.outage_at or now) - window)])
    return True


def _identity(settings: JudgeSettings) -> int:
    """A number that tells judges apart by what they are and where they stand."""
    words = "\n".join((settings.kind, settings.base_url, settings.model))
    return int.from_bytes(hashlib.sha256(words.encode()).digest()[:6])


def _news(tx: Tx) -> list[Event]:
    """The newest return of the judge that nobody has acted on, and before it the outages that it ended."""
    told = events.recent(tx, source=JUDGE, limit=MOST_EVENTS)
    news = list(dropwhile(lambda event: event.kind != "recovery", told))
    if not news or news[0].id <= (cursors.get(tx, CURSOR) or 0):
        return []
    return [news[0], *takewhile(lambda event: event.kind == "outage", news[1:])]
