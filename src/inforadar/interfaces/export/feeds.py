"""Matches as a feed, RSS 2.0 or Atom 1.0.

Whatever a listing holds becomes text: it goes through `_text`, which no element, entity or character that XML forbids
gets through. What readers take as HTML is made of our own paragraphs, escaped twice. An entry is known by what it is
about (watch, source, key), so that it stays the same in another database.
"""

import html
import re
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import format_datetime
from typing import Literal

from inforadar.collect.report import moment
from inforadar.domain.status import Status
from inforadar.pipeline.cards import card_of
from inforadar.sinks.card_words import also_words, clean, facts, safe_link
from inforadar.sinks.plain_words import verdict_words
from inforadar.store.matches import MatchView

FeedKind = Literal["rss", "atom"]

MEDIA_TYPES: Mapping[FeedKind, str] = {"rss": "application/rss+xml", "atom": "application/atom+xml"}
NEWEST = 100
SHOWN = (Status.ANALYZED.value, Status.SENT_TO_USER.value)
LONGEST_TITLE = 300
HEAD = '<?xml version="1.0" encoding="utf-8"?>\n'
NEVER = datetime(1970, 1, 1, tzinfo=UTC)

_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Feed:
    """What a feed is about and where it is found."""

    name: str
    address: str

    @property
    def title(self) -> str:
        """What readers call it."""
        return f"Info Radar: {clean(self.name, LONGEST_TITLE)}"


def rss_text(feed: Feed, matches: Iterable[MatchView]) -> Iterator[str]:
    """RSS 2.0, piece by piece."""
    yield (
        f'{HEAD}<rss version="2.0">\n<channel>\n<title>{_text(feed.title)}</title>\n'
        f"<link>{_text(feed.address)}</link>\n<description>Matches of {_text(clean(feed.name, LONGEST_TITLE))}"
        "</description>\n<generator>Info Radar</generator>\n"
    )
    for match in matches:
        yield _rss_item(match)
    yield "</channel>\n</rss>\n"


def atom_text(feed: Feed, matches: Iterable[MatchView]) -> Iterator[str]:
    """Atom 1.0, piece by piece; when it was updated is told at its end, because only there it is known."""
    newest = NEVER
    yield (
        f'{HEAD}<feed xmlns="http://www.w3.org/2005/Atom">\n<id>{_name("feed", feed.name)}</id>\n'
        f"<title>{_text(feed.title)}</title>\n<author><name>Info Radar</name></author>\n"
        f'<link rel="self" href="{_text(feed.address)}"/>\n<generator>Info Radar</generator>\n'
    )
    for match in matches:
        newest = max(newest, match.created_at)
        yield _atom_entry(match)
    yield f"<updated>{moment(newest)}</updated>\n</feed>\n"


RENDERERS: Mapping[FeedKind, Callable[[Feed, Iterable[MatchView]], Iterator[str]]] = {
    "rss": rss_text,
    "atom": atom_text,
}


def _rss_item(match: MatchView) -> str:
    link = safe_link(match.url)
    return (
        f"<item>\n<title>{_text(_title(match))}</title>\n"
        + (f"<link>{_text(link)}</link>\n" if link else "")
        + f'<guid isPermaLink="false">{_entry_name(match)}</guid>\n'
        f"<pubDate>{format_datetime(match.published_at.astimezone(UTC), usegmt=True)}</pubDate>\n"
        f"<category>{_text(clean(match.source, 60))}</category>\n"
        f"<description>{_text(_content(match))}</description>\n</item>\n"
    )


def _atom_entry(match: MatchView) -> str:
    link = safe_link(match.url)
    return (
        f'<entry>\n<id>{_entry_name(match)}</id>\n<title type="text">{_text(_title(match))}</title>\n'
        + (f'<link rel="alternate" href="{_text(link)}"/>\n' if link else "")
        + f"<published>{moment(match.published_at)}</published>\n<updated>{moment(match.created_at)}</updated>\n"
        f'<category term="{_text(clean(match.source, 60))}"/>\n'
        f'<content type="html">{_text(_content(match))}</content>\n</entry>\n'
    )


def _title(match: MatchView) -> str:
    return clean(match.title, LONGEST_TITLE) or "(no title)"


def _content(match: MatchView) -> str:
    """Our own paragraphs of escaped lines."""
    card = card_of(match)
    about = f"{clean(match.watch, 60)} · {clean(match.source, 30)}"
    lines = (" · ".join(facts(card)), verdict_words(card), about, also_words(card))
    return "".join(f"<p>{html.escape(line)}</p>" for line in lines if line)


def _entry_name(match: MatchView) -> str:
    return _name("match", match.watch, match.source, match.key)


def _name(*parts: str) -> str:
    """A name that stays the same wherever these parts are the same."""
    whole = repr(parts).encode("utf-8", "backslashreplace").decode()
    return uuid.uuid5(uuid.NAMESPACE_URL, whole).urn


def _text(text: str) -> str:
    """A text as XML holds it, in an element or in an attribute."""
    return html.escape(_FORBIDDEN.sub("", text))
