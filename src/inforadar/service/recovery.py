"""Recovery: skipped matches get another chance, every few minutes and when the judge comes back.

    SKIPPED ──> an analysis says irrelevant: left alone, counted
            ──> a ban word: deleted, tombstone
            ──> else NEW -> QUEUED with a job

Only what was skipped within the window, and not more often than `MOST_RECOVERIES`, so that nothing goes round for
ever. An outage of the judge does not use up the window: when it comes back, the window reaches back from where the
outage began. NOT_SUITABLE and IN_ARCHIVE are never touched.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from inforadar.domain.job import Done, Job, Outcome, Snooze
from inforadar.domain.ports import Clock
from inforadar.domain.screening import BanList
from inforadar.domain.status import Status
from inforadar.domain.watch import Watch
from inforadar.observe.log import get_log
from inforadar.pipeline.screening import expel, screened
from inforadar.store import analyses, jobs, matches, totals
from inforadar.store.database import Database, Tx
from inforadar.store.matches import Skipped

WINDOW = timedelta(hours=48)
MOST_RECOVERIES = 10
AT_ONCE = 200
ATTEMPTS = "recovery_attempts"
RECOVERED = "recovery_recovered"
DELETED = "recovery_deleted"
LEFT_ALONE = "recovery_skipped"
TOTALS = (ATTEMPTS, RECOVERED, DELETED, LEFT_ALONE)

log = get_log("service")


@dataclass(frozen=True, slots=True, kw_only=True)
class Recovery:
    """Brings skipped matches back."""

    database: Database
    clock: Clock
    watches: Mapping[str, Watch]
    ban_lists: Mapping[str, BanList]
    window: timedelta = WINDOW

    def run(self, job: Job, context: Any) -> Outcome:
        """One round over all that was skipped, some at a time, each with its own transaction."""
        since = self._since(job.args.get("since"))
        seen: set[int] = set()
        while found := self._skipped(since, seen):
            if context.is_stopping():
                return Snooze(until=self.clock.now(), reason="stopped in the middle; the next worker goes on")
            with self.database.transaction() as tx:
                counted = self.recover(tx, found)
            context.progress()
            log.info("recovery", **counted)
            seen |= {one.id for one in found}
        return Done()

    def recover(self, tx: Tx, found: list[Skipped]) -> dict[str, int]:
        """Decide on skipped matches; how many were tried, brought back, deleted and left alone."""
        counted = dict.fromkeys(TOTALS, 0)
        standing = matches.lock(tx, [one.id for one in found])
        for one in found:
            here = standing.get(one.id)
            if here is not None and here.status is Status.SKIPPED:
                counted[ATTEMPTS] += 1
                counted[self._recovered(tx, one)] += 1
        totals.add(tx, counted)
        return counted

    def _recovered(self, tx: Tx, one: Skipped) -> str:
        match, watch = matches.get(tx, one.id), self.watches.get(one.watch)
        verdicts = analyses.of_match(tx, one.id)
        if match is None or watch is None or (verdicts and not verdicts[0].is_relevant):
            return LEFT_ALONE
        why = screened(match, watch, self.ban_lists[watch.name])
        now = self.clock.now()
        if why is not None:
            expel(tx, match, why, now)
            return DELETED
        reason = f"recovered, time {one.recoveries + 1}"
        matches.move(tx, one.id, Status.SKIPPED, Status.NEW, who="recovery", why=reason, now=now)
        enqueue(tx, one.id, published_at=one.published_at, source=one.source, now=now)
        return RECOVERED

    def _skipped(self, since: datetime, seen: set[int]) -> list[Skipped]:
        with self.database.reading() as tx:
            found = matches.skipped(tx, since=since, most_recoveries=MOST_RECOVERIES, limit=AT_ONCE + len(seen))
        return [one for one in found if one.id not in seen][:AT_ONCE]

    def _since(self, told: str | None) -> datetime:
        usual = self.clock.now() - self.window
        return min(usual, datetime.fromisoformat(told)) if told else usual


def enqueue(tx: Tx, match_id: int, *, published_at: datetime, source: str, now: datetime) -> None:
    """A new match gets into the queue: its status and its job, in the caller's transaction."""
    matches.move(tx, match_id, Status.NEW, Status.QUEUED, who="machine", why="put into the queue", now=now)
    jobs.put(tx, [jobs.process_job(match_id, published_at=published_at, source=source)])
