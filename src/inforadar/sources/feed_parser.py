"""feedparser, bounded: what it does with a hostile document must not take the square of the document's length.

It looks for an e-mail address in the name of an author by a pattern that takes the square of its length, compares each
tag of an entry with all before it, and each attribute of an element with all others. The first two are bounded inside
the library, by its own steps for short names and few tags; elements of so many attributes are refused.
"""

import io
import re
from functools import cache
from typing import Any

from inforadar.domain.errors import Unreadable

LONGEST_NAME, MOST_TAGS, MOST_ATTRIBUTES = 500, 200, 500

_ATTRIBUTE = r"\s*+[^\s<>\"'=/]++\s*+=\s*+(?:\"[^\"<]*+\"|'[^'<]*+')"
_CROWDED = re.compile(rf"<[A-Za-z_][^\s<>\"'=/]*+(?:{_ATTRIBUTE}){{{MOST_ATTRIBUTES + 1}}}")


def parsed(text: str, address: str) -> Any:
    """What feedparser reads in a document from its first element on; raises Unreadable for what it cannot."""
    if _CROWDED.search(text):
        raise Unreadable(f"an element of the feed has more than {MOST_ATTRIBUTES} attributes")
    headers = {"content-type": "application/xml; charset=utf-8", "content-location": address}
    try:
        return _library().parse(
            io.BytesIO(text.encode()), response_headers=headers, sanitize_html=False, resolve_relative_uris=False
        )
    except Exception as error:  # whatever the library stumbles over, the feed cannot be read
        raise Unreadable(f"the feed cannot be read ({type(error).__name__})") from error


@cache
def _library() -> Any:
    import feedparser  # type: ignore[import-untyped]  # which takes longer than all the rest of the program
    from feedparser.mixin import _FeedParserMixin  # type: ignore[import-untyped]

    find_address, add_tag = _FeedParserMixin._sync_author_detail, _FeedParserMixin._add_tag

    def find_address_in_a_name(parser: Any, key: str = "author") -> None:
        if len(parser._get_context().get(key) or "") <= LONGEST_NAME:
            find_address(parser, key)

    def add_one_of_few_tags(parser: Any, term: Any, scheme: Any, label: Any) -> None:
        if len(parser._get_context().get("tags") or ()) < MOST_TAGS:
            add_tag(parser, term, scheme, label)

    _FeedParserMixin._sync_author_detail = find_address_in_a_name
    _FeedParserMixin._add_tag = add_one_of_few_tags
    return feedparser
