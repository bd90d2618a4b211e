"""Greenhouse: the public board of a company, whole in one answer, with the full texts."""

import html
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from inforadar.domain.errors import Unreadable
from inforadar.domain.item import Draft
from inforadar.domain.paging import Page, Position
from inforadar.domain.ports import Request
from inforadar.sources.board_kinds import BoardWithPages
from inforadar.sources.boards import BoardQuery, identity, opening, web_address
from inforadar.sources.reading import as_int, as_list, as_mapping, as_text, read_page, read_time
from inforadar.sources.text import clean_line, plain_text


class Greenhouse(BoardWithPages):
    """boards-api.greenhouse.io as a source of vacancies."""

    name = "greenhouse"
    title = "Greenhouse"
    default_base_url = "https://boards-api.greenhouse.io"

    def list_request(self, board: str, position: Position) -> Request:  # noqa: ARG002 - there are no pages
        """The request for the whole board with the texts."""
        path = f"/v1/boards/{quote(board, safe='')}/jobs"
        return Request(path=path, params=(("content", "true"),), headers=self._headers)

    def page(self, told: Any, position: Position) -> Page:  # noqa: ARG002 - there are no pages
        """The openings under `jobs`; their number is told too."""
        jobs = as_mapping(told).get("jobs")
        if not isinstance(jobs, list):
            raise Unreadable("Greenhouse's answer holds no list of jobs")
        total = as_int(as_mapping(as_mapping(told).get("meta")).get("total"))
        return read_page(jobs, lambda job: self.draft(as_mapping(job)), total=total, is_last=True, key_of=self.key_of)

    def opening_request(self, board: str, posting_id: str) -> Request:
        """The request for one job."""
        path = f"/v1/boards/{quote(board, safe='')}/jobs/{quote(posting_id, safe='')}"
        return Request(path=path, headers=self._headers)

    def draft(self, entry: Mapping[str, Any]) -> Draft:
        """The draft of one job."""
        return read_job(entry, self._query)


def read_job(job: Mapping[str, Any], query: BoardQuery) -> Draft:
    """The draft of one job; raises Unreadable without id or title."""
    job_id, title = identity(job.get("id"), job.get("title"))
    place = clean_line(as_text(as_mapping(job.get("location")).get("name")))
    return opening(
        query,
        job_id,
        title=title,
        url=web_address(job.get("absolute_url"), f"https://job-boards.greenhouse.io/{query.board}/jobs/{job_id}"),
        published_at=read_time(job.get("first_published")) or read_time(job.get("updated_at")),
        company=as_text(job.get("company_name")),
        place=place,
        places=_names(job.get("offices")),
        department=", ".join(_names(job.get("departments"))),
        remote=True if "remote" in place.lower() else None,
        language=clean_line(as_text(job.get("language"))),
        # the HTML itself is escaped once more
        full_text=plain_text(html.unescape(as_text(job.get("content")))),
    )


def _names(value: Any) -> list[str]:
    names = (clean_line(as_text(as_mapping(one).get("name"))) for one in as_list(value))
    return [name for name in names if name]
