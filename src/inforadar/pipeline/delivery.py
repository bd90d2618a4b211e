"""Delivery: rows of the outbox become messages, and messages show how things stand.

A delivery is marked as being sent before it is, and as sent in a transaction of its own right after it was: a process
that dies in between sends that one message again, and no other. One job sends at a time for all machines; many that
are due together go as digests.
Invariant: a message is sent at least once, and at most once more for each crash or lost answer.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from inforadar.domain.delivery import (
    ALONE,
    DIGEST_SIZE,
    GATHER_FOR,
    LATELY,
    NOT_OPEN,
    PUT_OFF,
    QUIET,
    Card,
    DeliveryState,
    Digest,
    Gather,
    Notice,
    Sink,
    mark_of,
    retry_delay,
    way_of,
    why_not_sent,
)
from inforadar.domain.errors import BadQuery, Gone, LeaseLost, RadarError, RateLimited, Refused, SourceError
from inforadar.domain.grouping import told_before
from inforadar.domain.job import Done, Fail, Job, Outcome, Snooze
from inforadar.domain.ports import Clock
from inforadar.domain.schedule import DailyWindow
from inforadar.domain.status import Status
from inforadar.observe.log import get_log
from inforadar.pipeline.asking import Asking, later
from inforadar.pipeline.cards import card_now
from inforadar.pipeline.routes import edit_job
from inforadar.store import deliveries, jobs, matches, sources
from inforadar.store.database import Database, Tx
from inforadar.store.deliveries import Delivery
from inforadar.store.matches import MatchView, Standing

REFUSED_PAUSE = timedelta(minutes=15)
NO_SINK_PAUSE = timedelta(hours=1)
MOST_DUE = 200
SENDABLE: frozenset[DeliveryState] = frozenset({"waiting", "held", "sending", "failed"})
"""What a job may send; a failed one has a job only if a person asked for it."""
OPEN = frozenset({Status.ANALYZED, Status.SENT_TO_USER})

log = get_log("pipeline")


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlet:
    """A sink with the gate before it, the hours in which it must be silent, and how long many wait for company.

    `can_edit` False: what was sent there stays as it is, so that it is not even asked.
    """

    sink: Sink
    asking: Asking
    quiet_hours: DailyWindow | None = None
    gather_for: timedelta = GATHER_FOR
    can_edit: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Sending:
    """A delivery that is about to be sent, with the match as the message will show it."""

    delivery: Delivery
    match: MatchView
    card: Card


@dataclass(frozen=True, slots=True, kw_only=True)
class Deliveries:
    """Sends what is in the outbox."""

    database: Database
    clock: Clock
    outlets: Mapping[str, Outlet]

    def send(self, job: Job, context: Any) -> Outcome:
        """Send one delivery, together with others that are due where they are many."""
        now = self.clock.now()
        with self.database.reading() as tx:
            delivery = deliveries.get(tx, int(job.args["delivery_id"]))
        if delivery is None or delivery.state not in SENDABLE or context.is_lost():
            return Done()
        outlet = self.outlets.get(delivery.sink)
        if outlet is None:
            return Snooze(until=now + NO_SINK_PAUSE, reason=f"{delivery.sink} is not set up here")
        if delivery.due_at > now:
            return Snooze(until=delivery.due_at, reason=delivery.why or "its time has not come")
        if outlet.quiet_hours is not None and outlet.quiet_hours.is_open(now):
            return self._held(delivery, outlet.quiet_hours.next_closing(now), now)
        return self._sent(delivery, outlet, now)

    def edit(self, job: Job, _context: Any) -> Outcome:
        """Make a message show how things stand."""
        now = self.clock.now()
        outlet = self.outlets.get(job.args["sink"])
        with self.database.reading() as tx:
            rows = deliveries.of_message(tx, job.args["reference"])
            cards = tuple(card_now(tx, match, now) for row in rows if (match := matches.get(tx, row.match_id)))
        if outlet is None or not outlet.can_edit or not cards:
            return Done()
        notice = Notice(cards=cards, now=now)
        try:
            outlet.asking.ask(lambda: outlet.sink.edit(job.args["reference"], notice))
        except (Gone, BadQuery) as error:
            log.info("the message cannot be edited", reference=job.args["reference"], error=str(error))
        except SourceError as error:
            return later(error)
        return Done()

    def _held(self, delivery: Delivery, until: datetime, now: datetime) -> Outcome:
        why = mark_of(delivery.why) or QUIET
        with self.database.transaction() as tx:
            deliveries.write(tx, delivery, replace(delivery, state="held", why=why, due_at=until), now)
        return Snooze(until=until, reason=QUIET)

    def _sent(self, delivery: Delivery, outlet: Outlet, now: datetime) -> Outcome:
        batch = self._begun(delivery, outlet, now)
        if isinstance(batch, Gather):
            return Snooze(until=batch.until, reason="gathered into a digest")
        if not batch:
            return Snooze(until=now, reason="its match has changed")
        was_out = self._is_out(delivery.sink)
        try:
            reference = self._asked(outlet, batch, now)
        except BadQuery as error:
            return self._not_taken(batch, str(error), now)
        except SourceError as error:
            return self._postponed(batch, error, now)
        except RadarError:
            raise
        except Exception as error:
            log.exception("an error nobody foresaw", delivery=delivery.id)
            return self._not_taken(batch, f"an error nobody foresaw: {type(error).__name__}", now)
        self._written(batch, reference)
        if was_out:
            self._let_others_go(delivery.sink)
        return Done()

    def _begun(self, delivery: Delivery, outlet: Outlet, now: datetime) -> list[Sending] | Gather:
        """What goes into this message, marked as being sent; what nobody wants any more is left out."""
        with self.database.transaction() as tx:
            mark = mark_of(delivery.why)
            due = [one for one in deliveries.due(tx, delivery.sink, now, limit=MOST_DUE) if mark_of(one.why) != ALONE]
            way = way_of(
                due=len(due),
                sent_lately=deliveries.sent_since(tx, delivery.sink, now - LATELY),
                were_held=mark == QUIET,
                oldest_due_at=min((one.due_at for one in due), default=delivery.due_at),
                gather_for=outlet.gather_for,
                now=now,
            )
            if isinstance(way, Gather) and mark != ALONE:
                return way
            batch = [delivery]
            if isinstance(way, Digest) and mark != ALONE:
                batch += [one for one in due if one.id != delivery.id][: DIGEST_SIZE - 1]
            begun: list[Sending] = []
            for one in batch:
                begun += self._prepared(tx, one, begun, now)
            return begun

    def _prepared(self, tx: Tx, delivery: Delivery, begun: Sequence[Sending], now: datetime) -> list[Sending]:
        match = matches.get(tx, delivery.match_id)
        if match is None or match.status not in OPEN:
            deliveries.write(tx, delivery, replace(delivery, state="left out", why=NOT_OPEN), now)
            return []
        if match.later_until is not None and match.later_until > now:
            held = replace(delivery, state="held", why=PUT_OFF, due_at=match.later_until)
            deliveries.write(tx, delivery, held, now)
            return []
        if repeated := _repeated(match, now):
            deliveries.write(tx, delivery, replace(delivery, state="left out", why=repeated), now)
            return []
        if any(_is_same_job(one.match, match) for one in begun):
            return []  # it waits until the other one is out, which decides
        sending = replace(delivery, state="sending", tries=delivery.tries + 1)
        if not deliveries.write(tx, delivery, sending, now, of_try=delivery.tries):
            return []
        card = replace(card_now(tx, match, now), sending_id=sending_id(delivery, match))
        return [Sending(delivery=sending, match=match, card=card)]

    def _asked(self, outlet: Outlet, batch: Sequence[Sending], now: datetime) -> str:
        notice = Notice(cards=tuple(one.card for one in batch), now=now)

        def send() -> str:
            self._require_ours(batch)
            return outlet.sink.send(notice)

        return outlet.asking.ask(send)

    def _require_ours(self, batch: Sequence[Sending]) -> None:
        """Raise LeaseLost if this process froze while it waited for its turn, and another worker began anew."""
        with self.database.reading() as tx:
            stored = [deliveries.get(tx, one.delivery.id) for one in batch]
        if any(new is None or new.tries != one.delivery.tries for new, one in zip(stored, batch, strict=True)):
            raise LeaseLost("Another worker has begun to send it meanwhile; this one sends nothing.")

    def _written(self, batch: Sequence[Sending], reference: str) -> None:
        """Write at once that it was sent; what changed while it was on its way is shown by an edit."""
        now = self.clock.now()
        with self.database.transaction() as tx:
            standing = matches.lock(tx, [one.match.id for one in batch])
            for one in batch:
                self._note_sent(tx, one, reference, now, standing.get(one.match.id))
            deliveries.add_message(tx, reference, [one.delivery.id for one in batch])

    def _note_sent(self, tx: Tx, one: Sending, reference: str, now: datetime, here: Standing | None) -> None:
        earlier = deliveries.messages(tx, one.delivery.id)
        sent = replace(one.delivery, state="sent", why=None, reference=reference, sent_at=now)
        is_put_off = here is not None and here.later_until is not None and here.later_until > now
        if is_put_off and here is not None and here.later_until is not None:
            sent = replace(sent, state="held", why=PUT_OFF, due_at=here.later_until)
        deliveries.write(tx, one.delivery, sent, now)
        if here is None:
            return
        matches.sent(tx, one.match.id, now)
        if here.later_until is not None and not is_put_off:
            matches.put_off(tx, one.match.id, None, now)
        if here.status is Status.ANALYZED:
            why = f"sent by {one.delivery.sink}"
            matches.move(tx, one.match.id, here.status, Status.SENT_TO_USER, who="machine", why=why, now=now)
        shown = [reference] if is_put_off or here.status != one.match.status else []
        for stale in (*shown, *earlier):
            jobs.put(tx, [edit_job(stale, one.delivery.sink, f"sent {one.match.id} {reference}")])

    def _is_out(self, sink: str) -> bool:
        with self.database.reading() as tx:
            stored = sources.get(tx, sink)
        return stored is not None and stored.health.outage is not None

    def _let_others_go(self, sink: str) -> None:
        """The sink takes messages again: what its outage put off need not wait for the next try."""
        with self.database.transaction() as tx:
            deliveries.release(tx, sink, self.clock.now())
            jobs.wake(tx, sink)

    def _not_taken(self, batch: Sequence[Sending], error: str, now: datetime) -> Outcome:
        """The sink will never take this one: shown as failed, tried again only by hand; of a digest each by itself."""
        if len(batch) == 1:
            self._rewritten(batch, lambda sent: replace(sent, state="failed", why=error), now)
            return Fail(error=error)
        log.warning("a digest was not taken; its parts go one by one", error=error)
        self._rewritten(batch, lambda sent: replace(sent, state="waiting", why=ALONE, due_at=now), now)
        return Snooze(until=now, reason="the digest was not taken")

    def _postponed(self, batch: Sequence[Sending], error: SourceError, now: datetime) -> Outcome:
        """The sink cannot take it now: it stays in the outbox, however long that lasts."""
        tries = max(one.delivery.tries for one in batch)
        due_at = now + (REFUSED_PAUSE if isinstance(error, Refused) else retry_delay(tries - 1))
        if isinstance(error, RateLimited) and error.retry_at is not None:
            due_at = error.retry_at
        told = str(error)
        self._rewritten(
            batch, lambda sent: replace(sent, state="waiting", why=why_not_sent(sent.why, told), due_at=due_at), now
        )
        return Snooze(until=due_at, reason=told)

    def _rewritten(self, batch: Sequence[Sending], change: Callable[[Delivery], Delivery], now: datetime) -> None:
        """Write that this try came to nothing; what another worker is trying since is that worker's to write."""
        with self.database.transaction() as tx:
            for one in batch:
                deliveries.write(tx, one.delivery, change(one.delivery), now, of_try=one.delivery.tries)


def sending_id(delivery: Delivery, match: MatchView) -> str:
    """What a receiver knows a repetition by: a delivery that is tried again, or anew by a process after a crash."""
    whole = (delivery.sink, match.watch, match.source, match.key, delivery.created_at, delivery.sent_at)
    return hashlib.sha256(repr([str(part) for part in whole]).encode()).hexdigest()[:32]


def _is_same_job(one: MatchView, other: MatchView) -> bool:
    return one.watch == other.watch and one.group_key is not None and one.group_key == other.group_key


def _repeated(match: MatchView, now: datetime) -> str | None:
    """Why a match need not be sent: the same job was, or was decided on, after this one was put into the outbox."""
    if match.sent_at is not None or match.later_until is not None:
        return None  # it was sent before itself, and is sent again because the user asked for it
    return told_before(match.also_on, match.watch, now)
