"""The job of the nightly sync: put when the window opens, run only while it is open, tried again three times.

done        everything that was due is in the sheet
window over what is left goes on next night
no answer   tried again, three times in all; then an alarm, and the next night tries anew
refused     an alarm at once: only a person can mend it
"""

from collections.abc import Callable
from dataclasses import asdict
from datetime import datetime, timedelta

from inforadar.domain.errors import LeaseLost, RateLimited, Refused, SourceError, Stopped
from inforadar.domain.job import Done, Fail, Job, NewJob, Outcome, Retry, Snooze
from inforadar.domain.schedule import Cron, DailyWindow
from inforadar.observe.log import get_log
from inforadar.service.alarms import Alarms
from inforadar.service.scheduler import Periodic
from inforadar.service.sheets import SHEETS, Busy, SheetsSync
from inforadar.service.sheets_table import Unsettled
from inforadar.store import deliveries, jobs
from inforadar.store.database import Tx
from inforadar.workers.step import Context, Step

RETRIES = 3
BUSY_PAUSE = timedelta(seconds=30)
BEFORE_ALL_ELSE = 10**12
NEXT_NIGHT = "the window was over before its turn came"

log = get_log("service")


class WindowOver(Stopped):
    """The hours in which the spreadsheet may be asked are over."""


def sheets_job() -> NewJob:
    """The one job of a sync."""
    return NewJob(kind=SHEETS, source=SHEETS, unique_key=SHEETS, priority=BEFORE_ALL_ELSE)


def sheets_work(window: DailyWindow, paced_at: Callable[[Tx], datetime]) -> Periodic:
    """The sync is put once a night, when the window opens or as soon after as somebody is there to put it."""
    return Periodic(
        name=SHEETS,
        rhythm=Cron(text=f"{window.start.minute} {window.start.hour} * * *", zone=window.zone),
        put=lambda tx: jobs.put(tx, [sheets_job()]),
        may_begin=lambda tx: window.is_open(paced_at(tx)),
    )


def sheets_step(sync: SheetsSync, alarms: Alarms) -> Step:
    """One sync, in its hours alone."""

    def run(job: Job, context: Context) -> Outcome:
        try:
            report = sync.run(_pulse(context, sync), lambda tx, told: alarms.sound(tx, SHEETS, told))
        except WindowOver:
            return Snooze(until=_put_off(context, sync, NEXT_NIGHT), reason=NEXT_NIGHT)
        except Unsettled as error:
            return Snooze(until=error.retry_at or context.clock.now() + BUSY_PAUSE, reason=str(error))
        except (Busy, LeaseLost) as error:
            return Snooze(until=context.clock.now() + BUSY_PAUSE, reason=str(error))
        except SourceError as error:
            return _failed(error, job, context)
        log.info("the spreadsheet is up to date", **asdict(report))
        return Done()

    def _failed(error: SourceError, job: Job, context: Context) -> Outcome:
        is_final = isinstance(error, Refused)
        if not is_final and not job.is_last_attempt:
            return Retry(error=str(error), delay=_delay(error, context.clock.now()))
        _put_off(context, sync, str(error))
        tries = "" if is_final else f" after {RETRIES} retries"
        with context.database.transaction() as tx:
            alarms.sound(tx, SHEETS, f"the spreadsheet could not be brought up to date{tries}: {error}")
        return Fail(error=str(error))

    return Step(run=run, concurrency=1, max_attempts=1 + RETRIES, isolates_suspects=False)


def _delay(error: SourceError, now: datetime) -> timedelta | None:
    if isinstance(error, RateLimited) and error.retry_at is not None:
        return max(error.retry_at - now, timedelta(0))
    return None


def _put_off(context: Context, sync: SheetsSync, why: str) -> datetime:
    """What is due and was not written waits for the next night, and says why; when that begins by our clock."""
    now = context.clock.now()
    opening = now + sync.until_next_night()
    with context.database.transaction() as tx:
        deliveries.put_off(tx, SHEETS, until=opening, why=why, now=now)
    return opening


def _pulse(context: Context, sync: SheetsSync) -> Callable[[], None]:
    """Before every request: the step gets on; it ends with the window, the worker, or when the job is lost."""

    def pulse() -> None:
        context.progress()
        if context.is_lost() or context.is_stopping():
            raise Stopped("stopped in the middle; the next worker goes on")
        if not sync.is_night():
            raise WindowOver(NEXT_NIGHT)

    return pulse
