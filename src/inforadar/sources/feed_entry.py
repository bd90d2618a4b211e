"""One entry of a feed, whatever its format: who it is, and the draft it becomes.

Who an entry is: its guid, else its link without tracking, else a hash of title and date. Where several entries of one
document share a link, the link names none of them. Keys begin with a sign of the feed: two feeds may use one guid.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from urllib.parse import urldefrag, urljoin

from inforadar.domain.errors import Unreadable
from inforadar.domain.item import Draft
from inforadar.domain.url import normalise_url
from inforadar.sources.reading import without_empty
from inforadar.sources.text import clean_line, first_words, plain_line, plain_text

LONGEST_ID, LONGEST_ADDRESS = 150, 8000
LONGEST_SNIPPET = 500
LONGEST_TITLE, LONGEST_TEXT, LONGEST_MARKUP = 500, 100_000, 1_000_000
MOST_ENTRIES, MOST_TAGS_OF_ONE = 10_000, 100
UNDATED = datetime(1970, 1, 1, tzinfo=UTC)


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


def feed_sign(url: str) -> str:
    """What the keys of one feed begin with."""
    return f"{sha256(url.strip().encode('utf-8', 'replace')).hexdigest()[:12]}/"


def refuse_endless(entries: int) -> None:
    """Raise Unreadable for a document that holds more entries than any feed has."""
    if entries > MOST_ENTRIES:
        raise Unreadable(f"the feed has more than {MOST_ENTRIES} entries")


def drafts_of(document: FeedDocument, sign: str, address: str) -> tuple[list[Draft], int]:
    """The drafts of all entries that say anything, and how many do not; `address` is where the feed was found."""
    shared = _shared_links(document.entries)
    drafts, unreadable = [], 0
    for entry in document.entries:
        try:
            drafts.append(_draft(entry, sign, address, shared, document.title))
        except Unreadable:
            unreadable += 1
    return drafts, unreadable


def _shared_links(entries: Sequence[FeedEntry]) -> frozenset[str]:
    links = Counter(entry.link for entry in entries if not entry.guid.strip())
    return frozenset(link for link, times in links.items() if times > 1)


def _draft(entry: FeedEntry, sign: str, address: str, shared: frozenset[str], feed_title: str) -> Draft:
    summary, content = _text(entry.summary), _text(entry.content)
    link = _absolute(address, entry.link)
    title = _line(entry.title) or first_words(content or summary)
    if not (title or link or entry.guid.strip()):
        raise Unreadable("an entry that says nothing")
    own_id = _own_id(entry, "" if entry.link in shared else link)
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


def _own_id(entry: FeedEntry, link: str) -> str:
    guid = entry.guid.strip()
    if guid:
        return _short(guid)
    if link:
        fragment = urldefrag(link).fragment
        return _short(normalise_url(link) + (f"#{fragment}" if fragment else ""))
    date = entry.published_at.isoformat() if entry.published_at else ""
    return _digest(f"{clean_line(entry.title)}\n{date}\n{entry.link}\n{'' if date else entry.summary}")


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
