"""The sites of the local internet by name."""

from collections.abc import Callable
from dataclasses import dataclass

from inforadar.simulator import ebay, feeds, habr, hh, infojobs, linkedin, rest
from inforadar.simulator.boards import BOARD_SITES
from inforadar.simulator.rules import Rules
from inforadar.simulator.search import Search
from inforadar.simulator.twists import Twist
from inforadar.simulator.wire import Pairs, Request, Response
from inforadar.simulator.world import World


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """One site: how it answers, which paths are lists, what a list's address asks for, whose page a path is.

    `post` answers what is sent to it, which no fault meets; None = it takes no POST.
    """

    answer: Callable[[World, Request, Rules, Twist], Response]
    is_list: Callable[[str], bool]
    search_of: Callable[[str, Pairs], Search]
    entry_of: Callable[[str], str]
    list_path: str
    post: Callable[[World, Request, Rules, bytes], Response] | None = None


SITES = {
    "hh": Site(
        answer=hh.answer,
        is_list=hh.is_list,
        search_of=hh.search_of,
        entry_of=hh.entry_of,
        list_path="/vacancies",
    ),
    "linkedin": Site(
        answer=linkedin.answer,
        is_list=linkedin.is_list,
        search_of=linkedin.search_of,
        entry_of=linkedin.entry_of,
        list_path="/jobs-guest/jobs/api/seeMoreJobPostings/search",
    ),
    "habr": Site(
        answer=habr.answer,
        is_list=habr.is_list,
        search_of=habr.search_of,
        entry_of=habr.entry_of,
        list_path="/kek/v2/articles/",
    ),
    "infojobs": Site(
        answer=infojobs.answer,
        is_list=infojobs.is_list,
        search_of=infojobs.search_of,
        entry_of=infojobs.entry_of,
        list_path="/api/9/offer",
    ),
    "ebay": Site(
        answer=ebay.answer,
        is_list=ebay.is_list,
        search_of=ebay.search_of,
        entry_of=ebay.entry_of,
        list_path="/buy/browse/v1/item_summary/search",
        post=ebay.post,
    ),
    "rest": Site(
        answer=rest.answer,
        is_list=rest.is_list,
        search_of=rest.search_of,
        entry_of=rest.entry_of,
        list_path="/api/page",
    ),
    "feed": Site(
        answer=feeds.answer,
        is_list=feeds.is_list,
        search_of=feeds.search_of,
        entry_of=feeds.entry_of,
        list_path="/news.rss",
    ),
    **{
        name: Site(
            answer=board.answer,
            is_list=board.is_list,
            search_of=board.search_of,
            entry_of=board.entry_of,
            list_path="/",
        )
        for name, board in BOARD_SITES.items()
    },
}
