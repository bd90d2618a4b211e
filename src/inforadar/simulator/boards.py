"""The public boards of six applicant systems: all openings of a company, in no order, whole or in pages.

A board is a company's name in its address. Of an opening that is withdrawn the list shows nothing any more, and its
own page, where the system has one, is not found. A board nobody has is 404 at most of them, and empty at
SmartRecruiters, which knows every name.
"""

import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass

from inforadar.simulator import boards_shape as shapes
from inforadar.simulator.boards_shape import Json
from inforadar.simulator.entry import Entry
from inforadar.simulator.rules import Rules
from inforadar.simulator.search import Search
from inforadar.simulator.twists import Twist, on_page, twisted
from inforadar.simulator.vocabulary import COMPANIES, Company
from inforadar.simulator.wire import Pairs, Request, Response, html_response, json_response
from inforadar.simulator.world import World

LARGEST_PAGE = 100
NOBODY = "no such company"


@dataclass(frozen=True, slots=True, kw_only=True)
class System:
    """One applicant system: its addresses, how it draws an opening, a list of them, and one on its own page."""

    listed: re.Pattern[str]
    one: re.Pattern[str] | None
    item: Callable[[Entry, str], Json]
    whole: Callable[[list[Json], str], object]
    detail: Callable[[Entry, str], Json] = lambda _entry, _board: {}


SYSTEMS = {
    "greenhouse": System(
        listed=re.compile(r"^/v1/boards/(?P<board>[^/]+)/jobs/?$"),
        one=re.compile(r"^/v1/boards/(?P<board>[^/]+)/jobs/(?P<id>\d+)$"),
        item=shapes.greenhouse_job,
        whole=lambda jobs, _: {"jobs": jobs, "meta": {"total": len(jobs)}},
        detail=shapes.greenhouse_job,
    ),
    "lever": System(
        listed=re.compile(r"^/v0/postings/(?P<board>[^/]+)/?$"),
        one=re.compile(r"^/v0/postings/(?P<board>[^/]+)/(?P<id>[0-9a-f-]{36})$"),
        item=shapes.lever_posting,
        whole=lambda postings, _: postings,
        detail=shapes.lever_posting,
    ),
    "ashby": System(
        listed=re.compile(r"^/posting-api/job-board/(?P<board>[^/]+)/?$"),
        one=None,
        item=shapes.ashby_job,
        whole=lambda jobs, _: {"jobs": jobs, "apiVersion": "1"},
    ),
    "smartrecruiters": System(
        listed=re.compile(r"^/v1/companies/(?P<board>[^/]+)/postings/?$"),
        one=re.compile(r"^/v1/companies/(?P<board>[^/]+)/postings/(?P<id>\d+)$"),
        item=shapes.smartrecruiters_posting,
        whole=lambda postings, _: postings,
        detail=shapes.smartrecruiters_detail,
    ),
    "workable": System(
        listed=re.compile(r"^/api/v1/widget/accounts/(?P<board>[^/]+)/?$"),
        one=None,
        item=shapes.workable_job,
        whole=lambda jobs, company: {"name": company, "description": None, "jobs": jobs},
    ),
    "recruitee": System(
        listed=re.compile(r"^/(?P<board>[^/]+)/api/offers/?$"),
        one=None,
        item=shapes.recruitee_offer,
        whole=lambda offers, _: {"offers": offers},
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardSite:
    """One system as a site of the local internet."""

    name: str
    system: System

    def is_list(self, path: str) -> bool:
        """Whether a path asks for a board."""
        return bool(self.system.listed.match(path))

    def entry_of(self, path: str) -> str:
        """The id whose page a path asks for, empty if none."""
        one = self.system.one.match(path) if self.system.one else None
        return shapes.entry_id(one["id"]) if one else ""

    def search_of(self, path: str, _params: Pairs) -> Search:
        """All openings of the company whose board a path asks for."""
        found = self.system.listed.match(path)
        company = company_of(found["board"]) if found else None
        return Search(source=self.name, employers=frozenset((company.id if company else NOBODY,)))

    def answer(self, world: World, request: Request, _rules: Rules, twist: Twist) -> Response:
        """What the system answers to one request."""
        found = self.system.listed.match(request.path)
        if found:
            return self._list(world, request, found["board"], twist)
        entry = on_page(world.find(self.name, self.entry_of(request.path)), twist)
        if twist == "withheld_page":
            return html_response("<h1>403</h1>", 403)
        if entry is None or entry.closing != "open" or self.system.one is None:
            return json_response({"status": 404, "error": "Job not found", "ok": False}, 404)
        one = self.system.one.match(request.path)
        return json_response(self.system.detail(entry, one["board"] if one else ""))

    def _list(self, world: World, request: Request, board: str, twist: Twist) -> Response:
        company = company_of(board)
        if company is None and self.name != "smartrecruiters":
            return json_response({"status": 404, "error": "Board not found", "ok": False}, 404)
        openings = sorted(world.listing(self.search_of(request.path, request.params)), key=_unordered)
        if self.name == "smartrecruiters":
            return self._page(request, openings, board, twist)
        items = self._items(twisted(openings, twist), board, twist)
        return json_response(self.system.whole(items, company.name if company else ""))

    def _page(self, request: Request, openings: list[Entry], board: str, twist: Twist) -> Response:
        limit, offset = (request.param(name, default) for name, default in (("limit", "10"), ("offset", "0")))
        if not limit.isdecimal() or not offset.isdecimal():
            return json_response({"message": "bad paging"}, 400)
        size = min(int(limit), LARGEST_PAGE)
        shown = twisted(openings[int(offset) : int(offset) + size], twist)
        content = self._items(shown, board, twist)
        return json_response({"offset": int(offset), "limit": size, "totalFound": len(openings), "content": content})

    def _items(self, entries: list[Entry], board: str, twist: Twist) -> list[Json]:
        items = [self.system.item(entry, board) for entry in entries]
        if twist == "unreadable_entry" and items:
            items[0] = dict.fromkeys(items[0])
        return items


def board_of(company: Company) -> str:
    """The name of a company's board."""
    return re.sub(r"[^a-z0-9]+", "-", company.name.lower()).strip("-") or f"company-{company.id}"


def company_of(board: str) -> Company | None:
    """The company whose board has this name."""
    return next((company for company in COMPANIES if board_of(company) == board.lower()), None)


def _unordered(entry: Entry) -> bytes:
    """An order that has nothing to do with dates, and stays as it is."""
    return hashlib.blake2b(entry.id.encode(), digest_size=8).digest()


BOARD_SITES = {name: BoardSite(name=name, system=system) for name, system in SYSTEMS.items()}
