"""Jobs: their states, those that are stuck or failed, and the buttons that mend them."""

from collections.abc import Callable
from datetime import timedelta
from typing import Annotated, get_args

from fastapi import APIRouter, HTTPException, Query, Request
from starlette.responses import Response

from inforadar.domain.job import JobStatus
from inforadar.interfaces.cli.job_lines import job_about, read_titles
from inforadar.interfaces.web.answers import Parts, Radar, nowhere
from inforadar.interfaces.web.asked import LARGEST_ID, LONGEST_TEXT, Id
from inforadar.interfaces.web.pages.decisions import WHO
from inforadar.interfaces.web.pages.forms import OwnForm, go_to, own_path
from inforadar.interfaces.web.pages.rendering import page
from inforadar.store import jobs

SHOWN = 50
MOST_COUNTED = 1000
STATUSES: tuple[JobStatus, ...] = get_args(JobStatus)

router = APIRouter(include_in_schema=False)

Wanted = Annotated[JobStatus | None, Query()]
Kind = Annotated[str, Query(max_length=LONGEST_TEXT)]
Before = Annotated[int | None, Query(ge=1, le=LARGEST_ID)]


@router.get("/jobs")
def show_jobs(
    request: Request, radar: Radar, status: Wanted = None, kind: Kind = "", before: Before = None
) -> Response:
    """Jobs, the latest put first."""
    timeout_s = radar.app.config.work.job_lock_timeout_s
    with radar.app.database.reading() as tx:
        found = jobs.search(tx, status=status, kind=kind or None, before_id=before, limit=SHOWN)
        stuck = jobs.stuck(tx, lock_timeout_s=timeout_s)
        paused = jobs.paused_kinds(tx)
        counts = jobs.counts_up_to(tx, MOST_COUNTED)
        titles = read_titles(tx, found)
        now = tx.store_now()  # jobs keep the time of the store
    return page(
        request,
        "jobs.html",
        now=now,
        jobs=found,
        about={job.id: job_about(job, titles) for job in found},
        stuck_ids={job.id for job in stuck},
        stuck=stuck,
        stuck_after=timedelta(seconds=timeout_s).total_seconds(),
        paused=paused,
        status=status,
        kind=kind,
        counts=[(one, min(counts[one], MOST_COUNTED), counts[one] > MOST_COUNTED) for one in STATUSES],
        more=found[-1].id if len(found) == SHOWN else None,
    )


@router.get("/jobs/{job_id}")
def show_job(request: Request, radar: Radar, job_id: Id) -> Response:
    """One job with its history."""
    with radar.app.database.reading() as tx:
        job = jobs.get(tx, job_id)
        if job is None:
            raise nowhere(f"job {job_id}")
        history, titles, now = jobs.history(tx, job_id), read_titles(tx, [job]), tx.store_now()
    return page(request, "job.html", now=now, job=job, about=job_about(job, titles), history=history)


@router.post("/jobs/{job_id}/retry")
def retry_job(radar: Radar, job_id: Id, form: OwnForm) -> Response:
    """Let a failed or waiting job run at once."""
    return _change(
        radar, job_id, jobs.retry, "runs, has succeeded, or another one is to do the same work", form.one("back")
    )


@router.post("/jobs/{job_id}/cancel")
def cancel_job(radar: Radar, job_id: Id, form: OwnForm) -> Response:
    """End a job that is not finished."""
    return _change(radar, job_id, jobs.cancel, "is finished", form.one("back"))


def _change(radar: Parts, job_id: int, change: Callable[..., bool], otherwise: str, back: str) -> Response:
    with radar.app.database.transaction() as tx:
        if not change(tx, job_id, who=WHO):
            known = jobs.get(tx, job_id) is not None
            raise HTTPException(409, f"Job {job_id} {otherwise}.") if known else nowhere(f"job {job_id}")
    return go_to(own_path(back) if back else "/jobs")
