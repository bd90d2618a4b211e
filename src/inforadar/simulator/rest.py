"""A JSON API nobody has written a connector for: the same list, handed out in every way such lists are.

/api/page     ?page=1&size=20              {"data": {"items": [...], "total": 57}}
/api/plain    ?p=0                         {"items": [...]}: pages of ten, no total
/api/offset   ?offset=0&limit=20           {"results": [...], "count": 57}
/api/cursor   ?cursor=...&limit=20         {"items": [...], "next": "..." or null}
/api/link     ?after=...                   [...] and a Link header to the next page
/api/marker   ?cursor=...&limit=20         as cursor, but the cursor hides an offset: entries slide under it
/api/numbered ?page=1&limit=20             as link, but the link names a page number: entries slide under it
/api/all                                   [...] the whole list
/api/shuffled ?page=1&size=20              as page, but in no order
"""

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from inforadar.simulator.entry import Entry
from inforadar.simulator.rules import Rules
from inforadar.simulator.search import Search, query_words
from inforadar.simulator.twists import Twist, twisted
from inforadar.simulator.wire import Header, Pairs, Request, Response, first, json_response
from inforadar.simulator.world import World

Json = dict[str, Any]
LISTED = re.compile(r"^/api/(page|plain|offset|cursor|marker|link|numbered|all|shuffled)$")
PLAIN_SIZE, LARGEST_PAGE = 10, 100


class BadRequestError(Exception):
    """A parameter the API does not take."""


def is_list(path: str) -> bool:
    """Whether a path asks for a page of a list."""
    return bool(LISTED.match(path))


def entry_of(_path: str) -> str:
    """Entries have no page of their own here."""
    return ""


def search_of(_path: str, params: Pairs) -> Search:
    """The standing question in a list's parameters."""
    wanted, unwanted = query_words(first(params, "search"))
    return Search(source="rest", any_of=wanted, none_of=unwanted)


def answer(world: World, request: Request, _rules: Rules, twist: Twist) -> Response:
    """What the API answers to one request."""
    listed = LISTED.match(request.path)
    if listed is None:
        return json_response({"detail": "Not found"}, 404)
    try:
        return LISTS[listed[1]](world.listing(search_of(request.path, request.params)), request, twist)
    except BadRequestError as bad:
        return json_response({"detail": f"bad parameter {bad}"}, 400)


def _by_page(found: Sequence[Entry], request: Request, twist: Twist) -> Response:
    page, size = _number(request, "page", 1), _size(request, "size")
    items = _drawn(found[(page - 1) * size : page * size] if page else (), twist)
    return json_response({"data": {"items": items, "total": len(found)}})


def _plain(found: Sequence[Entry], request: Request, twist: Twist) -> Response:
    start = _number(request, "p", 0) * PLAIN_SIZE
    return json_response({"items": _drawn(found[start : start + PLAIN_SIZE], twist)})


def _by_offset(found: Sequence[Entry], request: Request, twist: Twist) -> Response:
    offset, limit = _number(request, "offset", 0), _size(request, "limit")
    return json_response({"results": _drawn(found[offset : offset + limit], twist), "count": len(found)})


def _by_cursor(found: Sequence[Entry], request: Request, twist: Twist) -> Response:
    shown, following = _after(found, request.param("cursor"), _size(request, "limit"))
    return json_response({"items": _drawn(shown, twist), "next": following})


def _by_link(found: Sequence[Entry], request: Request, twist: Twist) -> Response:
    shown, following = _after(found, request.param("after"), _size(request, "limit"))
    headers: tuple[Header, ...] = ()
    if following:
        headers = (("Link", f'<?after={following}&limit={request.param("limit", "20")}>; rel="next"'),)
    return json_response(_drawn(shown, twist), headers=headers)


def _by_marker(found: Sequence[Entry], request: Request, twist: Twist) -> Response:
    start, limit = _marked(request.param("cursor")), _size(request, "limit")
    following = f"m{start + limit}" if start + limit < len(found) else None
    return json_response({"items": _drawn(found[start : start + limit], twist), "next": following})


def _by_numbered_link(found: Sequence[Entry], request: Request, twist: Twist) -> Response:
    page, limit = max(1, _number(request, "page", 1)), _size(request, "limit")
    headers: tuple[Header, ...] = ()
    if page * limit < len(found):
        headers = (("Link", f'<?page={page + 1}&limit={limit}>; rel="next", <?page=1>; rel="first"'),)
    return json_response(_drawn(found[(page - 1) * limit : page * limit], twist), headers=headers)


def _all(found: Sequence[Entry], _request: Request, twist: Twist) -> Response:
    return json_response(_drawn(found, twist))


def _shuffled(found: Sequence[Entry], request: Request, twist: Twist) -> Response:
    return _by_page(sorted(found, key=lambda entry: hashlib.blake2b(entry.id.encode()).digest()), request, twist)


def _after(found: Sequence[Entry], cursor: str, limit: int) -> tuple[Sequence[Entry], str | None]:
    """The entries below a place in the list, which stays where it is whatever comes or goes above it."""
    rest = [entry for entry in found if not cursor or _place(entry) < cursor]
    shown = rest[:limit]
    return shown, _place(shown[-1]) if len(rest) > limit else None


def _place(entry: Entry) -> str:
    return f"{int(entry.published_at.timestamp()):012}-{int(entry.id):012}"


def _marked(cursor: str) -> int:
    """The offset that a marker hides."""
    if cursor and not (cursor[0] == "m" and cursor[1:].isdecimal()):
        raise BadRequestError("cursor")
    return int(cursor[1:]) if cursor else 0


def _number(request: Request, name: str, default: int) -> int:
    text = request.param(name, str(default))
    if not text.isdecimal():
        raise BadRequestError(name)
    return int(text)


def _size(request: Request, name: str) -> int:
    size = _number(request, name, 20)
    if not 1 <= size <= LARGEST_PAGE:
        raise BadRequestError(name)
    return size


def _drawn(entries: Sequence[Entry], twist: Twist) -> list[Json]:
    items = [_item(entry) for entry in twisted(list(entries), twist)]
    if twist == "unreadable_entry" and items:
        items[0] = {**items[0], "key": {"id": None}}
    return items


def _item(entry: Entry) -> Json:
    pay = entry.salary.low if entry.salary else None
    return {
        "key": {"id": int(entry.id)},
        "attributes": {"name": entry.title, "tags": list(entry.tags), "city": entry.place.city},
        "links": [{"rel": "self", "href": f"https://rest.test/things/{entry.id}"}],
        "posted": entry.published_at.isoformat(),
        "posted_s": int(entry.published_at.timestamp()),
        "owner": {"name": entry.company.name},
        "price": {"amount": f"{(pay or 0) / 100:.2f}", "unit": "EUR"},
    }


LISTS: Mapping[str, Callable[[Sequence[Entry], Request, Twist], Response]] = {
    "page": _by_page,
    "plain": _plain,
    "offset": _by_offset,
    "cursor": _by_cursor,
    "marker": _by_marker,
    "link": _by_link,
    "numbered": _by_numbered_link,
    "all": _all,
    "shuffled": _shuffled,
}
