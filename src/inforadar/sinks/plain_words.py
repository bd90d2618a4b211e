"""A notice as a title and a body, in plain text or Markdown, for channels that know nothing of ours.

Texts from outside cannot call people (`@everyone`, `<!channel>`), nor write markup: what they hold is shown as words.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from inforadar.domain.delivery import DIGEST_SIZE, Card, Notice
from inforadar.domain.status import Status
from inforadar.sinks.card_words import age_words, also_words, clean, facts, safe_link, score_words
from inforadar.sinks.telegram_message import REMINDER, state_words

Format = Literal["text", "markdown"]

LONGEST_TITLE = 250
LONGEST_DIGEST_TITLE = 80
LONGEST_REASON = 500
BREAK = "\u200b"
NO_BRACKETS = str.maketrans("[]<>`", "()‹›'")

_CALL = re.compile(r"(?<=@)(?=[\w&!])|(?<=<)(?=[@!#:/])")
_MARKUP = re.compile(r"([\\`*_{}\[\]()#+\-.!|<>~=^$])")


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """What is sent: a line and the lines below it."""

    title: str
    body: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """How texts become harmless; a heading may be shown as it is or be read as markup."""

    text: Callable[[str], str]
    heading: Callable[[str], str]
    link: str
    line_end: str


def _defused(text: str) -> str:
    return _CALL.sub(BREAK, text)


def _escaped(text: str) -> str:
    return _MARKUP.sub(r"\\\1", _defused(text))


def _without_brackets(text: str) -> str:
    return _defused(text.translate(NO_BRACKETS))


STYLES: Mapping[Format, Style] = {
    "text": Style(text=_defused, heading=_defused, link="{}", line_end="\n"),
    "markdown": Style(text=_escaped, heading=_without_brackets, link="<{}>", line_end="  \n"),
}


def render(notice: Notice, form: Format = "text") -> Words:
    """The words that show how its matches stand."""
    style = STYLES[form]
    lines = _digest(notice, style) if notice.is_digest else _single(notice, notice.cards[0], style)
    return Words(title=style.heading(_heading(notice)), body=style.line_end.join(lines))


def _heading(notice: Notice) -> str:
    if notice.is_digest:
        return f"{len(notice.cards)} matches"
    (card,) = notice.cards
    return _title(card, LONGEST_TITLE)


def _single(notice: Notice, card: Card, style: Style) -> list[str]:
    about = (clean(card.watch, 60), clean(card.source, 30), age_words(card.published_at, notice.now))
    told = (
        REMINDER if card.is_reminder and not state_words(notice, card) else "",
        " · ".join(facts(card)),
        verdict_words(card),
        also_words(card),
        " · ".join(about),
        state_words(notice, card) or "",
    )
    return [*(style.text(line) for line in told if line), *_link(card, style)]


def _digest(notice: Notice, style: Style) -> list[str]:
    cards = notice.cards[:DIGEST_SIZE]
    left = len(notice.cards) - len(cards)
    lines = [line for number, card in enumerate(cards, 1) for line in _entry(notice, number, card, style)]
    return [*lines, *([style.text(f"and {left} more: radar items")] if left else [])]


def _entry(notice: Notice, number: int, card: Card, style: Style) -> list[str]:
    told = (
        _title(card, LONGEST_DIGEST_TITLE),
        clean(card.company, 30),
        "" if card.score is None else score_words(card.score),
        state_words(notice, card) or ("⏰ again" if card.is_reminder else ""),
        also_words(card),
    )
    return [style.text(f"{number}. " + " · ".join(part for part in told if part)), *_link(card, style)]


def _title(card: Card, most: int) -> str:
    title = clean(card.title, most) or "(no title)"
    return f"{title} (closed)" if card.status == Status.IN_ARCHIVE else title


def verdict_words(card: Card) -> str:
    """What the judge said, as far as it said anything."""
    score = "" if card.score is None else f"Score {score_words(card.score)}"
    return ": ".join(part for part in (score, clean(card.reason, LONGEST_REASON)) if part)


def _link(card: Card, style: Style) -> list[str]:
    """The address on a line of its own, spelled so that no call can be read in it."""
    link = safe_link(card.url)
    return [style.link.format(link.replace("@", "%40"))] if link else []
