"""The story of a listing in sentences: what it comes to, where each match stands, and what to do about it."""

import shlex
from collections.abc import Callable
from datetime import datetime

from inforadar.domain.grouping import Sibling
from inforadar.domain.health import moment
from inforadar.domain.job import WAITING
from inforadar.domain.run import StopReason
from inforadar.domain.status import Status, status_words
from inforadar.domain.wording import counted
from inforadar.pipeline.routes import DELIVER, PROCESS
from inforadar.service.recovery import ALONE, JUDGE, MOST_RECOVERIES
from inforadar.service.story import MatchStory, Pause, QueryStory, Story
from inforadar.store.analyses import Analysis
from inforadar.store.deliveries import Delivery
from inforadar.store.jobs import JobView
from inforadar.store.matches import MatchEvent
from inforadar.store.tombstones import Tombstone

Named = Callable[[str], str]
"""What a status is called: on the command line as it is asked for there, elsewhere by its words."""

MOVE = "{} -> {}  "
UNSENT = frozenset({"waiting", "held", "sending"})
WHOLE = frozenset({StopReason.END_OF_FEED, StopReason.WINDOW_EXHAUSTED, StopReason.CUTOFF_REACHED})


def headline(story: Story) -> str:
    """What the whole story comes to, in one sentence without its full stop."""
    return _headline(story).removesuffix(".")


def _headline(story: Story) -> str:
    if story.matches:
        told = dict.fromkeys(standing(one, story) for one in story.matches)
        return next(iter(told)) if len(told) == 1 else f"{len(story.matches)} watches hold it, see each below"
    if story.left_out:
        return "; ".join(left_out(stone) for stone in story.left_out)
    if story.source is None:
        return _unknown_place(story)
    if story.key is None:
        return f"this page of {story.source} is not one listing: give the address of the listing itself"
    if story.known:
        return "held, but no watch has it any more"
    return f"never seen: no query has shown {story.source}:{story.key}"


def standing(one: MatchStory, story: Story) -> str:
    """Where a match stands and why, as far as the user would ask."""
    match = one.match
    if match.status in (Status.APPLIED, Status.NOT_INTERESTED):
        return f"you marked it as {status_words(match.status)} on {moment(_since(one))}"
    if match.later_until and match.later_until > story.now:
        return f"you put it off until {moment(match.later_until)}"
    if match.status == Status.IN_ARCHIVE:
        return f"archived on {moment(_since(one))}: {_why(one)}"
    if match.status == Status.NOT_SUITABLE:
        return f"does not fit{_scored(one)}"
    if match.status == Status.SKIPPED:
        return f"skipped on {moment(_since(one))}: {_why(one)}; {_chance(one, story)}"
    if match.status in (Status.NEW, Status.QUEUED):
        return _queued(one, story)
    return _delivered(one, story)


def left_out(stone: Tombstone) -> str:
    """Why a watch left the listing out."""
    return f"left out of {stone.watch} on {moment(stone.at)}: {rule(stone)}"


def rule(stone: Tombstone) -> str:
    """The rule that left an entry out, with the word and the field it stood in."""
    if not stone.word:
        return stone.reason
    word = f"{stone.reason} {stone.word!r}" if stone.reason == "ban word" else f"{stone.reason} {stone.word}"
    return f"{word} in {stone.field}" if stone.field and stone.field != stone.reason else word


def event_words(event: MatchEvent, named: Named = str, move: str = MOVE) -> str:
    """One line of a match's history; of the machine it is not said that it was the machine."""
    is_move = event.from_status != event.to_status
    before = named(event.from_status) if event.from_status else "created"
    moved = move.format(before, named(event.to_status)) if is_move else ""
    act = f" (act {event.act_id})" if event.act_id else ""
    return f"{moved}{event.why}" + ("" if event.who == "machine" else f", by {event.who}{act}")


def verdict_words(analysis: Analysis) -> str:
    """What a judge said."""
    verdict = "relevant" if analysis.is_relevant else "not relevant"
    return f"{analysis.judge}: score {analysis.score:.2f}, {verdict}: {analysis.reason}"


def delivery_sentence(delivery: Delivery, job: JobView | None, pause: Pause | None, now: datetime) -> str:
    """Where one delivery stands."""
    because = f": {delivery.why}" if delivery.why else ""
    if delivery.state == "sent":
        return f"sent to {delivery.sink} on {moment(delivery.sent_at or delivery.updated_at)}"
    if delivery.state == "left out":
        return f"not sent to {delivery.sink}{because}"
    if delivery.state == "failed":
        is_cancelled = (delivery.why or "").startswith("cancelled by ")
        told = f"not sent to {delivery.sink}" if is_cancelled else f"{delivery.sink} did not take it"
        return f"{told}{because}{_by_hand(job)}"
    if delivery.state == "held":
        return f"held for {delivery.sink} until {moment(delivery.due_at)}{because}"
    if delivery.state == "sending":
        return f"being sent to {delivery.sink} since {moment(delivery.updated_at)}; without an answer it is sent again"
    return f"waits to be sent to {delivery.sink}{_waiting(delivery, job, pause, now)}"


def sibling_words(one: Sibling, named: Named = str) -> str:
    """Where else the same job is, and where its match stands."""
    match = f" (match {one.match_id} of {one.watch}, {named(one.status or '')})" if one.match_id else ""
    return f"{one.source}  {one.url}{match}"


def job_sentence(job: JobView, now: datetime) -> str:
    """Where the work on a match stands."""
    error = f" ({job.error_message})" if job.error_message else ""
    if job.status == "failed":
        return f"job {job.id} failed{error}{_by_hand(job)}"
    if job.status == "running":
        return f"job {job.id} is running"
    if job.status == "retryable":
        return f"job {job.id} failed{error}; next try {moment(job.run_at)}"
    if job.status == "succeeded":
        return f"job {job.id} is done"
    if job.run_at > now:
        return f"job {job.id} waits until {moment(job.run_at)}{error}"
    return f"job {job.id} waits for its turn"


def pause_sentence(pause: Pause) -> str:
    """Why a source or service is left alone, and how long."""
    return f"{pause.name} is left alone until {moment(pause.until)} ({pause.error or pause.reason})"


def coverage_sentence(one: QueryStory) -> str:
    """How far a query has read, and how its last run ended."""
    covered, run = one.covered, one.last_run
    if covered.last_complete_sweep_before is None or covered.last_seen_max is None:
        told = "nothing covered yet"
    else:
        gaps = f", {counted(len(one.gaps), 'gap')}" if one.gaps else ", no gaps"
        told = f"covered {moment(covered.last_complete_sweep_before)} to {moment(covered.last_seen_max)}{gaps}"
    if run is None:
        return f"{told}; never run"
    left = f", at least {run.left} left" if run.left else ""
    return f"{told}; last run {moment(run.started_at)}: {run.stop_reason or 'under way'}{left}"


def query_advice(one: QueryStory, story: Story) -> str:
    """Why a query has not shown the listing, as far as can be said, and what to do."""
    source, fetch = one.query.source, f"`radar fetch {shlex.quote(one.query.watch)} --source {one.query.source}`"
    if not one.is_enabled:
        return _switched_off(source)
    if pause := story.pauses.get(one.asks):
        return f"{pause_sentence(pause)}; {fetch.rstrip('`')} --now` asks it at once"
    if one.state is None or not one.state.sweeps:
        return f"it was never asked: {fetch} asks it"
    if one.state.status == "ERROR":
        return f"its last sweep failed ({one.state.last_error}): {fetch} goes on where it stopped"
    return _by_coverage(one, story, fetch) if one.covered.stretches else _nothing_covered(one, fetch)


def _nothing_covered(one: QueryStory, fetch: str) -> str:
    """Of a query that was asked and has nothing to show for it: its list is empty, or no sweep came to an end."""
    run = one.last_run
    if run is None or run.stop_reason is None:
        return "its first sweep is under way"
    if run.stop_reason in WHOLE and not run.counters.seen:
        return f"its list was empty on {moment(run.started_at)}: {fetch} asks again"
    return f"its last sweep covered nothing ({run.stop_reason}): {fetch} asks again"


def _by_coverage(one: QueryStory, story: Story, fetch: str) -> str:
    rank = story.known.item.published_at if story.known else None
    if rank is None:
        if one.gaps:
            return f"a part of its list is not read yet: {fetch} goes on there"
        return (
            "its list was read without a gap and did not show this listing: it does not fit what is asked for, is not "
            f"there any more, or is newer, and then it comes with {fetch}"
        )
    if any(stretch.holds(rank) for stretch in one.covered.stretches):
        return "it has read past this date: the listing does not fit what it asks for"
    if one.covered.last_seen_max and rank > one.covered.last_seen_max:
        return f"it has not read up to this date yet: {fetch} does"
    floor = one.query.bounds.floor
    if floor and rank < floor:
        return f"older than its cutoff_date {floor:%Y-%m-%d}"
    return f"it has not read this date yet: {fetch} goes on where it stopped"


def _unknown_place(story: Story) -> str:
    if story.question.read_as == "number":
        return f"there is no match {story.question.text}, and no listing with this number was ever seen"
    return "no source of this program has this address"


def _chance(one: MatchStory, story: Story) -> str:
    """Whether recovery will bring a skipped match back."""
    left_alone = [event.why for event in one.events if event.why.startswith(ALONE) and event.at >= _since(one)]
    if left_alone:
        return f"recovery left it{left_alone[-1].removeprefix('left')}"
    if one.match.recoveries >= MOST_RECOVERIES:
        return "it had all its chances"
    if story.recovers_since and _since(one) < story.recovers_since:
        return "longer ago than recovery looks back (recovery_hours under [schedule])"
    return "recovery gives it another chance"


def _queued(one: MatchStory, story: Story) -> str:
    source = one.match.source
    if kind := _paused_kind(PROCESS, story):
        return f"queued, but {kind}"
    if pause := story.pauses.get(JUDGE):
        return f"waits for the judge: {pause_sentence(pause)}"
    if source in story.switched_off:
        return f"queued, but {_switched_off(source)}"
    if pause := story.pauses.get(source):
        return f"queued: {pause_sentence(pause)}"
    if one.job is None or one.job.status == "succeeded":
        return "queued, and nothing works on it yet: `radar run` puts a job for it"
    return f"queued: {job_sentence(one.job, story.now)}"


def _delivered(one: MatchStory, story: Story) -> str:
    told = [
        delivery_sentence(delivery, one.sending(delivery), story.pauses.get(delivery.sink), story.now)
        for delivery in one.deliveries
    ]
    if any(delivery.state in UNSENT for delivery in one.deliveries) and (kind := _paused_kind(DELIVER, story)):
        told.append(kind)
    return "; ".join(told) or f"found good{_scored(one)}; {_no_delivery(one.match.watch, story)}"


def _no_delivery(watch: str, story: Story) -> str:
    """Why a match that fits has nowhere to go."""
    if watch not in story.watches:
        return f"the watch {watch} is not in the configuration any more"
    return "its watch delivers to nobody"


def _paused_kind(kind: str, story: Story) -> str | None:
    """What keeps all jobs of a kind from being done, and how to end it."""
    paused = story.paused_kinds.get(kind)
    return f"jobs of kind {kind} are paused ({paused.reason}): `radar jobs resume {kind}`" if paused else None


def _switched_off(source: str) -> str:
    return f"{source} is switched off: set enabled = true under [sources.{source}]"


def _scored(one: MatchStory) -> str:
    if one.match.score is None:
        return ""
    reason = (one.match.reason or "").removesuffix(".")
    return f": score {one.match.score:.2f}{f', {reason}' if reason else ''}"


def _waiting(delivery: Delivery, job: JobView | None, pause: Pause | None, now: datetime) -> str:
    if job and job.status == "failed":
        return f": {job_sentence(job, now)}"
    tried = (
        f"; {counted(delivery.tries, 'try', 'tries')} came to nothing ({delivery.why or 'no reason is known'})"
        if delivery.tries
        else ""
    )
    waited_for = [pause.until] if pause else []
    waited_for += [job.run_at] if job and job.status in WAITING else []
    at = max([delivery.due_at, *waited_for])
    blocked = f"; {pause_sentence(pause)}" if pause else ""
    return f"{tried}{blocked}; next try {moment(at) if at > now else 'now'}"


def _by_hand(job: JobView | None) -> str:
    return f"; `radar jobs retry {job.id}` tries again" if job and job.status == "failed" else ""


def _since(one: MatchStory) -> datetime:
    """When the match came to stand where it does."""
    moves = [event.at for event in one.events if event.to_status != event.from_status]
    return moves[-1] if moves else one.match.created_at


def _why(one: MatchStory) -> str:
    moves = [event.why for event in one.events if event.to_status != event.from_status]
    return moves[-1].removesuffix(".") if moves else "no reason is known"
