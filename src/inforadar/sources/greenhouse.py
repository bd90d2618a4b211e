"""Greenhouse: the public board of a company, whole in one answer, with the full texts."""

import html
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from inforadar.domain.errors import Unreadable
from inforadar.domain.item import Draft
from inforadar.domain.paging import Page, Position
from inforadar.domain.ports import Answer, Detail, Request
from inforadar.sources.boards import Board, BoardQuery, as_id, detail_of, opening, split_key, web_address
from inforadar.sources.reading import (
    as_int,
    as_list,
    as_mapping,
    as_text,
    failure,
    read_json,
    read_page,
    read_time,
)
from inforadar.sources.text import clean_line, plain_text


class Greenhouse(Board):
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
        return read_page(jobs, lambda job: read_job(as_mapping(job), self._query), total=total, is_last=True)

    def detail_request(self, key: str, url: str) -> Request:  # noqa: ARG002 - the key is enough
        """The request for one opening."""
        board, job_id = split_key(key)
        return Request(path=f"/v1/boards/{quote(board, safe='')}/jobs/{quote(job_id, safe='')}", headers=self._headers)

    def read_detail(self, answer: Answer) -> Detail:
        """Not found is gone; every other refusal says nothing about the opening and is raised."""
        if answer.status in (404, 410):
            return Detail(availability="gone")
        if answer.status != 200:
            raise failure(answer)
        return detail_of(read_job(as_mapping(read_json(answer.body)), self._query))


def read_job(job: Mapping[str, Any], query: BoardQuery) -> Draft:
    """The draft of one job; raises Unreadable without id or title."""
    job_id, title = as_id(job.get("id")), clean_line(as_text(job.get("title")))
    if job_id is None or not title:
        raise Unreadable("a job without id or title")
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
