"""A card's facts in words: money, place, age and the rest, washed of whatever a site put into them."""

import html
import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from inforadar.domain.delivery import Card
from inforadar.domain.money import money_of, place_of, price_of
from inforadar.domain.url import normalise_url
from inforadar.observe.printable import printable

LONGEST_LINK = 2000
LONGEST_READ = 20_000
LONGEST_ALSO = 200
LONGEST_PRICE = 40
MOST_HUBS = 3
EXPERIENCE = {
    "noExperience": "no experience",
    "between1And3": "1–3 years",
    "between3And6": "3–6 years",
    "moreThan6": "over 6 years",
}

_TAG = re.compile(
    r"</?(?:a|b|br|code|del|div|em|font|h[1-6]|i|img|ins|li|mark|ol|p|pre|s|script|small|span|strike|strong|style|sub|"
    r"sup|u|ul|highlighttext)(?:\s[^<>]*)?/?>",
    re.IGNORECASE,
)
_HOST = r"(?:(?:[A-Za-z0-9_-]+\.)+[A-Za-z0-9-]+|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?"
_WEB = re.compile(rf"https?://{_HOST}(?:[/?#][A-Za-z0-9\-._~:/?#\[\]@!$&'()*+,;=%]*)?")


def clean(text: object, most: int) -> str:
    """One line of at most so many characters: no tags, entities, control or bidirectional characters."""
    if not isinstance(text, str):
        return ""
    plain = printable(html.unescape(_TAG.sub(" ", text[:LONGEST_READ])))
    line = " ".join(plain.split())
    return line if len(line) <= most else line[: most - 1].rstrip() + "…"


def safe_link(url: str) -> str | None:
    """The address as Telegram takes it, None for anything but a whole http or https address of a named host."""
    given = url.strip()
    normal = normalise_url(given)
    if len(given) > LONGEST_LINK or len(normal) > LONGEST_LINK or not _WEB.fullmatch(normal):
        return None
    return given if _WEB.fullmatch(given) else normal


def facts(card: Card) -> list[str]:
    """For what price, who, where and for how much, as far as it is told."""
    about = _of_article(card) if card.kind == "article" else _of_vacancy(card)
    return [fact for fact in (price_words(card.data), *about) if fact]


def price_words(data: Mapping[str, Any]) -> str:
    """The price of an item, such as `171.82 USD`, with what kind of price it is unless it is asked; empty without."""
    cents, kind = data.get("price_cents"), data.get("price_type")
    told = clean(price_of(data), LONGEST_PRICE) if isinstance(cents, int) and cents >= 0 else ""
    return f"{told}, {kind}" if told and kind in ("sold", "bid") else told


def also_words(card: Card) -> str:
    """Where else the same job is."""
    return clean(f"Also on {', '.join(card.also_on)}", LONGEST_ALSO) if card.also_on else ""


def score_words(score: float) -> str:
    """A score as people compare it."""
    return f"{score:.2f}"


def age_words(at: datetime, now: datetime) -> str:
    """How long ago something was published; after a month its date."""
    age = now - at
    if age < timedelta(minutes=1):
        return "just now"
    if age < timedelta(hours=1):
        return f"{age // timedelta(minutes=1)} min ago"
    if age < timedelta(days=1):
        return f"{age // timedelta(hours=1)} h ago"
    if age < timedelta(days=31):
        return "1 day ago" if age.days == 1 else f"{age.days} days ago"
    return f"{at:%d %b %Y}"


def moment_words(at: datetime) -> str:
    """A moment to come."""
    return f"{at:%d %b, %H:%M} UTC"


def _of_vacancy(card: Card) -> tuple[str, ...]:
    data = card.data
    return (
        clean(card.company, 100),
        clean(place_of(data), 110),
        clean(money_of(data), 120),
        EXPERIENCE.get(str(data.get("experience")), ""),
    )


def _of_article(card: Card) -> tuple[str, ...]:
    data = card.data
    hubs = data.get("hubs")
    named = [clean(hub, 30) for hub in hubs[:MOST_HUBS]] if isinstance(hubs, list) else []
    minutes = _whole(data.get("reading_minutes"))
    return (
        clean(card.company, 100),
        clean(data.get("author"), 60),
        ", ".join(filter(None, named)),
        f"{minutes} min to read" if minutes and minutes < 10_000 else "",
    )


def _whole(value: object) -> int | None:
    """A number that is one, and small enough to be meant."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**15 else None
