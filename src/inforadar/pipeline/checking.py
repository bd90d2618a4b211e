"""Checking open matches again: what its source has closed meanwhile is archived, and shown so where it was sent.

A description that changed in substance is judged again: the new score and reason are shown, and the match stays where
it is, because it was found good once and the user may have seen it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from inforadar.domain.availability import Alive, LookAgain, Over
from inforadar.domain.errors import RateLimited, SourceError, Unavailable
from inforadar.domain.job import Done, Job, Outcome, Retry, Snooze
from inforadar.domain.ports import Clock
from inforadar.domain.verdict import Question, Verdict, substance
from inforadar.domain.watch import Watch
from inforadar.observe.log import get_log
from inforadar.pipeline.availability import Availability
from inforadar.pipeline.judging import Judging, known_verdict, question_of
from inforadar.pipeline.routes import check_job
from inforadar.store import analyses, deliveries, jobs, matches, waiting
from inforadar.store.archiving import IN_INBOX, archive
from inforadar.store.database import Database, Tx
from inforadar.store.matches import MatchView

EVERY = timedelta(days=1)
FOR = timedelta(days=45)
CHECKED_AT_ONCE = 100

log = get_log("pipeline")


@dataclass(frozen=True, slots=True, kw_only=True)
class Checking:
    """Looks open matches up again."""

    database: Database
    clock: Clock
    availability: Availability
    judging: Judging
    watches: Mapping[str, Watch]

    def put(self, tx: Tx) -> int:
        """A job for each item whose last look is a day old; how many were put."""
        now = self.clock.now()
        stale = waiting.unchecked(tx, looked_before=now - EVERY, published_since=now - FOR, limit=CHECKED_AT_ONCE)
        return jobs.put(tx, [check_job(one.id, source=one.source) for one in stale])

    def run(self, job: Job, context: Any) -> Outcome:
        """One look; nothing but a definite answer changes anything."""
        with self.database.reading() as tx:
            match = matches.get(tx, int(job.args["match_id"]))
        if match is None or match.status not in IN_INBOX:
            return Done()
        try:
            seen = self.availability.look(match, anew=True)
        except (RateLimited, Unavailable) as error:
            return self._postponed(job, match, error)
        context.progress()
        if isinstance(seen, LookAgain):
            return Snooze(until=seen.at, reason="not found; a second look decides")
        if isinstance(seen, Over):
            return Done(effects=self._archive(match, seen.why), order=match.id)
        return self._judged_anew(match) if isinstance(seen, Alive) else Done()

    def _postponed(self, job: Job, match: MatchView, error: SourceError) -> Outcome:
        if isinstance(error, RateLimited) and error.retry_at is not None:
            return Snooze(until=error.retry_at, reason=str(error))
        if not job.is_last_attempt:
            return Retry(error=str(error))
        self.availability.note(match)
        return Done()

    def _judged_anew(self, match: MatchView) -> Outcome:
        """Ask for another verdict if what the last one rests on has changed."""
        with self.database.reading() as tx:
            shown, verdicts = matches.get(tx, match.id), analyses.of_match(tx, match.id)
        watch = self.watches.get(match.watch)
        if shown is None or watch is None or not verdicts or self.judging.closed(watch.profile):
            return Done()
        question = question_of(shown, watch)
        if known_verdict(verdicts, question):
            return Done()
        try:
            verdict = self.judging.verdict(question)
        except SourceError as error:
            log.info("not judged again", match=match.id, error=str(error))
            return Done()
        return Done(effects=self._rejudged(match, watch, question, verdict), order=match.id)

    def _rejudged(self, match: MatchView, watch: Watch, question: Question, verdict: Verdict) -> Callable[[Tx], None]:
        is_relevant = verdict.is_relevant(watch.min_score)

        def effects(tx: Tx) -> None:
            now = self.clock.now()
            if not matches.lock(tx, [match.id]):
                return
            analyses.add(tx, match.id, verdict, is_relevant=is_relevant, substance=substance(question), now=now)
            matches.judged(tx, match.id, score=verdict.score, reason=verdict.reason, now=now)
            for delivery in deliveries.of_match(tx, match.id):
                for reference in deliveries.messages(tx, delivery.id):
                    jobs.put(tx, [jobs.edit_job(reference, delivery.sink, f"judged {match.id} {now.isoformat()}")])

        return effects

    def _archive(self, match: MatchView, why: str) -> Callable[[Tx], None]:
        def effects(tx: Tx) -> None:
            archive(tx, match.item_id, why=why, now=self.clock.now())

        return effects
