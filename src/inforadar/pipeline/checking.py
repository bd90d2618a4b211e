"""Checking open matches again: what its source has closed meanwhile is archived, and shown so where it was sent."""

from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from inforadar.domain.availability import LookAgain, Over
from inforadar.domain.delivery import WAITING
from inforadar.domain.errors import RateLimited, Unavailable
from inforadar.domain.job import Done, Job, Outcome, Retry, Snooze
from inforadar.domain.ports import Clock
from inforadar.domain.status import Status
from inforadar.pipeline.availability import Availability
from inforadar.pipeline.routes import check_job, edit_job
from inforadar.store import deliveries, jobs, matches
from inforadar.store.database import Database, Tx
from inforadar.store.matches import MatchView

EVERY = timedelta(days=1)
FOR = timedelta(days=45)
CHECKED_AT_ONCE = 100
CLOSED = "closed before it was sent"
OPEN = (Status.ANALYZED, Status.SENT_TO_USER)


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
        if match is None or match.status not in OPEN:
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
            why = seen.why
            return Done(effects=lambda tx: self._archive(tx, match, why))
        return Done()

    def _archive(self, tx: Tx, match: MatchView, why: str) -> None:
        now = self.clock.now()
        standing = matches.lock(tx, matches.of_item(tx, match.item_id))
        for one in standing.values():
            if one.status not in OPEN:
                continue
            matches.move(tx, one.id, one.status, Status.IN_ARCHIVE, who="machine", why=why, now=now)
            for delivery in deliveries.of_match(tx, one.id):
                if delivery.state in WAITING:
                    deliveries.write(tx, delivery, replace(delivery, state="left out", why=CLOSED), now)
                if delivery.reference:
                    jobs.put(tx, [edit_job(delivery.reference, delivery.sink, f"closed {one.id}")])
