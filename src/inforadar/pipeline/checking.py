"""Checking open matches again: what its source has closed meanwhile is archived, and shown so where it was sent."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from inforadar.domain.availability import LookAgain, Over
from inforadar.domain.errors import RateLimited, Unavailable
from inforadar.domain.job import Done, Job, Outcome, Retry, Snooze
from inforadar.domain.ports import Clock
from inforadar.pipeline.availability import Availability
from inforadar.pipeline.routes import check_job
from inforadar.store import jobs, matches
from inforadar.store.archiving import IN_INBOX, archive
from inforadar.store.database import Database, Tx
from inforadar.store.matches import MatchView

EVERY = timedelta(days=1)
FOR = timedelta(days=45)
CHECKED_AT_ONCE = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Checking:
    """Looks open matches up again."""

    database: Database
    clock: Clock
    availability: Availability

    def put(self, tx: Tx) -> int:
        """A job for each item whose last look is a day old; how many were put."""
        now = self.clock.now()
        stale = matches.unchecked(tx, checked_before=now - EVERY, published_since=now - FOR, limit=CHECKED_AT_ONCE)
        return jobs.put(tx, [check_job(one.id, source=one.source) for one in stale])

    def run(self, job: Job, _context: Any) -> Outcome:
        """One look; nothing but a definite answer changes anything."""
        with self.database.reading() as tx:
            match = matches.get(tx, int(job.args["match_id"]))
        if match is None or match.status not in IN_INBOX:
            return Done()
        try:
            seen = self.availability.look(match, anew=True)
        except RateLimited as error:
            return Snooze(until=error.retry_at, reason=str(error)) if error.retry_at else Done()
        except Unavailable as error:
            return Done() if job.is_last_attempt else Retry(error=str(error))
        if isinstance(seen, LookAgain):
            return Snooze(until=seen.at, reason="not found; a second look decides")
        if isinstance(seen, Over):
            return Done(effects=self._archive(match, seen.why))
        return Done()

    def _archive(self, match: MatchView, why: str) -> Callable[[Tx], None]:
        def effects(tx: Tx) -> None:
            archive(tx, match.item_id, why=why, now=self.clock.now())

        return effects
