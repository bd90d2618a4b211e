"""One entry of a feed, whatever its format: who it is, and the draft it becomes.

Who an entry is: its guid, else its link without tracking where it holds that link (`feed_holders`), else a hash of
title and date. Keys begin with a sign of the feed: two feeds may use one guid.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from urllib.parse import urldefrag, urljoin

from inforadar.domain.errors import Unreadable
from inforadar.domain.item import Draft
from inforadar.domain.url import normalise_url
from inforadar.sources.feed_holders import Holder, Sign, holders, short, sign_of
from inforadar.sources.reading import UNDATED, without_empty
from inforadar.sources.text import clean_line, first_words, plain_line, plain_text

LONGEST_ID, LONGEST_ADDRESS = 150, 8000
LONGEST_SNIPPET = 500
LONGEST_TITLE, LONGEST_TEXT, LONGEST_MARKUP = 500, 100_000, 1_000_000
MOST_ENTRIES, MOST_TAGS_OF_ONE = 10_000, 100


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedEntry:
    """An entry as the document has it; texts may be HTML, nothing is checked yet."""

    guid: str = ""
    link: str = ""
    title: str = ""
    published_at: datetime | None = None
    summary: str = ""
    content: str = ""
    author: str = ""
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedDocument:
    """A feed as it was read; `flaw`: why it may not be all of it."""

    entries: tuple[FeedEntry, ...]
    title: str = ""
    flaw: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadEntries:
    """The drafts of all entries that say anything, how many do not, and who holds which link from now on."""

    drafts: tuple[Draft, ...]
    unreadable: int
    held: Mapping[str, Holder]


def feed_sign(url: str) -> str:
    """What the keys of one feed begin with."""
    return f"{sha256(url.strip().encode('utf-8', 'replace')).hexdigest()[:12]}/"


def refuse_endless(entries: int) -> None:
    """Raise Unreadable for a document that holds more entries than any feed has."""
    if entries > MOST_ENTRIES:
        raise Unreadable(f"the feed has more than {MOST_ENTRIES} entries")


def read_entries(document: FeedDocument, sign: str, address: str, known: Mapping[str, Holder]) -> ReadEntries:
    """The entries of a document; `address` is where it was found, `known`: who held which link before."""
    linked = [(entry, _absolute(address, entry.link)) for entry in document.entries]
    held = holders(
        ((short(_link_id(link)), _sign(entry, link)) for entry, link in linked if _needs_link(entry, link)), known
    )
    drafts, unreadable = [], 0
    for entry, link in linked:
        try:
            drafts.append(_draft(entry, sign, address, link, document.title, held))
        except Unreadable:
            unreadable += 1
    return ReadEntries(drafts=tuple(drafts), unreadable=unreadable, held=held)


def guid_clashes(entries: Sequence[FeedEntry]) -> int:
    """How many guids a document gives to entries that differ in title and link."""
    first: dict[str, FeedEntry] = {}
    clashes = set()
    for entry in entries:
        other = first.setdefault(entry.guid.strip(), entry)
        if other.title != entry.title and other.link != entry.link:
            clashes.add(entry.guid.strip())
    return len(clashes - {""})


def _draft(entry: FeedEntry, sign: str, address: str, link: str, feed_title: str, held: Mapping[str, Holder]) -> Draft:
    summary, content = _text(entry.summary), _text(entry.content)
    title = _line(entry.title) or first_words(content or summary)
    if not (title or link or entry.guid.strip()):
        raise Unreadable("an entry that says nothing")
    own_id = _own_id(entry, link, held)
    return Draft(
        key=f"{sign}{own_id}",
        rank=entry.published_at or UNDATED,
        is_dated=entry.published_at is not None,
        url=link or f"{address}#{sha256(own_id.encode()).hexdigest()[:12]}",
        title=title or link or own_id,
        data=without_empty(
            {
                "author": _short_line(entry.author),
                "feed": _line(feed_title),
                "tags": list(dict.fromkeys(tag for tag in map(_short_line, entry.tags[:MOST_TAGS_OF_ONE]) if tag)),
                "snippet": first_words(clean_line(summary or content), LONGEST_SNIPPET),
                "full_text": content,
            }
        ),
    )


def _text(markup: str) -> str:
    return plain_text(markup[:LONGEST_MARKUP])[:LONGEST_TEXT]


def _line(markup: str) -> str:
    return plain_line(markup[:LONGEST_MARKUP])[:LONGEST_TITLE].rstrip()


def _short_line(text: str) -> str:
    return clean_line(text[:LONGEST_TITLE])


def _own_id(entry: FeedEntry, link: str, held: Mapping[str, Holder]) -> str:
    if not _needs_link(entry, link):
        return _short(entry.guid.strip()) if entry.guid.strip() else _digest(_whole(entry, link))
    holder = held[short(_link_id(link))]
    return _link_id(link) if holder.sign == _sign(entry, link) else _digest(_whole(entry, link))


def _needs_link(entry: FeedEntry, link: str) -> bool:
    return bool(link) and not entry.guid.strip()


def _link_id(link: str) -> str:
    fragment = urldefrag(link).fragment
    return _short(normalise_url(link) + (f"#{fragment}" if fragment else ""))


def _sign(entry: FeedEntry, link: str) -> Sign:
    return sign_of(clean_line(entry.title), _date(entry), _whole(entry, link))


def _date(entry: FeedEntry) -> str:
    return entry.published_at.isoformat() if entry.published_at else ""


def _whole(entry: FeedEntry, link: str) -> str:
    """All that tells an entry without a guid from others; a text may be edited, and counts only where no date does."""
    date = _date(entry)
    return (
        f"{clean_line(entry.title)}\n{date}\n{_link_id(link) if link else entry.link}\n{'' if date else entry.summary}"
    )


def _short(text: str) -> str:
    """An id as it is, or a hash of one that is too long or too odd to be a key."""
    is_plain = len(text) <= LONGEST_ID and text.isprintable() and text == clean_line(text)
    return text if is_plain else _digest(text)


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8", "replace")).hexdigest()[:32]


def _absolute(address: str, link: str) -> str:
    """The link as a browser on the feed's page would follow it; empty = it is no address."""
    try:
        url = urljoin(address, link.strip()) if link.strip() else ""
    except ValueError:
        return ""
    is_web = url.startswith(("https://", "http://")) and len(url) <= LONGEST_ADDRESS
    is_one = is_web and url.isprintable() and not any(map(str.isspace, url))
    return url if is_one else ""
