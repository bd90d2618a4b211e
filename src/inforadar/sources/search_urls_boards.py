"""The public boards of companies as queries: the name in the address, and the filters that work here too."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import SplitResult, unquote

from inforadar.sources.search_urls_reading import NO_FILTER, Asked, NotASearch, Pairs, is_tracking

NOISE = (
    "gh_src",
    "gh_jid",
    "t",
    "lever-source",
    "lever-origin",
    "trid",
    "utm",
    "language",
    "lang",
    "jobs",
    "b",
    "validityToken",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardAddress:
    """How the addresses of one system's boards look: the name is a group of the host, of the path, or a parameter.

    `filters`: what a parameter of the page is called in a query.
    """

    host: re.Pattern[str]
    path: re.Pattern[str] = re.compile(r"/(?P<board>[^/]+)(?:/.*)?")
    param: str = ""
    filters: Mapping[str, str] = field(default_factory=dict)


BOARD_ADDRESSES: Mapping[str, tuple[BoardAddress, ...]] = {
    "greenhouse": (
        BoardAddress(
            host=re.compile(r"(?:job-)?boards(?:\.eu)?\.greenhouse\.io"), param="for", filters={"keyword": "text"}
        ),
        BoardAddress(host=re.compile(r"boards-api\.greenhouse\.io"), path=re.compile(r"/v1/boards/(?P<board>[^/]+).*")),
    ),
    "lever": (
        BoardAddress(
            host=re.compile(r"jobs(?P<eu>\.eu)?\.lever\.co"),
            filters={"department": "department", "team": "department", "location": "location"},
        ),
        BoardAddress(
            host=re.compile(r"api(?P<eu>\.eu)?\.lever\.co"), path=re.compile(r"/v0/postings/(?P<board>[^/]+).*")
        ),
    ),
    "ashby": (
        BoardAddress(host=re.compile(r"jobs\.ashbyhq\.com")),
        BoardAddress(
            host=re.compile(r"api\.ashbyhq\.com"), path=re.compile(r"/posting-api/job-board/(?P<board>[^/]+).*")
        ),
    ),
    "smartrecruiters": (
        BoardAddress(
            host=re.compile(r"(?:jobs|careers)\.smartrecruiters\.com"),
            filters={"search": "text", "location": "location"},
        ),
        BoardAddress(
            host=re.compile(r"api\.smartrecruiters\.com"), path=re.compile(r"/v1/companies/(?P<board>[^/]+).*")
        ),
    ),
    "workable": (
        BoardAddress(
            host=re.compile(r"apply\.workable\.com"),
            path=re.compile(r"/(?:api/v\d/(?:widget/)?accounts/)?(?P<board>(?!api/)[^/]+)(?:/.*)?"),
        ),
        BoardAddress(
            host=re.compile(r"(?!www\.|jobs\.|apply\.)(?P<board>[^.]+)\.workable\.com"), path=re.compile(r".*")
        ),
    ),
    "recruitee": (
        BoardAddress(host=re.compile(r"(?!www\.|api\.)(?P<board>[^.]+)\.recruitee\.com"), path=re.compile(r".*")),
    ),
}
EU_LEVER = (
    'Lever keeps this board in Europe. Set base_url = "https://api.eu.lever.co" in [sources.lever], '
    "then: radar add lever {board}"
)


def read_board(parts: SplitResult, host: str) -> Asked | None:
    """The board an address belongs to; None where it is none of theirs."""
    for source, addresses in BOARD_ADDRESSES.items():
        for known in addresses:
            named = known.host.fullmatch(host)
            if named:
                return _asked(source, known, named, parts)
    return None


def _asked(source: str, known: BoardAddress, named: re.Match[str], parts: SplitResult) -> Asked:
    pairs = Pairs.of(parts)
    in_path = known.path.fullmatch(parts.path)
    board = (pairs.one(known.param) if known.param else "") or unquote(
        named.groupdict().get("board") or (in_path.groupdict().get("board") if in_path else "") or ""
    )
    if not board:
        raise NotASearch("The address names no company. Give the address of the company's board.")
    if named.groupdict().get("eu"):
        raise NotASearch(EU_LEVER.format(board=board))
    params: dict[str, Any] = {"board": board}
    for name, filters in known.filters.items():
        values = pairs.values(name)
        if values:
            params[filters] = [*_listed(params.get(filters)), *values] if len(values) > 1 else values[0]
    pairs.leave([*NOISE, *filter(is_tracking, pairs.rest())], NO_FILTER)
    why = "this page filters by it; boards are filtered here by --text, --location, --department"
    return Asked(source=source, params=params, left_out=pairs.finish(why))


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]
