"""What a page of any site offers to collect: itself if it is a feed, the feeds it links to, a company's board on it.

A link is content, and becomes an address the user is taken to have written once it is saved. So a page may offer a feed
on the public internet or on its own host and port, as the user named them, and never another one in a private network.
"""

from collections.abc import Iterator
from contextlib import suppress
from urllib.parse import urljoin, urlsplit

from inforadar.domain.errors import SourceError, Unreadable
from inforadar.domain.paging import Position
from inforadar.domain.ports import Answer
from inforadar.net.statuses import header
from inforadar.net.urls import is_local, origin, parse_url
from inforadar.sources.feed import Feed
from inforadar.sources.search_urls import Asked, NotASearch
from inforadar.sources.search_urls_boards import read_board
from inforadar.sources.text import parse_html

FEED_TYPES = frozenset(("application/rss+xml", "application/atom+xml", "application/feed+json", "application/rdf+xml"))
LARGEST_PAGE = 5_000_000
MOST = 20
CLOSED = (
    "the page links to a feed that may be in a private network, {url}, which is not followed: add that address itself."
)

NOTHING_THERE = "{url} is no feed and links to none. Give the address of a search page, a feed or a job board."
JSON_THERE = (
    "{url} is JSON and no feed. The source `rest` collects such a list once it is told where what stands: "
    "`radar add rest --url ADDRESS --list PATH --id PATH --title PATH --preview` (docs/sources/rest.md)."
)


def offers(address: str, answer: Answer) -> list[Asked]:
    """The queries an answer offers, the best first; none where it is neither a feed nor a page that links to one.

    Raises Unreadable where all it links to is closed to it.
    """
    if answer.status != 200:
        return []
    if is_feed(address, answer):
        return [Asked(source="feed", params={"url": address})]
    text = answer.body[:LARGEST_PAGE].decode("utf-8", "replace")
    if "html" not in (header(answer, "content-type") or "") and "<html" not in text[:2000].lower():
        return []
    tree = parse_html(text)
    links = [(one.attributes, one.tag) for one in tree.css("link[href], iframe[src], script[src], a[href]")]
    embedded = [link for link in links if link[1] in ("iframe", "script")]
    linked = [link for link in links if link[1] == "a"]
    feeds = list(_feeds(links, answer.url))
    followed = [feed for feed in feeds if _may_follow(feed.params["url"], address)]
    found = [*_boards(embedded, answer.url), *followed, *_boards(linked, answer.url)]
    if feeds and not found:
        raise Unreadable(CLOSED.format(url=feeds[0].params["url"]))
    return list({str(one): one for one in found}.values())[:MOST]


def without_offer(address: str, answer: Answer) -> str:
    """What to tell of an answer that offers nothing."""
    is_json = answer.status == 200 and answer.body.lstrip()[:1] in (b"{", b"[")
    told = f" (HTTP {answer.status})" if answer.status != 200 else ""
    return (JSON_THERE if is_json else NOTHING_THERE).format(url=address) + told


def is_feed(address: str, answer: Answer) -> bool:
    """Whether an answer is a feed that can be read."""
    with suppress(SourceError):
        Feed(params={"url": address}).read(answer, Position(size=Feed.paging.size))
        return True
    return False


Links = list[tuple[dict[str, str | None], str | None]]


def _feeds(links: Links, base: str) -> Iterator[Asked]:
    for attributes, tag in links:
        kind = (attributes.get("type") or "").partition(";")[0].strip().lower()
        if tag == "link" and "alternate" in (attributes.get("rel") or "").lower().split() and kind in FEED_TYPES:
            yield from (Asked(source="feed", params={"url": url}) for url in _joined(base, attributes.get("href")))


def _may_follow(url: str, address: str) -> bool:
    """Whether a link of the page at `address` may be asked; a public name is judged once more where it is dialled."""
    if not is_local(url):
        return True
    with suppress(SourceError):
        return origin(parse_url(url)) == origin(parse_url(address))
    return False


def _boards(links: Links, base: str) -> Iterator[Asked]:
    """Boards that companies show on their own pages; what is written in scripts is not looked for."""
    for attributes, _ in links:
        for url in _joined(base, attributes.get("src") or attributes.get("href")):
            parts = urlsplit(url)
            with suppress(NotASearch):
                board = read_board(parts, parts.hostname or "")
                if board is not None:
                    yield Asked(source=board.source, params={"board": board.params["board"]})


def _joined(base: str, href: str | None) -> Iterator[str]:
    with suppress(ValueError):
        url = urljoin(base, (href or "").strip())
        if urlsplit(url).scheme in ("http", "https") and urlsplit(url).hostname:
            yield url
