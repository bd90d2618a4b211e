"""eBay's Buy APIs: tokens for applications, the search with its rules, one item, and what was sold.

The search is sorted by Best Match unless `sort` says otherwise, answers a sort or filter it does not know with a
warning and another list, shows no more than its first 10,000 items, and takes so many requests a day.
"""

import base64
import binascii
import hashlib
import re
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from urllib.parse import parse_qsl, unquote
from weakref import WeakKeyDictionary
from zoneinfo import ZoneInfo

from inforadar.simulator import ebay_shape
from inforadar.simulator.entry import Entry
from inforadar.simulator.rules import Rules
from inforadar.simulator.search import Search, words_of
from inforadar.simulator.twists import Twist, on_page, twisted
from inforadar.simulator.wire import Pairs, Request, Response, first, json_response
from inforadar.simulator.world import World

DEPTH = 10_000
LARGEST_PAGE, DEFAULT_PAGE = 200, 50
PACIFIC = ZoneInfo("America/Los_Angeles")
TOKEN_PATH = "/identity/v1/oauth2/token"
SALES_PATH = "/buy/marketplace_insights/v1_beta/item_sales/search"
SCOPE = "https://api.ebay.com/oauth/api_scope"
SALES_SCOPE = f"{SCOPE}/buy.marketplace.insights"
LISTED = re.compile(r"^/buy/browse/v1/item_summary/search/?$")
ONE = re.compile(r"^/buy/browse/v1/item/v1\|(\d+)\|\d+/?$")
RANGE = re.compile(r"(itemStartDate|lastSoldDate):\[([^\]]*)\]")
FILTERS = ("itemStartDate", "lastSoldDate", "price", "priceCurrency", "buyingOptions", "conditionIds", "sellers")
TOKEN = re.compile(r"v\^1\.1#(\d+)#([0-9a-f]{16})#([0-9a-f]{16})")

_asked: "WeakKeyDictionary[World, Counter[str]]" = WeakKeyDictionary()


class RefusedError(Exception):
    """A request eBay does not take: status and the body's one error."""

    def __init__(self, status: int, error_id: int, message: str, domain: str = "API_BROWSE", **more: str) -> None:
        super().__init__(message)
        self.status = status
        self.body = {"errors": [ebay_shape.error(error_id, message, domain, **more)]}


def is_list(path: str) -> bool:
    """Whether a path asks for a page of a list."""
    return bool(LISTED.match(path)) or path == SALES_PATH


def entry_of(path: str) -> str:
    """The id whose page a path asks for, empty if none."""
    one = ONE.match(unquote(path))
    return one[1] if one else ""


def search_of(_path: str, params: Pairs) -> Search:
    """The standing question in a list's parameters; filters, order and paging are not part of it."""
    words = words_of(first(params, "q"))
    return Search(source="ebay", any_of=(words,) if words else ())


def post(world: World, request: Request, rules: Rules, body: bytes) -> Response:
    """What the token endpoint answers to an application."""
    if request.path != TOKEN_PATH:
        return json_response({"error": "not_found"}, 404)
    form = dict(parse_qsl(body.decode(errors="replace")))
    if form.get("grant_type") != "client_credentials":
        text = "grant type in request is not supported by the authorization server"
        return json_response({"error": "unsupported_grant_type", "error_description": text}, 400)
    client = _client(request)
    if ":" not in client or rules.ebay_client not in ("", client):
        return json_response({"error": "invalid_client", "error_description": "client authentication failed"}, 401)
    scope = form.get("scope", "")
    if scope != SCOPE and not (scope == SALES_SCOPE and rules.ebay_insights):
        return json_response({"error": "invalid_scope", "error_description": "The requested scope is invalid"}, 400)
    issued = int(world.now.timestamp())
    value = f"v^1.1#{issued}#{_digest(scope)}#{_signature(world, issued, _digest(scope))}"
    kind = "Application Access Token"
    return json_response({"access_token": value, "expires_in": int(rules.ebay_token_ttl_s), "token_type": kind})


def answer(world: World, request: Request, rules: Rules, twist: Twist) -> Response:
    """What eBay answers to one request that carries a token."""
    try:
        _check_token(world, request, rules)
        _check_quota(world, rules)
        if request.path == SALES_PATH:
            return _list(world, request, twist, is_sold=True)
        if is_list(request.path):
            return _list(world, request, twist, is_sold=False)
        entry = on_page(world.find("ebay", entry_of(request.path)), twist)
        if entry is None or entry.closing != "open":
            raise RefusedError(404, 11001, "The specified item Id was not found.")
        return json_response(ebay_shape.detail(entry))
    except RefusedError as refused:
        return json_response(refused.body, refused.status)


def _client(request: Request) -> str:
    kind, _, pair = request.headers.get("authorization", "").partition(" ")
    try:
        return base64.b64decode(pair, validate=True).decode() if kind == "Basic" else ""
    except (binascii.Error, ValueError):
        return ""


def _check_token(world: World, request: Request, rules: Rules) -> None:
    found = TOKEN.fullmatch(request.headers.get("authorization", "").removeprefix("Bearer "))
    is_ours = found is not None and found[3] == _signature(world, int(found[1]), found[2])
    age_s = world.now.timestamp() - int(found[1]) if found else 0.0
    if not is_ours or found is None or not -1 <= age_s < rules.ebay_token_ttl_s:
        text = "Invalid access token. Check the value of the Authorization HTTP request header."
        raise RefusedError(401, 1001, "Invalid access token", "OAuth", longMessage=text)
    if request.path == SALES_PATH and found[2] != _digest(SALES_SCOPE):
        raise RefusedError(403, 1100, "Access denied", "ACCESS", longMessage="Insufficient permissions")


def _check_quota(world: World, rules: Rules) -> None:
    """Count a request; the count begins anew at midnight in California."""
    day = world.now.astimezone(PACIFIC).date().isoformat()
    asked = _asked.setdefault(world, Counter())
    asked[day] += 1
    if rules.ebay_daily_quota and asked[day] > rules.ebay_daily_quota:
        text = "The request limit has been reached for the resource."
        raise RefusedError(429, 2001, "Too many requests.", "ACCESS", longMessage=text)


def _list(world: World, request: Request, twist: Twist, *, is_sold: bool) -> Response:
    if not any(request.param(name) for name in ("q", "category_ids", "epid", "gtin")):
        raise RefusedError(400, 12001, "The call must have a valid 'q' or 'category_ids' query parameter.")
    offset, limit = _number(request, "offset", 0, 12005), _number(request, "limit", DEFAULT_PAGE, 12007)
    if not 1 <= limit <= LARGEST_PAGE:
        raise RefusedError(400, 12006, "The 'limit' value should be between 1 and 200.")
    if offset + limit > DEPTH + LARGEST_PAGE or offset >= DEPTH:
        raise RefusedError(400, 12029, "The 'offset' is beyond the number of items that can be retrieved.")
    warnings = _warnings(request, is_sold=is_sold)
    found = _sold(world, request) if is_sold else _offered(world, request, has_order=not warnings)
    shown = twisted(list(found[offset : offset + limit]), twist)
    draw = ebay_shape.sale if is_sold else ebay_shape.summary
    items = [draw(entry) for entry in shown]
    if twist == "unreadable_entry" and items:
        items[0] = {**items[0], "itemId": None, "title": None}
    body: ebay_shape.Json = {
        "href": f"https://api.ebay.com{request.path}?limit={limit}&offset={offset}",
        "total": len(found),
        "limit": limit,
        "offset": offset,
    }
    if offset + limit < len(found):
        body["next"] = f"https://api.ebay.com{request.path}?limit={limit}&offset={offset + limit}"
    if items:
        body["itemSales" if is_sold else "itemSummaries"] = items
    if warnings:
        body["warnings"] = warnings
    return json_response(body)


def _number(request: Request, name: str, default: int, error_id: int) -> int:
    text = request.param(name, str(default))
    if not text.isdecimal():
        raise RefusedError(400, error_id, f"The '{name}' value should be an integer.")
    return int(text)


def _warnings(request: Request, *, is_sold: bool) -> list[ebay_shape.Json]:
    """What eBay ignored: such a list is in another order, or of other items, than was asked for."""
    warnings = []
    known = ("price", "-price") if is_sold else ("newlyListed", "price", "-price", "endingSoonest")
    if request.param("sort") and request.param("sort") not in known:
        warnings.append(ebay_shape.error(12008, "The 'sort' value is invalid."))
    names = re.findall(r"(?:^|,)(\w+):", request.param("filter"))
    if not set(names) <= set(FILTERS):
        warnings.append(ebay_shape.error(12002, "The 'filter' value is invalid."))
    if "price" in names and "priceCurrency" not in names:
        warnings.append(ebay_shape.error(12012, "The price filter needs a priceCurrency filter."))
    return warnings


def _offered(world: World, request: Request, *, has_order: bool) -> Sequence[Entry]:
    since, until = _range(request)
    found = [
        entry
        for entry in world.listing(search_of(request.path, request.params))
        if (since is None or entry.published_at >= since) and (until is None or entry.published_at <= until)
    ]
    if request.param("sort") == "newlyListed" and has_order:
        return found
    return sorted(found, key=lambda entry: hashlib.blake2b(entry.id.encode()).digest())


def _sold(world: World, request: Request) -> Sequence[Entry]:
    """Items that were taken off the list, cheapest first."""
    since, until = _range(request)
    search = search_of(request.path, request.params)
    gone = (world.entry("ebay", key) for key in world.ever_visible_ids(search) - world.visible_ids(search))
    found = [
        entry
        for entry in gone
        if (since is None or ebay_shape.sold_at(entry) >= since)
        and (until is None or ebay_shape.sold_at(entry) <= until)
    ]
    return sorted(found, key=lambda entry: ((entry.salary.low or 0) if entry.salary else 0, entry.id))


def _range(request: Request) -> tuple[datetime | None, datetime | None]:
    """The dates a filter names; one date alone is the lower end."""
    found = RANGE.search(request.param("filter"))
    lowest, _, highest = found[2].partition("..") if found else ("", "", "")
    return _moment(lowest), _moment(highest)


def _moment(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text).astimezone(UTC) if text else None
    except ValueError:
        raise RefusedError(400, 12002, "The 'filter' value is invalid.") from None


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


def _signature(world: World, issued: int, scope: str) -> str:
    return _digest(f"{world.seed}/{issued}/{scope}")
