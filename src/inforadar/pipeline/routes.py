"""Which step follows: the jobs of the pipeline, each made in one place; those that other rooms put too are made
where jobs are kept.

process ──> (deliveries) ──> deliver ──> edit, whenever what a message shows has changed
recover ──> process          check ──> edit
"""

from datetime import datetime

from inforadar.domain.job import NewJob
from inforadar.store.jobs import EDIT, OUT_FIRST, edit_job

__all__ = ["CHECK", "DELIVER", "EDIT", "PROCESS", "RECOVER", "check_job", "deliver_job", "edit_job", "recover_job"]

PROCESS = "process"
DELIVER = "deliver"
RECOVER = "recover"
CHECK = "check"


def deliver_job(delivery_id: int, sink: str, due_at: datetime | None = None) -> NewJob:
    """The job that sends one delivery, or the digest it is part of."""
    return NewJob(
        kind=DELIVER,
        args={"delivery_id": delivery_id},
        source=sink,
        unique_key=f"{DELIVER}:{delivery_id}",
        priority=OUT_FIRST,
        run_at=due_at,
    )


def recover_job(since: datetime | None = None) -> NewJob:
    """The job that gives skipped matches another chance; `since` reaches further back than the usual window."""
    args = {"since": since.isoformat()} if since else {}
    return NewJob(kind=RECOVER, args=args, unique_key=f"{RECOVER}:{'return' if since else 'tick'}", priority=OUT_FIRST)


def check_job(match_id: int, *, source: str) -> NewJob:
    """The job that looks an open match up again, after everything that is new."""
    return NewJob(kind=CHECK, args={"match_id": match_id}, source=source, unique_key=f"{CHECK}:{match_id}", priority=1)
