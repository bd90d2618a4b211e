"""Telegram as a sink: notices become messages, and messages are edited to show how things stand."""

from dataclasses import dataclass
from typing import Any

from inforadar.domain.delivery import Notice
from inforadar.domain.errors import Gone, Refused, Unavailable
from inforadar.observe.log import get_log
from inforadar.sinks.telegram_api import TelegramApi, Unparsed
from inforadar.sinks.telegram_message import Message, render

NO_PREVIEW = {"is_disabled": True}

log = get_log("sinks")


@dataclass(slots=True, kw_only=True)
class TelegramSink:
    """Sends to one chat; a reference is `chat_id:message_id`."""

    api: TelegramApi
    chat_id: str
    name: str = "telegram"

    def send(self, notice: Notice) -> str:
        """Send it; a reference by which it can be edited."""
        if not self.chat_id:
            raise Refused("no chat to send to: run `radar connect telegram` to find its chat_id")
        sent = self._say("sendMessage", self._rendered(notice), chat_id=self.chat_id)
        try:
            return f"{sent['chat']['id']}:{sent['message_id']}"
        except (KeyError, TypeError) as error:
            raise Unavailable("Telegram's answer does not name the message it sent") from error

    def say(self, text: str) -> None:
        """Send a plain text that is about no match."""
        self.api.call("sendMessage", chat_id=self.chat_id, text=text)

    def edit(self, reference: str, notice: Notice) -> None:
        """Make an earlier message show how things stand now; showing the same again is no error."""
        chat_id, _, message_id = reference.rpartition(":")
        if not chat_id or not message_id.isdecimal():
            raise Gone(f"{reference!r} is not a message of Telegram")
        self._say("editMessageText", self._rendered(notice), chat_id=chat_id, message_id=int(message_id))

    def _rendered(self, notice: Notice) -> Message:
        return render(notice, self.api.token.reveal())

    def _say(self, method: str, message: Message, **where: Any) -> Any:
        """Say it in HTML, or once more as plain text where Telegram cannot read that."""
        try:
            return self.api.call(
                method,
                **where,
                text=message.html,
                parse_mode="HTML",
                reply_markup=message.markup,
                link_preview_options=NO_PREVIEW,
            )
        except Unparsed as error:
            log.warning("Telegram cannot read the markup: said as plain text", error=str(error))
        return self.api.call(
            method, **where, text=message.plain, reply_markup=message.plain_markup, link_preview_options=NO_PREVIEW
        )
