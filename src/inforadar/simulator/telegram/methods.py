"""The methods of the Bot API by their lower-case names."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from inforadar.simulator.rules import Rules
from inforadar.simulator.telegram.arguments import Arguments
from inforadar.simulator.telegram.chats import Json, Message, Revision, User
from inforadar.simulator.telegram.html import EntityError, parse_html, trimmed
from inforadar.simulator.telegram.markup import read_markup
from inforadar.simulator.telegram.office import Office
from inforadar.simulator.telegram.polling import Updates
from inforadar.simulator.telegram.problems import NOT_MODIFIED, OLD_QUERY, ApiError, bad_request

LONGEST_TEXT = 4096
LONGEST_ANSWER = 200
GIFTS = dict.fromkeys(
    ("unlimited_gifts", "limited_gifts", "unique_gifts", "premium_subscription", "gifts_from_channels"), True
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """One call on its way through a method: who asks, with what, and what it may touch."""

    bot: User
    arguments: Arguments
    office: Office
    updates: Updates
    rules: Rules
    now: datetime
    is_answer_lost: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """A result with a sentence about it, as the webhook methods give one."""

    result: Any
    description: str


def _get_me(desk: Desk) -> Json:
    return {
        **desk.bot.as_json(),
        "can_join_groups": True,
        "can_read_all_group_messages": False,
        "supports_inline_queries": False,
        "can_connect_to_business": False,
        "has_main_web_app": False,
    }


def _send_message(desk: Desk) -> Json:
    chat = desk.office.writable(_chat_id(desk))
    revision = _revision(desk)
    desk.office.keep_pace(chat.id, desk.rules.telegram_chat_interval_s)
    message = desk.office.post(chat, desk.bot, revision)
    desk.office.log_send(
        message,
        parse_mode=desk.arguments.text("parse_mode"),
        is_silent=desk.arguments.flag("disable_notification"),
        is_answered=not desk.is_answer_lost,
    )
    return message.as_json()


def _edit_message_text(desk: Desk) -> Json:
    message = _own_message(desk, "edit")
    return _edit(desk, message, _revision(desk))


def _edit_message_reply_markup(desk: Desk) -> Json:
    message = _own_message(desk, "edit")
    return _edit(desk, message, replace(message.latest, at=desk.now, markup=read_markup(desk.arguments)))


def _delete_message(desk: Desk) -> bool:
    message = _own_message(desk, "delete")
    desk.office.store(replace(message, is_deleted=True))
    return True


def _answer_callback_query(desk: Desk) -> bool:
    text = desk.arguments.text("text")
    if len(text) > LONGEST_ANSWER:
        raise bad_request("MESSAGE_TOO_LONG")
    query_id = desk.arguments.text("callback_query_id")
    if not query_id:
        raise ApiError(400, OLD_QUERY)
    desk.office.answer_press(query_id, text, desk.now, desk.rules.telegram_query_ttl_s)
    return True


def _get_updates(desk: Desk) -> list[Json] | None:
    return desk.updates.poll(desk.arguments)


def _set_webhook(desk: Desk) -> Told:
    url = desk.arguments.text("url")
    drops = desk.arguments.flag("drop_pending_updates")
    return Told(result=True, description=desk.updates.set_webhook(url, drops=drops))


def _delete_webhook(desk: Desk) -> Told:
    drops = desk.arguments.flag("drop_pending_updates")
    return Told(result=True, description=desk.updates.set_webhook("", drops=drops))


def _get_webhook_info(desk: Desk) -> Json:
    return {
        "url": desk.updates.webhook,
        "has_custom_certificate": False,
        "pending_update_count": len(desk.updates.queue),
    }


def _get_chat(desk: Desk) -> Json:
    chat_id = _chat_id(desk)
    chat = desk.office.chats.get(chat_id)
    if chat is None:
        raise bad_request("chat not found")
    return {**chat.as_json(), "accent_color_id": 3, "max_reaction_count": 11, "accepted_gift_types": GIFTS}


def _send_chat_action(desk: Desk) -> bool:
    desk.office.writable(_chat_id(desk))
    if "action" not in desk.arguments:
        raise bad_request("wrong parameter action in request")
    return True


def _chat_id(desk: Desk) -> int:
    if "chat_id" not in desk.arguments:
        raise bad_request("chat_id is empty")
    return desk.arguments.whole("chat_id")


def _own_message(desk: Desk, purpose: str) -> Message:
    """The message a call means, if it is there and the bot's own."""
    chat = desk.office.writable(_chat_id(desk))
    message_id = desk.arguments.whole("message_id")
    if not message_id:
        raise bad_request("message identifier is not specified")
    message = desk.office.message(chat.id, message_id)
    if message is None:
        raise bad_request(f"message to {purpose} not found")
    if not message.sender.is_bot:
        raise bad_request(f"message can't be {'deleted' if purpose == 'delete' else 'edited'}")
    return message


def _edit(desk: Desk, message: Message, revision: Revision) -> Json:
    if message.latest.says_the_same(revision):
        raise ApiError(400, NOT_MODIFIED)
    return desk.office.store(message.edited(revision)).as_json()


def _revision(desk: Desk) -> Revision:
    """What a call wants a message to say."""
    source = desk.arguments.text("text")
    if not source:
        raise bad_request("message text is empty")
    text, entities = _parsed(desk, source)
    if not text:
        raise bad_request("message text is empty")
    if len(text) > LONGEST_TEXT:
        raise bad_request("message is too long")
    markup = read_markup(desk.arguments)
    return Revision(at=desk.now, text=text, entities=tuple(entities), markup=markup, source=source)


def _parsed(desk: Desk, source: str) -> tuple[str, list[Json]]:
    mode = desk.arguments.text("parse_mode").lower()
    if mode in ("", "none"):
        return trimmed(source, _given_entities(desk))
    if mode != "html":
        raise bad_request("unsupported parse_mode")
    try:
        return parse_html(source)
    except EntityError as error:
        raise bad_request(f"can't parse entities: {error}") from error


def _given_entities(desk: Desk) -> list[Json]:
    given = desk.arguments.structure("entities", "can't parse entities JSON object") or []
    if not all(isinstance(entity, dict) and {"type", "offset", "length"} <= entity.keys() for entity in given):
        raise bad_request("can't parse MessageEntity")
    return sorted(given, key=lambda entity: (entity["offset"], -entity["length"]))


METHODS: Mapping[str, Callable[[Desk], Any]] = {
    "getme": _get_me,
    "sendmessage": _send_message,
    "editmessagetext": _edit_message_text,
    "editmessagereplymarkup": _edit_message_reply_markup,
    "deletemessage": _delete_message,
    "answercallbackquery": _answer_callback_query,
    "getupdates": _get_updates,
    "setwebhook": _set_webhook,
    "deletewebhook": _delete_webhook,
    "getwebhookinfo": _get_webhook_info,
    "getchat": _get_chat,
    "sendchataction": _send_chat_action,
}
