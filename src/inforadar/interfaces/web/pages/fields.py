"""The fields of an item as people read them: money, moments, links and the words behind what sources write."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from inforadar.domain.item import FULL_TEXT_STATE
from inforadar.domain.money import money_of
from inforadar.interfaces.cli.field_words import MOMENT, field_name
from inforadar.interfaces.web.pages.rendering import plain
from inforadar.sinks.card_words import EXPERIENCE, price_words, safe_link
from inforadar.sources.reading import read_time

LONG_TEXTS = ("full_text", "description", "snippet", "text")
INTERNAL = frozenset((FULL_TEXT_STATE, "full_render", "condition_id"))
PRICE, SALARY = "price_cents", "salary"
PARTS_OF_A_PRICE = ("currency", "price_type")
WORDS: Mapping[str, Mapping[str, str]] = {
    "experience": EXPERIENCE,
    "employment": {
        "FULL": "full time",
        "PART": "part time",
        "PROJECT": "project work",
        "FLY_IN_FLY_OUT": "fly in, fly out",
        "SIDE_JOB": "side job",
        "full": "full time",
        "part": "part time",
        "project": "project work",
        "volunteer": "voluntary",
        "probation": "internship",
    },
    "schedule": {
        "fullDay": "full day",
        "shift": "shifts",
        "flexible": "flexible",
        "remote": "remote",
        "flyInFlyOut": "fly in, fly out",
    },
    "work_format": {"ON_SITE": "on site", "REMOTE": "remote", "HYBRID": "hybrid", "FIELD_WORK": "field work"},
    "buying_options": {
        "FIXED_PRICE": "fixed price",
        "AUCTION": "auction",
        "BEST_OFFER": "best offer",
        "CLASSIFIED_AD": "classified ad",
    },
}

_WEB = re.compile(r"https?://\S+", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One field with its value: lines of text, the first of which is an address if `is_link`; `at` for a moment."""

    name: str
    lines: tuple[str, ...]
    is_link: bool = False
    at: datetime | None = None


def fields_of(data: Mapping[str, Any]) -> Iterator[Field]:
    """What an item tells, without its long texts and without what only the program itself reads."""
    has_price = bool(price_words(data))
    for name, value in data.items():
        if name not in LONG_TEXTS and name not in INTERNAL and not (has_price and name in PARTS_OF_A_PRICE):
            field = field_of(name, value, data)
            if field.lines:
                yield field


def field_of(name: str, value: Any, data: Mapping[str, Any]) -> Field:
    """One value of an item, now or as it was; `data` says in which currency."""
    if name == PRICE and (price := price_words({**data, PRICE: value})):
        return Field(name="price", lines=(price,))
    if name == SALARY and (salary := money_of({SALARY: value})):
        return Field(name=name, lines=(salary,))
    if isinstance(value, str) and MOMENT.fullmatch(value) and (at := read_time(value)):
        return Field(name=field_name(name), lines=(value,), at=at)
    if isinstance(value, str) and _WEB.fullmatch(value) and safe_link(value):
        return Field(name=name, lines=(value,), is_link=True)
    return Field(name=name, lines=tuple(filter(None, _lines(name, value))))


def _lines(name: str, value: Any) -> Iterator[str]:
    """A table is a line for each of its rows; all else is one line."""
    if isinstance(value, Mapping):
        for part, inner in value.items():
            if text := plain(inner):
                yield f"{part}: {text}"
        return
    words = WORDS.get(name, {})
    known = (
        [words.get(one, one) if isinstance(one, str) else one for one in value] if isinstance(value, list) else value
    )
    yield plain(words.get(known, known) if isinstance(known, str) else known)
