"""The sites of the local internet by name."""

from collections.abc import Callable
from dataclasses import dataclass

from inforadar.simulator import habr, hh, linkedin
from inforadar.simulator.rules import Rules
from inforadar.simulator.search import Search
from inforadar.simulator.twists import Twist
from inforadar.simulator.wire import Pairs, Request, Response
from inforadar.simulator.world import World


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """One site: how it answers, which paths are lists, what a list's address asks for, whose page a path is."""

    answer: Callable[[World, Request, Rules, Twist], Response]
    is_list: Callable[[str], bool]
    search_of: Callable[[str, Pairs], Search]
    entry_of: Callable[[str], str]
    list_path: str


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
}
