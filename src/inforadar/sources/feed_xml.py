"""RSS, RDF and Atom as entries: read by feedparser from bytes that we fetched, never from an address.

The parser sees neither the encoding nor the prologue of a document (`feed_text`), and holds no more than it may
(`feed_bounds`): the worst document found takes some 8 s and 32 MiB beside itself.
"""

import calendar
import re
from datetime import UTC, datetime, timedelta
from typing import Any

from inforadar.domain.errors import Unreadable
from inforadar.sources.feed_entry import FeedDocument, FeedEntry, refuse_endless
from inforadar.sources.feed_parser import parsed
from inforadar.sources.feed_text import NO_FEED, root_text
from inforadar.sources.reading import EARLIEST_YEAR, LATEST_YEAR, as_list, as_text

# with those inside of texts; those the parser reads are counted by `feed_bounds`
MOST_BRACKETS, MOST_DECLARATIONS = 300_000, 100_000

_ENTRY = re.compile(r"<(?:[\w.-]+:)?(?:item|entry)[\s/>]", re.IGNORECASE)
_ZERO = datetime(1970, 1, 1, tzinfo=UTC)


def read_xml_feed(body: bytes, content_type: str, address: str) -> FeedDocument:
    """The entries of an XML feed; raises Unreadable for anything else, and for a document type that declares."""
    text = root_text(body, content_type)
    if text.count("<") > MOST_BRACKETS or text.count("<!") > MOST_DECLARATIONS:
        raise Unreadable(f"the feed has more than {MOST_BRACKETS} tags")
    refuse_endless(sum(1 for _ in _ENTRY.finditer(text)))
    told = parsed(text, address)
    if not told.get("version"):
        raise Unreadable(NO_FEED)
    return FeedDocument(
        entries=tuple(map(_entry, told.get("entries") or ())),
        title=as_text(told.get("feed", {}).get("title")),
        flaw="it is cut off or not well-formed" if told.get("bozo") else None,
    )


def _entry(entry: Any) -> FeedEntry:
    contents = [as_text(one.get("value")) for one in as_list(entry.get("content")) if isinstance(one, dict)]
    content, summary = max(contents, key=len, default=""), as_text(entry.get("summary"))
    return FeedEntry(
        guid=as_text(entry.get("id")),
        link=as_text(entry.get("link")),
        title=as_text(entry.get("title")),
        # asked as a plain dict: feedparser's own lookup warns where one date stands for the other
        published_at=_moment(dict.get(entry, "published_parsed")) or _moment(dict.get(entry, "updated_parsed")),
        summary="" if summary == content else summary,
        content=content,
        author=as_text(entry.get("author")),
        tags=tuple(as_text(tag.get("term")) for tag in as_list(entry.get("tags")) if isinstance(tag, dict)),
    )


def _moment(parsed: Any) -> datetime | None:
    """A date as feedparser gives it, None for one it could not read or that cannot be."""
    try:
        moment = None if parsed is None else _ZERO + timedelta(seconds=calendar.timegm(parsed))
    except (ValueError, TypeError, OverflowError):
        return None
    return moment if moment is not None and EARLIEST_YEAR <= moment.year <= LATEST_YEAR else None
