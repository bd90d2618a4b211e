"""InfoJobs' REST API: the list of offers with its rules, and one offer.

The list is sorted by relevance unless `order` says otherwise, counts its pages from 1, tells its offers twice
(`offers` and `items`), filters by age in three buckets only, and shows no more than its first 2,280 offers.
"""

import base64
import binascii
import hashlib
import re
from datetime import timedelta

from inforadar.simulator import infojobs_shape
from inforadar.simulator.entry import Entry
from inforadar.simulator.rules import Rules
from inforadar.simulator.search import Search, query_words
from inforadar.simulator.twists import Twist, on_page, twisted
from inforadar.simulator.wire import Pairs, Request, Response, every, first, json_response
from inforadar.simulator.world import World

DEPTH = 114 * 20
DEFAULT_PAGE, LARGEST_PAGE = 20, 50
ORDERS = ("relevancia-desc", "updated-desc")
BUCKETS = {"_24_HOURS": 1, "_7_DAYS": 7, "_15_DAYS": 15}
LISTED = re.compile(r"^/api/\d+/offer/?$")
ONE = re.compile(r"^/api/\d+/offer/([0-9a-f]+)/?$")


class RefusedError(Exception):
    """A request InfoJobs does not take: its own number of the error, and the HTTP status."""

    def __init__(self, code: str, text: str, status: int = 400) -> None:
        super().__init__(text)
        self.code = code
        self.status = status


def is_list(path: str) -> bool:
    """Whether a path asks for a page of a list."""
    return bool(LISTED.match(path))


def entry_of(path: str) -> str:
    """The id whose page a path asks for, empty if none."""
    one = ONE.match(path)
    return one[1] if one else ""


def search_of(_path: str, params: Pairs) -> Search:
    """The standing question in a list's parameters; age, order and paging are not part of it."""
    wanted, unwanted = query_words(first(params, "q"))
    provinces = every(params, "province")[:1]
    return Search(
        source="infojobs",
        any_of=wanted,
        none_of=unwanted,
        place_words=frozenset(map(str.lower, provinces)),
        employers=frozenset(every(params, "employerId")),
    )


def answer(world: World, request: Request, rules: Rules, twist: Twist) -> Response:
    """What InfoJobs answers to one request."""
    try:
        _check_client(request, rules)
        if is_list(request.path):
            return _list(world, request, twist)
        if twist == "withheld_page":
            raise RefusedError("116", "Operation temporarily disabled", 503)
        entry = on_page(world.find("infojobs", entry_of(request.path)), twist)
        if entry is None:
            raise RefusedError("313", "The offerId is not valid", 404)
        return json_response(infojobs_shape.detail(entry))
    except RefusedError as refused:
        at = f"{world.now:%Y-%m-%dT%H:%M:%S}.000+0000"
        body = {"error": refused.code, "error_description": str(refused), "timestamp": at}
        return json_response(body, refused.status)


def _check_client(request: Request, rules: Rules) -> None:
    kind, _, pair = request.headers.get("authorization", "").partition(" ")
    try:
        client = base64.b64decode(pair, validate=True).decode()
    except (binascii.Error, ValueError):
        client = ""
    if kind != "Basic" or ":" not in client or rules.infojobs_client not in ("", client):
        raise RefusedError("102", "Invalid client credentials", 401)


def _list(world: World, request: Request, twist: Twist) -> Response:
    if len(every(request.params, "province")) > 1:
        raise RefusedError("301", "This local InfoJobs searches one province at a time")
    page, size = _number(request, "page", 1, "306"), _number(request, "maxResults", DEFAULT_PAGE, "201")
    if not 1 <= size <= LARGEST_PAGE:
        raise RefusedError("201", "Bad parameter maxResults")
    found = _ordered(request, _recent(world, request))
    pages = min(-(-len(found) // size), DEPTH // size)
    if page < 1 or page > max(pages, 1):
        raise RefusedError("306", "The page is not valid")
    shown = twisted(found[(page - 1) * size : page * size], twist)
    offers = [infojobs_shape.offer(entry) for entry in shown]
    if twist == "unreadable_entry" and offers:
        offers[0] = {**offers[0], "id": None, "title": None}
    return json_response(
        {
            "currentPage": page,
            "pageSize": size,
            "totalResults": len(found),
            "currentResults": len(offers),
            "totalPages": pages,
            "availableSortingMethods": list(ORDERS),
            "sortBy": request.param("order", ORDERS[0]),
            "sinceDate": request.param("sinceDate", "ANY"),
            "items": offers,
            "offers": offers,
            "eligibleForAutomaticAlertCreation": False,
        }
    )


def _number(request: Request, name: str, default: int, code: str) -> int:
    text = request.param(name, str(default))
    if not text.isdecimal():
        raise RefusedError(code, f"The {name} is not valid")
    return int(text)


def _recent(world: World, request: Request) -> list[Entry]:
    """The offers of the search that were updated within the asked bucket."""
    bucket = request.param("sinceDate", "ANY")
    if bucket != "ANY" and bucket not in BUCKETS:
        raise RefusedError("226", "The date is not valid")
    found = list(world.listing(search_of(request.path, request.params)))
    if bucket == "ANY":
        return found
    since = world.now - timedelta(days=BUCKETS[bucket])
    return [entry for entry in found if entry.published_at >= since]


def _ordered(request: Request, entries: list[Entry]) -> list[Entry]:
    order = request.param("order", ORDERS[0])
    if order not in ORDERS:
        raise RefusedError("305", "The order is not valid")
    if order == "updated-desc":
        return entries
    return sorted(entries, key=lambda entry: hashlib.blake2b(entry.id.encode()).digest())
