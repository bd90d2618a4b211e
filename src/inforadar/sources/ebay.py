"""eBay: what is offered (Browse API) and, for keys that may see it, what was sold (Marketplace Insights)."""

from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from typing import Any
from urllib.parse import quote

from inforadar.domain.errors import Unreadable
from inforadar.domain.item import Draft, Kind
from inforadar.domain.paging import Page, Paging, Position
from inforadar.domain.ports import Answer, Detail, Request, Source
from inforadar.sources.authorization import Client
from inforadar.sources.ebay_errors import NO_INSIGHTS, SETTINGS, is_past_depth, raise_on_warnings, refusal
from inforadar.sources.ebay_item import item_id, read_item_detail, read_sale, read_summary
from inforadar.sources.ebay_params import (
    NEWEST_FIRST,
    PARAM_RULES,
    SECOND,
    SOLD,
    START,
    check_params,
    is_sold,
    list_params,
    marketplace_of,
)
from inforadar.sources.reading import as_int, as_mapping, read_json, read_page

DEPTH = 10_000
SIZE = 200
TOKEN_PATH = "/identity/v1/oauth2/token"
SEARCH_PATH = "/buy/browse/v1/item_summary/search"
ITEM_PATH = "/buy/browse/v1/item/"
SALES_PATH = "/buy/marketplace_insights/v1_beta/item_sales/search"
SCOPE = "https://api.ebay.com/oauth/api_scope"
SALES_SCOPE = f"{SCOPE}/buy.marketplace.insights"
# A list in no order by date can never be stopped early: it is read to its end in every sweep.
UNORDERED = timedelta(days=36_500)


def scope_of(request: Request) -> str:
    """The permission a request needs."""
    return SALES_SCOPE if request.path == SALES_PATH else SCOPE


def ebay_client(client_id: str | None, client_secret: str | None) -> Client:
    """Who asks eBay for tokens."""
    return Client(
        service="eBay",
        settings=SETTINGS,
        client_id=client_id or "",
        client_secret=client_secret or "",
        token_path=TOKEN_PATH,
        scope_of=scope_of,
        scope_refused=NO_INSIGHTS,
    )


class Ebay:
    """eBay as a source of prices: newest listings first, date windows, at most 10,000 items of one list."""

    name = "ebay"
    kind: Kind = "price"
    needs = ("client_id", "client_secret")
    # eBay's totals are estimates: the list ends where it ends. A new item becomes searchable minutes after its date.
    paging = Paging(
        kind="offset",
        size=SIZE,
        depth=DEPTH,
        filters_by_date=True,
        date_grain=SECOND,
        slack=timedelta(minutes=15),
        strays=1,
        lookback_days=2,
    )
    param_rules = PARAM_RULES
    default_base_url = "https://api.ebay.com"
    default_rate_limit_per_minute = 60
    fallback: Source | None = None

    def __init__(self, *, user_agent: str | None = None) -> None:
        self._user_agent = user_agent

    def check(self, params: Mapping[str, Any]) -> tuple[str, ...]:
        """Sentences on what is wrong with a query's parameters."""
        return check_params(params)

    def serving(self, params: Mapping[str, Any], memory: Mapping[str, Any]) -> "Ebay":  # noqa: ARG002 - none to recall
        """The source for one query: what was sold is another list with other rules."""
        return EbaySales(user_agent=self._user_agent) if is_sold(params) else self

    def request(self, params: Mapping[str, Any], position: Position) -> Request:
        """The request for the items from `offset` on, newest first whatever the user wrote."""
        pairs = (*list_params(params, START, position.window), ("sort", NEWEST_FIRST), *_place(position))
        return Request(path=SEARCH_PATH, params=pairs, headers=self._headers(params))

    def read(self, answer: Answer, position: Position) -> Page:
        """The page in an answer; a position beyond eBay's cap is an empty last page with a note."""
        return _read(answer, position, "itemSummaries", read_summary)

    def detail_request(self, key: str, url: str) -> Request:  # noqa: ARG002 - the key is enough for eBay
        """The request for one item."""
        return Request(path=f"{ITEM_PATH}{quote(item_id(key), safe='')}", headers=self._headers({}))

    def read_detail(self, answer: Answer) -> Detail:
        """Not found is gone; every other refusal says nothing about the item and is raised."""
        if answer.status in (404, 410):
            return Detail(availability="gone")
        if answer.status != 200:
            raise refusal(answer)
        return read_item_detail(as_mapping(read_json(answer.body)))

    def _headers(self, params: Mapping[str, Any]) -> dict[str, str]:
        headers = {"Accept": "application/json", "X-EBAY-C-MARKETPLACE-ID": marketplace_of(params)}
        return headers | ({"User-Agent": self._user_agent} if self._user_agent else {})


class EbaySales(Ebay):
    """What was sold on eBay in the last 90 days, which can only be listed by price."""

    paging = Paging(
        kind="offset",
        size=SIZE,
        depth=DEPTH,
        filters_by_date=True,
        date_grain=SECOND,
        slack=UNORDERED,
        lookback_days=90,
    )

    def request(self, params: Mapping[str, Any], position: Position) -> Request:
        """The request for the sales from `offset` on."""
        pairs = (*list_params(params, SOLD, position.window), ("sort", "price"), *_place(position))
        return Request(path=SALES_PATH, params=pairs, headers=self._headers(params))

    def read(self, answer: Answer, position: Position) -> Page:
        """The page in an answer; most keys are not allowed to see it."""
        return _read(answer, position, "itemSales", read_sale, is_sold=True)


def _place(position: Position) -> tuple[tuple[str, str], tuple[str, str]]:
    return ("limit", str(position.size)), ("offset", str(position.offset))


def _read(
    answer: Answer,
    position: Position,
    name: str,
    read_entry: Callable[[Mapping[str, Any]], Draft | None],
    *,
    is_sold: bool = False,
) -> Page:
    if answer.status == 400 and position.offset + position.size > DEPTH and is_past_depth(answer):
        return Page(drafts=(), is_last=True, notes=(f"depth cap: eBay shows {DEPTH} items of a list",))
    if answer.status != 200:
        raise refusal(answer, is_sold=is_sold)
    envelope = as_mapping(read_json(answer.body))
    raise_on_warnings(envelope)
    entries = _entries(envelope, name)
    is_last = _is_last(as_int(envelope.get("total")), entries, position)
    return read_page(entries, lambda entry: read_entry(as_mapping(entry)), is_last=is_last, is_by_date=True)


def _entries(envelope: Mapping[str, Any], name: str) -> Sequence[Any]:
    """The entries of a list; eBay leaves them out where there are none, but always tells a total."""
    entries = envelope.get(name, [])
    if not isinstance(entries, list) or as_int(envelope.get("total")) is None:
        raise Unreadable("eBay's answer holds no list of items")
    return entries


def _is_last(total: int | None, entries: Sequence[Any], position: Position) -> bool | None:
    """Whether nothing follows; a total that promises more than a short page is only an estimate."""
    reached = position.offset + len(entries)
    if total is not None and reached >= total:
        return True
    return False if len(entries) >= position.size else None
