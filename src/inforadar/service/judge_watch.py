"""Watching the judge: while it is out of order it is asked how it is, and when it is back, recovery starts by itself.

Whoever finds out first that it answers (this watch, or a verdict that came through) leaves an event; the watch of any
process turns the newest such event into one recovery job, once.
"""

from dataclasses import dataclass
from datetime import timedelta
from itertools import dropwhile, takewhile

from inforadar.domain.errors import SourceError, Stopped
from inforadar.domain.ports import Judge
from inforadar.observe.log import get_log
from inforadar.pipeline.asking import Asking
from inforadar.pipeline.routes import recover_job
from inforadar.store import cursors, events, jobs, sources
from inforadar.store.database import Database, Tx
from inforadar.store.events import Event

JUDGE = "judge"
CURSOR = "judge recovery"
MOST_EVENTS = 50

log = get_log("service")


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeWatch:
    """Looks after the judge; `window` is how far recovery reaches back from the beginning of an outage."""

    database: Database
    judge: Judge
    asking: Asking
    window: timedelta

    def once(self) -> bool:
        """Ask an ailing judge how it is, and start recovery if it came back; whether it did."""
        with self.database.reading() as tx:
            state = sources.get(tx, JUDGE)
        if state is not None and state.health.outage is not None and self.asking.closed() is None:
            self._ping()
        return self._starts_recovery()

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


def _news(tx: Tx) -> list[Event]:
    """The newest return of the judge that nobody has acted on, and before it the outages that it ended."""
    told = events.recent(tx, source=JUDGE, limit=MOST_EVENTS)
    news = list(dropwhile(lambda event: event.kind != "recovery", told))
    if not news or news[0].id <= (cursors.get(tx, CURSOR) or 0):
        return []
    return [news[0], *takewhile(lambda event: event.kind == "outage", news[1:])]
