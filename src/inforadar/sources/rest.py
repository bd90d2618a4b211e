"""Any JSON list by configuration: where it is, how it pages, and where an entry keeps what we want to know."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any
from urllib.parse import parse_qsl, urljoin, urlsplit

from inforadar.domain.errors import BadQuery, NoVerdict, Unreadable
from inforadar.domain.item import Kind
from inforadar.domain.paging import Page, Paging, Position
from inforadar.domain.ports import Answer, Detail, Request, Source
from inforadar.net.addresses import server_of_address
from inforadar.net.statuses import header
from inforadar.sources.reading import as_int, as_text, failure, read_json
from inforadar.sources.rest_entry import Reader, page_of
from inforadar.sources.rest_paths import find
from inforadar.sources.rest_plan import PARAM_RULES, Plan, check_params, check_prices, plan_of
from inforadar.sources.rest_trail import PageTrail, StableTrail, Trail

# A list in no order by date can never be stopped early: it is read to its end in every sweep.
UNORDERED = timedelta(days=36_500)
LONGEST_CURSOR = 2000
PAST_THE_END = frozenset((404, 416))
TOO_LARGE = "the list gives pages of {entries} entries, more than page_size = {size}: set page_size = {entries}."
NO_PAGE = "a rest list has no pages of its own for its entries: what the list shows is all there is"

_NEXT_LINK = re.compile(r'<([^<>]*)>\s*(?:;[^,<]*?)?;\s*rel="?next"?(?=\s*(?:[;,]|$))', re.IGNORECASE)


class Rest:
    """A JSON list as a source of anything; `plan` says of what, and makes it the source of one query."""

    name = "rest"
    kind: Kind = "article"
    takes_any_kind = True
    has_details = False
    param_rules = PARAM_RULES
    default_base_url = "https://rest.invalid"
    default_rate_limit_per_minute = 30
    fallback: Source | None = None

    def __init__(self, *, token: str | None = None, user_agent: str | None = None, plan: Plan | None = None) -> None:
        self._token, self._user_agent, self._plan = token, user_agent, plan
        self._trail: Trail = StableTrail() if plan and plan.is_stable else PageTrail()
        self._doubted: set[int] = set()
        self.paging = _paging(plan)
        self.base_url = plan.origin if plan else None

    def check(self, params: Mapping[str, Any]) -> tuple[str, ...]:
        """Sentences on what is wrong with a query's parameters."""
        return check_params(params)

    def check_prices(self, params: Mapping[str, Any], currency: str | None) -> tuple[str, ...]:
        """Sentences on why a query brings no prices; `currency`: the one its watch states."""
        return check_prices(params, currency)

    def serving(self, params: Mapping[str, Any], memory: Mapping[str, Any]) -> "Rest":  # noqa: ARG002 - none to recall
        """The source for one query: each has its own address, paging and paths."""
        return Rest(token=self._token, user_agent=self._user_agent, plan=plan_of(params))

    def server(self, params: Mapping[str, Any]) -> str | None:
        """The server of a query's list."""
        return server_of_address(str(params.get("url", "")))

    def request(self, params: Mapping[str, Any], position: Position) -> Request:  # noqa: ARG002 - the plan has them
        """The request for one page; a place that only a cursor leads to is asked for by the cursor."""
        plan = self._planned
        path, query = plan.path, list(plan.query)
        if plan.page == "link" and (cursor := self._trail.cursor(position)):
            parts = urlsplit(cursor)
            path, query = parts.path, parse_qsl(parts.query, keep_blank_values=True)
        else:
            own = self._paging_params(plan, position)
            query = [pair for pair in query if pair[0] not in dict(own)] + own
        if plan.token_param and self._token:
            query = [*(pair for pair in query if pair[0] != plan.token_param), (plan.token_param, self._token)]
        return Request(path=path, params=tuple(query), headers=self._headers(plan))

    def read(self, answer: Answer, position: Position) -> Page:
        """The page in an answer; raises BadQuery where the answer shows that the configuration is wrong."""
        plan = self._planned
        if answer.status in PAST_THE_END and self._may_be_past_the_end(plan, position):
            note = f"the list ended with HTTP {answer.status} after {position.offset} entries"
            page = self._trail.take(position, (), None) if plan.is_followed else Page(drafts=(), is_last=True)
            return replace(page, notes=(note,))
        if answer.status in (400, 404, 405, 410, 422):
            raise BadQuery(f"the address does not serve this list (HTTP {answer.status}): check url, query and paging.")
        if answer.status != 200:
            raise failure(answer)
        body = read_json(answer.body)
        shown = Reader(plan=plan).entries(_entries(body, plan))
        if plan.is_followed:
            if not plan.is_stable and len(shown) > plan.page_size:
                raise BadQuery(TOO_LARGE.format(entries=len(shown), size=plan.page_size))
            page = self._trail.take(position, shown, _following(answer, body, plan))
            return replace(page, notes=_size_notes(len(shown), page, position, plan))
        if plan.page == "none":
            return page_of(shown[position.offset :], is_last=True)
        total = as_int(find(body, plan.total)) if plan.total is not None else None
        if plan.page == "page":
            _check_size(len(shown), total, position)
        if position.offset == 0:
            self._doubted.clear()
        is_last = self._doubt(position) if not shown and total is None else None
        return page_of(shown, total=total, is_last=is_last)

    def detail_request(self, key: str, url: str) -> Request:  # noqa: ARG002 - there is nothing to ask for
        """An entry of a list has no page that we could read."""
        raise NoVerdict(NO_PAGE)

    def read_detail(self, answer: Answer) -> Detail:  # noqa: ARG002 - there is nothing to read
        """An entry of a list has no page that we could read."""
        raise NoVerdict(NO_PAGE)

    @property
    def _planned(self) -> Plan:
        assert self._plan is not None, "a rest list is asked through the source that serves its query"
        return self._plan

    def _headers(self, plan: Plan) -> dict[str, str]:
        """The user's headers; the token goes only where a query names the header for it."""
        headers = {"Accept": "application/json", **plan.headers}
        if self._user_agent:
            headers["User-Agent"] = self._user_agent
        if plan.token_header and self._token:
            is_bearer = plan.token_header.lower() == "authorization" and " " not in self._token
            headers[plan.token_header] = f"Bearer {self._token}" if is_bearer else self._token
        return headers

    def _paging_params(self, plan: Plan, position: Position) -> list[tuple[str, str]]:
        size = [(plan.size_param, str(plan.page_size))] if plan.size_param and plan.page != "none" else []
        if plan.page == "page":
            return [*size, (plan.page_param, str(position.page_number + plan.first_page))]
        if plan.page == "offset":
            return [*size, (plan.page_param, str(position.offset))]
        cursor = self._trail.cursor(position) if plan.page == "cursor" else None
        return [*size, *([(plan.page_param, cursor)] if cursor else [])]

    def _may_be_past_the_end(self, plan: Plan, position: Position) -> bool:
        """Whether "not found" may mean that a page has gone; the first one, and the place of an entry, cannot."""
        if plan.is_followed:
            return not plan.is_stable and self._trail.cursor(position) is not None
        return position.offset > 0 and plan.page in ("page", "offset")

    def _doubt(self, position: Position) -> bool | None:
        """An empty page of a list that tells no total is asked for once more before it counts as the end."""
        if position.offset == 0 or position.offset in self._doubted:
            return None
        self._doubted.add(position.offset)
        return False


def _paging(plan: Plan | None) -> Paging:
    is_in_pages = plan is not None and (plan.page == "page" or (plan.is_followed and not plan.is_stable))
    return Paging(
        kind="page" if is_in_pages else "offset",
        size=plan.page_size if plan else 1,
        has_exact_total=bool(plan and plan.total and not plan.is_followed),
        slack=timedelta(0) if plan and plan.is_ordered else UNORDERED,
        is_followed=bool(plan and plan.is_followed),
    )


def _entries(body: Any, plan: Plan) -> Sequence[Any]:
    entries = find(body, plan.list)
    if not isinstance(entries, list):
        raise Unreadable("the answer holds no list at the path `list`: look at it, and correct the path")
    return entries


def _following(answer: Answer, body: Any, plan: Plan) -> str | None:
    """The cursor or the link to the next page; a link may not leave the origin that the user wrote."""
    told = find(body, plan.next) if plan.next is not None else None
    text = str(told) if isinstance(told, int) and not isinstance(told, bool) else as_text(told).strip()
    if plan.page == "link" and plan.next is None:
        found = _NEXT_LINK.search((header(answer, "link") or "")[: 4 * LONGEST_CURSOR])
        text = found[1].strip() if found else ""
    if not text:
        return None
    if len(text) > LONGEST_CURSOR or not text.isprintable():
        raise Unreadable("the cursor of the next page is too long or holds control characters")
    return _inside(text, plan) if plan.page == "link" else text


def _inside(link: str, plan: Plan) -> str:
    try:
        target, home = urlsplit(urljoin(plan.address, link)), urlsplit(plan.address)
        is_inside = (target.scheme, target.netloc) == (home.scheme, home.netloc)
    except ValueError:
        is_inside = False
    if not is_inside:
        raise Unreadable("the link to the next page leads to another site: it is not followed")
    return f"{target.path}?{target.query}"


def _check_size(entries: int, total: int | None, position: Position) -> None:
    """Pages of another size than configured would end the list too early."""
    is_short = total is not None and 0 < entries < position.size and position.offset + position.size < total
    if entries > position.size or is_short:
        raise BadQuery(f"the list gives pages of {entries} entries: set page_size = {entries}.")


def _size_notes(entries: int, page: Page, position: Position, plan: Plan) -> tuple[str, ...]:
    """Pages that are followed may have fewer entries; Radar finds its way in them better if it knows their number."""
    if plan.is_stable or position.offset or page.is_last or entries == plan.page_size:
        return ()
    return (
        f"the list gives pages of {entries} entries, not of {plan.page_size}: page_size = {entries} saves requests",
    )
