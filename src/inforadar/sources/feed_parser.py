"""feedparser, bounded (`feed_bounds`): the document as it reads it, or one of our errors.

It compares each attribute of an element with all others, before anything of ours is called: elements of so many
attributes are refused here.
"""

import io
import re
from functools import cache
from typing import Any

from inforadar.domain.errors import Unreadable
from inforadar.sources.feed_bounds import bound

MOST_ATTRIBUTES = 200

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
    except Unreadable:
        raise
    except Exception as error:  # whatever the library stumbles over, the feed cannot be read
        raise Unreadable(f"the feed cannot be read ({type(error).__name__})") from error


@cache
def _library() -> Any:
    import feedparser  # type: ignore[import-untyped]  # which takes longer than all the rest of the program
    from feedparser.mixin import _FeedParserMixin  # type: ignore[import-untyped]

    bound(_FeedParserMixin)
    return feedparser
