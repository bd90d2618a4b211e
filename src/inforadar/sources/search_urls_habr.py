"""The lists of habr.com as queries: hubs, flows, companies, users, news and the search."""

import re
from typing import Any
from urllib.parse import SplitResult

from inforadar.sources.habr_params import SCORES
from inforadar.sources.search_urls_reading import (
    NO_FILTER,
    RADARS_OWN,
    Asked,
    LeftOut,
    NotASearch,
    Pairs,
    is_tracking,
    segments,
)

PLACES = {
    "hubs": "hub",
    "hub": "hub",
    "flows": "flow",
    "companies": "company",
    "company": "company",
    "users": "user",
}
SECTIONS = frozenset(("articles", "posts", "all", "feed", "blog", "publications", "profile"))
TOPS = frozenset(("daily", "weekly", "monthly", "yearly", "alltime"))
NOT_A_LIST = "This page of Habr is not a list of articles. Give the address of a hub, a flow, a company or the search."

_LANGUAGE = re.compile(r"[a-z]{2}")
_PAGE = re.compile(r"page\d+")
_RATED = re.compile(r"(?:rated|top)(\d+)")


def read_habr(parts: SplitResult, _host: str) -> Asked:
    """A list of Habr by its path; its search by its words."""
    pairs, where = Pairs.of(parts), segments(parts)
    params: dict[str, Any] = {}
    if where and _LANGUAGE.fullmatch(where[0]):
        language = where.pop(0)
        params |= {"hl": language, "fl": language} if language != "ru" else {}
    if where and where[0] in PLACES and len(where) > 1:
        place, name, *where = where
        params[PLACES[place]] = name
    elif where and where[0] == "search":
        params |= _search(pairs, where)
    elif where and where[0] not in (*SECTIONS, "news"):
        raise NotASearch(NOT_A_LIST)
    params |= _sections(pairs, where)
    languages = [part for part in pairs.one("fl").split(",") if part]
    params |= {"fl": languages if len(languages) > 1 else languages[0]} if languages else {}
    params |= {"hl": asked} if (asked := pairs.one("hl")) else {}
    pairs.leave(["order", "sort", "page"], RADARS_OWN)
    pairs.leave([*filter(is_tracking, pairs.rest())], NO_FILTER)
    return Asked(source="habr", params=params, left_out=pairs.finish("a list of Habr has no such parameter"))


def _search(pairs: Pairs, where: list[str]) -> dict[str, Any]:
    words, target = pairs.one("q"), pairs.one("target_type") or "posts"
    if not words or target != "posts":
        raise NotASearch("This search of Habr does not look for articles. Search there for words in publications.")
    where.pop(0)
    return {"query": words}


def _sections(pairs: Pairs, where: list[str]) -> dict[str, Any]:
    """What the rest of a path says: the section, a rating, a page; the best of a period is no list to collect."""
    params: dict[str, Any] = {}
    for part in where:
        rated = _RATED.fullmatch(part)
        if rated and rated[1] in SCORES:
            params["score"] = rated[1]
        elif part == "news":
            params["news"] = "true"
        elif part in TOPS or part == "top":
            why = "the best of a period is not in the order of time; all is collected, --score 25 keeps the rated"
            pairs.left_out.append(LeftOut(name="path", value=part, why=why, is_lost=True))
        elif _PAGE.fullmatch(part):
            pairs.left_out.append(LeftOut(name="path", value=part, why=RADARS_OWN))
        elif part not in SECTIONS:
            raise NotASearch(NOT_A_LIST)
    return params
