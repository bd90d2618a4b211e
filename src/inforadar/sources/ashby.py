"""Ashby: the public board of a company, whole in one answer, with full texts and pay."""

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
from inforadar.sources.reading import as_list, as_mapping, as_text, failure, read_json, read_page, read_time
from inforadar.sources.salaries import salary
from inforadar.sources.text import clean_line, clean_lines, plain_text

FORMATS = {"remote": "REMOTE", "hybrid": "HYBRID", "onsite": "ON_SITE"}


class Ashby(Board):
    """api.ashbyhq.com as a source of vacancies; an opening has no address of its own there."""

    name = "ashby"
    title = "Ashby"
    default_base_url = "https://api.ashbyhq.com"

    def list_request(self, board: str, position: Position) -> Request:  # noqa: ARG002 - there are no pages
        """The request for the whole board with pay."""
        return self._board_request(board)

    def page(self, told: Any, position: Position) -> Page:  # noqa: ARG002 - there are no pages
        """The openings under `jobs` that the company lists."""
        return read_page(_listed(told), lambda job: read_job(as_mapping(job), self._query), is_last=True)

    def detail_request(self, key: str, url: str) -> Request:  # noqa: ARG002 - the key is enough
        """The request for the board again, which says which opening it is about."""
        board, job_id = split_key(key)
        return self._board_request(board, (POSTING, job_id))

    def read_detail(self, answer: Answer) -> Detail:
        """Not on the board is gone; a board that is not there says nothing about its openings."""
        if answer.status != 200:
            raise failure(answer)
        asked = asked_posting(answer)
        jobs = [as_mapping(job) for job in _listed(read_json(answer.body))]
        found = next((job for job in jobs if asked and job.get("id") == asked), None)
        if found is not None:
            return detail_of(read_job(found, self._query))
        return Detail(availability="gone" if asked and jobs else "no verdict")

    def _board_request(self, board: str, *marks: tuple[str, str]) -> Request:
        path = f"/posting-api/job-board/{quote(board, safe='')}"
        return Request(path=path, params=(("includeCompensation", "true"), *marks), headers=self._headers)


def _listed(told: Any) -> list[Any]:
    jobs = as_mapping(told).get("jobs")
    if not isinstance(jobs, list):
        raise Unreadable("Ashby's answer holds no list of jobs")
    return [job for job in jobs if as_mapping(job).get("isListed") is not False]


def read_job(job: Mapping[str, Any], query: BoardQuery) -> Draft:
    """The draft of one job; raises Unreadable without id or title."""
    job_id, title = as_id(job.get("id")), clean_line(as_text(job.get("title")))
    if job_id is None or not title:
        raise Unreadable("a job without id or title")
    form = FORMATS.get(as_text(job.get("workplaceType")).lower())
    remote = job.get("isRemote")
    others = (as_mapping(one).get("location") for one in as_list(job.get("secondaryLocations")))
    return opening(
        query,
        job_id,
        title=title,
        url=web_address(job.get("jobUrl"), f"https://jobs.ashbyhq.com/{query.board}/{job_id}"),
        published_at=read_time(job.get("publishedAt")),
        place=clean_line(as_text(job.get("location"))),
        places=[place for place in map(clean_line, map(as_text, others)) if place],
        department=clean_line(as_text(job.get("department"))),
        team=clean_line(as_text(job.get("team"))),
        employment=clean_line(as_text(job.get("employmentType"))),
        work_format=[form] if form else [],
        remote=remote if isinstance(remote, bool) else None,
        **_pay(as_mapping(job.get("compensation"))),
        full_text=clean_lines(as_text(job.get("descriptionPlain"))) or plain_text(as_text(job.get("descriptionHtml"))),
    )


def _pay(told: Mapping[str, Any]) -> dict[str, Any]:
    parts = [as_mapping(part) for part in as_list(told.get("summaryComponents"))]
    wage = next((part for part in parts if as_text(part.get("compensationType")) == "Salary"), {})
    return {
        "salary": salary(wage.get("minValue"), wage.get("maxValue"), wage.get("currencyCode"), wage.get("interval")),
        "salary_text": clean_line(as_text(told.get("compensationTierSummary"))),
    }
