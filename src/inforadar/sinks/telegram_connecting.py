"""The first contact with a bot: who it is, who writes to it, and a test message with buttons.

Nothing of what the bot is told is confirmed here: presses that wait for a running radar stay where they are.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from inforadar.domain.delivery import Card, Notice
from inforadar.domain.errors import Unavailable
from inforadar.domain.ports import Clock
from inforadar.sinks.callbacks import Button, decode, encode, is_genuine
from inforadar.sinks.telegram_api import TelegramApi
from inforadar.sinks.telegram_message import render
from inforadar.sinks.telegram_updates import KINDS, Person, Pressed, Spoken, Update, read_updates

POLL_S = 10
POLL_GRACE_S = 10.0
PAUSE_S = 1.0
TEST_ANSWER = "This was a test: the buttons work."


@dataclass(frozen=True, slots=True, kw_only=True)
class Connecting:
    """Finds the chat of one bot and tries it; `wait` lets so many seconds pass."""

    api: TelegramApi
    clock: Clock
    wait: Callable[[float], object]

    def bot_name(self) -> str:
        """The bot's user name; raises Refused for a wrong token."""
        me = self.api.call("getMe")
        name = me.get("username") if isinstance(me, dict) else None
        if not isinstance(name, str):
            raise Unavailable("Telegram does not tell the name of this bot")
        return name

    def has_webhook(self) -> bool:
        """Whether another program receives what the bot is told."""
        told = self.api.call("getWebhookInfo")
        return isinstance(told, dict) and bool(told.get("url"))

    def delete_webhook(self) -> None:
        """Receive it ourselves from now on; what waits is kept."""
        self.api.call("deleteWebhook", drop_pending_updates=False)

    def writers(self, timeout_s: float) -> list[Person]:
        """Who has written to the bot, the last one first; waits for the first of them, empty = nobody did."""
        for updates in self._polls(timeout_s):
            people = [update.person for update in reversed(updates) if isinstance(update, Spoken)]
            if people:
                return list({person.chat_id: person for person in reversed(people)}.values())[::-1]
        return []

    def send_test(self, chat_id: str) -> str:
        """Send a card that looks like a match; its reference. Its buttons do nothing but answer."""
        message = render(Notice(cards=(_sample(self),), now=self.clock.now()), self.api.token.reveal())
        data = encode(Button(verb="test", match_id=0), source="", key="", token=self.api.token.reveal())
        rows = message.markup["inline_keyboard"]
        keyboard = [[b | {"callback_data": data} if "callback_data" in b else b for b in row] for row in rows]
        sent = self.api.call(
            "sendMessage",
            chat_id=chat_id,
            text=message.html,
            parse_mode="HTML",
            reply_markup={"inline_keyboard": keyboard},
            link_preview_options={"is_disabled": True},
        )
        return f"{chat_id}:{sent.get('message_id') if isinstance(sent, dict) else ''}"

    def is_test_pressed(self, timeout_s: float) -> bool:
        """Whether a button of the test message was pressed in time; the press is answered."""
        for updates in self._polls(timeout_s):
            for update in updates:
                if isinstance(update, Pressed) and is_test(update.data, self.api.token.reveal()):
                    self.api.answer(update.press_id, TEST_ANSWER)
                    return True
        return False

    def _polls(self, timeout_s: float) -> Iterator[list[Update]]:
        """What the bot was told and nobody has confirmed, again and again until the time is over."""
        end = self.clock.mono() + timeout_s
        while (left_s := end - self.clock.mono()) > 0:
            told: Any = self.api.call(
                "getUpdates",
                POLL_S + POLL_GRACE_S,
                timeout=max(1, min(POLL_S, int(left_s))),
                allowed_updates=KINDS,
            )
            yield read_updates(told)
            if told:
                self.wait(min(PAUSE_S, left_s))


def is_test(data: str, token: str) -> bool:
    """Whether a press is one of a test message of this bot."""
    sealed = decode(data)
    return sealed is not None and sealed.button.verb == "test" and is_genuine(sealed, source="", key="", token=token)


def _sample(connecting: Connecting) -> Card:
    return Card(
        match_id=0,
        source="connect",
        key="test",
        kind="vacancy",
        watch="a test",
        url="https://telegram.org/",
        title="This is how a match looks",
        company="Info Radar",
        published_at=connecting.clock.now() - timedelta(minutes=5),
        status="SENT_TO_USER",
        score=0.87,
        reason="your radar can write here",
        data={"place": "Madrid", "remote": True, "salary": {"from": 50_000, "to": 60_000, "currency": "EUR"}},
    )
