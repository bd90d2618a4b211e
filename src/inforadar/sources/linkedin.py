"""LinkedIn as a guest sees it: the bare list of job cards and one posting's page."""

import re
from collections.abc import Mapping
from datetime import timedelta
from typing import Any
from urllib.parse import quote, urlsplit

from inforadar.domain.errors import RateLimited, Refused, Unreadable
from inforadar.domain.item import Kind
from inforadar.domain.paging import Page, Paging, Position
from inforadar.domain.ports import Answer, Detail, ParamRule, Request, Source
from inforadar.net.statuses import header
from inforadar.sources.linkedin_html import (
    is_posting_page,
    read_card,
    read_posting,
    result_cards,
    shows_nothing,
)
from inforadar.sources.reading import decoded, failure, param_values, read_page, unknown_params
from inforadar.sources.text import parse_html

DEPTH = 1000
SEARCH_PATH = "/jobs-guest/jobs/api/seeMoreJobPostings/search"
POSTING_PATH = "/jobs-guest/jobs/api/jobPosting/"
NEWEST_FIRST = "DD"
OWN_PARAMS = frozenset(("sortBy", "start"))
PARAM_RULES: Mapping[str, ParamRule] = {
    "keywords": ParamRule(ignores_case=True),
    "location": ParamRule(ignores_case=True),
    "geoId": ParamRule(),
    "distance": ParamRule(),
    "f_AL": ParamRule(default="false"),
    "f_C": ParamRule(is_list=True),
    "f_E": ParamRule(is_list=True),
    "f_F": ParamRule(is_list=True),
    "f_I": ParamRule(is_list=True),
    "f_JT": ParamRule(is_list=True),
    "f_PP": ParamRule(is_list=True),
    "f_SB2": ParamRule(is_list=True),
    "f_TPR": ParamRule(),
    "f_WT": ParamRule(is_list=True),
    "sortBy": ParamRule(default=NEWEST_FIRST),
    "start": ParamRule(default="0"),
}

_WALL_PATH = re.compile(r"/(?:authwall|signup|login|uas/login|checkpoint|challenge)(?:[/?]|$)", re.IGNORECASE)
_WALL_MARKS = re.compile(
    r"authwall|/signup|/uas/login|/checkpoint/|session_key|captcha|challenge|sign in|join linkedin",
    re.IGNORECASE,
)
_PERIOD = re.compile(r"r[1-9][0-9]*")
_WALL = (
    "LinkedIn shows its login wall instead of the jobs: wait some hours, lower "
    "`[sources.linkedin] rate_limit_per_minute`, or run from another address."
)


class LinkedIn:
    """LinkedIn's guest pages as a source of vacancies: days only, no total, ten cards a page."""

    name = "linkedin"
    kind: Kind = "vacancy"
    # A card's date is a day, and promoted or reposted cards stand out of order.
    paging = Paging(kind="offset", size=10, depth=DEPTH, slack=timedelta(days=1), strays=2, lookback_days=7)
    param_rules = PARAM_RULES
    default_base_url = "https://www.linkedin.com"
    default_rate_limit_per_minute = 20
    fallback: Source | None = None

    def __init__(self, *, user_agent: str | None = None, language: str = "en-US") -> None:
        self._headers = {"Accept": "text/html", "Accept-Language": language}
        if user_agent:
            self._headers["User-Agent"] = user_agent

    def check(self, params: Mapping[str, Any]) -> tuple[str, ...]:
        """Sentences on what is wrong with a query's parameters."""
        return (*_unknown_names(params), *_forbidden_values(params))

    def request(self, params: Mapping[str, Any], position: Position) -> Request:
        """The request for the cards from `offset` on, newest first whatever the user wrote."""
        asked = [
            (name, ",".join(param_values(value)))
            for name, value in params.items()
            if name not in OWN_PARAMS and param_values(value)
        ]
        pairs = (*asked, ("sortBy", NEWEST_FIRST), ("start", str(position.offset)))
        return Request(path=SEARCH_PATH, params=pairs, headers=self._headers)

    def read(self, answer: Answer, position: Position) -> Page:
        """The cards in an answer; no cards is the end only where nothing else is shown."""
        _raise_if_blocked(answer)
        if answer.status == 400 and position.offset > 0:
            return Page(drafts=(), is_last=True)
        if answer.status != 200:
            raise failure(answer)
        return _page(answer)

    def detail_request(self, key: str, url: str) -> Request:  # noqa: ARG002 - the key is enough for LinkedIn
        """The request for one posting."""
        return Request(path=f"{POSTING_PATH}{quote(key, safe='')}", headers=self._headers)

    def read_detail(self, answer: Answer) -> Detail:
        """Closed or not found is gone; a condensed page gives no verdict and should be asked for again."""
        if answer.status in (404, 410):
            return Detail(availability="gone")
        if "trk=expired_jd_redirect" in answer.url:
            return Detail(availability="gone", is_closed=True)
        _raise_if_blocked(answer)
        if answer.status != 200:
            raise failure(answer)
        markup = decoded(answer)
        tree = parse_html(markup)
        if not is_posting_page(tree):
            raise _unknown_page(markup)
        return read_posting(tree)


def _unknown_names(params: Mapping[str, Any]) -> list[str]:
    sentence = "LinkedIn's guest search has no parameter `{name}`"
    return unknown_params(params, PARAM_RULES, sentence, "docs/sources/linkedin.md")


def _forbidden_values(params: Mapping[str, Any]) -> list[str]:
    sentences = []
    if params.get("sortBy", NEWEST_FIRST) != NEWEST_FIRST:
        sentences.append("`sortBy` must stay `DD`: in any other order new jobs are lost.")
    if "start" in params:
        sentences.append("`start` is set by Radar itself: leave it out.")
    period = params.get("f_TPR")
    if period and not _PERIOD.fullmatch(str(period)):
        sentences.append("`f_TPR` is written as r and seconds, such as `r604800` for a week.")
    return sentences


def _raise_if_blocked(answer: Answer) -> None:
    if answer.status in (429, 999):
        error = failure(answer)
        raise (error if isinstance(error, RateLimited) else RateLimited("LinkedIn asks us to slow down (HTTP 999)"))
    asked_at = header(answer, "location") if 300 <= answer.status < 400 else answer.url
    if _WALL_PATH.search(urlsplit(asked_at or "").path):
        raise Refused(_WALL)


def _page(answer: Answer) -> Page:
    markup = decoded(answer)
    tree = parse_html(markup)
    if is_posting_page(tree) or "/jobs/view/" in urlsplit(answer.url).path:
        raise Unreadable("LinkedIn answered with one posting instead of a list")
    if cards := result_cards(tree):
        return read_page(cards, read_card, is_by_date=True)
    if shows_nothing(tree) and not _WALL_MARKS.search(markup):
        return Page(drafts=(), is_last=True)
    raise _unknown_page(markup)


def _unknown_page(markup: str) -> Refused | Unreadable:
    if _WALL_MARKS.search(markup):
        return Refused(_WALL)
    return Unreadable("LinkedIn's answer is no page of jobs")
