"""From the address of a site's own search page to a source and its parameters; a new site is one line in SITES."""

import re
from collections.abc import Callable, Mapping
from urllib.parse import SplitResult, urlsplit

from inforadar.sources.addresses import recognise
from inforadar.sources.search_urls_boards import read_board
from inforadar.sources.search_urls_ebay import read_ebay
from inforadar.sources.search_urls_habr import read_habr
from inforadar.sources.search_urls_jobs import read_hh, read_infojobs, read_linkedin
from inforadar.sources.search_urls_reading import Asked, LeftOut, NotASearch

__all__ = ["WORDS", "Asked", "LeftOut", "NotASearch", "read_search_url"]

SITES: Mapping[str, tuple[re.Pattern[str], Callable[[SplitResult, str], Asked]]] = {
    "hh": (re.compile(r"(?:.+\.)?(?:hh\.(?:ru|kz|uz)|headhunter\.(?:ru|kz|ge|kg)|rabota\.by|hh1\.az)"), read_hh),
    "linkedin": (re.compile(r"(?:.+\.)?linkedin\.com"), read_linkedin),
    "infojobs": (re.compile(r"(?:.+\.)?infojobs\.net"), read_infojobs),
    "habr": (re.compile(r"(?:m\.|www\.)?(?:habr\.com|habrahabr\.ru)"), read_habr),
    "ebay": (re.compile(r"(?:.+\.)?ebay(?:\.[a-z]{2,3}){1,2}"), read_ebay),
}
WORDS: Mapping[str, str] = {
    "hh": "text",
    "linkedin": "keywords",
    "infojobs": "q",
    "habr": "query",
    "ebay": "q",
    "rest": "url",
    "feed": "url",
    "greenhouse": "board",
    "lever": "board",
    "ashby": "board",
    "smartrecruiters": "board",
    "workable": "board",
    "recruitee": "board",
}
"""The parameter that bare words stand for, by source."""
RSS_PATH = re.compile(r"(?:/[a-z]{2})?/rss(?:/.*)?")


def read_search_url(address: str) -> Asked | None:
    """What an address asks; None where it is of no known source, and may be a feed. Raises NotASearch."""
    parts = urlsplit(address)
    host = (parts.hostname or "").rstrip(".")
    board = read_board(parts, host)
    if board is not None:
        return board
    for source, (hosts, read) in SITES.items():
        if hosts.fullmatch(host) and not (source == "habr" and RSS_PATH.fullmatch(parts.path)):
            _refuse_listing(address)
            return read(parts, host)
    return None


def _refuse_listing(address: str) -> None:
    """The address of one listing is no search, unless it is a search that shows one beside its list."""
    place, parts = recognise(address), urlsplit(address)
    if place is not None and place.key is not None and place.key in parts.path:
        raise NotASearch(
            "This is the address of one listing, not of a search. `radar why` tells what is known of a listing."
        )
