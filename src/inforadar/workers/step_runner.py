"""Running the step of one job: what it may use, and what its errors come to."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from inforadar.domain.errors import RadarError, Stopped
from inforadar.domain.job import Outcome, outcome_of
from inforadar.domain.ports import Clock
from inforadar.observe.log import get_log
from inforadar.store.database import Database
from inforadar.workers.crew import Assignment
from inforadar.workers.step import Context, Step

log = get_log("workers")


@dataclass(frozen=True, slots=True, kw_only=True)
class StepRunner:
    """Runs the step of whatever job it is given; whether the outcome counts, the database decides later."""

    database: Database
    steps: Mapping[str, Step]
    clock: Clock
    is_stopping: Callable[[], bool]

    def run(self, assignment: Assignment) -> Outcome:
        """What the step of a job decided, or what its error means for the job."""
        job = assignment.job
        context = Context(
            database=self.database,
            clock=self.clock,
            is_stopping=self.is_stopping,
            is_lost=lambda: assignment.is_lost,
            progress=partial(self._note_progress, assignment),
        )
        try:
            return self.steps[job.kind].run(job, context)
        except Exception as error:
            if not isinstance(error, Stopped):
                is_foreseen = isinstance(error, RadarError)
                log.warning("step failed", job=job.id, kind=job.kind, error=str(error), exc_info=not is_foreseen)
            return outcome_of(error, self.clock.now())

    def _note_progress(self, assignment: Assignment) -> None:
        assignment.progressed_at = self.clock.mono()
