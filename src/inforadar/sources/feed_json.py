"""JSON Feed as entries."""

import re
from collections.abc import Mapping
from typing import Any

from inforadar.domain.errors import Unreadable
from inforadar.sources.feed_entry import FeedDocument, FeedEntry, refuse_endless
from inforadar.sources.reading import as_int, as_list, as_mapping, as_text, read_json, read_time

_VERSION = re.compile(r"https?://(?:www\.)?jsonfeed\.org/version/1(?:\.\d+)?/?")


def read_json_feed(body: bytes) -> FeedDocument:
    """The entries of a JSON feed; raises Unreadable for any other JSON."""
    told = as_mapping(read_json(body))
    if not _VERSION.fullmatch(as_text(told.get("version"))) or not isinstance(told.get("items"), list):
        raise Unreadable("the JSON at this address is no JSON Feed of version 1")
    refuse_endless(len(told["items"]))
    items = [as_mapping(item) for item in told["items"]]
    return FeedDocument(entries=tuple(map(_entry, items)), title=as_text(told.get("title")))


def _entry(item: Mapping[str, Any]) -> FeedEntry:
    return FeedEntry(
        guid=_id(item.get("id")),
        link=as_text(item.get("url")) or as_text(item.get("external_url")),
        title=as_text(item.get("title")),
        published_at=read_time(item.get("date_published")) or read_time(item.get("date_modified")),
        summary=as_text(item.get("summary")),
        content=as_text(item.get("content_html")) or as_text(item.get("content_text")),
        author=_author(item),
        tags=tuple(map(as_text, as_list(item.get("tags")))),
    )


def _id(value: Any) -> str:
    """An id, which must be text and is a number in the wild."""
    number = as_int(value)
    return as_text(value) if number is None else str(number)


def _author(item: Mapping[str, Any]) -> str:
    told = [*as_list(item.get("authors")), item.get("author")]
    names = (as_text(as_mapping(one).get("name")) for one in told)
    return ", ".join(dict.fromkeys(name for name in names if name))
