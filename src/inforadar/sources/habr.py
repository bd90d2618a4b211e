"""Habr by its JSON door: exact counters, the order only in a list of ids; the HTML pages are the other door."""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from inforadar.domain.errors import BadQuery, Refused, Unreadable
from inforadar.domain.item import Draft, Kind
from inforadar.domain.paging import Page, Paging, Position
from inforadar.domain.ports import Answer, Detail, Request, Source
from inforadar.net.statuses import header
from inforadar.sources.habr_html import HabrHtml
from inforadar.sources.habr_params import PARAM_RULES, check_params, json_params
from inforadar.sources.habr_publication import read_publication, read_publication_detail
from inforadar.sources.reading import as_digits, as_int, as_mapping, failure, read_json, read_page

DEPTH = 1000
LIST_PATH = "/kek/v2/articles/"
# The answers of before about 2023 used the other names.
LIST_NAMES = (("publicationIds", "publicationRefs"), ("articleIds", "articleRefs"))
NO_SUCH_LIST = "Habr has no such list (HTTP 404): check `hub`, `flow`, `company` or `user` of the query."
BLOCKED = (
    "Habr answers with a page for browsers instead of its data: wait, or lower `[sources.habr] rate_limit_per_minute`."
)


class Habr:
    """Habr as a source of articles: newest first by publication time, never by id."""

    name = "habr"
    kind: Kind = "article"
    paging = Paging(kind="page", size=20, largest_size=50, depth=DEPTH, strays=1, lookback_days=7)
    param_rules = PARAM_RULES
    default_base_url = "https://habr.com"
    default_rate_limit_per_minute = 60

    def __init__(self, *, user_agent: str | None = None, language: str = "ru") -> None:
        self._language = language
        self._headers = {"Accept": "application/json"}
        if user_agent:
            self._headers["User-Agent"] = user_agent
        self.fallback: Source | None = HabrHtml(user_agent=user_agent, language=language)

    def check(self, params: Mapping[str, Any]) -> tuple[str, ...]:
        """Sentences on what is wrong with a query's parameters."""
        return check_params(params)

    def request(self, params: Mapping[str, Any], position: Position) -> Request:
        """The request for one page; Habr counts pages from 1."""
        place = (("page", str(position.page_number + 1)), ("perPage", str(position.size)))
        return Request(path=LIST_PATH, params=(*json_params(params, self._language), *place), headers=self._headers)

    def read(self, answer: Answer, position: Position) -> Page:
        """The page in an answer; past the end Habr gives an empty list or a 404."""
        if answer.status == 404 and _is_json(answer):
            if position.offset > 0:
                return Page(drafts=(), is_last=True)
            raise BadQuery(NO_SUCH_LIST)
        if answer.status != 200:
            raise failure(answer)
        if not _is_json(answer):
            raise Refused(BLOCKED)
        return _page(as_mapping(read_json(answer.body)), position)

    def detail_request(self, key: str, url: str) -> Request:  # noqa: ARG002 - the key is enough at this door
        """The request for one publication."""
        return Request(path=f"{LIST_PATH}{quote(key, safe='')}/", headers=self._headers)

    def read_detail(self, answer: Answer) -> Detail:
        """Not found is gone; withheld, forbidden or asked as the wrong type gives no verdict."""
        if answer.status == 410 or (answer.status == 404 and b"POST_TYPE_MISMATCH" not in answer.body):
            return Detail(availability="gone")
        if answer.status in (404, 451) or (answer.status == 403 and _is_json(answer)):
            return Detail(availability="no verdict")
        if answer.status != 200:
            raise failure(answer)
        if not _is_json(answer):
            raise Refused(BLOCKED)
        return read_publication_detail(as_mapping(read_json(answer.body)))


def _is_json(answer: Answer) -> bool:
    """Whether the answer is data at all; a page for browsers on this address is an anti-bot page."""
    return "json" in (header(answer, "content-type") or "").lower() or answer.body.lstrip()[:1] == b"{"


def _page(envelope: Mapping[str, Any], position: Position) -> Page:
    ids, refs = _list(envelope)

    def read_entry(entry_id: Any) -> Draft | None:
        return read_publication(as_mapping(refs.get(as_digits(entry_id) or "")))

    return read_page(ids, read_entry, is_last=_is_last(envelope, ids, position))


def _list(envelope: Mapping[str, Any]) -> tuple[Sequence[Any], Mapping[str, Any]]:
    """The ids in their order and the publications by id; an empty object may come as an empty list."""
    for ids, refs in LIST_NAMES:
        if isinstance(envelope.get(ids), list):
            return envelope[ids], as_mapping(envelope.get(refs))
    raise Unreadable("Habr's answer holds no list of publications")


def _is_last(envelope: Mapping[str, Any], ids: Sequence[Any], position: Position) -> bool | None:
    """Whether nothing follows; a list as long as the cap may go on behind it."""
    pages = as_int(envelope.get("pagesCount"))
    if pages is None:
        return None if ids else True
    if not ids:
        return position.page_number >= pages
    if position.page_number + 1 < pages:
        return False
    return None if _is_capped(pages, position) else True


def _is_capped(pages: int, position: Position) -> bool:
    return pages * position.size >= DEPTH
