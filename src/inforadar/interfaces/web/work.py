"""What the machine does, over the REST API: jobs, to look at and to mend, and runs."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Query

from inforadar.interfaces.shapes import job_event_json, job_json, run_json
from inforadar.interfaces.web.answers import WHO, Json, Parts, Radar, nowhere
from inforadar.interfaces.web.asked import Id, JobFilters, RunFilters
from inforadar.interfaces.web.problems import ON_CHANGES, documented
from inforadar.interfaces.web.shown import JobPage, JobWithHistory, Runs
from inforadar.store import jobs, runs
from inforadar.store.database import Tx
from inforadar.store.jobs import JobView

router = APIRouter(prefix="/api", tags=["work"])

ON_JOBS = documented(404, 409, 422, *ON_CHANGES)


@router.get("/jobs", response_model=JobPage, responses=documented(422))
def list_jobs(radar: Radar, filters: Annotated[JobFilters, Query()]) -> Json:
    """Jobs, the latest put first."""
    with radar.app.database.reading() as tx:
        found = jobs.search(
            tx,
            status=filters.status,
            kind=filters.kind,
            source=filters.source,
            before_id=filters.before,
            limit=filters.limit,
        )
        lost_since = _lost_since(radar, tx)
    shown = [job_json(job, is_stuck=_is_stuck(job, lost_since)) for job in found]
    return Json({"jobs": shown, "next": found[-1].id if len(found) == filters.limit else None})


@router.get("/jobs/{job_id}", response_model=JobWithHistory, responses=documented(404, 422))
def show_job(radar: Radar, job_id: Id) -> Json:
    """One job, with what went wrong with it and what people did to it."""
    with radar.app.database.reading() as tx:
        return Json(_job(radar, tx, job_id))


@router.post("/jobs/{job_id}/retry", response_model=JobWithHistory, responses=ON_JOBS)
def retry_job(radar: Radar, job_id: Id) -> Json:
    """Let a failed or waiting job run at once, with fresh attempts."""
    return _change(radar, job_id, jobs.retry, "runs, has succeeded, or another one is to do the same work")


@router.post("/jobs/{job_id}/cancel", response_model=JobWithHistory, responses=ON_JOBS)
def cancel_job(radar: Radar, job_id: Id) -> Json:
    """End a job that is not finished; what a running one still does is not settled any more."""
    return _change(radar, job_id, jobs.cancel, "is finished")


@router.get("/runs", response_model=Runs, responses=documented(422))
def list_runs(radar: Radar, filters: Annotated[RunFilters, Query()]) -> Json:
    """The latest runs, newest first."""
    with radar.app.database.reading() as tx:
        found = runs.recent(tx, filters.query_key, filters.limit)
    return Json({"runs": [run_json(run) for run in found]})


def _change(radar: Parts, job_id: int, change: Callable[..., bool], otherwise: str) -> Json:
    with radar.app.database.transaction() as tx:
        if not change(tx, job_id, who=WHO):
            raise nowhere(f"job {job_id}") if jobs.get(tx, job_id) is None else _unfit(job_id, otherwise)
        return Json(_job(radar, tx, job_id))


def _unfit(job_id: int, why: str) -> HTTPException:
    return HTTPException(409, f"Job {job_id} {why}; nothing was changed.")


def _job(radar: Parts, tx: Tx, job_id: int) -> dict[str, Any]:
    job = jobs.get(tx, job_id)
    if job is None:
        raise nowhere(f"job {job_id}")
    history = [job_event_json(event) for event in jobs.history(tx, job_id)]
    return {**job_json(job, is_stuck=_is_stuck(job, _lost_since(radar, tx))), "history": history}


def _lost_since(radar: Parts, tx: Tx) -> datetime:
    """A running job without a sign of life since then is stuck."""
    return tx.store_now() - timedelta(seconds=radar.app.config.work.job_lock_timeout_s)


def _is_stuck(job: JobView, lost_since: datetime) -> bool:
    return job.status == "running" and job.heartbeat_at is not None and job.heartbeat_at <= lost_since
