"""What people did in Telegram, read from the answer to getUpdates: presses of buttons, and words."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

KINDS = ["callback_query", "message"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """Who did it, and where; `chat_id` None = in no chat the bot knows."""

    user_id: int
    chat_id: int | None
    is_private: bool
    name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pressed:
    """Somebody pressed a button."""

    update_id: int
    person: Person
    press_id: str
    data: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Spoken:
    """Somebody wrote to the bot."""

    update_id: int
    person: Person
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Odd:
    """Something nobody asked for, or cannot be read: to be passed over."""

    update_id: int


Update = Pressed | Spoken | Odd


def read_updates(told: Any) -> list[Update]:
    """The updates that have a number, in its order; what cannot be read further is odd."""
    raw = told if isinstance(told, list) else []
    numbered = [one for one in raw if isinstance(one, Mapping) and _is_number(one.get("update_id"))]
    return sorted((_read(one) for one in numbered), key=lambda update: update.update_id)


def _read(raw: Mapping[str, Any]) -> Update:
    update_id = raw["update_id"]
    return (
        _pressed(update_id, raw.get("callback_query"))
        or _spoken(update_id, raw.get("message"))
        or Odd(update_id=update_id)
    )


def _pressed(update_id: int, raw: Any) -> Pressed | None:
    if not isinstance(raw, Mapping):
        return None
    message = raw.get("message")
    person = _person(raw.get("from"), message.get("chat") if isinstance(message, Mapping) else None)
    press_id, data = raw.get("id"), raw.get("data")
    if person is None or not isinstance(press_id, str):
        return None
    return Pressed(update_id=update_id, person=person, press_id=press_id, data=data if isinstance(data, str) else "")


def _spoken(update_id: int, raw: Any) -> Spoken | None:
    if not isinstance(raw, Mapping):
        return None
    person, text = _person(raw.get("from"), raw.get("chat")), raw.get("text")
    if person is None or person.chat_id is None:
        return None
    return Spoken(update_id=update_id, person=person, text=text if isinstance(text, str) else "")


def _person(sender: Any, chat: Any) -> Person | None:
    if not isinstance(sender, Mapping) or not _is_number(sender.get("id")):
        return None
    place = chat if isinstance(chat, Mapping) and _is_number(chat.get("id")) else {}
    name = place.get("title") or place.get("username") or place.get("first_name") or sender.get("first_name")
    return Person(
        user_id=sender["id"],
        chat_id=place.get("id"),
        is_private=place.get("type") == "private",
        name=name if isinstance(name, str) else "",
    )


def _is_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**62
