"""hh.ru: its REST search and its vacancies, as requests and parsed answers."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from inforadar.domain.errors import Unreadable
from inforadar.domain.item import Kind
from inforadar.domain.paging import Page, Paging, Position
from inforadar.domain.ports import Answer, Detail, Request, Source
from inforadar.sources.hh_errors import is_past_depth, refusal
from inforadar.sources.hh_params import (
    GRAIN,
    NEWEST_FIRST,
    OWN_PARAMS,
    PARAM_RULES,
    check_params,
    date_params,
)
from inforadar.sources.hh_vacancy import read_vacancy, read_vacancy_detail
from inforadar.sources.reading import as_int, as_mapping, as_text, failure, param_values, read_json, read_page
from inforadar.sources.text import unmarked

DEPTH = 2000
DEFAULT_USER_AGENT = "InfoRadar/0.1 (self-hosted; personal use)"


class Hh:
    """hh.ru as a source of vacancies: exact totals, date windows, at most 2,000 entries of one list."""

    name = "hh"
    kind: Kind = "vacancy"
    # New vacancies become searchable some minutes after the time they carry.
    paging = Paging(
        kind="page",
        size=100,
        largest_size=100,
        depth=DEPTH,
        filters_by_date=True,
        date_grain=GRAIN,
        has_exact_total=True,
        slack=timedelta(minutes=15),
        strays=1,
        lookback_days=2,
    )
    param_rules = PARAM_RULES
    default_base_url = "https://api.hh.ru"
    default_rate_limit_per_minute = 60
    fallback: Source | None = None

    def __init__(self, *, token: str | None = None, user_agent: str | None = None) -> None:
        self._token = token or None
        agent = user_agent or DEFAULT_USER_AGENT
        self._headers = {"User-Agent": agent, "HH-User-Agent": agent, "Accept": "application/json"}
        if token:
            self._headers["Authorization"] = f"Bearer {token}"

    def check(self, params: Mapping[str, Any]) -> tuple[str, ...]:
        """Sentences on what is wrong; hh ignores a misspelt name in silence and so widens the search."""
        return check_params(params)

    def request(self, params: Mapping[str, Any], position: Position) -> Request:
        """The request for one page, newest first whatever the user wrote."""
        asked = {name: value for name, value in params.items() if name not in OWN_PARAMS}
        asked |= date_params(params, position.window)
        pairs = [(name, text) for name, value in asked.items() for text in param_values(value)]
        pairs += [
            ("order_by", NEWEST_FIRST),
            ("per_page", str(position.size)),
            ("page", str(position.page_number)),
        ]
        return Request(path="/vacancies", params=tuple(pairs), headers=self._headers)

    def read(self, answer: Answer, position: Position) -> Page:
        """The page in an answer; a position beyond hh's cap is an empty last page with a note."""
        if answer.status == 400 and is_past_depth(answer) and position.offset + position.size > DEPTH:
            return Page(drafts=(), is_last=True, notes=(f"depth cap: hh shows {DEPTH} entries of a list",))
        if answer.status != 200:
            raise refusal(answer, token=self._token) or failure(answer)
        return _page(as_mapping(read_json(answer.body)), position)

    def detail_request(self, key: str, url: str) -> Request:  # noqa: ARG002 - the key is enough for hh
        """The request for one vacancy."""
        return Request(path=f"/vacancies/{key}", headers=self._headers)

    def read_detail(self, answer: Answer) -> Detail:
        """Archived or not found is gone; every other refusal says nothing about the vacancy and is raised."""
        if answer.status in (404, 410):
            return Detail(availability="gone")
        if answer.status != 200:
            raise refusal(answer, token=self._token) or failure(answer)
        return read_vacancy_detail(as_mapping(read_json(answer.body)))


def _page(envelope: Mapping[str, Any], position: Position) -> Page:
    if not isinstance(envelope.get("items"), list):
        raise Unreadable("hh's answer holds no list of vacancies")
    found = as_int(envelope.get("found"))
    return read_page(
        envelope["items"],
        lambda entry: read_vacancy(as_mapping(entry)),
        total=found,
        is_last=_is_last(envelope, found, position),
        notes=_notes(envelope),
        is_by_date=True,
    )


def _is_last(envelope: Mapping[str, Any], found: int | None, position: Position) -> bool | None:
    """Whether nothing follows; `pages` is capped already, only `found` tells that more exists."""
    if not envelope["items"]:
        return True
    reached = position.offset + position.size
    if found is not None and found > DEPTH:
        return reached >= found
    pages = as_int(envelope.get("pages"))
    if pages is not None:
        return position.page_number + 1 >= pages
    return None if found is None else reached >= found


def _notes(envelope: Mapping[str, Any]) -> tuple[str, ...]:
    fixed = unmarked(as_text(as_mapping(envelope.get("fixes")).get("fixed")))
    return (f"hh searched for a corrected text: {fixed}",) if fixed else ()
