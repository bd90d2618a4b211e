"""Matches that wait to be judged, in words: why, and what brings them on."""

from collections.abc import Iterator

from inforadar.bootstrap import App
from inforadar.domain.status import Status
from inforadar.interfaces.cli.wording import counted
from inforadar.interfaces.source_standing import WELL, SourceStanding
from inforadar.interfaces.standing import JUDGE, Standing
from inforadar.observe import process
from inforadar.service.scheduler import SCHEDULER_LEASE
from inforadar.store import jobs, leases, matches
from inforadar.store.database import Tx

MOST_RUNNING = 100


def waiting_words(standing: Standing) -> Iterator[str]:
    """A sentence on the queued matches, if there are any, and one on the skipped."""
    if queued := standing.matches.get(Status.QUEUED, 0):
        yield f"{_matches(queued)} to be looked at; radar run or radar work goes on with {_them(queued)}."
    if skipped := standing.matches.get(Status.SKIPPED, 0):
        yield f"{_matches(skipped)} for another try: {_why(_judge(standing), standing, _them(skipped))}"


def unattended_words(app: App) -> str | None:
    """A sentence on the queued matches where nobody is at work on them; None = there are none, or somebody is."""
    with app.database.reading() as tx:
        queued = matches.counts(tx).get(Status.QUEUED, 0)
        if not queued or is_attended(tx, app.config.work.job_lock_timeout_s):
            return None
    return f"{_matches(queued)} to be judged: `radar run` or `radar work` does that."


def is_attended(tx: Tx, lock_timeout_s: float) -> bool:
    """Whether jobs are done now: somebody schedules them, or one is being done by a worker that lives."""
    scheduler = leases.held(tx).get(SCHEDULER_LEASE)
    if scheduler and not process.is_dead(scheduler.holder):
        return True
    running = jobs.search(tx, status="running", limit=MOST_RUNNING)
    lost = {job.id for job in jobs.stuck(tx, lock_timeout_s=lock_timeout_s, limit=MOST_RUNNING)}
    return any(job.id not in lost for job in running)


def _matches(number: int) -> str:
    return f"{counted(number, 'match', 'matches')} {'waits' if number == 1 else 'wait'}"


def _them(number: int) -> str:
    return "it" if number == 1 else "them"


def _judge(standing: Standing) -> SourceStanding | None:
    return next((one.asked for one in standing.services if one.name == JUDGE), None)


def _why(judge: SourceStanding | None, standing: Standing, them: str) -> str:
    """What they wait for: the judge's recovery, or the next turn of recovery itself."""
    if judge is None or judge.state(standing.now) in WELL:
        return f"the next radar run or radar work takes {them} up."
    why = judge.why(standing.now) or "it does not answer"
    return (
        f"the judge failed ({why}). Mend it (radar doctor looks at it); radar run or radar work then takes {them} up."
    )
