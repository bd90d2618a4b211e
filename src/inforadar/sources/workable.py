"""Workable: the widget of a company's openings, whole in one answer; dates are days."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from inforadar.domain.errors import Unreadable
from inforadar.domain.item import Draft
from inforadar.domain.ports import Request
from inforadar.sources.board_kinds import BoardInOnePiece
from inforadar.sources.boards import BoardQuery, identity, opening, web_address
from inforadar.sources.reading import as_list, as_mapping, as_text, read_day
from inforadar.sources.text import clean_line, plain_text


class Workable(BoardInOnePiece):
    """apply.workable.com as a source of vacancies: one host for all companies, soon asked too often."""

    name = "workable"
    title = "Workable"
    default_base_url = "https://apply.workable.com"
    default_rate_limit_per_minute = 20
    id_field = "shortcode"

    def board_request(self, board: str, *marks: tuple[str, str]) -> Request:
        """The request for the whole board with the texts."""
        path = f"/api/v1/widget/accounts/{quote(board, safe='')}"
        return Request(path=path, params=(("details", "true"), *marks), headers=self._headers)

    def listed(self, told: Any) -> list[Any]:
        """The openings under `jobs`."""
        jobs = as_mapping(told).get("jobs")
        if not isinstance(jobs, list):
            raise Unreadable("Workable's answer holds no list of jobs")
        return jobs

    def draft(self, entry: Mapping[str, Any], told: Any) -> Draft:
        """The draft of one job; the company's name stands above all of them."""
        return read_job(entry, self._query, as_text(as_mapping(told).get("name")))


def read_job(job: Mapping[str, Any], query: BoardQuery, company: str) -> Draft:
    """The draft of one job; raises Unreadable without code or title."""
    job_id, title = identity(job.get("shortcode"), job.get("title"))
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
