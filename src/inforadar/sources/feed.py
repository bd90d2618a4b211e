"""Feeds: RSS, Atom and JSON Feed by their address; a feed shows its newest entries only, in no promised order."""

from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from inforadar.domain.errors import BadQuery, RateLimited, SourceError, Unreadable
from inforadar.domain.item import Draft, Kind
from inforadar.domain.paging import Page, Paging, Position
from inforadar.domain.ports import Answer, Detail, ParamRule, Request, Source
from inforadar.net.addresses import server_of_address
from inforadar.net.statuses import header
from inforadar.sources.feed_entry import FeedDocument, feed_sign, guid_clashes, read_entries
from inforadar.sources.feed_holders import from_memory, to_memory
from inforadar.sources.feed_json import read_json_feed
from inforadar.sources.feed_xml import read_xml_feed
from inforadar.sources.reading import decoded, failure, param_values, unknown_params
from inforadar.sources.text import node_text, parse_html
from inforadar.sources.word_filters import alternatives, has_words

PARAM_RULES: Mapping[str, ParamRule] = {"url": ParamRule(), "text": ParamRule(ignores_case=True, is_list=True)}
LARGEST_BODY = 10_000_000
LONGEST_SHORT_WAIT_S = 30
SHORTEST_ARTICLE = 200
LINKS = "links"
VALIDATORS = {"etag": "If-None-Match", "last-modified": "If-Modified-Since"}
FORMATS = "application/atom+xml, application/rss+xml, application/feed+json, application/xml;q=0.9, */*;q=0.5"
ARTICLE_PLACES = ("[itemprop=articleBody]", "article", "main")


class Feed:
    """Any feed as a source of articles; `url` and `memory`: what it serves, and what was remembered of it."""

    name = "feed"
    kind: Kind = "article"
    takes_any_kind = True
    tells_prices = False
    # Pages that entries link to are asked for their texts alone: a feed says nothing of what is closed.
    has_details = False
    paging = Paging(kind="page", size=100)
    param_rules = PARAM_RULES
    # Only addresses written without a host are asked for under base_url.
    default_base_url = "https://feeds.invalid"
    default_rate_limit_per_minute = 60
    fallback: Source | None = None

    def __init__(
        self,
        *,
        user_agent: str | None = None,
        params: Mapping[str, Any] | None = None,
        memory: Mapping[str, Any] | None = None,
    ) -> None:
        self._user_agent = user_agent
        self._url = _url(params or {})
        self._sign = feed_sign(self._url)
        self._texts = alternatives((params or {}).get("text"))
        told = memory or {}
        self._validators = {name: told[name] for name in VALIDATORS if _is_header_value(told.get(name))}
        self._held = from_memory(told.get(LINKS))

    @property
    def key_prefix(self) -> str:
        """What the keys of this feed, and of no other, begin with."""
        return self._sign

    def serving(self, params: Mapping[str, Any], memory: Mapping[str, Any]) -> "Feed":
        """The source as it serves one feed, asked with the validators of its last answer."""
        return Feed(user_agent=self._user_agent, params=params, memory=memory)

    def server(self, params: Mapping[str, Any]) -> str | None:
        """The server of a query's feed."""
        return server_of_address(_url(params))

    def wants(self, draft: Draft) -> bool:
        """Whether the query asks for this entry."""
        told = (draft.data.get(name, "") for name in ("snippet", "full_text", "tags", "author"))
        return has_words(self._texts, " ".join((draft.title, *map(str, told))))

    def check(self, params: Mapping[str, Any]) -> tuple[str, ...]:
        """Sentences on what is wrong with a query's parameters."""
        sentence = "A feed has no parameter `{name}`"
        return (*unknown_params(params, PARAM_RULES, sentence, "docs/sources/feed.md"), *_check_url(params.get("url")))

    def request(self, params: Mapping[str, Any], position: Position) -> Request:  # noqa: ARG002 - there are no pages
        """The request for the feed; it may answer that nothing has changed."""
        headers = {"Accept": FORMATS} | ({"User-Agent": self._user_agent} if self._user_agent else {})
        headers |= {VALIDATORS[name]: value for name, value in self._validators.items()}
        url = _url(params)
        if not url.startswith("/"):
            return Request(url=url, headers=headers)
        path, _, query = url.partition("?")
        return Request(path=path, params=tuple(parse_qsl(query, keep_blank_values=True)), headers=headers)

    def read(self, answer: Answer, position: Position) -> Page:  # noqa: ARG002 - there are no pages
        """The entries in an answer; a feed that was cut off gives what it holds, and is asked for anew next time."""
        if answer.status == 304 and self._validators:
            return Page(drafts=(), is_last=True, is_unchanged=True)
        if answer.status != 200:
            raise _refusal(answer, has_server=server_of_address(self._url) is not None)
        if len(answer.body) > LARGEST_BODY:
            raise Unreadable(f"the feed is larger than {LARGEST_BODY} bytes")
        is_json = answer.body.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] in (b"{", b"[")
        content_type = header(answer, "content-type") or ""
        # ids may be relative: they must not depend on where the feed is redirected to today
        address = answer.url if self._url.startswith("/") else self._url
        document = read_json_feed(answer.body) if is_json else read_xml_feed(answer.body, content_type, address)
        entries = read_entries(document, self._sign, address, self._held)
        return Page(
            drafts=entries.drafts,
            is_last=True,
            unreadable=entries.unreadable,
            notes=tuple(_notes(document)),
            memory=None if document.flaw or entries.unreadable else _validators(answer),
            lasting={LINKS: to_memory(entries.held)} if entries.held else None,
        )

    def detail_request(self, key: str, url: str) -> Request:  # noqa: ARG002 - the link is all there is
        """The request for the page an entry links to: an address out of content, never inside a private network."""
        return Request(url=url, headers={"Accept": "text/html"}, is_from_content=True)

    def read_detail(self, answer: Answer) -> Detail:
        """Not found is gone; the text is that of the page's article, where it marks one."""
        if answer.status in (404, 410):
            return Detail(availability="gone")
        if answer.status != 200:
            raise failure(answer)
        tree = parse_html(decoded(answer))
        texts = (node_text(tree.css_first(place)) for place in ARTICLE_PLACES)
        return Detail(
            availability="alive", full_text=next((text for text in texts if len(text) >= SHORTEST_ARTICLE), None)
        )


def _url(params: Mapping[str, Any]) -> str:
    return next(iter(param_values(params.get("url"))), "")


def _check_url(url: Any) -> list[str]:
    if not isinstance(url, str) or not url.strip():
        return ["`url` is missing: it is the address of the feed."]
    if url.startswith("/") and not url.startswith("//"):
        return []
    try:
        parts = urlsplit(url.strip())
        is_address = parts.scheme in ("http", "https") and bool(parts.hostname) and not parts.username
    except ValueError:
        is_address = False
    return (
        [] if is_address else ["`url` is no address of a feed: it begins with https:// or http://, without a password."]
    )


def _refusal(answer: Answer, *, has_server: bool) -> SourceError:
    """What one feed says must not stop the others; a server that asks us to slow down has a gate of its own.

    A feed that is asked for under base_url has no other gate than the source's: there it is the query alone that ends.
    """
    error = failure(answer)
    waits = (header(answer, "retry-after") or "").strip()
    is_short = waits.isdecimal() and int(waits[:6]) <= LONGEST_SHORT_WAIT_S
    if isinstance(error, RateLimited) and (has_server or is_short):
        return error
    if isinstance(error, RateLimited):
        return BadQuery(f"this feed asks us to slow down (HTTP {answer.status}): fetch it less often")
    if 400 <= answer.status < 500 and answer.status not in (408, 425):
        return BadQuery(f"there is no feed for us at this address (HTTP {answer.status}): check `url` of the query")
    return error


def _notes(document: FeedDocument) -> Iterator[str]:
    if document.flaw:
        yield f"the feed has a flaw: {document.flaw}; what could be read of it was taken"
    clashes = guid_clashes(document.entries)
    if clashes:
        yield f"the feed gives one guid to entries of different titles and links, each taken for one entry: {clashes}"


def _validators(answer: Answer) -> dict[str, str]:
    told = {name: header(answer, name) or "" for name in VALIDATORS}
    return {name: value for name, value in told.items() if _is_header_value(value)}


def _is_header_value(value: Any) -> bool:
    return isinstance(value, str) and 0 < len(value) <= 1000 and value.isascii() and value.isprintable()
