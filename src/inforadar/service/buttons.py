"""The poller of Telegram's buttons: asks what was pressed, has it dealt with, answers.

Of all that share a store one polls, by lease. Each update is one transaction: the lease is checked, the decision is
made, and the cursor goes on. The press is answered right after that with what came of it, before anything slow (the
message itself is edited by a job). A process that dies before the commit is given the update again; one that dies
after it leaves the press unanswered, and the edited message tells. Telegram forgets presses that wait long for their
answer; we do not: the decision stands. Since when polls fail is kept in the store for whoever looks; it is no outage of
the sink, whose messages have a gate of their own.

Invariant: a press is applied exactly once.
"""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from inforadar.domain.errors import LeaseLost, RateLimited, Refused, SourceError, StoreError
from inforadar.domain.ports import Clock
from inforadar.observe.log import get_log
from inforadar.observe.secrets import Secret
from inforadar.service.long_call import LongCall
from inforadar.service.presses import Presses
from inforadar.sinks.telegram_api import Conflict, TelegramApi
from inforadar.sinks.telegram_updates import KINDS, Pressed, Spoken, Update, read_updates
from inforadar.store import cursors, leases
from inforadar.store.database import Database, Tx
from inforadar.store.leases import Held, Lease

UPDATES_LEASE = "telegram updates"
UNHEARD = "telegram updates fail since"
LEASE_TTL_S = 60.0
RENEW_EVERY_S = 20.0
POLL_S = 25
POLL_GRACE_S = 10.0
AFTER_REFUSAL_S = 60.0
AFTER_CONFLICT_S = 10.0
LONGEST_REST_S = 600.0
MOST_TRIES = 3
# After a week of silence Telegram counts on from a random number; what lies nearer below the cursor is a replay.
REPLAYS_WITHIN = 10_000

log = get_log("service")


@dataclass(slots=True, kw_only=True)
class Buttons:
    """Polls for one bot; a holder's name has one poller at a time."""

    database: Database
    api: TelegramApi
    presses: Presses
    clock: Clock
    holder: str
    is_dead: Callable[[str], bool]
    stop: threading.Event
    poll_s: int = POLL_S
    _lease: Lease | None = None
    _open: LongCall | None = None
    _tries: dict[int, int] = field(default_factory=dict)
    _unheard_at: int = 0

    def once(self) -> int:
        """One poll and all it brought; how many updates. Ends soon after `stop`, whatever Telegram does.

        Nothing if another one polls. Raises what Telegram answers, after a rest fit for it.
        """
        try:
            self._lease = self._elected()
            return self._round(self._lease) if self._lease else 0
        except LeaseLost as error:
            log.warning("does not poll Telegram any more", holder=self.holder, error=str(error))
            self._lease = None
            return 0
        except SourceError as error:
            self._rest(rest_after(error, self.clock.now()))
            raise

    def resign(self) -> None:
        """Let another one poll at once."""
        lease, self._lease = self._lease, None
        if lease:
            with self.database.transaction() as tx:
                leases.release(tx, lease)

    def _rest(self, seconds: float) -> None:
        """Ask nothing for so long, and keep the lease, so that no other one asks either or takes the buttons for heard.

        Ends with the lease; a store that is away does not end it.
        """
        while self._lease and seconds > 0 and not self.stop.wait(min(seconds, RENEW_EVERY_S)):
            seconds -= RENEW_EVERY_S
            try:
                with self.database.transaction() as tx:
                    leases.guard(tx, self._lease)
            except LeaseLost:
                self._lease = None
            except StoreError as error:
                log.warning("the lease of the poller could not be kept", holder=self.holder, error=str(error))

    @property
    def _cursor(self) -> str:
        return cursor_of(self.api.token)

    def _elected(self) -> Lease | None:
        """The lease, if it is or becomes ours; raises LeaseLost when it was and is no more."""
        if self._lease:
            with self.database.transaction() as tx:
                leases.guard(tx, self._lease)
            return self._lease
        with self.database.reading() as tx:
            held = leases.held(tx).get(UPDATES_LEASE)
        if held and not self._is_free(held.holder):
            return None
        with self.database.transaction() as tx:
            taken = leases.acquire(tx, UPDATES_LEASE, self.holder, LEASE_TTL_S, self._is_free)
            if isinstance(taken, Held):
                return None
            cursors.put(tx, UNHEARD, self._unheard_at)
        return taken

    def _is_free(self, holder: str) -> bool:
        """Whether a holder is dead, or is this one, whose answer that it has the lease was lost."""
        return holder == self.holder or self.is_dead(holder)

    def _tell(self, lease: Lease, *, is_unheard: bool) -> None:
        """Keep since when polls fail, or that they do no more, when it changes; raises LeaseLost."""
        if is_unheard == bool(self._unheard_at):
            return
        at = int(self.clock.now().timestamp()) if is_unheard else 0
        with self.database.transaction() as tx:
            leases.guard(tx, lease)
            cursors.put(tx, UNHEARD, at)
        self._unheard_at = at

    def _round(self, lease: Lease) -> int:
        dealt = 0
        for update in self._poll(lease):
            if self.stop.is_set():
                break
            dealt += self._deal(update, lease)
        return dealt

    def _poll(self, lease: Lease) -> Sequence[Update]:
        """What Telegram has to tell; nothing at `stop`, and a question that is still open then is not asked twice."""
        call, self._open = self._open or LongCall(self._question(), "telegram poll"), None
        if not call.wait(self.stop):
            self._open = call
            return []
        try:
            told = call.answer()
        except SourceError:
            self._tell(lease, is_unheard=True)
            raise
        self._tell(lease, is_unheard=False)
        updates = read_updates(told)
        if not isinstance(told, list) or len(updates) < len(told):
            log.warning("updates without a number are passed over")
        return updates

    def _question(self) -> Callable[[], Any]:
        with self.database.reading() as tx:
            cursor = cursors.get(tx, self._cursor)
        offset = {} if cursor is None else {"offset": cursor}
        timeout_s = self.poll_s + POLL_GRACE_S
        return lambda: self.api.call("getUpdates", timeout_s, timeout=self.poll_s, allowed_updates=KINDS, **offset)

    def _deal(self, update: Update, lease: Lease) -> int:
        """Settle one update and answer it; an answer that does not arrive changes nothing."""
        self._tries[update.update_id] = self._tries.get(update.update_id, 0) + 1
        reply = self._settle(update, lease)
        self._tries.clear()
        if reply is not None:
            LongCall(lambda: self._reply(update, reply), "telegram answer").wait(self.stop)
        return 1

    def _settle(self, update: Update, lease: Lease) -> str | None:
        """What an update asks for, and the cursor behind it; what to reply."""
        with self.database.transaction() as tx:
            leases.guard(tx, lease)
            if is_replay(update.update_id, cursors.get(tx, self._cursor)):
                return None
            cursors.put(tx, self._cursor, update.update_id + 1)
            if self._tries[update.update_id] > MOST_TRIES:
                log.error("passed over an update that fails again and again", update=update.update_id)
                return None
            return self.presses.deal(tx, update)

    def _reply(self, update: Update, reply: str) -> None:
        try:
            if isinstance(update, Pressed):
                self.api.answer(update.press_id, reply)
            elif isinstance(update, Spoken):
                self.api.call("sendMessage", chat_id=update.person.chat_id, text=reply)
        except SourceError as error:
            log.warning("could not answer in Telegram", update=update.update_id, error=str(error))


def cursor_of(token: Secret) -> str:
    """The name of a bot's cursor, by its number: asked from another bot's place, Telegram forgets what lies below."""
    return f"telegram updates of {token.reveal().partition(':')[0]}"


def unheard_since(tx: Tx) -> datetime | None:
    """Since when the polls of whoever holds the lease fail; None = they do not."""
    at = cursors.get(tx, UNHEARD)
    return datetime.fromtimestamp(at, UTC) if at else None


def is_replay(update_id: int, cursor: int | None) -> bool:
    """Whether an update was dealt with before."""
    return cursor is not None and cursor - REPLAYS_WITHIN <= update_id < cursor


def rest_after(error: SourceError, now: datetime) -> float:
    """How long not to ask Telegram after an error, in seconds."""
    if isinstance(error, RateLimited) and error.retry_at:
        return min(max((error.retry_at - now).total_seconds(), 0.0), LONGEST_REST_S)
    if isinstance(error, Conflict):
        return AFTER_CONFLICT_S
    return AFTER_REFUSAL_S if isinstance(error, Refused) else 0.0
