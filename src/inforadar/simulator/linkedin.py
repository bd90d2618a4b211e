"""LinkedIn's guest pages: ten cards a request, one job, and the walls around them.

The list is sorted by relevance unless `sortBy=DD`, tells no total, shows dates without a time of day, and
answers 400 from the thousandth card on.
"""

import hashlib
import re
from datetime import timedelta

from inforadar.simulator import linkedin_html
from inforadar.simulator.entry import Entry
from inforadar.simulator.rules import Rules
from inforadar.simulator.search import Search, query_words
from inforadar.simulator.twists import Twist, on_page, twisted
from inforadar.simulator.wire import Pairs, Request, Response, first, html_response, listed
from inforadar.simulator.world import World

CARDS = 10
DEPTH = 1000
LISTED = re.compile(r"^/jobs-guest/jobs/api/seeMoreJobPostings/search/?$")
ONE = re.compile(r"^/jobs-guest/jobs/api/jobPosting/(\d+)/?$")
VIEW = re.compile(r"^/jobs/view/(?:[^/]*-)?(\d+)/?$")
WORK_FORMATS = {"1": "ON_SITE", "2": "REMOTE", "3": "HYBRID"}
EXPERIENCES = {
    "1": "noExperience",
    "2": "noExperience",
    "3": "between1And3",
    "4": "between3And6",
    "5": "moreThan6",
    "6": "moreThan6",
}


def is_list(path: str) -> bool:
    """Whether a path asks for a page of a list."""
    return bool(LISTED.match(path))


def entry_of(path: str) -> str:
    """The id whose page a path asks for, empty if none."""
    one = ONE.match(path) or VIEW.match(path)
    return one[1] if one else ""


def search_of(_path: str, params: Pairs) -> Search:
    """The standing question in a list's parameters; age, order and offset are not part of it."""
    wanted, unwanted = query_words(first(params, "keywords"))
    geo = first(params, "geoId")
    return Search(
        source="linkedin",
        any_of=wanted,
        none_of=unwanted,
        areas=frozenset((geo,)) if geo else frozenset(),
        place_words=frozenset() if geo else _place_words(first(params, "location")),
        experiences=frozenset(EXPERIENCES[code] for code in listed(params, "f_E") if code in EXPERIENCES),
        work_formats=frozenset(WORK_FORMATS[code] for code in listed(params, "f_WT") if code in WORK_FORMATS),
        employers=listed(params, "f_C"),
    )


def _place_words(location: str) -> frozenset[str]:
    return frozenset(part.strip().lower() for part in location.split(",") if part.strip())


def answer(world: World, request: Request, rules: Rules, twist: Twist) -> Response:
    """What LinkedIn answers to one request of a guest."""
    if is_list(request.path):
        return _list(world, request, rules, twist)
    if request.path.startswith("/authwall"):
        return html_response(linkedin_html.AUTHWALL)
    if twist == "withheld_page":
        return html_response("", 403)
    entry = on_page(world.find("linkedin", entry_of(request.path)), twist)
    if ONE.match(request.path):
        return _job(world, request, rules, entry)
    if VIEW.match(request.path):
        return _view(world, request, entry)
    return html_response("<!DOCTYPE html><html><body>Page not found</body></html>", 404)


def _list(world: World, request: Request, rules: Rules, twist: Twist) -> Response:
    start = request.param("start", "0")
    if not start.isdecimal() or int(start) >= DEPTH:
        return html_response("", 400)
    shown = twisted(_ordered(world, request, rules)[int(start) : int(start) + CARDS], twist)
    cards = [linkedin_html.card(entry, row, request, world.now) for row, entry in enumerate(shown)]
    if twist == "unreadable_entry" and cards:
        cards[0] = re.sub(r'datetime="[^"]*"', 'datetime="recently"', cards[0])
    return html_response("<!DOCTYPE html>\n\n" + "".join(cards))


def _ordered(world: World, request: Request, rules: Rules) -> list[Entry]:
    entries = list(world.listing(search_of(request.path, request.params)))
    age = re.fullmatch(r"r(\d+)", request.param("f_TPR"))
    if age:
        since = world.now - timedelta(seconds=int(age[1]))
        entries = [entry for entry in entries if entry.published_at >= since]
    if request.param("sortBy") != "DD":
        return sorted(entries, key=lambda entry: hashlib.blake2b(entry.id.encode()).digest())
    return _with_strays(entries, rules.linkedin_stray_every)


def _with_strays(entries: list[Entry], every: int) -> list[Entry]:
    """The promoted cards taken out of their order and spread over the top, one after every so many cards."""
    if every <= 0:
        return entries
    strays = sorted((entry for entry in entries if entry.is_promoted), key=lambda entry: entry.published_at)
    plain = [entry for entry in entries if not entry.is_promoted]
    for number, stray in enumerate(strays):
        plain.insert(number * (every + 1), stray)
    return plain


def _job(world: World, request: Request, rules: Rules, entry: Entry | None) -> Response:
    if entry is None:
        return html_response("", 404)
    is_condensed = rules.linkedin_render == "condensed"
    if rules.linkedin_render == "alternate":
        is_condensed = request.number % 2 == 1
    if is_condensed:
        return html_response(linkedin_html.condensed_job(entry, world.now))
    return html_response(linkedin_html.full_job(entry, world.now, has_banner=rules.linkedin_closed_banner))


def _view(world: World, request: Request, entry: Entry | None) -> Response:
    """The public job page: it carries other jobs' cards, and an expired one leads to a list."""
    if entry is None:
        return html_response("", 404)
    if entry.closing != "open":
        target = "/linkedin/jobs/search?trk=expired_jd_redirect"
        return html_response("", 301, (("Location", target),))
    related = world.listing(Search(source="linkedin"))[:CARDS]
    cards = [linkedin_html.card(other, row, request, world.now) for row, other in enumerate(related)]
    return html_response(linkedin_html.view_page(entry, cards, world.now))
