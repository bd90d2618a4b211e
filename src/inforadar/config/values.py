"""Turns one raw TOML value into what a setting means, or says why it cannot."""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, time
from typing import Any, Literal
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from inforadar.config.schema import Setting, SettingKind
from inforadar.domain.schedule import DailyWindow, Rhythm, read_rhythm

_DAILY = re.compile(r"(\d{1,2}:\d{2})\s*[-–]\s*(\d{1,2}:\d{2})(?:\s+(\S+))?")
_ENV_FLAGS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
_NOT_IN_ADDRESSES = re.compile(r"[\s\x00-\x1f\x7f\\]")


class Unfit(Exception):
    """A value does not fit its setting: what is wrong, and what to do."""

    def __init__(self, problem: str, remedy: str) -> None:
        super().__init__(problem)
        self.problem = problem
        self.remedy = remedy


@dataclass(frozen=True, slots=True, kw_only=True)
class SecretPlace:
    """Where a secret is to be found: the value itself, an environment variable or a file."""

    how: Literal["value", "env", "file"]
    name: str = field(repr=False)


def convert(raw: Any, setting: Setting) -> Any:
    """The value of a setting; raises Unfit."""
    return _CONVERSIONS[setting.kind](raw, setting)


def env_value(text: str, setting: Setting) -> Any:
    """The value of a setting in an environment variable; raises Unfit."""
    raw: Any = text
    if setting.kind == "flag":
        raw = _ENV_FLAGS.get(text.lower(), text)
    elif setting.kind == "whole" and text.isascii() and text.isdigit():
        raw = int(text)
    return convert(raw, setting)


def shown(raw: Any) -> str:
    """A value as the user wrote it, shortened."""
    if isinstance(raw, bool):
        return "true" if raw else "false"
    text = f'"{raw}"' if isinstance(raw, str) else str(raw)
    return text if len(text) <= 40 else text[:40] + "..."


def _text(raw: Any, setting: Setting) -> str:
    if not isinstance(raw, str):
        raise Unfit(f"is {_kind_of(raw)}", f'Write a text in quotes: {setting.name} = "..."')
    text = raw.strip()
    if setting.is_required and not text:
        raise Unfit("is empty", f'Write a text: {setting.name} = "..."')
    return _chosen(text, setting)


def _chosen(text: str, setting: Setting) -> str:
    if setting.choices and text not in setting.choices:
        raise Unfit(f"is {shown(text)}", "Write one of " + ", ".join(f'"{choice}"' for choice in setting.choices))
    return text


def _whole(raw: Any, setting: Setting) -> int:
    if isinstance(raw, bool) or not isinstance(raw, int):
        raise Unfit(f"is {_kind_of(raw)}", f"Write a whole number without quotes: {setting.name} = 10")
    _check_bounds(raw, setting)
    return raw


def _wholes(raw: Any, setting: Setting) -> tuple[int, ...]:
    if not isinstance(raw, (list, tuple)):
        raise Unfit(f"is {_kind_of(raw)}", f"Write a list of whole numbers: {setting.name} = [1, 2]")
    return tuple(_whole(entry, setting) for entry in raw)


def _number(raw: Any, setting: Setting) -> float:
    if isinstance(raw, bool) or not isinstance(raw, (int, float)) or not math.isfinite(raw):
        raise Unfit(f"is {_kind_of(raw)}", f"Write a number without quotes: {setting.name} = {setting.default}")
    _check_bounds(raw, setting)
    return float(raw)


def _check_bounds(number: float, setting: Setting) -> None:
    least, most = setting.least, setting.most
    if least is not None and number < least:
        raise Unfit(f"is {number}", f"Write {least:g} or more" if most is None else f"Write {least:g} to {most:g}")
    if most is not None and number > most:
        raise Unfit(f"is {number}", f"Write {least or 0:g} to {most:g}")


def _flag(raw: Any, setting: Setting) -> bool:
    if not isinstance(raw, bool):
        raise Unfit(f"is {_kind_of(raw)}", f"Write {setting.name} = true or {setting.name} = false")
    return raw


def _date(raw: Any, setting: Setting) -> date:
    remedy = f"Write it like {setting.name} = 2026-01-31"
    if isinstance(raw, datetime):
        return raw.date()
    if isinstance(raw, date):
        return raw
    if not isinstance(raw, str):
        raise Unfit(f"is {_kind_of(raw)}", remedy)
    try:
        return datetime.fromisoformat(raw.strip()).date()
    except ValueError as error:
        raise Unfit(f"is {shown(raw)}, which is not a date", remedy) from error


def _texts(raw: Any, setting: Setting) -> tuple[str, ...]:
    if not isinstance(raw, (list, tuple)):  # the entries of a list are texts and read one by one
        raise Unfit(f"is {_kind_of(raw)}", f'Write a list: {setting.name} = ["...", "..."]')
    return tuple(raw)


def _secret(raw: Any, setting: Setting) -> SecretPlace:
    remedy = f'Write {setting.name} = "value", {{ env = "NAME" }} or {{ file = "path" }}'
    if isinstance(raw, str) and raw.strip():
        return SecretPlace(how="value", name=raw.strip())
    if isinstance(raw, Mapping) and len(raw) == 1:
        for how in ("env", "file"):
            name = raw.get(how)
            if isinstance(name, str) and name.strip():
                return SecretPlace(how=how, name=name.strip())
    raise Unfit("is not a secret" if raw else "is empty", remedy)


def _secrets(raw: Any, setting: Setting) -> tuple[Any, ...]:
    if not isinstance(raw, (list, tuple)):  # the entries of a list are secrets and read one by one
        remedy = f'Write a list: {setting.name} = [{{ env = "NAME" }}, {{ file = "path" }}]'
        raise Unfit("is not a list", remedy)
    return tuple(raw)


def _address(raw: Any, setting: Setting) -> str:
    text = _text(raw, setting)
    remedy = f'Write it like {setting.name} = "https://host"'
    try:
        parts = urlsplit(text)
        is_web = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_web = False
    if not is_web or _NOT_IN_ADDRESSES.search(text):
        raise Unfit(f"is {shown(text)}, which is not a web address", remedy)
    if parts.username is not None or parts.query or parts.fragment:
        raise Unfit("holds a user name, a query or a fragment", remedy)
    return text.rstrip("/")


def _table(raw: Any, setting: Setting) -> Mapping[str, Any]:
    if not isinstance(raw, Mapping):
        raise Unfit(f"is {_kind_of(raw)}", f'Write a table: {setting.name} = {{ name = "value" }}')
    return raw


def _chat(raw: Any, setting: Setting) -> str:
    """A chat is a number (negative for groups) or the name of a channel."""
    return str(raw) if isinstance(raw, int) and not isinstance(raw, bool) else _text(raw, setting)


def _daily_window(raw: Any, setting: Setting) -> DailyWindow:
    window = _quiet_hours(raw, setting)
    if window.start == window.end:
        remedy = f'Write it like {setting.name} = "03:00-06:00 Europe/Madrid"'
        raise Unfit(f"is {shown(raw)}, which is no time at all", remedy)
    return window


def _quiet_hours(raw: Any, setting: Setting) -> DailyWindow:
    """A daily window that may be empty: it begins and ends at the same time."""
    remedy = f'Write it like {setting.name} = "03:00-06:00 Europe/Madrid"'
    found = _DAILY.fullmatch(_text(raw, setting))
    if found is None:
        raise Unfit(f"is {shown(raw)}", remedy)
    zone = found[3] or "UTC"
    try:
        ZoneInfo(zone)
        start, end = (time.fromisoformat(moment.zfill(5)) for moment in (found[1], found[2]))
    except (ValueError, OSError, KeyError) as error:
        raise Unfit(f"is {shown(raw)}", remedy) from error
    return DailyWindow(start=start, end=end, zone=zone)


def _rhythm(raw: Any, setting: Setting) -> Rhythm:
    try:
        return read_rhythm(_text(raw, setting))
    except ValueError as error:
        remedy = f'Write it like {setting.name} = "15m", "6h" or a cron text such as "*/15 * * * *"'
        raise Unfit(f"is {shown(raw)}", remedy) from error


def _kind_of(raw: Any) -> str:
    """What a raw value is, in words."""
    for types, words in _KINDS:
        if isinstance(raw, types):
            return f"the {words} {shown(raw)}" if words not in ("list", "table") else f"a {words}"
    return shown(raw)


_KINDS: tuple[tuple[type | tuple[type, ...], str], ...] = (
    (bool, "flag"),
    (str, "text"),
    ((int, float), "number"),
    ((date, time), "date or time"),
    (list, "list"),
    (Mapping, "table"),
)
_CONVERSIONS: Mapping[SettingKind, Callable[[Any, Setting], Any]] = {
    "text": _text,
    "whole": _whole,
    "wholes": _wholes,
    "number": _number,
    "flag": _flag,
    "date": _date,
    "texts": _texts,
    "secret": _secret,
    "secrets": _secrets,
    "address": _address,
    "table": _table,
    "chat": _chat,
    "daily window": _daily_window,
    "quiet hours": _quiet_hours,
    "rhythm": _rhythm,
}
