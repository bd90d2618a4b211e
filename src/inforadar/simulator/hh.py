"""hh.ru's REST API: the vacancy list with its rules, and one vacancy.

The list is sorted by relevance unless `order_by` says otherwise, rounds dates to 5 minutes, ignores
parameters it does not know, and shows no more than its first 2,000 entries.
"""

import hashlib
import re
from datetime import UTC, datetime, timedelta, timezone
from urllib.parse import urlencode

from inforadar.simulator import hh_shape
from inforadar.simulator.entry import Entry
from inforadar.simulator.making import EXPERIENCES
from inforadar.simulator.rules import Rules
from inforadar.simulator.search import Search, query_words
from inforadar.simulator.twists import Twist, on_page, twisted
from inforadar.simulator.wire import Pairs, Request, Response, every, first, json_response
from inforadar.simulator.world import World

MOSCOW = timezone(timedelta(hours=3))
DEPTH = 2000
LARGEST_PAGE = 100
DEFAULT_PAGE = 20
GRAIN_S = 300
ORDERS = ("publication_time", "relevance", "salary_desc", "salary_asc", "distance")
LISTED = re.compile(r"^/vacancies/?$")
ONE = re.compile(r"^/vacancies/(\d+)/?$")
REFUSED_AGENTS = ("python-", "python/")


class BadArgumentError(Exception):
    """A parameter hh does not take; the message is its name."""


def is_list(path: str) -> bool:
    """Whether a path asks for a page of a list."""
    return bool(LISTED.match(path))


def entry_of(path: str) -> str:
    """The id whose page a path asks for, empty if none."""
    one = ONE.match(path)
    return one[1] if one else ""


def search_of(_path: str, params: Pairs) -> Search:
    """The standing question in a list's parameters; dates, order and paging are not part of it."""
    wanted, unwanted = query_words(first(params, "text"))
    refused = query_words(first(params, "excluded_text").replace(",", " "))[0]
    return Search(
        source="hh",
        any_of=wanted,
        none_of=unwanted.union(*refused),
        areas=frozenset(every(params, "area")),
        experiences=frozenset(every(params, "experience")),
        work_formats=frozenset(every(params, "work_format")),
        employers=frozenset(every(params, "employer_id")),
    )


def answer(world: World, request: Request, rules: Rules, twist: Twist) -> Response:
    """What hh answers to one request."""
    refusal = _refusal(request, rules)
    if refusal:
        return refusal
    if is_list(request.path):
        return _list(world, request, twist)
    if twist == "withheld_page":
        return error(request, 403, [{"type": "forbidden"}])
    entry = on_page(world.find("hh", entry_of(request.path)), twist)
    if entry is None:
        return error(request, 404, [{"type": "not_found"}])
    return json_response(hh_shape.detail(entry))


def error(request: Request, status: int, errors: list[dict[str, str]], **legacy: object) -> Response:
    """An error in hh's own shape."""
    body = {**legacy, "errors": errors, "request_id": request.tracking("request").encode().hex()[:32]}
    return json_response(body, status)


def _refusal(request: Request, rules: Rules) -> Response | None:
    agent = request.headers.get("hh-user-agent") or request.headers.get("user-agent", "")
    if not agent or agent.lower().startswith(REFUSED_AGENTS):
        value = "blacklisted" if agent else "unset"
        return error(request, 400, [{"type": "bad_user_agent", "value": value}], description="Bad User-Agent")
    token = request.headers.get("authorization", "").removeprefix("Bearer ")
    if token and rules.hh_token and token != rules.hh_token:
        oauth = [{"value": "bad_authorization", "type": "oauth"}]
        return error(request, 403, oauth, description="Forbidden")
    if not token and rules.hh_needs_token and request.number > rules.hh_free_requests:
        return error(request, 403, [{"type": "forbidden"}])
    return None


def _list(world: World, request: Request, twist: Twist) -> Response:
    try:
        page, per_page = _paging(request)
        if (page + 1) * per_page > DEPTH:
            return json_response(hh_shape.DEPTH_ERROR, 400)
        _check_values(request)
        found = _ordered(request, _dated(world, request))
    except BadArgumentError as bad:
        name = str(bad)
        return error(request, 400, [{"type": "bad_argument", "value": name}], bad_argument=name)
    shown = twisted(found[page * per_page : (page + 1) * per_page], twist)
    words = frozenset().union(*search_of(request.path, request.params).any_of)
    items = [hh_shape.item(entry, words) for entry in shown]
    if twist == "unreadable_entry" and items:
        items[0] = {**items[0], "id": None, "published_at": "yesterday", "name": None}
    return json_response(_envelope(request, items, len(found), page, per_page))


def _envelope(request: Request, items: list[hh_shape.Json], found: int, page: int, per_page: int) -> hh_shape.Json:
    asked = [(name, value) for name, value in request.params if name not in ("page", "per_page")]
    query = urlencode([("enable_snippets", "true"), ("items_on_page", str(per_page)), *asked])
    return {
        "items": items,
        "found": found,
        "pages": min(-(-found // per_page), DEPTH // per_page),
        "page": page,
        "per_page": per_page,
        "clusters": None,
        "arguments": None,
        "fixes": None,
        "suggests": None,
        "alternate_url": f"https://hh.ru/search/vacancy?{query}",
    }


def _paging(request: Request) -> tuple[int, int]:
    page = _number(request, "page", 0)
    per_page = _number(request, "per_page", DEFAULT_PAGE)
    if not 1 <= per_page <= LARGEST_PAGE:
        raise BadArgumentError("per_page")
    return page, per_page


def _number(request: Request, name: str, default: int) -> int:
    text = request.param(name, str(default))
    if not text.isdecimal():
        raise BadArgumentError(name)
    return int(text)


def _check_values(request: Request) -> None:
    if request.param("order_by", "relevance") not in ORDERS:
        raise BadArgumentError("order_by")
    if not set(every(request.params, "experience")) <= set(EXPERIENCES):
        raise BadArgumentError("experience")
    if request.param("period") and (request.param("date_from") or request.param("date_to")):
        raise BadArgumentError("period")


def _dated(world: World, request: Request) -> list[Entry]:
    """The entries of the search inside the asked dates, both ends included."""
    since, until = _moment(request, "date_from"), _moment(request, "date_to")
    if request.param("period"):
        since = world.now - timedelta(days=_number(request, "period", 30))
    return [
        entry
        for entry in world.listing(search_of(request.path, request.params))
        if (since is None or entry.published_at >= since) and (until is None or entry.published_at <= until)
    ]


def _moment(request: Request, name: str) -> datetime | None:
    """A date parameter, rounded to the nearest 5 minutes; without an offset it is Moscow time."""
    text = request.param(name)
    if not text:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise BadArgumentError(name) from None
    moment = moment if moment.tzinfo else moment.replace(tzinfo=MOSCOW)
    return datetime.fromtimestamp((moment.timestamp() + GRAIN_S / 2) // GRAIN_S * GRAIN_S, UTC)


def _ordered(request: Request, entries: list[Entry]) -> list[Entry]:
    order = request.param("order_by", "relevance")
    if order == "publication_time":
        return entries
    if order.startswith("salary"):
        return sorted(entries, key=_pay, reverse=order == "salary_desc")
    return sorted(entries, key=lambda entry: hashlib.blake2b(entry.id.encode()).digest())


def _pay(entry: Entry) -> int:
    return (entry.salary.high or entry.salary.low or 0) if entry.salary else 0
