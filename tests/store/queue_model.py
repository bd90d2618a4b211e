"""A model of the queue in a few lines of Python: what the store must do, without a database, threads or time."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from inforadar.domain.job import SUSPECT_LOSSES, UNFINISHED, WAITING, JobStatus, NewJob, Settlement
from inforadar.store.queue import Terms

LOCK_TIMEOUT_S = 300


@dataclass(slots=True)
class ModelJob:
    """One job as the model sees it; times are seconds since the model began."""

    id: int
    new: NewJob
    due_at: float
    status: JobStatus = "pending"
    attempts: int = 0
    max_attempts: int = 5
    retry_count: int = 0
    losses: int = 0
    worker: str | None = None
    beat_at: float = 0.0
    completed_at: float | None = None
    events: list[str] = field(default_factory=list)


@dataclass(slots=True)
class QueueModel:
    """Jobs by id, paused kinds, and the time."""

    jobs: dict[int, ModelJob] = field(default_factory=dict)
    paused: set[str] = field(default_factory=set)
    now: float = 0.0

    def may_put(self, new: NewJob) -> bool:
        """Whether no unfinished job has its key."""
        taken = {job.new.unique_key for job in self.jobs.values() if job.status in UNFINISHED}
        return new.unique_key is None or new.unique_key not in taken

    def claim(
        self,
        worker: str,
        terms: Mapping[str, Terms],
        n: int,
        closed: Collection[str],
        is_empty_handed: bool,
        is_patient: bool,
    ) -> list[int]:
        """Ids of the jobs claimed, in the order of their claim; a suspect is claimed alone while that is waited for."""
        is_careful = is_empty_handed or is_patient

        def claimed() -> list[int]:
            if is_careful:
                return self._claim_with_care(worker, terms, n, closed, is_empty_handed)
            return self._claim(worker, terms, n, closed, are_suspects=None)

        taken = claimed()
        has_suspect = any(self.jobs[job_id].losses >= SUSPECT_LOSSES for job_id in taken)
        if len(taken) < n and not has_suspect and self.reclaim() and not taken:
            taken = claimed()
        return taken

    def settle(self, worker: str, job_id: int, attempt: int, settlement: Settlement) -> bool:
        """Whether it was the worker's to settle."""
        job = self.jobs.get(job_id)
        if job is None or (job.status, job.worker, job.attempts) != ("running", worker, attempt):
            return False
        self._move(job, settlement.status)
        job.max_attempts += settlement.more_attempts
        job.retry_count += settlement.move == "retry"
        job.losses = 0
        if settlement.delay is not None:
            job.due_at = self.now + settlement.delay.total_seconds()
        if settlement.move in ("retry", "failure"):
            job.events.append(settlement.move)
        return True

    def beat(self, worker: str, job_id: int, attempt: int) -> bool:
        """Whether it is still the worker's."""
        job = self.jobs.get(job_id)
        if job is None or (job.status, job.worker, job.attempts) != ("running", worker, attempt):
            return False
        job.beat_at = self.now
        return True

    def reclaim(self) -> list[int]:
        """Ids of the jobs taken from silent workers."""
        lost = [
            job for job in self.jobs.values() if job.status == "running" and self.now - job.beat_at >= LOCK_TIMEOUT_S
        ]
        for job in lost:
            self._move(job, "failed" if job.attempts >= job.max_attempts else "pending")
            job.due_at = self.now
            job.losses += 1
            job.events.append("loss")
        return sorted(job.id for job in lost)

    def cancel(self, job_id: int) -> bool:
        """Whether there was something to cancel."""
        job = self.jobs[job_id]
        if job.status not in UNFINISHED:
            return False
        job.status, job.completed_at = "failed", self.now
        job.events.append("cancel")
        return True

    def retry(self, job_id: int, more: int) -> bool:
        """Whether it may run again."""
        job = self.jobs[job_id]
        others = [other for other in self.jobs.values() if other is not job and other.status in UNFINISHED]
        is_taken = job.new.unique_key is not None and job.new.unique_key in {one.new.unique_key for one in others}
        if job.status not in WAITING | {"failed"} or is_taken:
            return False
        self._move(job, "pending")
        job.due_at, job.retry_count, job.max_attempts = self.now, 0, job.attempts + more
        job.losses = 0
        job.events.append("retry by hand")
        return True

    def prune(self, before: float) -> int:
        """How many finished jobs are forgotten."""
        old = [job.id for job in self.jobs.values() if job.completed_at is not None and job.completed_at < before]
        for job_id in old:
            del self.jobs[job_id]
        return len(old)

    def _claim_with_care(
        self, worker: str, terms: Mapping[str, Terms], n: int, closed: Collection[str], is_empty_handed: bool
    ) -> list[int]:
        if not any(
            job.losses >= SUSPECT_LOSSES and self._is_claimable(job, terms, closed) for job in self.jobs.values()
        ):
            return self._claim(worker, terms, n, closed, are_suspects=False)
        if not is_empty_handed:
            return []
        suspects = self._claim(worker, terms, 1, closed, are_suspects=True)
        return suspects or self._claim(worker, terms, n, closed, are_suspects=False)

    def _claim(
        self, worker: str, terms: Mapping[str, Terms], n: int, closed: Collection[str], *, are_suspects: bool | None
    ) -> list[int]:
        taken: list[int] = []
        for job in sorted(self.jobs.values(), key=lambda job: (-job.new.priority, job.id)):
            is_meant = are_suspects in (None, job.losses >= SUSPECT_LOSSES)
            if len(taken) < n and is_meant and self._is_claimable(job, terms, closed):
                job.max_attempts = job.max_attempts if job.attempts else terms[job.new.kind].max_attempts
                job.status, job.worker, job.beat_at = "running", worker, self.now
                job.attempts += 1
                taken.append(job.id)
        return taken

    def _is_claimable(self, job: ModelJob, terms: Mapping[str, Terms], closed: Collection[str]) -> bool:
        kind = job.new.kind
        if job.status not in WAITING or job.due_at > self.now or kind not in terms or kind in self.paused:
            return False
        running = sum(other.status == "running" and other.new.kind == kind for other in self.jobs.values())
        limit = terms[kind].concurrency
        return job.new.source not in closed and (limit is None or running < limit)

    def _move(self, job: ModelJob, status: JobStatus) -> None:
        job.status = status
        job.completed_at = self.now if status in ("succeeded", "failed") else None
        if status not in ("succeeded", "failed"):
            job.worker = None
