"""Workable: the widget of a company's openings, whole in one answer; dates are days."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from inforadar.domain.errors import Unreadable
from inforadar.domain.item import Draft
from inforadar.domain.paging import Page, Position
from inforadar.domain.ports import Answer, Detail, Request
from inforadar.sources.boards import (
    POSTING,
    Board,
    BoardQuery,
    as_id,
    asked_posting,
    detail_of,
    opening,
    split_key,
    web_address,
)
from inforadar.sources.reading import as_list, as_mapping, as_text, failure, read_day, read_json, read_page
from inforadar.sources.text import clean_line, plain_text


class Workable(Board):
    """apply.workable.com as a source of vacancies: one host for all companies, soon asked too often."""

    name = "workable"
    title = "Workable"
    default_base_url = "https://apply.workable.com"
    default_rate_limit_per_minute = 20

    def list_request(self, board: str, position: Position) -> Request:  # noqa: ARG002 - there are no pages
        """The request for the whole board with the texts."""
        return self._board_request(board)

    def page(self, told: Any, position: Position) -> Page:  # noqa: ARG002 - there are no pages
        """The openings under `jobs`; the company's name stands above them."""
        company = as_text(as_mapping(told).get("name"))
        return read_page(_jobs(told), lambda job: read_job(as_mapping(job), self._query, company), is_last=True)

    def detail_request(self, key: str, url: str) -> Request:  # noqa: ARG002 - the key is enough
        """The request for the board again, which says which opening it is about."""
        board, job_id = split_key(key)
        return self._board_request(board, (POSTING, job_id))

    def read_detail(self, answer: Answer) -> Detail:
        """Not on the board is gone; a board that is not there says nothing about its openings."""
        if answer.status != 200:
            raise failure(answer)
        told, asked = read_json(answer.body), asked_posting(answer)
        jobs = [as_mapping(job) for job in _jobs(told)]
        found = next((job for job in jobs if asked and job.get("shortcode") == asked), None)
        if found is not None:
            return detail_of(read_job(found, self._query, as_text(as_mapping(told).get("name"))))
        return Detail(availability="gone" if asked and jobs else "no verdict")

    def _board_request(self, board: str, *marks: tuple[str, str]) -> Request:
        path = f"/api/v1/widget/accounts/{quote(board, safe='')}"
        return Request(path=path, params=(("details", "true"), *marks), headers=self._headers)


def _jobs(told: Any) -> list[Any]:
    jobs = as_mapping(told).get("jobs")
    if not isinstance(jobs, list):
        raise Unreadable("Workable's answer holds no list of jobs")
    return jobs


def read_job(job: Mapping[str, Any], query: BoardQuery, company: str) -> Draft:
    """The draft of one job; raises Unreadable without code or title."""
    job_id, title = as_id(job.get("shortcode")), clean_line(as_text(job.get("title")))
    if job_id is None or not title:
        raise Unreadable("a job without shortcode or title")
    remote = job.get("telecommuting")
    return opening(
        query,
        job_id,
        title=title,
        url=web_address(job.get("url"), f"https://apply.workable.com/j/{job_id}"),
        published_at=read_day(job.get("published_on")) or read_day(job.get("created_at")),
        company=company,
        place=_place(job),
        places=[place for place in map(_place, map(as_mapping, as_list(job.get("locations")))) if place],
        department=clean_line(as_text(job.get("department"))),
        employment=clean_line(as_text(job.get("employment_type"))),
        level=clean_line(as_text(job.get("experience"))),
        remote=remote if isinstance(remote, bool) else None,
        full_text=plain_text(as_text(job.get("description"))),
    )


def _place(told: Mapping[str, Any]) -> str:
    parts = (clean_line(as_text(told.get(name))) for name in ("city", "region", "state", "country"))
    return ", ".join(part for part in parts if part)
