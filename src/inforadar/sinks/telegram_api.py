"""A thin client of Telegram's Bot API: one call, and its errors as ours.

The token is part of every address: it is put in at the last moment and taken out of everything that is told.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from inforadar.domain.errors import BadQuery, Gone, RateLimited, Refused, SourceError, Unavailable, Unreadable
from inforadar.domain.ports import Answer, Clock, Request, Transport
from inforadar.net.statuses import LONGEST_RETRY_AFTER, header, retry_at
from inforadar.observe.log import get_log
from inforadar.observe.printable import printable
from inforadar.observe.secrets import Secret, Secrets

ANSWER_TIMEOUT_S = 10.0
LONGEST_ANSWER = 200
LONGEST_TOLD = 200
CHECK_TOKEN = "Telegram does not know this bot: check [telegram] token; @BotFather shows it"
PRESS_START = "Telegram does not let the bot write there: open the bot and press Start, or add it to the group again"
CHECK_CHAT = "Telegram does not know this chat: run `radar connect telegram` to find its chat_id"
NO_RIGHTS = "the bot may not write in this chat: let it send messages there"

NOT_MODIFIED = "message is not modified"
TOO_OLD = "query is too old"
UNPARSED = ("can't parse entities", "button_url_invalid", "inline keyboard button url")
NOT_THERE = ("message to edit not found", "message can't be edited", "message_id_invalid", "message not found")
NO_CHAT = ("chat not found", "peer_id_invalid", "chat_id is empty", "chat_id_invalid")
FORBIDDEN = ("not enough rights", "have no rights", "chat_write_forbidden", "need administrator rights")

log = get_log("sinks")


class Unparsed(BadQuery):
    """Telegram cannot read the markup of a message; as plain text it would take it."""


class TooLate(BadQuery):
    """A press was answered so late that Telegram has forgotten it."""


class Conflict(Unavailable):
    """Somebody else receives the updates of this bot: another poller, or a webhook."""


@dataclass(slots=True, kw_only=True)
class TelegramApi:
    """Calls methods of one bot.

    `moved_chats` tells which chats have a new id, by their old one, until the configuration is mended.
    """

    transport: Transport
    base_url: str
    token: Secret
    clock: Clock
    moved_chats: dict[str, str] = field(default_factory=dict)

    def call(self, method: str, timeout_s: float | None = None, **arguments: Any) -> Any:
        """The result of a method; raises what the Sink port names, and Conflict, Unparsed or TooLate of those kinds.

        A chat that has moved is followed once. Showing the same message again is no error.
        """
        followed = self._followed(arguments)
        told = self._ask(method, timeout_s, followed)
        moved_to = _migrated(told)
        if moved_to and "chat_id" in followed and str(followed["chat_id"]) != moved_to:
            self._remember_move(str(followed["chat_id"]), moved_to)
            told = self._ask(method, timeout_s, {**followed, "chat_id": moved_to})
        if told.get("ok") is True:
            return told.get("result")
        if NOT_MODIFIED in _description(told).lower():
            return True
        raise self._error(told)

    def answer(self, press_id: str, text: str) -> None:
        """Answer a press of a button with a short text; too late is no error."""
        try:
            self.call(
                "answerCallbackQuery",
                timeout_s=ANSWER_TIMEOUT_S,
                callback_query_id=press_id,
                text=printable(text)[:LONGEST_ANSWER],
            )
        except TooLate:
            log.debug("answered a press too late")

    def _followed(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        moved_to = self.moved_chats.get(str(arguments.get("chat_id")))
        return {**arguments, "chat_id": moved_to} if moved_to else dict(arguments)

    def _remember_move(self, old: str, new: str) -> None:
        self.moved_chats[old] = new
        log.warning("the chat has a new id: write it into [telegram]", old_chat_id=old, chat_id=new)

    def _ask(self, method: str, timeout_s: float | None, arguments: Mapping[str, Any]) -> dict[str, Any]:
        request = Request(
            path=f"bot{_usable(self.token)}/{method}",
            method="POST",
            headers={"content-type": "application/json"},
            body=json.dumps(arguments).encode("ascii"),
            timeout_s=timeout_s,
        )
        try:
            answer = self.transport.send(self.base_url, request)
        except Unreadable as error:
            raise Unavailable(f"Telegram's answer cannot be read: {error}") from error
        return _told(answer)

    def _error(self, told: Mapping[str, Any]) -> SourceError:
        description = Secrets([self.token.reveal()]).scrub(printable(_description(told)))[:LONGEST_TOLD]
        return read_error(told, description, self.clock.now())


def read_error(told: Mapping[str, Any], description: str, now: datetime) -> SourceError:
    """Our error for what Telegram told."""
    status = told["error_code"]
    if status == 429:
        return RateLimited(f"Telegram asks us to slow down ({description})", _retry_at(told, now))
    if status in (401, 404):
        return Refused(f"{CHECK_TOKEN} ({description})")
    if status == 403:
        return Refused(f"{PRESS_START} ({description})")
    if status == 409:
        remedy = "`radar connect telegram --delete-webhook` ends it" if "webhook" in description else "one poller a bot"
        return Conflict(f"somebody else receives what the bot is told ({description}): {remedy}")
    if status >= 500 or status < 400:
        return Unavailable(f"Telegram is out of order (HTTP {status}: {description})")
    return _bad_request(description)


def _bad_request(description: str) -> SourceError:
    words = description.lower()
    if TOO_OLD in words:
        return TooLate(description)
    if any(part in words for part in UNPARSED):
        return Unparsed(description)
    if any(part in words for part in NOT_THERE):
        return Gone(f"the message is not there any more, or too old to be changed ({description})")
    if any(part in words for part in NO_CHAT):
        return Refused(f"{CHECK_CHAT} ({description})")
    if any(part in words for part in FORBIDDEN):
        return Refused(f"{NO_RIGHTS} ({description})")
    return BadQuery(f"Telegram does not take this ({description})")


def _usable(token: Secret) -> str:
    """The token, if it can stand in an address; raises Refused."""
    value = token.reveal()
    number, colon, rest = value.partition(":")
    is_whole = number.isdecimal() and bool(colon and rest)
    if not (value.isascii() and is_whole and all(sign.isalnum() or sign in "_-" for sign in rest)):
        raise Refused("the bot's token does not look like 123456:ABC...: copy it again from @BotFather")
    return value


def _told(answer: Answer) -> dict[str, Any]:
    """The object in an answer, always with `ok`, and with `error_code` if that is False."""
    try:
        told = json.loads(answer.body)
    except (ValueError, RecursionError):
        told = None
    if not isinstance(told, dict):
        told = {"description": "the answer is no JSON object"}
    if 200 <= answer.status < 300 and told.get("ok") is True:
        return told
    status = answer.status if 300 <= answer.status < 600 else 502
    return {**told, "ok": False, "error_code": status, "header": header(answer, "retry-after")}


def _description(told: Mapping[str, Any]) -> str:
    return str(told.get("description") or "no reason given")


def _parameters(told: Mapping[str, Any]) -> Mapping[str, Any]:
    parameters = told.get("parameters")
    return parameters if isinstance(parameters, Mapping) else {}


def _migrated(told: Mapping[str, Any]) -> str | None:
    moved_to = _parameters(told).get("migrate_to_chat_id")
    return str(moved_to) if isinstance(moved_to, int) and not told.get("ok") else None


def _retry_at(told: Mapping[str, Any], now: datetime) -> datetime | None:
    seconds = _parameters(told).get("retry_after")
    if isinstance(seconds, (int, float)) and seconds >= 0:
        return now + min(timedelta(seconds=min(seconds, LONGEST_RETRY_AFTER.total_seconds())), LONGEST_RETRY_AFTER)
    return retry_at(told.get("header"), now)
