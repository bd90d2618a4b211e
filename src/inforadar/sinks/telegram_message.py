"""A notice as a message of Telegram: its HTML, the same as plain text, and the buttons.

Every field is cut on its own, before it is escaped: together they stay far below Telegram's 4,096 characters,
counted either way (code points, or the UTF-16 units of its entities), and no cut can fall into a tag.
"""

import html
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from inforadar.domain.delivery import DIGEST_SIZE, Card, Notice
from inforadar.domain.status import Status
from inforadar.sinks.callbacks import Button, Verb, encode
from inforadar.sinks.card_words import age_words, also_words, clean, facts, moment_words, safe_link, score_words

LONGEST_TITLE = 300
LONGEST_DIGEST_TITLE = 80
LONGEST_DIGEST_ALSO = 60
LONGEST_DIGEST_COMPANY = 30
LONGEST_REASON = 500
LONGEST_PLAIN_LINK = 1000
LONGEST_PLAIN_DIGEST_LINK = 110
REMINDER = "⏰ You asked to see this again"
DECIDED = {Status.APPLIED: "✓ Applied", Status.NOT_INTERESTED: "✕ Not for me"}

Keyboard = list[list[dict[str, str]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A part of a line in its own style; `tags` from the outside in."""

    text: str
    tags: tuple[str, ...] = ()
    link: str | None = None


Line = tuple[Piece | str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """What is sent; `plain` and `plain_markup` where Telegram does not take the first."""

    html: str
    plain: str
    markup: dict[str, Any]
    plain_markup: dict[str, Any]


def render(notice: Notice, token: str) -> Message:
    """The message that shows how its matches stand; the token seals its buttons."""
    cards = notice.cards[:DIGEST_SIZE]
    if notice.is_digest:
        lines, keyboard, longest = (
            _digest(notice, cards),
            _digest_buttons(notice, cards, token),
            LONGEST_PLAIN_DIGEST_LINK,
        )
    else:
        lines, keyboard, longest = _single(notice, cards[0]), _buttons(notice, cards[0], token), LONGEST_PLAIN_LINK
    return Message(
        html="\n".join(_html_line(line) for line in lines),
        plain="\n".join(_plain_line(line, longest) for line in lines),
        markup={"inline_keyboard": keyboard},
        plain_markup={"inline_keyboard": _without_links(keyboard)},
    )


def state_words(notice: Notice, card: Card) -> str | None:
    """What was decided on a card; None while it waits for a decision."""
    if card.status in DECIDED:
        return DECIDED[Status(card.status)]
    if card.later_until and card.later_until > notice.now:
        return f"⏰ Put off until {moment_words(card.later_until)}"
    return None


def _single(notice: Notice, card: Card) -> list[Line]:
    state = state_words(notice, card)
    return [
        *([(REMINDER,)] if card.is_reminder and not state else []),
        _title(card, LONGEST_TITLE, "b"),
        *_if_any(" · ".join(facts(card))),
        *_if_any(_verdict(card)),
        (" · ".join((clean(card.watch, 60), clean(card.source, 30), age_words(card.published_at, notice.now))),),
        *_if_any(also_words(card)),
        *([(Piece(text=state, tags=("b",)),)] if state else []),
    ]


def _digest(notice: Notice, cards: Sequence[Card]) -> list[Line]:
    left = len(notice.cards) - len(cards)
    header: Line = (Piece(text=f"{len(notice.cards)} matches", tags=("b",)),)
    more: list[Line] = [(f"and {left} more: radar items",)] if left else []
    return [header, *(_digest_line(notice, number, card) for number, card in enumerate(cards, 1)), *more]


def _digest_line(notice: Notice, number: int, card: Card) -> Line:
    about = (
        clean(card.company, LONGEST_DIGEST_COMPANY),
        "" if card.score is None else score_words(card.score),
        state_words(notice, card) or ("⏰ again" if card.is_reminder else ""),
        clean(also_words(card), LONGEST_DIGEST_ALSO),
    )
    return (f"{number}. ", *_title(card, LONGEST_DIGEST_TITLE), *(f" · {part}" for part in about if part))


def _title(card: Card, most: int, *tags: str) -> Line:
    is_closed = card.status == Status.IN_ARCHIVE
    title = Piece(
        text=clean(card.title, most) or "(no title)",
        tags=(*tags, "s") if is_closed else tags,
        link=safe_link(card.url),
    )
    return (title, " (closed)") if is_closed else (title,)


def _verdict(card: Card) -> str:
    score = "" if card.score is None else f"Score {score_words(card.score)}"
    return ": ".join(part for part in (score, clean(card.reason, LONGEST_REASON)) if part)


def _if_any(text: str) -> list[Line]:
    return [(text,)] if text else []


def _buttons(notice: Notice, card: Card, token: str) -> Keyboard:
    link = safe_link(card.url)
    opening = [{"text": "Open", "url": link}] if link else []
    if card.status == Status.IN_ARCHIVE:
        return _filled([opening])
    if state_words(notice, card):
        return _filled([[*_undo("Undo", card, token), *opening]])
    return _filled(
        [
            [_press("Applied", "applied", card, token), _press("Not for me", "not interested", card, token)],
            [_press("Later", "later", card, token), *opening],
        ]
    )


def _digest_buttons(notice: Notice, cards: Sequence[Card], token: str) -> Keyboard:
    return _filled(_digest_row(notice, number, card, token) for number, card in enumerate(cards, 1))


def _digest_row(notice: Notice, number: int, card: Card, token: str) -> list[dict[str, str]]:
    if card.status == Status.IN_ARCHIVE:
        return []
    if state_words(notice, card):
        return _undo(f"{number} Undo", card, token)
    return [
        _press(f"{number} ✓", "applied", card, token),
        _press(f"{number} ✕", "not interested", card, token),
        _press(f"{number} Later", "later", card, token),
    ]


def _undo(text: str, card: Card, token: str) -> list[dict[str, str]]:
    """The button that takes the last decision back, where that is possible."""
    return [_press(text, "undo", card, token, card.act_id)] if card.act_id is not None else []


def _press(text: str, verb: Verb, card: Card, token: str, act_id: int | None = None) -> dict[str, str]:
    button = Button(verb=verb, match_id=card.match_id, act_id=act_id)
    return {"text": text, "callback_data": encode(button, source=card.source, key=card.key, token=token)}


def _filled(rows: Iterable[list[dict[str, str]]]) -> Keyboard:
    return [row for row in rows if row]


def _without_links(keyboard: Keyboard) -> Keyboard:
    return _filled([button for button in row if "url" not in button] for row in keyboard)


def _html_line(line: Line) -> str:
    return "".join(html.escape(part, quote=False) if isinstance(part, str) else _html_piece(part) for part in line)


def _html_piece(piece: Piece) -> str:
    shown = html.escape(piece.text, quote=False)
    if piece.link:
        shown = f'<a href="{html.escape(piece.link)}">{shown}</a>'
    for tag in reversed(piece.tags):
        shown = f"<{tag}>{shown}</{tag}>"
    return shown


def _plain_line(line: Line, longest_link: int) -> str:
    return "".join(part if isinstance(part, str) else _plain_piece(part, longest_link) for part in line)


def _plain_piece(piece: Piece, longest_link: int) -> str:
    return f"{piece.text} {piece.link}" if piece.link and len(piece.link) <= longest_link else piece.text
