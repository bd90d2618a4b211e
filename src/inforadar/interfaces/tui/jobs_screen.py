"""The jobs screen: the queue, kept up to date, and the keys that mend it."""

from collections.abc import Callable
from functools import partial
from typing import ClassVar

from textual.binding import Binding, BindingType

from inforadar.domain.errors import RadarError
from inforadar.interfaces.tui.beside import beside
from inforadar.interfaces.tui.desk import Desk
from inforadar.interfaces.tui.jobs_report import read_jobs_report
from inforadar.interfaces.tui.report_screen import ReportScreen
from inforadar.store import jobs
from inforadar.store.database import Tx

WHO = "user"
NOTHING = "The queue is empty."
RETRIED = "Job {id} runs as soon as a worker is free: in `radar run` or `radar work`."
NOT_RETRIED = "Job {id} runs, has succeeded, or another one is to do the same work."
CANCELLED = "Job {id} is cancelled; t lets it run after all."
NOT_CANCELLED = "Job {id} is finished."

Change = Callable[[Tx, int], bool]
"""Changes a job; False = it cannot be."""


class JobsScreen(ReportScreen):
    """Jobs, newest first; one can be tried again or cancelled."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("t", "retry", "Try again"),
        Binding("c", "cancel", "Cancel"),
    ]

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk, "Jobs", read_jobs_report, NOTHING)

    def action_retry(self) -> None:
        """Let the job under the cursor run at once, with fresh attempts."""
        self._change(lambda tx, job_id: jobs.retry(tx, job_id, who=WHO), RETRIED, NOT_RETRIED)

    def action_cancel(self) -> None:
        """End the job under the cursor."""
        self._change(lambda tx, job_id: jobs.cancel(tx, job_id, who=WHO), CANCELLED, NOT_CANCELLED)

    def _change(self, change: Change, done: str, undone: str) -> None:
        if (job_id := self.row_id) is not None:
            beside(self, partial(self._changed, change, job_id, done, undone), self._refused, group="change")

    async def _changed(self, change: Change, job_id: int, done: str, undone: str) -> None:
        is_done = await self._desk.write(lambda tx: change(tx, job_id))
        self.tell((done if is_done else undone).format(id=job_id))
        self.reload()

    def _refused(self, error: RadarError) -> None:
        self.tell(str(error))
