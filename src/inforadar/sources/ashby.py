"""Ashby: the public board of a company, whole in one answer, with full texts and pay."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from inforadar.domain.errors import Unreadable
from inforadar.domain.item import Draft
from inforadar.domain.ports import Request
from inforadar.sources.board_kinds import BoardInOnePiece
from inforadar.sources.boards import BoardQuery, identity, opening, web_address
from inforadar.sources.reading import as_list, as_mapping, as_text, read_time
from inforadar.sources.salaries import salary
from inforadar.sources.text import clean_line, clean_lines, plain_text

FORMATS = {"remote": "REMOTE", "hybrid": "HYBRID", "onsite": "ON_SITE"}


class Ashby(BoardInOnePiece):
    """api.ashbyhq.com as a source of vacancies; an opening has no address of its own there."""

    name = "ashby"
    title = "Ashby"
    default_base_url = "https://api.ashbyhq.com"

    def board_request(self, board: str, *marks: tuple[str, str]) -> Request:
        """The request for the whole board with pay."""
        path = f"/posting-api/job-board/{quote(board, safe='')}"
        return Request(path=path, params=(("includeCompensation", "true"), *marks), headers=self._headers)

    def listed(self, told: Any) -> list[Any]:
        """The openings under `jobs` that the company lists."""
        jobs = as_mapping(told).get("jobs")
        if not isinstance(jobs, list):
            raise Unreadable("Ashby's answer holds no list of jobs")
        return [job for job in jobs if as_mapping(job).get("isListed") is not False]

    def draft(self, entry: Mapping[str, Any], told: Any) -> Draft:  # noqa: ARG002 - the entry says it all
        """The draft of one job."""
        return read_job(entry, self._query)


def read_job(job: Mapping[str, Any], query: BoardQuery) -> Draft:
    """The draft of one job; raises Unreadable without id or title."""
    job_id, title = identity(job.get("id"), job.get("title"))
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
