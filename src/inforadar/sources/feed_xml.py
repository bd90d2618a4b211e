"""RSS, RDF and Atom as entries: read by feedparser from bytes that we fetched, never from an address.

A document with a DTD is refused before any parser sees it: entity bombs and files of ours live there.
"""

import calendar
import io
from datetime import UTC, datetime, timedelta
from typing import Any

from inforadar.domain.errors import Unreadable
from inforadar.sources.feed_entry import FeedDocument, FeedEntry
from inforadar.sources.reading import EARLIEST_YEAR, LATEST_YEAR, as_list, as_text

HARMLESS = ("CharacterEncodingOverride", "NonXMLContentType")
# feedparser takes some 15 s for so many
MOST_TAGS = 300_000

_ZERO = datetime(1970, 1, 1, tzinfo=UTC)


def read_xml_feed(body: bytes, content_type: str, address: str) -> FeedDocument:
    """The entries of an XML feed; raises Unreadable for anything else, and for a DTD."""
    _refuse_dtd(body)
    if body.count(b"<") > MOST_TAGS:
        raise Unreadable(f"the feed has more than {MOST_TAGS} elements")
    told = _parsed(body, content_type, address)
    if not told.get("version"):
        raise Unreadable("there is no feed at this address: look for its feed's address in a browser")
    flaw = told.get("bozo_exception") if told.get("bozo") else None
    is_harmless = flaw is None or type(flaw).__name__ in HARMLESS
    return FeedDocument(
        entries=tuple(map(_entry, told.get("entries") or ())),
        title=as_text(told.get("feed", {}).get("title")),
        flaw=None if is_harmless else "it is cut off or not well-formed",
    )


def _refuse_dtd(body: bytes) -> None:
    """Look through everything that may stand before the first element, in any encoding that keeps ASCII."""
    text = body.replace(b"\0", b"").lstrip(b"\xef\xbb\xbf\xff\xfe \t\r\n")
    while text.startswith((b"<?", b"<!--")):
        end = b"?>" if text.startswith(b"<?") else b"-->"
        _, found, text = text.partition(end)
        if not found:
            raise Unreadable("there is no feed at this address")
        text = text.lstrip()
    if text[:9].upper() == b"<!DOCTYPE" and not _is_html(text):
        raise Unreadable("the feed brings a document type of its own, which is never read: it could hold a bomb")


def _is_html(text: bytes) -> bool:
    return text[9:20].strip().lower().startswith(b"html")


def _parsed(body: bytes, content_type: str, address: str) -> Any:
    import feedparser  # type: ignore[import-untyped]  # which takes longer than all the rest of the program

    headers = {"content-type": content_type or "application/xml", "content-location": address}
    try:
        return feedparser.parse(
            io.BytesIO(body), response_headers=headers, sanitize_html=False, resolve_relative_uris=False
        )
    except Exception as error:  # whatever the library stumbles over, the feed cannot be read
        raise Unreadable(f"the feed cannot be read ({type(error).__name__})") from error


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
