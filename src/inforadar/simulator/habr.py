"""Habr: the JSON list and one publication, and the HTML lists that stand behind it.

Order is only in `publicationIds`. `sort=rating` means everything newest first above a score, `sort=date` the
best of a period: the names are the site's own. The list of everything ends after 50 pages, a text search
after 1,000 entries, hub lists go on.
"""

import re
from datetime import timedelta

from inforadar.simulator import habr_html, habr_shape
from inforadar.simulator.entry import Entry, counters_at
from inforadar.simulator.rules import Rules
from inforadar.simulator.search import Search, query_words
from inforadar.simulator.twists import Twist, on_page, twisted
from inforadar.simulator.vocabulary import HUBS, HUBS_BY_ALIAS
from inforadar.simulator.wire import (
    Header,
    Pairs,
    Request,
    Response,
    first,
    html_response,
    json_response,
    listed,
)
from inforadar.simulator.world import World

PAGES_OF_ALL = 50
SEARCH_DEPTH = 1000
HTML_PAGE = 20
DEFAULT_PAGE = 20
LARGEST_PAGE = 100
JSON_LIST = re.compile(r"^/kek/v2/articles/?$")
JSON_ONE = re.compile(r"^/kek/v2/articles/(\d+)/?$")
HTML_LIST = re.compile(
    r"^/ru/(?:(?P<section>articles|news)|hubs/(?P<hub>\w+)/articles|flows/(?P<flow>\w+)(?:/articles)?)"
    r"(?:/page(?P<page>\d+))?/?$"
)
HTML_ONE = re.compile(r"^/ru/(?:articles|news)/(\d+)/?$")
PERIOD_DAYS = {"daily": 1, "weekly": 7, "monthly": 30, "yearly": 365, "alltime": 36_500}
FLOWS = frozenset(hub.flow for hub in HUBS)
VERSION: Header = ("server-habr-version", "2.337.0")
WITHHELD = {"code": 403, "message": "Access denied", "data": []}
NOT_FOUND = {"code": 404, "message": "Resource not found", "data": []}


def is_list(path: str) -> bool:
    """Whether a path asks for a page of a list."""
    return bool(JSON_LIST.match(path) or (HTML_LIST.match(path) and not HTML_ONE.match(path)))


def entry_of(path: str) -> str:
    """The id whose page a path asks for, empty if none."""
    one = JSON_ONE.match(path) or HTML_ONE.match(path)
    return one[1] if one else ""


def search_of(path: str, params: Pairs) -> Search:
    """The standing question of a list, by parameters (JSON) or by path (HTML)."""
    listed_in_html = HTML_LIST.match(path)
    if listed_in_html:
        hub, flow = listed_in_html["hub"] or "", listed_in_html["flow"] or ""
        is_news, text, langs = listed_in_html["section"] == "news", "", frozenset[str]()
    else:
        hub, flow = first(params, "hub"), first(params, "flow")
        is_news, text, langs = first(params, "news") == "true", first(params, "query"), listed(params, "fl")
    wanted, unwanted = query_words(text)
    return Search(
        source="habr",
        any_of=wanted,
        none_of=unwanted,
        hubs=frozenset((hub,)) if hub else frozenset(),
        flows=frozenset((flow,)) if flow else frozenset(),
        kinds=frozenset(("news",)) if is_news else frozenset(("article",)),
        langs=langs,
    )


def answer(world: World, request: Request, rules: Rules, twist: Twist) -> Response:
    """What Habr answers to one request."""
    if JSON_LIST.match(request.path):
        return _json_list(world, request, rules, twist)
    entry = _open_entry(world, entry_of(request.path), twist)
    if JSON_ONE.match(request.path):
        return json_response(WITHHELD, 403, (VERSION,)) if twist == "withheld_page" else _json_one(world, entry)
    if HTML_ONE.match(request.path):
        if twist == "withheld_page":
            return html_response("<!DOCTYPE html><html><body><h1>Доступ закрыт</h1></body></html>", 403)
        return html_response(habr_html.article_page(entry, world.now)) if entry else _html_not_found()
    if HTML_LIST.match(request.path):
        return _html_list(world, request, rules, twist)
    return _html_not_found()


def _json_list(world: World, request: Request, rules: Rules, twist: Twist) -> Response:
    search = search_of(request.path, request.params)
    if not _is_known(search):
        return json_response(NOT_FOUND, 404, (VERSION,))
    page, size = request.param("page", "1"), request.param("perPage", str(DEFAULT_PAGE))
    if not page.isdecimal() or not size.isdecimal() or int(page) < 1 or int(size) < 1:
        return json_response({"code": 400, "message": "Bad request", "data": []}, 400, (VERSION,))
    entries = _ordered(world, request, search)
    per_page = min(int(size), LARGEST_PAGE)
    pages = _pages_count(search, len(entries), per_page)
    asked = entries[(int(page) - 1) * per_page : int(page) * per_page] if int(page) <= pages else []
    shown = twisted(asked, twist)
    cards = {entry.id: habr_shape.card(entry, world.now) for entry in shown}
    if twist == "unreadable_entry" and shown:
        cards[shown[0].id] |= {"timePublished": "вчера", "titleHtml": None}
    name = "article" if rules.habr_old_keys else "publication"
    body = {
        "pagesCount": pages,
        f"{name}Ids": [entry.id for entry in shown],
        f"{name}Refs": dict(sorted(cards.items())),
    }
    return json_response(body, 200, (VERSION,))


def _ordered(world: World, request: Request, search: Search) -> list[Entry]:
    entries = list(world.listing(search))
    sort = request.param("sort")
    if sort == "date":
        since = world.now - timedelta(days=PERIOD_DAYS.get(request.param("period", "daily"), 1))
        best = [entry for entry in entries if entry.published_at >= since]
        return sorted(best, key=lambda entry: counters_at(entry, world.now).rating, reverse=True)
    if sort == "rating" and request.param("score").lstrip("-").isdecimal():
        least = int(request.param("score"))
        return [entry for entry in entries if counters_at(entry, world.now).rating >= least]
    if request.param("query") and request.param("order", "relevance") == "relevance":
        entries.sort(key=lambda entry: entry.popularity, reverse=True)
    return entries[:SEARCH_DEPTH] if request.param("query") else entries


def _pages_count(search: Search, total: int, per_page: int) -> int:
    pages = -(-total // per_page)
    return pages if search.hubs or search.any_of else min(pages, PAGES_OF_ALL)


def _is_known(search: Search) -> bool:
    return search.hubs <= set(HUBS_BY_ALIAS) and search.flows <= FLOWS


def _json_one(world: World, entry: Entry | None) -> Response:
    if entry is None:
        return json_response(NOT_FOUND, 404, (VERSION,))
    return json_response(habr_shape.whole(entry, world.now), 200, (VERSION,))


def _open_entry(world: World, entry_id: str, twist: Twist) -> Entry | None:
    """Habr keeps no page of a withdrawn publication."""
    entry = on_page(world.find("habr", entry_id), twist)
    return entry if entry and entry.closing == "open" else None


def _html_list(world: World, request: Request, rules: Rules, twist: Twist) -> Response:
    search = search_of(request.path, ())
    asked = HTML_LIST.match(request.path)
    page = int((asked and asked["page"]) or 1)
    entries = world.listing(search)
    is_all = not search.hubs
    if not _is_known(search) or (is_all and page > PAGES_OF_ALL):
        return _html_not_found()
    pages = _pages_count(search, len(entries), HTML_PAGE)
    shown = twisted(list(entries[(page - 1) * HTML_PAGE : page * HTML_PAGE]), twist)
    cards = [habr_html.card(entry, rules.habr_layout, world.now) for entry in shown]
    if twist == "unreadable_entry" and cards:
        cards[0] = re.sub(r'datetime="[^"]*"', 'datetime="вчера"', cards[0])
    if rules.habr_ads:
        cards.insert(len(cards) // 2, habr_html.ADVERTISEMENT)
    path = re.sub(r"/page\d+/?$", "/", request.path.rstrip("/") + "/")
    return html_response(habr_html.list_page(cards, path, page, pages))


def _html_not_found() -> Response:
    return html_response('<!DOCTYPE html><html lang="ru"><body><h1>Страница не найдена</h1></body></html>', 404)
