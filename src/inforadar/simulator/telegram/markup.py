"""Inline keyboards: what the Bot API takes as one, and how it gives it back."""

from typing import Any
from urllib.parse import urlsplit

from inforadar.simulator.telegram.arguments import Arguments
from inforadar.simulator.telegram.problems import bad_request

LONGEST_DATA_BYTES = 64
MOST_BUTTONS = 100
URL_SCHEMES = ("http", "https", "tg")
Json = dict[str, Any]


def read_markup(arguments: Arguments) -> Json | None:
    """The inline keyboard of a call, None for none or an empty one."""
    markup = arguments.structure("reply_markup", "can't parse reply keyboard markup JSON object")
    if markup is None:
        return None
    if not isinstance(markup, dict):
        raise bad_request("object expected as reply markup")
    rows = markup.get("inline_keyboard", [])
    if not isinstance(rows, list) or not all(isinstance(row, list) for row in rows):
        raise bad_request('field "inline_keyboard" of the InlineKeyboardMarkup should be an Array of Arrays')
    keyboard = [[_button(button) for button in row] for row in rows if row]
    if sum(map(len, keyboard)) > MOST_BUTTONS:
        raise bad_request("REPLY_MARKUP_TOO_LONG")
    return {"inline_keyboard": keyboard} if keyboard else None


def buttons_of(markup: Json | None) -> list[Json]:
    """All buttons of a keyboard, row by row."""
    return [button for row in (markup or {}).get("inline_keyboard", ()) for button in row]


def _button(button: Any) -> Json:
    if not isinstance(button, dict):
        raise bad_request("can't parse inline keyboard button: InlineKeyboardButton must be an Object")
    text = button.get("text")
    if not isinstance(text, str) or not text.strip():
        raise bad_request('can\'t parse inline keyboard button: Field "text" must be of type String')
    if "url" in button:
        return {"text": text, "url": _url(str(button["url"]))}
    if "callback_data" in button:
        return {"text": text, "callback_data": _data(button["callback_data"])}
    raise bad_request("can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard")


def _data(data: Any) -> str:
    if not isinstance(data, str) or not 1 <= len(data.encode()) <= LONGEST_DATA_BYTES:
        raise bad_request("BUTTON_DATA_INVALID")
    return data


def _url(url: str) -> str:
    try:
        parts = urlsplit(url)
        scheme, host = parts.scheme.lower(), parts.hostname
    except ValueError:
        scheme, host = "http", None
    if scheme not in URL_SCHEMES:
        raise bad_request(f"inline keyboard button URL '{url}' is invalid: Unsupported URL protocol")
    if not host:
        raise bad_request(f"inline keyboard button URL '{url}' is invalid: Wrong HTTP URL")
    return url
