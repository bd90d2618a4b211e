"""InfoJobs (Spain): its REST search (list v9) and its offers (detail v7), as requests and parsed answers."""

import base64
from collections.abc import Mapping
from datetime import timedelta
from typing import Any
from urllib.parse import quote

from inforadar.domain.errors import Unreadable
from inforadar.domain.item import Kind
from inforadar.domain.paging import Page, Paging, Position
from inforadar.domain.ports import Answer, Detail, Request, Source
from inforadar.sources.infojobs_errors import BAD_OFFER, BAD_PAGE, error_code, refusal
from inforadar.sources.infojobs_offer import read_offer, read_offer_detail
from inforadar.sources.infojobs_params import (
    BUCKETS,
    NEWEST_FIRST,
    PARAM_RULES,
    check_params,
    list_params,
    since_params,
    slices_of,
)
from inforadar.sources.reading import as_int, as_mapping, as_text, read_json, read_page

# 114 pages of 20 were reachable in every recording; nobody has recorded the cap at other sizes.
DEPTH = 114 * 20
LIST_PATH = "/api/9/offer"
OFFER_PATH = "/api/7/offer/"
CAP_NOTE = (
    "depth cap: InfoJobs shows {depth} of {total} offers; split the query by province or category "
    "(docs/sources/infojobs.md)"
)


class InfoJobs:
    """InfoJobs as a source of vacancies: newest first by `updated`, which raised offers get anew; exact totals."""

    name = "infojobs"
    kind: Kind = "vacancy"
    needs = ("client_id", "client_secret")
    # Several sizes are on offer so that two pages in a row can share an entry.
    paging = Paging(
        kind="page",
        size=40,
        largest_size=50,
        depth=DEPTH,
        has_exact_total=True,
        slack=timedelta(minutes=15),
        strays=1,
        lookback_days=2,
        buckets=tuple(BUCKETS),
    )
    param_rules = PARAM_RULES
    default_base_url = "https://api.infojobs.net"
    default_rate_limit_per_minute = 20
    fallback: Source | None = None

    def __init__(
        self, *, client_id: str | None = None, client_secret: str | None = None, user_agent: str | None = None
    ) -> None:
        self._headers = {"Accept": "application/json"}
        self._has_credentials = bool(client_id and client_secret)
        if self._has_credentials:
            pair = base64.b64encode(f"{client_id}:{client_secret}".encode()).decode()
            self._headers["Authorization"] = f"Basic {pair}"
        if user_agent:
            self._headers["User-Agent"] = user_agent

    def check(self, params: Mapping[str, Any]) -> tuple[str, ...]:
        """Sentences on what is wrong with a query's parameters."""
        return check_params(params)

    def slices(self, params: Mapping[str, Any]) -> tuple[Mapping[str, Any], ...]:
        """The questions a query stands for: each has a list, a cap and a coverage of its own."""
        return slices_of(params)

    def request(self, params: Mapping[str, Any], position: Position) -> Request:
        """The request for one page, newest first whatever the user wrote; InfoJobs counts pages from 1."""
        place = (
            ("order", NEWEST_FIRST),
            ("maxResults", str(position.size)),
            ("page", str(position.page_number + 1)),
        )
        asked = (*list_params(params), *since_params(position.window), *place)
        return Request(path=LIST_PATH, params=asked, headers=self._headers)

    def read(self, answer: Answer, position: Position) -> Page:
        """The page in an answer; a page past the end is refused with an error of its own."""
        if answer.status != 200:
            if position.offset > 0 and error_code(answer) == BAD_PAGE:
                return Page(drafts=(), is_last=True)
            raise refusal(answer, has_credentials=self._has_credentials)
        return _page(as_mapping(read_json(answer.body)), position)

    def detail_request(self, key: str, url: str) -> Request:  # noqa: ARG002 - the key is enough for InfoJobs
        """The request for one offer."""
        return Request(path=f"{OFFER_PATH}{quote(key, safe='')}", headers=self._headers)

    def read_detail(self, answer: Answer) -> Detail:
        """Not found is gone; every other refusal says nothing about the offer and is raised."""
        if answer.status in (404, 410) or (answer.status != 200 and error_code(answer) == BAD_OFFER):
            return Detail(availability="gone")
        if answer.status != 200:
            raise refusal(answer, has_credentials=self._has_credentials)
        return read_offer_detail(as_mapping(read_json(answer.body)))


def _page(envelope: Mapping[str, Any], position: Position) -> Page:
    entries = next((envelope[name] for name in ("offers", "items") if isinstance(envelope.get(name), list)), None)
    if entries is None:
        raise Unreadable("InfoJobs' answer holds no list of offers")
    _check_obeyed(envelope, position)
    total = as_int(envelope.get("totalResults"))
    return read_page(
        entries,
        lambda entry: read_offer(as_mapping(entry)),
        total=total,
        is_last=None if total is None else position.offset + position.size >= total,
        notes=_notes(total, position),
        is_by_date=True,
    )


def _check_obeyed(envelope: Mapping[str, Any], position: Position) -> None:
    """Another order or size than asked for would lose offers between two pages."""
    order, size = as_text(envelope.get("sortBy")), as_int(envelope.get("pageSize"))
    if order and order != NEWEST_FIRST:
        raise Unreadable(f"InfoJobs sorted the list by {order[:40]} instead of {NEWEST_FIRST}")
    if size is not None and size != position.size:
        raise Unreadable(f"InfoJobs gives pages of {size} offers where {position.size} were asked for")


def _notes(total: int | None, position: Position) -> tuple[str, ...]:
    """Says where the cap hides offers, once a sweep has come to it."""
    is_at_cap = position.offset + 2 * position.size > DEPTH
    return (CAP_NOTE.format(depth=DEPTH, total=total),) if total and total > DEPTH and is_at_cap else ()
