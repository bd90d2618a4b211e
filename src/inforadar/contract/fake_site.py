"""A site of anybody's on the simulated internet: a paged JSON list over the entries of a world that moves."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from inforadar.simulator.entry import Entry
from inforadar.simulator.rules import Rules
from inforadar.simulator.search import Search
from inforadar.simulator.sites import Site
from inforadar.simulator.twists import Twist, twisted
from inforadar.simulator.wire import Pairs, Request, Response, json_response
from inforadar.simulator.world import World

SHELF = "rest"
"""Which entries of the world a fake site lists."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FakeSite:
    """How a site hands out its list, newest first.

    `place`: from which entry on, and how many, a request asks for. `entry`: one entry as JSON. `page`: the body of a
    page as JSON, of its drawn entries and how many there are in the whole list.
    """

    path: str
    place: Callable[[Request], tuple[int, int]]
    entry: Callable[[Entry], Any]
    page: Callable[[list[Any], int], Any]

    def site(self) -> Site:
        """The site as the simulator wants it."""
        return Site(
            answer=self._answer,
            is_list=lambda path: path == self.path,
            search_of=_everything,
            entry_of=lambda _path: "",
            list_path=self.path,
        )

    def _answer(self, world: World, request: Request, _rules: Rules, twist: Twist) -> Response:
        if request.path != self.path:
            return json_response({"error": "not found"}, 404)
        found = world.listing(_everything(request.path, request.params))
        offset, size = self.place(request)
        drawn = [self.entry(one) for one in twisted(list(found[offset : offset + size]), twist)]
        if twist == "unreadable_entry" and drawn:
            drawn[0] = None
        return json_response(self.page(drawn, len(found)))


def _everything(_path: str, _params: Pairs) -> Search:
    return Search(source=SHELF)
