"""Habr by its HTML pages: the same list with the data embedded in the page, or read off its cards."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from selectolax.lexbor import LexborHTMLParser

from inforadar.domain.errors import BadQuery, Refused, Unreadable
from inforadar.domain.item import Kind
from inforadar.domain.paging import Page, Paging, Position
from inforadar.domain.ports import Answer, Detail, Request, Source
from inforadar.sources.habr_card import LIST_ENTRIES, card_key, is_publication_card, read_habr_card
from inforadar.sources.habr_params import PARAM_RULES, check_params, html_path
from inforadar.sources.habr_publication import read_publication, read_publication_detail
from inforadar.sources.reading import as_digits, as_int, as_list, as_mapping, decoded, failure, read_page
from inforadar.sources.text import node_text, parse_html

PAGE_SIZE = 20
DEPTH = 1000
NO_SUCH_LIST = "Habr has no such list (HTTP 404): check `hub`, `flow`, `company` or `user` of the query."
BLOCKED = "Habr shows a check for robots instead of its articles: wait, or open habr.com in a browser."

_STATE = re.compile(r"window\.__(?:INITIAL|PINIA)_STATE__\s*=\s*(?=\{)")
_ROBOT_CHECK = re.compile(r"qrator|captcha|ddos|__qrauth|cf-challenge|not a robot|не робот", re.IGNORECASE)
_ARTICLE_BODY = ".tm-article-presenter .article-formatted-body, .tm-post-presenter__content .article-formatted-body"


class HabrHtml:
    """Habr's pages for browsers: twenty cards a page, counters only where they are not rounded."""

    name = "habr"
    kind: Kind = "article"
    paging = Paging(kind="page", size=PAGE_SIZE, largest_size=PAGE_SIZE, depth=DEPTH, strays=1, lookback_days=7)
    param_rules = PARAM_RULES
    default_base_url = "https://habr.com"
    default_rate_limit_per_minute = 60
    fallback: Source | None = None

    def __init__(self, *, user_agent: str | None = None, language: str = "ru") -> None:
        self._language = language
        self._headers = {"Accept": "text/html", "Accept-Language": language}
        if user_agent:
            self._headers["User-Agent"] = user_agent

    def check(self, params: Mapping[str, Any]) -> tuple[str, ...]:
        """Sentences on what is wrong with a query's parameters."""
        return check_params(params)

    def request(self, params: Mapping[str, Any], position: Position) -> Request:
        """The request for one page of the list."""
        path, search = html_path(params, self._language, position.page_number + 1)
        return Request(path=path, params=search, headers=self._headers)

    def read(self, answer: Answer, position: Position) -> Page:
        """The page in an answer; a 404 behind the first page is the end."""
        if answer.status == 404:
            if position.offset > 0:
                return Page(drafts=(), is_last=True)
            raise BadQuery(NO_SUCH_LIST)
        if answer.status != 200:
            raise failure(answer)
        return _page(decoded(answer), position)

    def detail_request(self, key: str, url: str) -> Request:
        """The request for one publication's page, at the address the list showed."""
        path = urlsplit(url).path
        return Request(path=path if key in path else f"/{self._language}/articles/{key}/", headers=self._headers)

    def read_detail(self, answer: Answer) -> Detail:
        """Not found is gone; withheld gives no verdict; forbidden is a block here and is raised."""
        if answer.status in (404, 410):
            return Detail(availability="gone")
        if answer.status == 451:
            return Detail(availability="no verdict")
        if answer.status != 200:
            raise failure(answer)
        return _detail(decoded(answer), answer.url)


def embedded_list(markup: str) -> Mapping[str, Any]:
    """What a page holds of its lists as JSON: `articlesList`, `articlesIds`, `pagesCount`; empty without it."""
    state = _STATE.search(markup)
    if state is None:
        return {}
    try:
        value, _ = json.JSONDecoder(parse_constant=_refuse_constant).raw_decode(markup, state.end())
    except (ValueError, RecursionError):
        return {}
    return as_mapping(as_mapping(value).get("articlesList"))


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


def _page(markup: str, position: Position) -> Page:
    tree = parse_html(markup)
    cards = [card for card in tree.css(LIST_ENTRIES) if is_publication_card(card)]
    is_last = _is_last(tree)
    stored = embedded_list(markup)
    route, ids = _embedded_ids(stored, {card_key(card) for card in cards})
    if ids:
        publications = as_mapping(stored.get("articlesList"))
        return read_page(
            [as_mapping(publications.get(key)) for key in ids],
            read_publication,
            is_last=_is_last_of(stored, route, position) if is_last is None else is_last,
        )
    if cards:
        return read_page(cards, read_habr_card, is_last=is_last)
    if tree.css_first(".tm-empty-placeholder, .tm-articles-list, .tm-pagination") is not None:
        return Page(drafts=(), is_last=True)
    raise _unknown_page(tree, markup)


def _embedded_ids(stored: Mapping[str, Any], shown: set[str | None]) -> tuple[str, Sequence[str]]:
    """The route and ids of the embedded list that the page shows; a page may hold several, or none."""
    publications = as_mapping(stored.get("articlesList"))
    best: tuple[str, Sequence[str]] = ("", ())
    best_score = 0
    for route, listed in as_mapping(stored.get("articlesIds")).items():
        ids = [key for key in map(as_digits, as_list(listed)) if key]
        known = {key for key in ids if key in publications}
        score = len(known & shown) if shown else len(known)
        if score > best_score and (len(known) == len(ids) or not shown):
            best, best_score = (route, ids), score
    return best


def _is_last_of(stored: Mapping[str, Any], route: str, position: Position) -> bool | None:
    """Whether nothing follows, by the embedded number of pages; a list as long as the cap may go on."""
    pages = as_int(as_mapping(stored.get("pagesCount")).get(route))
    if pages is None:
        return None
    if position.page_number + 1 < pages:
        return False
    return None if pages * PAGE_SIZE >= DEPTH else True


def _is_last(tree: LexborHTMLParser) -> bool | None:
    """Whether nothing follows, by the link to the next page."""
    if tree.css_first("a#pagination-next-page[href], .tm-pagination a[rel='next'][href]") is not None:
        return False
    current = tree.css_first(".tm-pagination__page_current")
    at_cap = current is not None and node_text(current) == str(DEPTH // PAGE_SIZE)
    if at_cap or tree.css_first("#pagination-next-page, .tm-pagination") is None:
        return None
    return True


def _detail(markup: str, url: str) -> Detail:
    publications = as_mapping(embedded_list(markup).get("articlesList"))
    key = next((part for part in reversed(urlsplit(url).path.split("/")) if part.isdigit()), "")
    if key in publications:
        return read_publication_detail(as_mapping(publications[key]))
    tree = parse_html(markup)
    full_text = node_text(tree.css_first(_ARTICLE_BODY))
    if not full_text:
        raise _unknown_page(tree, markup)
    return Detail(availability="alive", full_text=full_text)


def _unknown_page(tree: LexborHTMLParser, markup: str) -> Refused | Unreadable:
    """Why a page could not be read; Habr's own pages speak of captchas too, so they are told apart first."""
    is_habr = tree.css_first(".tm-layout, .tm-page, .tm-header, article") is not None
    if not is_habr and _ROBOT_CHECK.search(markup):
        return Refused(BLOCKED)
    return Unreadable("Habr's answer is not the page that was asked for")
