"""SmartRecruiters: the public postings of a company, a hundred a page; the texts are on their own pages."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from inforadar.domain.errors import Unreadable
from inforadar.domain.item import Draft
from inforadar.domain.paging import Page, Paging, Position
from inforadar.domain.ports import Detail, Request
from inforadar.sources.board_kinds import BoardWithPages
from inforadar.sources.boards import BoardQuery, identity, opening
from inforadar.sources.reading import as_int, as_mapping, as_text, read_page, read_time
from inforadar.sources.text import clean_line, plain_text

SECTIONS = ("companyDescription", "jobDescription", "qualifications", "additionalInformation")


class SmartRecruiters(BoardWithPages):
    """api.smartrecruiters.com as a source of vacancies: exact totals, a company it does not know has none."""

    name = "smartrecruiters"
    title = "SmartRecruiters"
    paging = Paging(kind="offset", size=100, has_exact_total=True, absence_closes=True)
    default_base_url = "https://api.smartrecruiters.com"

    def list_request(self, board: str, position: Position) -> Request:
        """The request for one page of the board."""
        path = f"/v1/companies/{quote(board, safe='')}/postings"
        params = (("limit", str(position.size)), ("offset", str(position.offset)))
        return Request(path=path, params=params, headers=self._headers)

    def page(self, told: Any, position: Position) -> Page:
        """The postings under `content`, with the number of all of them."""
        content, total = as_mapping(told).get("content"), as_int(as_mapping(told).get("totalFound"))
        if not isinstance(content, list) or total is None or total < 0:
            raise Unreadable("SmartRecruiters' answer holds no list of postings")
        is_last = position.offset + len(content) >= total
        return read_page(
            content, lambda one: self.draft(as_mapping(one)), total=total, is_last=is_last, key_of=self.key_of
        )

    def opening_request(self, board: str, posting_id: str) -> Request:
        """The request for one posting."""
        path = f"/v1/companies/{quote(board, safe='')}/postings/{quote(posting_id, safe='')}"
        return Request(path=path, headers=self._headers)

    def detail(self, entry: Mapping[str, Any]) -> Detail:
        """What is not active any more is closed."""
        if entry.get("active") is False:
            return Detail(availability="gone", is_closed=True)
        return super().detail(entry)

    def draft(self, entry: Mapping[str, Any]) -> Draft:
        """The draft of one posting."""
        return read_posting(entry, self._query)


def read_posting(posting: Mapping[str, Any], query: BoardQuery) -> Draft:
    """The draft of one posting; raises Unreadable without id or name."""
    posting_id, title = identity(posting.get("id"), posting.get("name"))
    company, place = as_mapping(posting.get("company")), as_mapping(posting.get("location"))
    remote = place.get("remote")
    name = as_text(company.get("identifier")) or query.board
    return opening(
        query,
        posting_id,
        title=title,
        url=f"https://jobs.smartrecruiters.com/{quote(name, safe='', errors='replace')}/{posting_id}",
        published_at=read_time(posting.get("releasedDate")),
        company=as_text(company.get("name")),
        place=_place(place),
        department=_label(posting.get("department")),
        employment=_label(posting.get("typeOfEmployment")),
        level=_label(posting.get("experienceLevel")),
        work_format=[form for flag, form in (("remote", "REMOTE"), ("hybrid", "HYBRID")) if place.get(flag) is True],
        remote=remote if isinstance(remote, bool) else None,
        full_text=_text(posting),
    )


def _place(place: Mapping[str, Any]) -> str:
    whole = clean_line(as_text(place.get("fullLocation"))).replace(", ,", ",")
    parts = (clean_line(as_text(place.get(name))) for name in ("city", "region", "country"))
    return whole or ", ".join(part for part in parts if part)


def _label(value: Any) -> str:
    return clean_line(as_text(as_mapping(value).get("label")))


def _text(posting: Mapping[str, Any]) -> str:
    sections = as_mapping(as_mapping(posting.get("jobAd")).get("sections"))
    texts = (plain_text(as_text(as_mapping(sections.get(name)).get("text"))) for name in SECTIONS)
    return "\n".join(text for text in texts if text)
