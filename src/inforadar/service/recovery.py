"""Recovery: skipped matches get another chance, every few minutes and when the judge comes back.

    SKIPPED ──> an analysis says irrelevant, or its watch is gone: left alone, told and counted once each time
            ──> a ban word: deleted, tombstone
            ──> else NEW -> QUEUED with a job

Only what was skipped within the window, and not more often than `MOST_RECOVERIES`, so that nothing goes round for
ever; each chance comes later than the one before, so that they last for two days. A match that was not even tried
keeps its chance. An outage of the judge does not use up the window: when it comes back, the window reaches back from
where the outage began. While the judge ails, one match is brought back as a trial: only a verdict shows that it is
well, however gladly it answers to its name. NOT_SUITABLE and IN_ARCHIVE are never touched.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from inforadar.domain.health import Closed, may_ask
from inforadar.domain.job import Done, Job, Outcome, Snooze
from inforadar.domain.ports import Clock
from inforadar.domain.screening import BanList, Exclusion
from inforadar.domain.status import Status
from inforadar.domain.watch import Watch
from inforadar.observe.log import get_log
from inforadar.pipeline.screening import expel, screened
from inforadar.store import analyses, jobs, matches, sources, totals, waiting
from inforadar.store.database import Database, Tx
from inforadar.store.matches import MatchView
from inforadar.store.sources import SourceHealth
from inforadar.store.waiting import Skipped

JUDGE = "judge"
WHO: Final = "recovery"
WINDOW = timedelta(hours=48)
MOST_RECOVERIES = 10
MORE_AFTER_OUTAGE = 10
FIRST_PAUSE = timedelta(minutes=5)
AT_ONCE = 200
ATTEMPTS = "recovery_attempts"
RECOVERED = "recovery_recovered"
DELETED = "recovery_deleted"
LEFT_ALONE = "recovery_skipped"
ALONE = "left alone: "
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
        # what waited for the judge is not to pay for its outage
        most = MOST_RECOVERIES * (MORE_AFTER_OUTAGE if "since" in job.args else 1)
        while found := self._skipped(since, most, seen):
            if context.is_stopping():
                return Snooze(until=self.clock.now(), reason="stopped in the middle; the next worker goes on")
            with self.database.transaction() as tx:
                is_trial = not is_judge_well(tx, self.clock.now())
                counted = self.recover(tx, found, most=1 if is_trial else None, at_once="since" in job.args)
            context.progress()
            log.info("recovery", **counted)
            seen |= {one.id for one in found}
            if is_trial and counted[RECOVERED]:
                break
        return Done()

    def recover(
        self, tx: Tx, found: list[Skipped], most: int | None = None, *, at_once: bool = False
    ) -> dict[str, int]:
        """Decide on skipped matches, bringing `most` of them back; how many were tried, recovered, deleted, left.

        `at_once`: also those whose next chance would come later.
        """
        counted = dict.fromkeys(TOTALS, 0)
        banned: list[tuple[MatchView, Exclusion]] = []
        standing = matches.lock(tx, [one.id for one in found])
        for one in found:
            here = standing.get(one.id)
            if most is not None and counted[RECOVERED] >= most:
                break
            if here is not None and here.status is Status.SKIPPED and (at_once or self._is_its_turn(one)):
                for total in self._recovered(tx, one, banned):
                    counted[total] += 1
        # in the order in which a sweep locks the items it shows: the two must not wait for each other
        for match, why in sorted(banned, key=lambda pair: pair[0].item_id):
            expel(tx, match, why, self.clock.now())
        totals.add(tx, counted)
        return counted

    def _recovered(self, tx: Tx, one: Skipped, banned: list[tuple[MatchView, Exclusion]]) -> tuple[str, ...]:
        """Decide on one match; the totals it counts for, none if it was left alone before. What must go is `banned`."""
        match, watch = matches.get(tx, one.id), self.watches.get(one.watch)
        verdicts = analyses.of_match(tx, one.id)
        assert match is not None, "it is locked"
        if watch is None:
            return self._left_alone(tx, one, "its watch is not in the configuration")
        if verdicts and not verdicts[0].is_relevant:
            return self._left_alone(tx, one, "its latest analysis says irrelevant")
        why = screened(match, watch, self.ban_lists[watch.name])
        if why is not None:
            banned.append((match, why))
            return ATTEMPTS, DELETED
        now = self.clock.now()
        reason = f"recovered, time {one.recoveries + 1}"
        matches.move(tx, one.id, Status.SKIPPED, Status.NEW, who=WHO, why=reason, now=now)
        enqueue(tx, one.id, published_at=one.published_at, source=one.source, now=now)
        return ATTEMPTS, RECOVERED

    def _left_alone(self, tx: Tx, one: Skipped, why: str) -> tuple[str, ...]:
        """Tell it in the match's own story, which also says whether it was told since the match was skipped."""
        told = f"{ALONE}{why}"
        if any(event.why == told and event.at >= one.status_at for event in matches.events(tx, one.id)):
            return ()
        matches.note(tx, one.id, Status.SKIPPED, Status.SKIPPED, who=WHO, why=told, now=self.clock.now())
        return ATTEMPTS, LEFT_ALONE

    def _is_its_turn(self, one: Skipped) -> bool:
        """The first chance comes at once, each other one twice as late as the one before."""
        pause = FIRST_PAUSE * (2 ** min(one.recoveries - 1, 20)) if one.recoveries else timedelta(0)
        return not timedelta(0) <= self.clock.now() - one.status_at < pause

    def _skipped(self, since: datetime, most: int, seen: set[int]) -> list[Skipped]:
        with self.database.reading() as tx:
            return waiting.skipped(tx, since=since, most_recoveries=most, limit=AT_ONCE, seen=seen)

    def _since(self, told: str | None) -> datetime:
        """How far back to look: the window, counted from the beginning of an outage that lasts or has just ended."""
        now = self.clock.now()
        if told:
            return min(now - self.window, datetime.fromisoformat(told))
        with self.database.reading() as tx:
            return since(sources.get(tx, JUDGE), self.window, now)


def since(judge: SourceHealth | None, window: timedelta, now: datetime) -> datetime:
    """How far back recovery looks: the window, counted from the beginning of an outage of the judge that lasts."""
    began_at = judge.health.outage_at if judge else None
    return min(now, began_at or now) - window


def is_judge_well(tx: Tx, now: datetime) -> bool:
    """Whether the judge may be asked and is not known to be out of order."""
    judge = sources.get(tx, JUDGE)
    return judge is None or (judge.health.outage is None and not isinstance(may_ask(JUDGE, judge.health, now), Closed))


def enqueue(tx: Tx, match_id: int, *, published_at: datetime, source: str, now: datetime) -> None:
    """A new match gets into the queue: its status and its job, in the caller's transaction."""
    matches.move(tx, match_id, Status.NEW, Status.QUEUED, who="machine", why="put into the queue", now=now)
    jobs.put(tx, [jobs.process_job(match_id, published_at=published_at, source=source)])
