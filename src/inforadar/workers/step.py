"""What a worker is given to run: the step of each kind of job, and what a step may ask of its worker."""

from collections.abc import Callable
from dataclasses import dataclass

from inforadar.domain.job import BASE_MINUTES, MAX_ATTEMPTS, Job, Outcome
from inforadar.domain.ports import Clock
from inforadar.store.database import Database
from inforadar.store.queue import Terms

TIME_LIMIT_S = 600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """What a running step may use; effects on our database belong into its outcome, not here.

    `is_stopping`: the worker shuts down, so come to an end soon. `is_lost`: the job is somebody else's by now, so
    nothing that is done for it counts any more. `progress`: the step got on, so its time limit begins anew.
    """

    database: Database
    clock: Clock
    is_stopping: Callable[[], bool]
    is_lost: Callable[[], bool]
    progress: Callable[[], None] = lambda: None


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """How jobs of one kind are done: how long one may take, how often it is tried, how many run at once anywhere.

    `time_limit_s`: the longest a step may run without getting on (see `Context.progress`).

    `isolates_suspects`: one that has lost worker after worker is run alone; not for steps that take long.
    """

    run: Callable[[Job, Context], Outcome]
    time_limit_s: float = TIME_LIMIT_S
    max_attempts: int = MAX_ATTEMPTS
    concurrency: int | None = None
    base_minutes: float = BASE_MINUTES
    isolates_suspects: bool = True

    @property
    def terms(self) -> Terms:
        """On what terms its jobs are claimed."""
        return Terms(
            max_attempts=self.max_attempts, concurrency=self.concurrency, isolates_suspects=self.isolates_suspects
        )
