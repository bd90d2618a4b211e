"""What a press of a button in Telegram, or a word to the bot, does and is answered with; inside one transaction.

Only allowed people decide, and only by buttons this bot made for a match of this database. A press on a match that
carries a decision changes nothing and is told which: buttons of old messages live for ever, and a press may come
late. An undo takes back the act it names, and only while that is the last one on its match.
"""

from dataclasses import dataclass, field
from typing import cast

from inforadar.config import TelegramSettings
from inforadar.domain.ports import Clock
from inforadar.domain.status import Status
from inforadar.observe.log import get_log
from inforadar.observe.secrets import Secret
from inforadar.service.triage import Decision, Triage
from inforadar.sinks.callbacks import Button, Sealed, decode, is_genuine
from inforadar.sinks.card_words import clean, moment_words
from inforadar.sinks.telegram_connecting import TEST_ANSWER, is_test
from inforadar.sinks.telegram_updates import Person, Pressed, Spoken, Update
from inforadar.store import acts, matches
from inforadar.store.database import Tx
from inforadar.store.matches import MatchView, Standing

MOST_STRANGERS = 1000
LONGEST_NAME = 100
NOT_YOURS = "These buttons are not yours."
UNKNOWN = "This button is not known here: its match is gone, or it belongs to another radar."
NEWER = "Nothing to undo, there is a newer decision"
UNDONE = "Undone"
MARKED = {Status.APPLIED: "marked as applied", Status.NOT_INTERESTED: "marked as not for you"}
DONE = {"applied": "Marked as applied", "not interested": "Marked as not for you", "later": "Put off until {until}"}
HELP = """Info Radar sends new matches here.
Applied and Not for me decide on one, Later shows it again after a while, Open opens it. Undo takes a decision back.
All that was found: radar items"""

log = get_log("service")


@dataclass(slots=True, kw_only=True)
class Presses:
    """Decides what people's presses do."""

    triage: Triage
    settings: TelegramSettings
    token: Secret
    clock: Clock
    _strangers: set[int] = field(default_factory=set)

    def deal(self, tx: Tx, update: Update) -> str | None:
        """Do what an update asks for; what to reply, None = nothing."""
        if isinstance(update, Pressed):
            return self._press(tx, update)
        if isinstance(update, Spoken):
            return self._words(update)
        log.info("passed over an update that is no press and no word", update=update.update_id)
        return None

    def _press(self, tx: Tx, pressed: Pressed) -> str:
        if not may_press(pressed.person, self.settings):
            self._tell_of_stranger(pressed.person)
            return NOT_YOURS
        if is_test(pressed.data, self.token.reveal()):
            return TEST_ANSWER
        sealed = decode(pressed.data)
        match = matches.get(tx, sealed.button.match_id) if sealed else None
        if sealed is None or match is None or not self._is_ours(sealed, source=match.source, key=match.key):
            log.warning("a button that is not ours was pressed", user_id=pressed.person.user_id)
            return UNKNOWN
        return f"{self._decided(tx, sealed.button, match, pressed.person)}: {clean(match.title, LONGEST_NAME)}"

    def _is_ours(self, sealed: Sealed, *, source: str, key: str) -> bool:
        return is_genuine(sealed, source=source, key=key, token=self.token.reveal())

    def _decided(self, tx: Tx, button: Button, match: MatchView, person: Person) -> str:
        who = f"telegram:{person.user_id}"
        standing = matches.lock(tx, [match.id])[match.id]
        if button.verb == "undo":
            return self._undo(tx, button, standing, who)
        return self._standing_words(standing) or self._mark(tx, button, who)

    def _undo(self, tx: Tx, button: Button, standing: Standing, who: str) -> str:
        if button.act_id is None or acts.last_of_match(tx, button.match_id) != button.act_id:
            return self._standing_words(standing) or NEWER
        act = self.triage.undo(tx, who, button.act_id, button.match_id)
        return UNDONE if button.match_id in act.changed else NEWER

    def _mark(self, tx: Tx, button: Button, who: str) -> str:
        act = self.triage.mark(tx, [button.match_id], cast(Decision, button.verb), who)
        if button.match_id not in act.changed:
            return f"Nothing changed ({act.unchanged.get(button.match_id, 'it is gone')})"
        until = matches.lock(tx, [button.match_id])[button.match_id].later_until
        return DONE[button.verb].format(until=moment_words(until) if until else "later")

    def _standing_words(self, standing: Standing) -> str | None:
        """The decision that stands already, if there is one."""
        if standing.status in MARKED:
            return f"Already {MARKED[standing.status]}"
        if standing.later_until and standing.later_until > self.clock.now():
            return f"Already put off until {moment_words(standing.later_until)}"
        return None

    def _words(self, spoken: Spoken) -> str | None:
        """Help for those who may decide; in a group only where the bot is spoken to."""
        if not may_press(spoken.person, self.settings):
            self._tell_of_stranger(spoken.person)
            return None
        return HELP if spoken.person.is_private or spoken.text.startswith("/") else None

    def _tell_of_stranger(self, person: Person) -> None:
        """Log once that somebody came who may not decide."""
        if person.user_id in self._strangers or len(self._strangers) >= MOST_STRANGERS:
            return
        self._strangers.add(person.user_id)
        log.warning("somebody who is not allowed uses the bot", user_id=person.user_id, chat_id=person.chat_id)


def may_press(person: Person, settings: TelegramSettings) -> bool:
    """Whether this person may decide: one of the users named, else the one a private chat is with."""
    if settings.users:
        return person.user_id in settings.users
    return person.is_private and str(person.chat_id) == str(person.user_id) == settings.chat_id
