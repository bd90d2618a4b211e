"""Processing one match: availability, screening, judging; then it is in the inbox, archived, unsuitable or gone.

    judge out of order ──────────> SKIPPED      recovery brings it back; where only its turn is missing, it waits
    its page: definitely gone ───> IN_ARCHIVE   its page says nothing: tried again, then SKIPPED
    a ban word in the full text ─> deleted, tombstone
    the verdict ─────────────────> ANALYZED with its deliveries, or NOT_SUITABLE
    a technical error ───────────> SKIPPED
    a listing with a price ──────> ANALYZED     nobody is asked, nothing is sent

Whatever comes of it, the job leaves the queue, and what came of it is written in the transaction that settles the job.
A match that the user, or anybody else, has moved meanwhile stays where it is.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from inforadar.domain.availability import Alive, LookAgain, Over, Unknown
from inforadar.domain.delivery import DeliveryState, left_out
from inforadar.domain.errors import LeaseLost, RateLimited, SourceError, Stopped, StoreError, Unavailable
from inforadar.domain.grouping import told_before
from inforadar.domain.job import Done, Job, Outcome, Retry, Snooze
from inforadar.domain.ports import Clock
from inforadar.domain.schedule import DailyWindow
from inforadar.domain.screening import BanList, Exclusion
from inforadar.domain.status import Status
from inforadar.domain.verdict import Question, Verdict, substance
from inforadar.domain.watch import Watch
from inforadar.judges.prompt import gives_orders
from inforadar.observe.log import get_log
from inforadar.pipeline.asking import NoTurn
from inforadar.pipeline.availability import Availability
from inforadar.pipeline.judging import SUSPICIOUS, Judging, known_verdict, question_of
from inforadar.pipeline.pricing import priced
from inforadar.pipeline.routes import deliver_job
from inforadar.pipeline.screening import expel, screened
from inforadar.store import analyses, deliveries, jobs, matches, query_states, totals, waiting
from inforadar.store.database import Database, Tx
from inforadar.store.matches import MatchView

LONGEST_WHY = 300
AT_NIGHT = "written at night"

log = get_log("pipeline")


@dataclass(frozen=True, slots=True, kw_only=True)
class Processing:
    """Works on matches; `sinks` are those that can be sent to, `nights` those that one job a night writes to."""

    database: Database
    clock: Clock
    watches: Mapping[str, Watch]
    ban_lists: Mapping[str, BanList]
    availability: Availability
    judging: Judging
    sinks: Collection[str] = ()
    nights: Mapping[str, DailyWindow] = field(default_factory=dict)

    def run(self, job: Job, context: Any) -> Outcome:
        """One match from its first job to its verdict; an error nobody foresaw skips it, and leaves the log to tell."""
        match = self._load(int(job.args["match_id"]))
        if match is None or match.status != Status.QUEUED:
            return Done()
        try:
            return self._worked_on(job, match, context)
        except (StoreError, LeaseLost, Stopped):
            raise
        except Exception as error:
            log.exception("an error nobody foresaw", match=match.id)
            return self._skip(match, f"an error nobody foresaw: {type(error).__name__}: {error}")

    def _worked_on(self, job: Job, match: MatchView, context: Any) -> Outcome:
        watch = self.watches.get(match.watch)
        if watch is None:
            return self._skip(match, "its watch is not in the configuration any more")
        if watch.kind == "price":
            return priced(match, watch, self.clock)
        closed = self.judging.closed(watch.profile)
        if closed is not None:
            return self._skip(match, f"the judge is out of order: {closed}", is_its_own=False)
        looked_up = self._looked_up(job, match, watch)
        context.progress()
        return looked_up or self._judged(match, watch)

    def _looked_up(self, job: Job, match: MatchView, watch: Watch) -> Outcome | None:
        """What the item's own page decides; None = go on."""
        if not needs_a_look(watch):
            return None
        try:
            seen = self.availability.look(match)
        except (RateLimited, Unavailable) as error:
            return self._postponed(job, match, error)
        if isinstance(seen, Over):
            return _done(match, self._move(match, Status.IN_ARCHIVE, seen.why))
        if isinstance(seen, LookAgain):
            return Snooze(until=seen.at, reason="not found; a second look decides")
        if isinstance(seen, Unknown) and not match.recoveries:
            return self._skip(match, seen.why) if job.is_last_attempt else Retry(error=seen.why)
        # a page that can never be read must not hide the match: the second time it is judged by what the list showed
        assert isinstance(seen, (Alive, Unknown))
        return None

    def _judged(self, match: MatchView, watch: Watch) -> Outcome:
        """Screen the full text, then ask for a verdict."""
        match = self._load(match.id) or match
        why = screened(match, watch, self.ban_lists[watch.name])
        if why is not None:
            return _done(match, self._expel(match, why))
        question = question_of(match, watch)
        with self.database.reading() as tx:
            known = known_verdict(analyses.of_match(tx, match.id), question)
        if known is not None:
            return _done(match, self._settle(match, watch, question, known))
        try:
            verdict = self.judging.verdict(question)
        except NoTurn as error:
            return Snooze(until=error.retry_at or self.clock.now(), reason=f"waits for its turn at the judge: {error}")
        except SourceError as error:
            return self._skip(match, f"the judge gave no verdict: {error}")
        return _done(match, self._counted(question, self._settle(match, watch, question, verdict)))

    def _postponed(self, job: Job, match: MatchView, error: SourceError) -> Outcome:
        """The source cannot be asked: come back when it allows it, or after a while; in the end skip the match."""
        if isinstance(error, RateLimited) and error.retry_at is not None:
            return Snooze(until=error.retry_at, reason=str(error))
        return self._skip(match, str(error)) if job.is_last_attempt else Retry(error=str(error))

    def _skip(self, match: MatchView, why: str, *, is_its_own: bool = True) -> Done:
        """Skip it; where it was not even tried, it keeps the chance that recovery gave it."""
        return _done(match, self._move(match, Status.SKIPPED, why, keeps_chance=not is_its_own))

    def _move(self, match: MatchView, new: Status, why: str, *, keeps_chance: bool = False) -> Callable[[Tx], None]:
        def effects(tx: Tx) -> None:
            now = self.clock.now()
            is_moved = matches.move(tx, match.id, Status.QUEUED, new, who="machine", why=why[:LONGEST_WHY], now=now)
            if is_moved and keeps_chance:
                waiting.give_chance_back(tx, match.id)

        return effects

    def _expel(self, match: MatchView, why: Exclusion) -> Callable[[Tx], None]:
        def effects(tx: Tx) -> None:
            standing = matches.lock(tx, [match.id]).get(match.id)
            if standing is not None and standing.status is Status.QUEUED:
                expel(tx, match, why, self.clock.now())
                log.info("left out", match=match.id, reason=why.reason, word=why.word, field=why.field)

        return effects

    def _settle(self, match: MatchView, watch: Watch, question: Question, verdict: Verdict) -> Callable[[Tx], None]:
        is_relevant = verdict.is_relevant(watch.min_score)
        new = Status.ANALYZED if is_relevant else Status.NOT_SUITABLE

        def effects(tx: Tx) -> None:
            now = self.clock.now()
            if not matches.lock(tx, [match.id]):
                return
            analyses.add(tx, match.id, verdict, is_relevant=is_relevant, substance=substance(question), now=now)
            matches.judged(tx, match.id, score=verdict.score, reason=verdict.reason, now=now)
            why = f"{verdict.judge}: {verdict.score:.2f}, {verdict.reason}"[:LONGEST_WHY]
            is_moved = matches.move(tx, match.id, Status.QUEUED, new, who="machine", why=why, now=now)
            if is_moved and is_relevant:
                self._put_deliveries(tx, match, watch, now)

        return effects

    def _counted(self, question: Question, settle: Callable[[Tx], None]) -> Callable[[Tx], None]:
        """Count a verdict on an item that gives its judge orders."""
        if not gives_orders(question):
            return settle

        def effects(tx: Tx) -> None:
            settle(tx)
            totals.add(tx, {SUSPICIOUS: 1})

        return effects

    def _put_deliveries(self, tx: Tx, match: MatchView, watch: Watch, now: datetime) -> None:
        """One row in the outbox for each sink, with the job that sends it."""
        first_asked_at = query_states.first_asked_at(tx, watch.name, match.query_key)
        reason = left_out(
            watch.first_run,
            published_at=match.published_at,
            found_at=match.created_at,
            first_run_at=first_asked_at,
        )
        # a table lists every posting; a message about a job that is old, or that the user has heard of, is only noise
        untabled = reason if watch.first_run == "baseline" else None
        silenced = reason or told_before((matches.get(tx, match.id) or match).also_on, watch.name, now)
        for sink in watch.deliver:
            if sink in self.nights:
                state: DeliveryState = "left out" if untabled else "held"
                opening = self.nights[sink].next_opening(now) or now
                deliveries.add(tx, match.id, sink, state=state, why=untabled or AT_NIGHT, due_at=opening, now=now)
            if sink not in self.sinks:
                continue
            added = deliveries.add(
                tx,
                match.id,
                sink,
                state="left out" if silenced else "waiting",
                why=silenced,
                due_at=now,
                now=now,
            )
            if added is not None and not silenced:
                jobs.put(tx, [deliver_job(added, sink)])

    def _load(self, match_id: int) -> MatchView | None:
        with self.database.reading() as tx:
            return matches.get(tx, match_id)


def _done(match: MatchView, effects: Callable[[Tx], None]) -> Done:
    return Done(effects=effects, order=match.id)


def needs_a_look(watch: Watch) -> bool:
    """Whether items of a watch are looked up: vacancies always, articles only if somebody is to judge their text."""
    return watch.kind == "vacancy" or (watch.kind == "article" and bool(watch.profile))


def skip_abandoned(tx: Tx, job: Job, now: datetime) -> None:
    """A match that was in work at the end of the grace time is skipped; recovery brings it back."""
    match_id = int(job.args["match_id"])
    why = "radar was stopped while it was in work"
    matches.move(tx, match_id, Status.QUEUED, Status.SKIPPED, who="machine", why=why, now=now)
