"""Lever: the public postings of a company, whole in one answer, with the full texts."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import quote

from inforadar.domain.errors import Unreadable
from inforadar.domain.item import Draft
from inforadar.domain.paging import Page, Position
from inforadar.domain.ports import Request
from inforadar.sources.board_kinds import BoardWithPages
from inforadar.sources.boards import BoardQuery, identity, opening, web_address
from inforadar.sources.reading import (
    EARLIEST_YEAR,
    LATEST_YEAR,
    as_int,
    as_list,
    as_mapping,
    as_text,
    read_page,
)
from inforadar.sources.salaries import salary
from inforadar.sources.text import clean_line, clean_lines, plain_text

FORMATS = {"remote": "REMOTE", "hybrid": "HYBRID", "on-site": "ON_SITE", "onsite": "ON_SITE"}

_ZERO = datetime(1970, 1, 1, tzinfo=UTC)


class Lever(BoardWithPages):
    """api.lever.co as a source of vacancies."""

    name = "lever"
    title = "Lever"
    default_base_url = "https://api.lever.co"

    def list_request(self, board: str, position: Position) -> Request:  # noqa: ARG002 - asked without `limit`
        """The request for all postings; without `limit` Lever sends them all."""
        path = f"/v0/postings/{quote(board, safe='')}"
        return Request(path=path, params=(("mode", "json"),), headers=self._headers)

    def page(self, told: Any, position: Position) -> Page:  # noqa: ARG002 - there are no pages
        """The postings, which are the answer itself."""
        if not isinstance(told, list):
            raise Unreadable("Lever's answer is no list of postings")
        return read_page(told, lambda posting: self.draft(as_mapping(posting)), is_last=True, key_of=self.key_of)

    def opening_request(self, board: str, posting_id: str) -> Request:
        """The request for one posting."""
        path = f"/v0/postings/{quote(board, safe='')}/{quote(posting_id, safe='')}"
        return Request(path=path, params=(("mode", "json"),), headers=self._headers)

    def draft(self, entry: Mapping[str, Any]) -> Draft:
        """The draft of one posting."""
        return read_posting(entry, self._query)


def read_posting(posting: Mapping[str, Any], query: BoardQuery) -> Draft:
    """The draft of one posting; raises Unreadable without id or title."""
    posting_id, title = identity(posting.get("id"), posting.get("text"))
    named, pay = as_mapping(posting.get("categories")), as_mapping(posting.get("salaryRange"))
    form = FORMATS.get(as_text(posting.get("workplaceType")).lower())
    return opening(
        query,
        posting_id,
        title=title,
        url=web_address(posting.get("hostedUrl"), f"https://jobs.lever.co/{query.board}/{posting_id}"),
        published_at=read_epoch_ms(posting.get("createdAt")),
        place=clean_line(as_text(named.get("location"))),
        places=[clean_line(place) for place in as_list(named.get("allLocations")) if isinstance(place, str)],
        department=clean_line(as_text(named.get("department"))),
        team=clean_line(as_text(named.get("team"))),
        employment=clean_line(as_text(named.get("commitment"))),
        work_format=[form] if form else [],
        remote=form == "REMOTE" if form else None,
        salary=salary(pay.get("min"), pay.get("max"), pay.get("currency"), pay.get("interval")),
        full_text=_text(posting),
    )


def read_epoch_ms(value: Any) -> datetime | None:
    """A moment as milliseconds since 1970, an impossible year as no date."""
    number = as_int(value)
    try:
        moment = None if number is None else _ZERO + timedelta(milliseconds=number)
    except OverflowError:
        return None
    return moment if moment is not None and EARLIEST_YEAR <= moment.year <= LATEST_YEAR else None


def _text(posting: Mapping[str, Any]) -> str:
    """Description, lists and closing, in the order of the posting's page."""
    parts = [_part(posting, "description")]
    for one in map(as_mapping, as_list(posting.get("lists"))):
        parts += [clean_line(as_text(one.get("text"))), plain_text(as_text(one.get("content")))]
    parts.append(_part(posting, "additional"))
    return "\n".join(part for part in parts if part)


def _part(posting: Mapping[str, Any], name: str) -> str:
    plain = clean_lines(as_text(posting.get(f"{name}Plain")))
    return plain or plain_text(as_text(posting.get(name)))
