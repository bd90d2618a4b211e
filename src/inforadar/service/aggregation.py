"""Aggregation: after a run, the companies it touched are counted anew, one by one, each in a transaction of its own.

    a page of a run ──> notes whose counts are stale, in the transaction that saves it
    the end of a run ─> puts one `aggregate` job, in the transaction that ends it; for a run whose process died, the
                        next run does
    the job ──────────> for each note: count, write, take the note away and add one to the run, as one transaction

A job and not the end of the sweep, so that no sweep, nor who waits for the run lease, waits for it, and so that a
death in the middle leaves notes that the next worker goes on with. What fails three times is counted as failed and
left as it was, until a run touches it again; the others go on. A store that is away altogether postpones the job.

Before it counts, the job groups what was grouped by an older rule, some items at a time and from where the last one
stopped, so that a new program knows the groups of old items too.
"""

from dataclasses import dataclass

from inforadar.domain.job import Done, Job, Outcome, Snooze
from inforadar.observe.log import get_log
from inforadar.store import companies
from inforadar.store.companies import Stale
from inforadar.store.database import Database
from inforadar.workers.step import Context

TRIES = 3
AT_ONCE = 100
REGROUPED_AT_ONCE = 500
STOPPED = "stopped in the middle; the next worker goes on"

log = get_log("service")


@dataclass(frozen=True, slots=True, kw_only=True)
class Aggregation:
    """Counts companies."""

    database: Database
    regrouped_at_once: int = REGROUPED_AT_ONCE

    def run(self, job: Job, context: Context) -> Outcome:
        """Count every company that a run touched."""
        run_id = int(job.args["run_id"])
        while self._has_more_to_regroup():
            if context.is_stopping() or context.is_lost():
                return Snooze(until=context.clock.now(), reason=STOPPED)
            context.progress()
        counted = failed = 0
        while stale := self._stale(run_id):
            for one in stale:
                if context.is_stopping() or context.is_lost():
                    return Snooze(until=context.clock.now(), reason=STOPPED)
                is_counted = self._counted(one, context)
                counted, failed = counted + is_counted, failed + (not is_counted)
                context.progress()
        log.info("companies counted", run=run_id, counted=counted, failed=failed)
        return Done()

    def _has_more_to_regroup(self) -> bool:
        with self.database.transaction() as tx:
            return companies.regroup_some(tx, self.regrouped_at_once)

    def _stale(self, run_id: int) -> list[Stale]:
        with self.database.reading() as tx:
            return companies.stale(tx, run_id, AT_ONCE)

    def _counted(self, one: Stale, context: Context) -> bool:
        """Count one company; False = it could not be, which is written down. Raises when not even that can be done."""
        for attempt in range(1, TRIES + 1):
            try:
                with self.database.transaction() as tx:
                    companies.aggregate(tx, one, context.clock.now())
            except Exception as error:
                told = f"{type(error).__name__}: {error}"
                log.warning("a company could not be counted", company=one.company_id, attempt=attempt, error=told)
            else:
                return True
        with self.database.transaction() as tx:
            companies.give_up(tx, one)
        return False
